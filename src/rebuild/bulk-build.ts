/** Builds views that are not live yet: folds in memory, writes each document seldom and in the order of ids, and makes indexes last. */
import { demandLogId } from '../eventstore/log-id.js';
import { logStart, type EventReader, type Position, type StoredEvent } from '../eventstore/event-store.js';
import { foldInto, handlersOf, parkedWrite } from '../projector/fold.js';
import { readAhead } from '../projector/batches.js';
import { overTombstones, parkedView, readParked, withParked, type ParkedStream } from '../projector/parked.js';
import type { BuildProgress } from '../projector/status.js';
import {
  storagesOf,
  commitUnderLease,
  type ViewsWriter,
  checkpointName,
  initialBuildName,
} from '../projector/storage.js';
import type { Projection } from '../projections/projection.js';
import type { Checkpoint, DocumentWrite, View } from '../readmodels/read-models.js';
import { createBuildCache, type BuildCache } from './bulk-build-cache.js';
import { prepareAll, type InitialBuild } from '../projector/projector.js';

export interface BulkBuildInput extends ViewsWriter {
  readonly reader: Pick<EventReader, 'readAll' | 'readStream'>;
  /** As they are stored. They are not read until the build is done. */
  readonly projections: readonly Projection[];
  readonly name: string;
  /** That checkpoint as stored: an interrupted build goes on there. `null`, or before the first event: what the views hold is dropped. */
  readonly from: Checkpoint | null;
  /** Position of the last event to fold; there is one. */
  readonly until: Position;
  readonly park: boolean;
  readonly signal: AbortSignal;
  /** After each page of the log; it is not written yet. */
  readonly onProgress: (progress: BuildProgress) => void;
  readonly bounds?: WriteBounds;
}

export interface WriteBounds {
  readonly documents: number;
  readonly characters: number;
}

/** Twice as much is kept in memory: what is folded, and what is being written. */
const defaultBounds: WriteBounds = { documents: 20_000, characters: 16 * 1024 * 1024 };
const idlePart = 1 / 4;

/**
 * Whole, with its indexes, when it resolves: to the checkpoint at `until`. What it has written before it fails or is
 * aborted is not lost: called again with the stored checkpoint, it goes on there.
 *
 * @throws PoisonEventError unless `park`; the view and the event, without its body, are in it.
 * @throws CommitConflictError another process builds the same views, or has built them: start again from the stored checkpoint.
 * @throws StoreUnavailableError @throws ReadModelsUnavailableError @throws the signal's reason when it aborts.
 */
export async function bulkBuild(input: BulkBuildInput): Promise<Checkpoint> {
  const { reader, readModels, from, signal, check } = input;
  const isNew = from === null || from.position === logStart;
  await prepareBare(input, isNew);
  const logId = from?.logId ?? (await demandLogId(reader));
  const parked = input.park ? await readParked(readModels) : new Map<string, ParkedStream>();
  const fold = createBuildFold(input, { logId, parked, cache: createBuildCache(readModels, isNew) });
  let checkpoint: Checkpoint | null;
  try {
    for await (const events of eventPages(input, from?.position ?? '')) await fold.add(events);
    signal.throwIfAborted();
    checkpoint = await fold.finish();
  } finally {
    // Nothing is written any more when the next build goes on from here.
    await fold.settled();
  }
  for (const view of viewsOf(input)) {
    signal.throwIfAborted();
    check();
    await readModels.prepare(view);
  }
  if (checkpoint === null) throw new RangeError('there is no event to build the views from');
  return checkpoint;
}

const viewsOf = ({ projections, park }: BulkBuildInput) => (park ? [...projections, parkedView] : projections);

/** Without indexes. All views together: on a server each is a round trip or two, and a first start waits for all. */
async function prepareBare(input: BulkBuildInput, isNew: boolean): Promise<void> {
  const { readModels, signal, check } = input;
  signal.throwIfAborted();
  check();
  const prepare = async (view: View): Promise<void> => {
    if (isNew && view !== parkedView) await readModels.drop(view);
    await readModels.prepare(view, { bare: true });
  };
  await Promise.all(viewsOf(input).map(prepare));
}

interface BuildStart {
  readonly logId: string;
  readonly parked: ReadonlyMap<string, ParkedStream>;
  readonly cache: BuildCache;
}

