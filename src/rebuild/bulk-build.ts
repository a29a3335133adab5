/** Fills views that nobody reads yet: folds in memory, writes each document seldom and in the order of ids, and makes indexes last. */
import type { EventReader, Position, StoredEvent } from '../eventstore/event-store.js';
import type { Checkpoint, DocumentWrite, ReadModels } from '../readmodels/read-models.js';
import { createFillCache, type FillCache } from './bulk-build-cache.js';
import { foldInto, handlersOf, parkedWrite } from '../projector/fold.js';
import { parkedId, parkedView, readParked, type ParkedStream } from '../projector/parked.js';
import type { Projection } from '../projections/projection.js';
import { demandLogId } from '../projector/start.js';

export interface FillInput {
  readonly reader: Pick<EventReader, 'readAll' | 'readStream'>;
  readonly readModels: ReadModels;
  /** Their storage is read by nobody else until the fill is done. */
  readonly projections: readonly Projection[];
  /** Of the fill's own checkpoint. */
  readonly name: string;
  /** That checkpoint as it stands: a fill that was broken off goes on there. `null`: what the views hold is dropped, and filled from the first event on. */
  readonly from: Checkpoint | null;
  /** Position of the last event to fold; there is one. */
  readonly until: Position;
  /** Of the lease under which it is filled. */
  readonly epoch?: number;
  /** Called before each change: throws when this process may not make it any more. */
  readonly check?: () => void;
  /** What a poison event does: park its stream for that view, or end the fill with a PoisonEventError. */
  readonly park: boolean;
  readonly signal: AbortSignal;
  /** After each page of the log; what it tells of is not yet written. */
  readonly onProgress: (progress: FillProgress) => void;
  /** What is folded before it is written, at most. */
  readonly bounds?: FillBounds;
}

export interface FillProgress {
  /** Folded up to here, in memory. */
  readonly position: Position;
  /** Events read in this run. */
  readonly events: number;
  /** When the last event that a view handles happened; undefined when the page held none. */
  readonly at: string | undefined;
  /** Types that nobody knows, once per event of the page. */
  readonly unknown: readonly string[];
  /** Parked by this page. */
  readonly parked: readonly ParkedStream[];
}

export interface FillBounds {
  readonly documents: number;
  readonly characters: number;
}

/** Twice as much is kept in memory: what is folded, and what is being written. */
const defaultBounds: FillBounds = { documents: 20_000, characters: 16 * 1024 * 1024 };
const idlePart = 1 / 4;

interface Fill {
  readonly input: FillInput;
  readonly bounds: FillBounds;
  readonly handlers: ReadonlyMap<string, readonly Projection[]>;
  readonly logId: string;
  readonly live: Readonly<Record<string, number>>;
  readonly cache: FillCache;
  readonly parked: Map<string, ParkedStream>;
  /** What is written, or being written. */
  checkpoint: Checkpoint | null;
  /** Settles when nothing is being written any more. */
  writing: Promise<void>;
  isIdle: boolean;
  /** Folded, and not yet being written. */
  last: StoredEvent | undefined;
  events: number;
  /** Characters of the events folded since the last writing. */
  characters: number;
}

/**
 * Whole, with its indexes, when it resolves: to the checkpoint at `until`. What it has written before it fails or is
 * aborted is not lost: called again with the checkpoint `name` as it stands then, it goes on there.
 *
 * @throws PoisonEventError unless `park`; the view, the event and its body are in it.
 * @throws CommitConflictError somebody else fills the same views, or has: start again from the checkpoint as it stands.
 * @throws StoreUnavailableError @throws ReadModelsUnavailableError @throws the signal's reason when it aborts.
 */
export async function fillViews(input: FillInput): Promise<Checkpoint> {
  const fill = await begin(input);
  try {
    await foldAll(fill);
  } finally {
    // Nothing is written behind the back of who goes on from here.
    await fill.writing.catch(() => undefined);
  }
  for (const view of viewsOf(input)) {
    input.signal.throwIfAborted();
    input.check?.();
    await input.readModels.prepare(view);
  }
  if (fill.checkpoint === null) throw new RangeError('there is no event to fill the views from');
  return fill.checkpoint;
}

