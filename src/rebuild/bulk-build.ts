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

interface Build {
  readonly input: BulkBuildInput;
  readonly bounds: WriteBounds;
  readonly handlers: ReadonlyMap<string, readonly Projection[]>;
  readonly logId: string;
  readonly cache: BuildCache;
  parked: ReadonlyMap<string, ParkedStream>;
  checkpoint: Checkpoint | null;
  /** Settles when nothing is being written any more. */
  writing: Promise<void>;
  isIdle: boolean;
  last: StoredEvent | undefined;
  events: number;
  /** Characters of the events folded since the last writing. */
  characters: number;
}

/**
 * Whole, with its indexes, when it resolves: to the checkpoint at `until`. What it has written before it fails or is
 * aborted is not lost: called again with the stored checkpoint, it goes on there.
 *
 * @throws PoisonEventError unless `park`; the view and the event, without its body, are in it.
 * @throws CommitConflictError another process builds the same views, or has built them: start again from the stored checkpoint.
 * @throws StoreUnavailableError @throws ReadModelsUnavailableError @throws the signal's reason when it aborts.
 */
export async function bulkBuild(input: BulkBuildInput): Promise<Checkpoint> {
  const build = await begin(input);
  try {
    await foldAll(build);
  } finally {
    // Nothing is written any more when the next build goes on from here.
    await build.writing.catch(() => undefined);
  }
  for (const view of viewsOf(input)) {
    input.signal.throwIfAborted();
    input.check();
    await input.readModels.prepare(view);
  }
  if (build.checkpoint === null) throw new RangeError('there is no event to build the views from');
  return build.checkpoint;
}

async function begin(input: BulkBuildInput): Promise<Build> {
  const { reader, readModels, projections, from, park, bounds = defaultBounds } = input;
  const isNew = from === null || from.position === logStart;
  input.signal.throwIfAborted();
  input.check();
  // Together: on a server each is a round trip or two, and a first start waits for all.
  const prepare = async (view: View): Promise<void> => {
    if (isNew && view !== parkedView) await readModels.drop(view);
    await readModels.prepare(view, { bare: true });
  };
  await Promise.all(viewsOf(input).map(prepare));
  return {
    input,
    bounds,
    handlers: handlersOf(projections),
    logId: from?.logId ?? (await demandLogId(reader)),
    cache: createBuildCache(readModels, isNew),
    parked: park ? await readParked(readModels) : new Map<string, ParkedStream>(),
    checkpoint: from,
    writing: Promise.resolve(),
    isIdle: true,
    last: undefined,
    events: 0,
    characters: 0,
  };
}

const viewsOf = ({ projections, park }: BulkBuildInput) => (park ? [...projections, parkedView] : projections);

async function foldAll(build: Build): Promise<void> {
  const { signal } = build.input;
  const from = build.checkpoint?.position ?? '';
  if (from < build.input.until)
    for await (const page of pages(build.input, from)) {
      await foldPage(build, page);
      if (isDue(build)) await write(build);
    }
  signal.throwIfAborted();
  await write(build);
  await build.writing;
}

async function foldPage(build: Build, events: readonly StoredEvent[]): Promise<void> {
  const { handlers, cache, parked, input } = build;
  const fold = await foldInto({ events, handlers, parked, park: input.park }, cache.slots);
  for (const { data } of events) build.characters += data.length;
  build.events += events.length;
  const last = events.at(-1) ?? build.last;
  build.last = last;
  build.parked = withParked(parked, fold.parked);
  // Together with what was folded before it, as in the projector.
  if (fold.parked.length > 0) await write(build, fold.parked.map(parkedWrite));
  const { unknown, at } = fold;
  input.onProgress({ position: last?.position ?? '', events: build.events, at, unknown, parked: fold.parked });
}

/** Sooner while nothing is being written: what is written meanwhile need not be waited for at the end. */
function isDue({ cache, characters, bounds, isIdle }: Build): boolean {
  const part = isIdle ? idlePart : 1;
  return cache.documents() >= bounds.documents * part || characters + cache.characters() >= bounds.characters * part;
}

/** Begins to write what has been folded, once the write before is done: meanwhile the next events are folded. */
async function write(build: Build, parked: readonly DocumentWrite[] = []): Promise<void> {
  await build.writing;
  const { input, last, checkpoint: previous, logId } = build;
  if (last === undefined) return;
  const over = await overTombstones(input.readModels, parked);
  const next = { logId, position: last.position, eventId: last.id, storages: storagesOf(input.projections) };
  build.checkpoint = next;
  build.last = undefined;
  build.characters = 0;
  build.isIdle = false;
  const writes = [...build.cache.turn(), ...over];
  build.writing = commitUnderLease(input, { name: input.name, previous, next }, writes).then(() => {
    build.isIdle = true;
    build.cache.written();
  });
  // A failure is met where it is awaited next.
  build.writing.catch(() => undefined);
}

/** Pages of the log up to the last event wanted; the next one is under way while this one is folded. */
async function* pages(
  { reader, until, signal }: BulkBuildInput,
  after: Position,
): AsyncGenerator<readonly StoredEvent[]> {
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
