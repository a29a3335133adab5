/** Leases of work that only one of the processes that share the stores does at a time. */
import { randomUUID } from 'node:crypto';
import { createLease, type Lease } from '../projector/lease.js';
import type { ReadModels } from '../readmodels/read-models.js';

/** Milliseconds. For rare work, which another process may take over a little later. As long as the lease of a mailer, so that all are renewed together. */
export const seldomLeaseMs = 10_000;

type OwnLease = Lease & Pick<ReadModels, 'fenceOff'>;

/** Opens the lease with this name. Returns undefined if this process is the only one. @throws ReadModelsUnavailableError */
export type OpenLease = (name: string, ttl: number) => Promise<OwnLease | undefined>;

/** Opens leases that share a connection, which is closed with the last of them. */
export function leasesOf(open: () => Promise<ReadModels>): OpenLease {
  let opening: Promise<ReadModels> | undefined;
  let users = 0;

  async function connected(): Promise<ReadModels> {
    const connecting = (opening ??= open());
    users += 1;
    try {
      return await connecting;
    } catch (error) {
      users -= 1;
      if (opening === connecting) opening = undefined;
      throw error;
    }
  }

  async function closed(readModels: ReadModels): Promise<void> {
    users -= 1;
    if (users > 0) return;
    opening = undefined;
    await readModels.close();
  }

  return async (name, ttl) => {
    const readModels = await connected();
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