async function begin(input: FillInput): Promise<Fill> {
  const { reader, readModels, projections, from, park, bounds = defaultBounds } = input;
  input.signal.throwIfAborted();
  for (const view of viewsOf(input)) {
    input.check?.();
    if (from === null && view !== parkedView) await readModels.drop(view);
    await readModels.prepare(view, { bare: true });
  }
  return {
    input,
    bounds,
    handlers: handlersOf(projections),
    logId: from?.logId ?? (await demandLogId(reader)),
    live: Object.fromEntries(projections.map(({ name, version }) => [name, version])),
    cache: createFillCache(readModels, from === null),
    parked: new Map(park ? await readParked(readModels) : []),
    checkpoint: from,
    writing: Promise.resolve(),
    isIdle: true,
    last: undefined,
    events: 0,
    characters: 0,
  };
}

const viewsOf = ({ projections, park }: FillInput) => (park ? [...projections, parkedView] : projections);

async function foldAll(fill: Fill): Promise<void> {
  const { signal } = fill.input;
  const from = fill.checkpoint?.position ?? '';
  if (from < fill.input.until)
    for await (const page of pages(fill.input, from)) {
      await foldPage(fill, page);
      if (isDue(fill)) await write(fill);
    }
  signal.throwIfAborted();
  await write(fill);
  await fill.writing;
}

async function foldPage(fill: Fill, events: readonly StoredEvent[]): Promise<void> {
  const { handlers, cache, parked, input } = fill;
  const fold = await foldInto({ events, handlers, parked, park: input.park }, cache.slots);
  for (const { data } of events) fill.characters += data.length;
  fill.events += events.length;
  const last = events.at(-1) ?? fill.last;
  fill.last = last;
  for (const stream of fold.parked) parked.set(parkedId(stream.view, stream.stream), stream);
  // Together with what was folded before it, as the projector does.
  if (fold.parked.length > 0) await write(fill, fold.parked.map(parkedWrite));
  const { unknown, at } = fold;
  input.onProgress({ position: last?.position ?? '', events: fill.events, at, unknown, parked: fold.parked });
}

/** Sooner while nothing is being written: what is written meanwhile need not be waited for at the end. */
function isDue({ cache, characters, bounds, isIdle }: Fill): boolean {
  const part = isIdle ? idlePart : 1;
  return cache.documents() >= bounds.documents * part || characters + cache.characters() >= bounds.characters * part;
}

/** Begins to write what has been folded, once what was begun before is done: meanwhile the next events are folded. */
async function write(fill: Fill, more: readonly DocumentWrite[] = []): Promise<void> {
  await fill.writing;
  const { input, last, checkpoint: previous, logId, live } = fill;
  if (last === undefined) return;
  input.check?.();
  const next = { logId, position: last.position, eventId: last.id, live };
  const checkpoint = { name: input.name, previous, next, ...(input.epoch === undefined ? {} : { epoch: input.epoch }) };
  fill.checkpoint = next;
  fill.last = undefined;
  fill.characters = 0;
  const writes = [...fill.cache.turn(), ...more];
  fill.isIdle = false;
  fill.writing = input.readModels.commit({ writes, checkpoint }).then(() => {
    fill.isIdle = true;
    fill.cache.written();
  });
  // A failure is met by the next one who waits.
  fill.writing.catch(() => undefined);
}

/** Pages of the log up to the last event wanted; the next one is under way while this one is folded. */
async function* pages({ reader, until, signal }: FillInput, after: Position): AsyncGenerator<readonly StoredEvent[]> {
  const reading = new AbortController();
  const abort = (): void => reading.abort();
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  const iterator = reader.readAll({ after, signal: reading.signal })[Symbol.asyncIterator]();
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
    signal.removeEventListener('abort', abort);
    abort();
    await iterator.return?.();
  }
}

type Next = Promise<IteratorResult<readonly StoredEvent[], unknown>>;

/** A failure is met where the page is awaited: nobody else shall call it unhandled. */
function readAhead(iterator: AsyncIterator<readonly StoredEvent[], unknown>): Next {
  const next = iterator.next();
  next.catch(() => undefined);
  return next;
}
