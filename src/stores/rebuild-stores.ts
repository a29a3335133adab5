/** The stores as a rebuild needs them, in any thread or process: they wait for other writers, and leave them time to write. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadModels } from '../readmodels/read-models.js';
import { openEventReader, openReadModels, longBusyTimeoutMs, type OpenReader, type StoreSettings } from './stores.js';

export interface RebuildStores {
  readonly reader: OpenReader;
  readonly readModels: ReadModels;
  /** Of one write: absent where nothing else waits for it. */
  readonly bounds?: typeof embeddedBounds;
  close(): Promise<void>;
}

/** The projector waits while the same file is written to: about 50 ms at a time. */
const embeddedBounds = { documents: 4_000, characters: 4 * 1024 * 1024 };

/** @throws StoreUnavailableError @throws ReadModelsUnavailableError */
export async function openRebuildStores({ events, views }: StoreSettings): Promise<RebuildStores> {
  const reader = await openEventReader(events);
  const readModels = withPauses(await openReadModels(views, { busyTimeout: longBusyTimeoutMs }));
  return {
    reader,
    readModels,
    ...(views.kind === 'embedded' ? { bounds: embeddedBounds } : {}),
    async close() {
      await reader.close();
      await readModels.close();
    },
  };
}

/**
 * Pauses after slow calls: making the indexes of a large embedded view, or dropping it, blocks this thread for longer
 * than a lease is valid, and the overdue renewal must run before the lease is checked.
 */
export const withPauses = (readModels: ReadModels): ReadModels => ({
  ...readModels,
  async prepare(view, options) {
    await readModels.prepare(view, options);
    await sleep(1);
  },
  async drop(view) {
    await readModels.drop(view);
    await sleep(1);
  },
});
