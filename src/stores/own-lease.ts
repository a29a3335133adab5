/** The lease of work that one process at a time does, where several share the stores. */
import { randomUUID } from 'node:crypto';
import { createLease, leaseMs, type Lease } from '../projector/lease.js';
import { isShared, openReadModels, type StoreSettings } from './stores.js';

/** For work that is done a few times a day: another process may take it over a little later. Milliseconds. */
export const seldomLeaseMs = 16_000;

/** By its name. Undefined: there is but one process. @throws ReadModelsUnavailableError */
export type OpenLease = (name: string, ttl?: number) => Promise<Lease | undefined>;

export const leasesOf =
  (settings: StoreSettings): OpenLease =>
  async (name, ttl = leaseMs) => {
    if (!isShared(settings)) return undefined;
    const readModels = await openReadModels(settings.views);
    const now = (): number => performance.now();
    const lease = createLease({ readModels, name, holder: randomUUID(), ttl, now });
    return {
      ...lease,
      async close() {
        await lease.close();
        await readModels.close();
      },
    };
  };
