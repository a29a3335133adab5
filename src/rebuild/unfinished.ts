/** What a rebuild has built and has not made live. It may hold data of an erased person: it is dropped unless a rebuild continues it. */
import type { Clocks } from '../flow/subscriber.js';
import { createLease, leaseMs } from '../projector/lease.js';
import { dropAll, readOldStorages } from '../projector/old-storages.js';
import {
  checkpointName,
  isAmong,
  rebuildName,
  storedViews,
  type Storages,
  type ViewsWriter,
} from '../projector/storage.js';
import { storageOf, type ReadModels } from '../readmodels/read-models.js';
import { isOpen, readRebuildRecord } from './rebuild-record.js';

/** The caller holds the lease of rebuilds. */
export async function dropUnfinished(writer: ViewsWriter): Promise<void> {
  const { readModels, epoch, check } = writer;
  const previous = await readModels.checkpoint(rebuildName);
  // It may be live by now: this process may have been stopped for long.
  const live = (await readModels.checkpoint(checkpointName))?.storages ?? {};
  const old = await readOldStorages(readModels);
  check();
  // Before the storages: else, after a crash, the next build would go on in empty ones.
  await readModels.forget({ name: rebuildName, previous, epoch });
  await dropAll(
    writer,
    storedViews(previous?.storages ?? {}).filter((view) => live[view.name] !== storageOf(view) && !isAmong(view, old)),
  );
}

interface DropOptions extends Pick<Clocks, 'monotonic'> {
  readonly isWanted: (storages: Storages) => boolean;
  readonly newUuid: () => string;
}

/** The abandoned storages that were dropped; undefined: a rebuild is running or about to start. @throws ReadModelsUnavailableError @throws LeaseLostError */
export async function dropAbandoned(
  readModels: ReadModels,
  { isWanted, monotonic: now, newUuid }: DropOptions,
): Promise<Storages | undefined> {
  const { storages = {} } = (await readModels.checkpoint(rebuildName)) ?? {};
  if (Object.keys(storages).length === 0 || !isWanted(storages)) return {};
  const record = await readRebuildRecord(readModels);
  if (record !== undefined && isOpen(record)) return undefined;
  const lease = createLease({ readModels, name: 'rebuild', holder: newUuid(), ttl: leaseMs, now });
  try {
    const epoch = await lease.hold(AbortSignal.timeout(1));
    if (epoch === null) return undefined;
    await dropUnfinished({ readModels, epoch, check: () => lease.check() });
    return storages;
  } finally {
    await lease.close();
  }
}
