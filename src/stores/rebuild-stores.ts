/** The stores as a rebuild needs them, whichever thread or process it runs in: patient with others who write, and writing so that others get their turn. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FillBounds } from '../rebuild/bulk-build.js';
import type { ReadModels } from '../readmodels/read-models.js';
import { openEventReader, openReadModels, patientMs, type OpenReader, type StoreSettings } from './stores.js';

export interface RebuildStores {
  readonly reader: OpenReader;
  readonly readModels: ReadModels;
  /** Absent where nobody waits for what is written. */
  readonly bounds?: FillBounds;
  close(): Promise<void>;
}

/** The projector waits while one file is written to: for some 50 ms at once. */
const embeddedBounds: FillBounds = { documents: 4_000, characters: 4 * 1024 * 1024 };

/** @throws StoreUnavailableError @throws ReadModelsUnavailableError */
export async function openRebuildStores({ events, views }: StoreSettings): Promise<RebuildStores> {
  const reader = await openEventReader(events, { onFault: () => undefined });
  const readModels = withPauses(await openReadModels(views, { patience: patientMs }));
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
 * Making the indexes of a large embedded view, or dropping it, stops this thread for longer than a lease is valid: its
 * overdue renewal must come before the next look at the lease, which else counts as lost although nobody else has had it.
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
