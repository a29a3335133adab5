/** The leases of work that one process at a time does, where several share the stores. */
import { randomUUID } from 'node:crypto';
import { createLease, type Lease } from '../projector/lease.js';
import { isShared, openReadModels, type StoreSettings } from './stores.js';
import type { ReadModels } from '../readmodels/read-models.js';

/** For work that is done now and then: another process may take it over a little later. As of a mailer, so that all are renewed together. Milliseconds. */
export const seldomLeaseMs = 10_000;

type OwnLease = Lease & Pick<ReadModels, 'fenceOff'>;

/** By its name. Undefined: there is but one process. @throws ReadModelsUnavailableError */
export type OpenLease = (name: string, ttl: number) => Promise<OwnLease | undefined>;

/** They share a connection: it is closed with the last of them. */
export function leasesOf(settings: StoreSettings): OpenLease {
  let opening: Promise<ReadModels> | undefined;
  let open = 0;

  async function connected({ views }: StoreSettings): Promise<ReadModels> {
    const connecting = (opening ??= openReadModels(views));
    open += 1;
    try {
      return await connecting;
    } catch (error) {
      open -= 1;
      if (opening === connecting) opening = undefined;
      throw error;
    }
  }

  async function closed(readModels: ReadModels): Promise<void> {
    open -= 1;
    if (open > 0) return;
    opening = undefined;
    await readModels.close();
  }

  return async (name, ttl) => {
    if (!isShared(settings)) return undefined;
    const readModels = await connected(settings);
    const now = (): number => performance.now();
    const lease = createLease({ readModels, name, holder: randomUUID(), ttl, now, wall: Date.now });
    let closing: Promise<void> | undefined;
    return {
      ...lease,
      fenceOff: readModels.fenceOff,
      close: () => (closing ??= lease.close().then(() => closed(readModels))),
    };
  };
}
