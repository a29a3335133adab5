/** How the views are, as their store has them: for where no service runs. */
import { liveProjections } from '../projections/views.js';
import { readParked } from '../projector/parked.js';
import { checkpointName, isOf } from '../projector/storage.js';
import type { ReadModelReader } from '../readmodels/read-models.js';
import type { ViewState } from './answers.js';
import { isOpen, readRebuildRecord } from './rebuild-record.js';

/** Without a service the lag is not known. */
export type StoredViewState = Omit<ViewState, 'lag_ms'> & { readonly lag_ms: number | null };

/** @throws ReadModelsUnavailableError */
export async function storedViewStates(views: ReadModelReader): Promise<readonly StoredViewState[]> {
  const checkpoint = await views.checkpoint(checkpointName);
  const parked = checkpoint === null ? [] : [...(await readParked(views)).values()];
  const record = await readRebuildRecord(views);
  const open = record !== undefined && isOpen(record) ? record : undefined;
  return liveProjections.map(({ name, version }): StoredViewState => {
    const storage = checkpoint?.storages[name];
    const isLive = isOf({ version }, storage);
    return {
      name,
      version,
      state: isLive ? 'live' : 'missing',
      storage_version: isLive ? (storage ?? null) : null,
      position: checkpoint?.position ?? '',
      lag_ms: null,
      parked: parked.filter(({ view }) => view === name).map(({ storage: _, ...stream }) => stream),
      rebuild_id: open?.views.includes(name) === true ? open.rebuild_id : null,
    };
  });
}
