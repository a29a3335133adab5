/** Fills the views of a log that has none yet, or whose views are begun anew: nobody reads them until they are whole. */
import type { EventReader } from '../eventstore/event-store.js';
import type { Checkpoint, ReadModels } from '../readmodels/read-models.js';
import type { FillProgress, fillViews } from './bulk-build.js';
import type { Projection } from '../projections/projection.js';
import { checkpointName, firstFillName, firstStorages } from '../projector/storage.js';

export interface FirstFill {
  readonly reader: EventReader;
  readonly readModels: ReadModels;
  readonly projections: readonly Projection[];
  readonly fill: typeof fillViews;
  /** Of the lease. */
  readonly epoch: number | undefined;
  readonly check: () => void;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: FillProgress) => void;
}

/** Up to where the log stands now; goes on where it was interrupted. Null while the log is empty. */
export async function fillFirst(input: FirstFill): Promise<Checkpoint | null> {
  const { reader, readModels, projections, fill, check, signal, onProgress } = input;
  const epoch = input.epoch === undefined ? {} : { epoch: input.epoch };
  const until = await reader.head();
  if (until === '') {
    for (const view of projections) await readModels.prepare(view);
    return null;
  }
  const from = await readModels.checkpoint(firstFillName);
  const filled = await fill({
    reader,
    readModels,
    projections,
    name: firstFillName,
    from,
    until,
    ...epoch,
    check,
    park: true,
    signal,
    onProgress,
  });
  const next = { ...filled, live: firstStorages(projections) };
  check();
  await readModels.commit({ writes: [], checkpoint: { name: checkpointName, previous: null, next, ...epoch } });
  await readModels.forget({ name: firstFillName, previous: filled, ...epoch });
  return next;
}