/** What has been folded and is yet to be written, and what is being written. */
function createBuildFold(input: BulkBuildInput, { logId, cache, parked: alreadyParked }: BuildStart) {
  const { projections, park, bounds = defaultBounds } = input;
  const handlers = handlersOf(projections);
  let parked = alreadyParked;
  let checkpoint = input.from;
  /** Settles when nothing is being written any more. */
  let writing = Promise.resolve();
  let isIdle = true;
  let last: StoredEvent | undefined;
  let foldedEvents = 0;
  /** Of the events folded since the last writing. */
  let characters = 0;

  /** Sooner while nothing is being written: what is written meanwhile need not be waited for at the end. */
  function isDue(): boolean {
    const part = isIdle ? idlePart : 1;
    return cache.documents() >= bounds.documents * part || characters + cache.characters() >= bounds.characters * part;
  }

  /** Begins to write what has been folded, once the write before is done: meanwhile the next events are folded. */
  async function write(parkedNow: readonly DocumentWrite[] = []): Promise<void> {
    await writing;
    if (last === undefined) return;
    const over = await overTombstones(input.readModels, parkedNow);
    const previous = checkpoint;
    const next = { logId, position: last.position, eventId: last.id, storages: storagesOf(projections) };
    checkpoint = next;
    last = undefined;
    characters = 0;
    isIdle = false;
    const writes = [...cache.turn(), ...over];
    writing = commitUnderLease(input, { name: input.name, previous, next }, writes).then(() => {
      isIdle = true;
      cache.written();
    });
    // A failure is met where it is awaited next.
    writing.catch(() => undefined);
  }

  return {
    async add(events: readonly StoredEvent[]): Promise<void> {
      const fold = await foldInto({ events, handlers, parked, park }, cache.slots);
      for (const { data } of events) characters += data.length;
      foldedEvents += events.length;
      last = events.at(-1) ?? last;
      const position = last?.position ?? '';
      parked = withParked(parked, fold.parked);
      // Together with what was folded before it, as in the projector.
      if (fold.parked.length > 0) await write(fold.parked.map(parkedWrite));
      const { unknown, at } = fold;
      input.onProgress({ position, events: foldedEvents, at, unknown, parked: fold.parked });
      if (isDue()) await write();
    },
    /** Resolves with the checkpoint when all is written; with null where there was nothing. */
    async finish(): Promise<Checkpoint | null> {
      await write();
      await writing;
      return checkpoint;
    },
    settled: (): Promise<void> => writing.catch(() => undefined),
  };
}

/** Pages of the log up to the last event wanted; the next one is under way while this one is folded. */
async function* eventPages(
  { reader, until, signal }: BulkBuildInput,
  after: Position,
): AsyncGenerator<readonly StoredEvent[]> {
  if (after >= until) return;
  const left = new AbortController();
  const options = { after, signal: AbortSignal.any([signal, left.signal]) };
  const iterator = reader.readAll(options)[Symbol.asyncIterator]();
  let ahead = readAhead(iterator);
  try {
    for (let result = await ahead; result.done !== true; result = await ahead) {
      const isLast = (result.value.at(-1)?.position ?? '') >= until;
      if (!isLast) ahead = readAhead(iterator);
      const events = isLast ? result.value.filter(({ position }) => position <= until) : result.value;
      if (events.length > 0) yield events;
      if (isLast) return;
    }
  } finally {
    left.abort();
    await iterator.return?.();
  }
}

/** All views of a log that has none yet, or whose views were reset. Up to where the log is now; goes on where it was interrupted. Null while the log is empty. */
export async function buildInitially(build: InitialBuild): Promise<Checkpoint | null> {
  const { reader, readModels, projections, epoch, check } = build;
  const until = await reader.head();
  if (until === logStart) return await prepareAll(build);
  const from = await readModels.checkpoint(initialBuildName);
  const built = await bulkBuild({ ...build, name: initialBuildName, from, until, park: true });
  const next = { ...built, storages: storagesOf(projections) };
  await commitUnderLease(build, { name: checkpointName, previous: null, next });
  check();
  await readModels.forget({ name: initialBuildName, previous: built, epoch });
  return next;
}
