/** Storages that a rebuild builds beside the live ones: folded on under a checkpoint of their own, until the projector makes them live. */
import type { StoredEvent } from '../eventstore/event-store.js';
import type { Checkpoint } from '../readmodels/read-models.js';
import type { Projection } from '../projections/projection.js';
import { foldBatch, handlersOf } from '../projector/fold.js';
import { overTombstones, readParked, withParked, type ParkedStream } from '../projector/parked.js';
import { rebuildName, storedIn, type ViewsWriter } from '../projector/storage.js';

/** Plain data: it crosses threads. */
export interface NewStorages {
  readonly checkpoint: Checkpoint;
  readonly epoch: number;
  readonly park: boolean;
}

export type NewStoragesFold = Awaited<ReturnType<typeof foldNewStorages>>;

type FoldingNew = Omit<ViewsWriter, 'epoch'> & { readonly projections: readonly Projection[] };

export async function foldNewStorages(
  { checkpoint: from, epoch, park }: NewStorages,
  { readModels, projections, check }: FoldingNew,
) {
  const handlers = handlersOf(storedIn(projections, from.storages));
  let parked: ReadonlyMap<string, ParkedStream> = park ? await readParked(readModels) : new Map();
  let previous = from;
  return {
    checkpoint: (): Checkpoint => previous,
    /** Folds these events, which follow the checkpoint, and moves it. @throws PoisonEventError @throws CommitConflictError somebody else builds them by now. @throws ReadModelsUnavailableError */
    async fold(events: readonly StoredEvent[]): Promise<void> {
      const last = events.at(-1);
      const { position, id: eventId } = last ?? { position: previous.position, id: previous.eventId };
      const fold = await foldBatch({ events, handlers, readModels, parked, park });
      const writes = await overTombstones(readModels, fold.writes);
      const next = { ...previous, position, eventId };
      check();
      await readModels.commit({ writes, checkpoint: { name: rebuildName, previous, next, epoch } });
      parked = withParked(parked, fold.parked);
      previous = next;
    },
  };
}
