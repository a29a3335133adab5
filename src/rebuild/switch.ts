/** The new storages that a rebuild builds: folded on, made live between two batches of the projector, or dropped. */
import type { StoredEvent } from '../eventstore/event-store.js';
import type { Clocks } from '../flow/subscriber.js';
import { PoisonEventError, type Poison, foldBatch, handlersOf } from '../projector/fold.js';
import { createLease, leaseMs } from '../projector/lease.js';
import { dropAll, readOldStorages } from '../projector/old-storages.js';
import { storageOf, type Checkpoint, type ReadModels } from '../readmodels/read-models.js';
import {
  checkpointName,
  isAmong,
  rebuildName,
  storedViews,
  type FoldedViews,
  type WaitingSwitches,
  type LiveStorages,
  storedIn,
  type Storages,
  type ViewsWriter,
} from '../projector/storage.js';
import type { Projection } from '../projections/projection.js';
import { overTombstones, readParked, withParked, type ParkedStream } from '../projector/parked.js';
import { isOpen, readRebuildRecord } from './rebuild-record.js';

export type SwitchAnswer =
  | { readonly outcome: 'switched' }
  /** Too many events are missing: fold on, and ask again. */
  | { readonly outcome: 'behind' }
  /** An event cannot be folded into them: they are not live. */
  | { readonly outcome: 'poison'; readonly poison: Poison }
  /** They are not live, as far as is known. */
  | { readonly outcome: 'failed'; readonly reason: string };

export type RequestSwitch = (built: NewStorages) => Promise<SwitchAnswer>;

export interface Switches extends WaitingSwitches {
  /** The one command that a rebuild gives. Never rejects. */
  readonly requestSwitch: RequestSwitch;
  /** Has the projector give up damaged storages, so that a rebuild builds their views as after an update. */
  discard(damaged: Storages): void;
}

export function createSwitches(): Switches {
  const waiting: { readonly built: NewStorages; readonly answer: (answer: SwitchAnswer) => void }[] = [];
  const damaged: Storages[] = [];
  let added = (): void => undefined;
  return {
    requestSwitch: (built) =>
      new Promise((resolve) => {
        waiting.push({ built, answer: resolve });
        added();
      }),
    discard(storages) {
      damaged.push(storages);
      added();
    },
    isWaiting: () => waiting.length + damaged.length > 0,
    onAdded(listener) {
      added = listener;
    },
    async next({ live, ...views }) {
      const storages = damaged.shift();
      // Without live storages, all views are about to be built.
      if (storages !== undefined) return await live?.discard(storages);
      const next = waiting.shift();
      if (next === undefined) return;
      try {
        if (live === null) throw new Error('nothing has been folded yet');
        next.answer(await makeLive({ ...views, live }, next.built));
      } catch (error) {
        const reason = error instanceof Error ? `${error.name}: ${error.message}` : 'unexpected failure';
        next.answer({ outcome: 'failed', reason });
        throw error;
      }
    },
  };
}

/** The live views are folded no further meanwhile: reads wait this long. */
const mostMissing = 1_000;

interface Switching extends FoldedViews {
  readonly live: LiveStorages;
}

/** @throws what makes it unknown whether they are live: the views are to be opened again. */
async function makeLive(input: Switching, built: NewStorages): Promise<SwitchAnswer> {
  const missing = await eventsMissing(input, built.checkpoint.position);
  if (missing === undefined) return { outcome: 'behind' };
  let previous: Checkpoint;
  try {
    const folding = await foldNewStorages(built, input);
    // Commit even if no event is missing, because the commit fails if another process builds the storages by now.
    await folding.fold(missing);
    previous = folding.checkpoint();
  } catch (error) {
    if (!(error instanceof PoisonEventError)) throw error;
    return { outcome: 'poison', poison: error.poison };
  }
  // A rebuild that parks has written what it has parked itself.
  await input.live.switchTo(previous.storages, { unparks: !built.park });
  // They are live. Where this fails, the next rebuild forgets it.
  await input.readModels.forget({ name: rebuildName, previous, epoch: built.epoch }).catch(() => undefined);
  return { outcome: 'switched' };
}

/** What the live views have folded and the new storages have not; undefined: too much. New storages may also be ahead. */
async function eventsMissing(
  { reader, live: { checkpoint: live }, signal }: Switching,
  after: string,
): Promise<readonly StoredEvent[] | undefined> {
  const until = live.position;
  if (after >= until) return [];
  const events: StoredEvent[] = [];
  for await (const page of reader.readAll({ after, limit: mostMissing + 1, signal }))
    events.push(...page.filter(({ position }) => position <= until));
  signal.throwIfAborted();
  return events.length > mostMissing ? undefined : events;
}

/** What a rebuild builds beside the live storages, folded on under a checkpoint of its own. Plain data: it crosses threads. */
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
    /** Folds these events, which follow the checkpoint, and moves it. @throws PoisonEventError @throws CommitConflictError another process builds them by now. @throws ReadModelsUnavailableError */
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

/**
 * Drops what a rebuild has built and has not made live, because it may hold data of an erased person. The caller holds the
 * lease of rebuilds.
 */
export async function dropUnfinished(writer: ViewsWriter): Promise<void> {
  const { readModels, epoch, check } = writer;
  const previous = await readModels.checkpoint(rebuildName);
  // The storages may be live by now, because this process may have been stopped for long.
  const live = (await readModels.checkpoint(checkpointName))?.storages ?? {};
  const old = await readOldStorages(readModels);
  check();
  // Forget the checkpoint first. Otherwise the next build after a crash would continue in empty storages.
  await readModels.forget({ name: rebuildName, previous, epoch });
  await dropAll(
    writer,
    storedViews(previous?.storages ?? {}).filter((view) => live[view.name] !== storageOf(view) && !isAmong(view, old)),
  );
}

interface DropOptions extends Pick<Clocks, 'monotonic'> {
  readonly newUuid: () => string;
}

/** Returns the abandoned storages that it dropped, or undefined if a rebuild is running or about to start. @throws ReadModelsUnavailableError @throws LeaseLostError */
export async function dropAbandoned(
  readModels: ReadModels,
  { monotonic: now, newUuid }: DropOptions,
): Promise<Storages | undefined> {
  const { storages = {} } = (await readModels.checkpoint(rebuildName)) ?? {};
  if (Object.keys(storages).length === 0) return {};
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
