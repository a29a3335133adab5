/** Builds views that are not live yet: folds in memory, writes each document rarely and in the order of ids, and creates the indexes last. */
import { demandLogId } from '../eventstore/log-id.js';
import { logStart, type EventReader, type Position, type StoredEvent } from '../eventstore/event-store.js';
import { createBloomFilter } from '../flow/bloom-filter.js';
import { foldInto, handlersOf, parkedWrite, toSlot, type Slot } from '../projector/fold.js';
import { readAhead } from '../projector/batches.js';
import { overTombstones, parkedView, readParked, withParked, type ParkedStream } from '../projector/parked.js';
import { storagesOf, commitUnderLease, type ViewsWriter } from '../projector/storage.js';
import type { Projection } from '../projections/projection.js';
import type { Checkpoint, DocumentWrite, ReadModels, View } from '../readmodels/read-models.js';

interface BuildProgress {
  /** Position of the last event that was folded. */
  readonly position: Position;
  /** Number of events that were folded. */
  readonly events: number;
}

export interface BulkBuildInput extends ViewsWriter {
  readonly reader: Pick<EventReader, 'readAll' | 'readStream'>;
  /** The projections, in the storages that are built. Nobody reads these storages before the build is done. */
  readonly projections: readonly Projection[];
  readonly name: string;
  /** The stored checkpoint of this name, where an interrupted build continues. If it is `null` or before the first event, the content of the views is dropped. */
  readonly from: Checkpoint | null;
  /** Position of the last event to fold. The log has such an event. */
  readonly until: Position;
  readonly park: boolean;
  readonly signal: AbortSignal;
  /** Called after each page of the log, before the page is written. */
  readonly onProgress: (progress: BuildProgress) => void;
  readonly bounds?: WriteBounds | undefined;
}

export interface WriteBounds {
  readonly documents: number;
  readonly characters: number;
}

/** Memory holds twice as much: the documents that are folded, and those that are being written. */
const defaultBounds: WriteBounds = { documents: 20_000, characters: 16 * 1024 * 1024 };
const idlePart = 1 / 4;

/**
 * Builds the views with their indexes, and resolves with the checkpoint at `until`. After a failure or an abort, a call with
 * the stored checkpoint continues the build.
 *
 * @throws PoisonEventError unless `park`, with the view and the event, but without the body of the event
 * @throws CommitConflictError if another process builds the same views, or has built them. Start again from the stored checkpoint.
 * @throws StoreUnavailableError @throws ReadModelsUnavailableError @throws the reason of the signal
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
    // Wait, because the next build must not start while this build still writes.
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

/** Creates the storages without indexes, all at the same time, because each takes a round trip or two to a server. */
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

/** Creates the fold of a build: folds events into the cache, and writes the cache while the next events are folded. */
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
  /** Characters of the events that were folded since the last write. */
  let characters = 0;

  /** Returns whether to write. The bound is lower while nothing is being written, so that less is left to write at the end. */
  function isDue(): boolean {
    const part = isIdle ? idlePart : 1;
    return cache.documents() >= bounds.documents * part || characters + cache.characters() >= bounds.characters * part;
  }

  /** Begins to write the folded documents when the previous write is done. Resolves while the write is under way. */
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
    // The next await of `writing` throws the failure.
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
      // Write a parked stream together with what was folded before it, as the projector does.
      if (fold.parked.length > 0) await write(fold.parked.map(parkedWrite));
      input.onProgress({ position, events: foldedEvents });
      if (isDue()) await write();
    },
    /** Writes the rest. Resolves with the checkpoint, or with null if there were no events. */
    async finish(): Promise<Checkpoint | null> {
      await write();
      await writing;
      return checkpoint;
    },
    settled: (): Promise<void> => writing.catch(() => undefined),
  };
}

/** Yields pages of the log up to `until`. The next page is read while the caller folds a page. */
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

/** The documents of one view: those touched since the last turn, and those that are being written. */
interface Held {
  readonly projection: Projection;
  recent: Map<string, Slot>;
  leaving: ReadonlyMap<string, Slot>;
}

/** The number of bits of the filter, whose rate of false positives is 5 % at 10 million ids. */
const filterBits = 2 ** 26;

type BuildCache = ReturnType<typeof createBuildCache>;

/** Creates the cache of documents. @param isEmpty whether nothing is stored yet, so that ids that were never written need no look */
function createBuildCache(readModels: Pick<ReadModels, 'load'>, isEmpty: boolean) {
  const views = new Map<Projection, Held>();
  const stored = isEmpty ? createBloomFilter(filterBits) : undefined;
  let characters = 0;

  function held(projection: Projection): Held {
    let found = views.get(projection);
    if (found === undefined) views.set(projection, (found = { projection, recent: new Map(), leaving: new Map() }));
    return found;
  }

  return {
    async slots(projection: Projection, ids: readonly string[]): Promise<ReadonlyMap<string, Slot>> {
      const { recent, leaving } = held(projection);
      const missing: string[] = [];
      for (const id of ids) {
        if (recent.has(id)) continue;
        const known = leaving.get(id);
        recent.set(id, known ?? toSlot(undefined));
        if (known === undefined && stored?.has(projection.name, id) !== false) missing.push(id);
      }
      if (missing.length === 0) return recent;
      for (const [id, found] of await readModels.load(projection, missing)) {
        characters += roughSize(found.document);
        recent.set(id, toSlot(found));
      }
      return recent;
    },

    /** Returns all changed documents, by view and in the order of ids. They stay in the cache until `written` is called. */
    turn(): DocumentWrite[] {
      const writes: DocumentWrite[] = [];
      for (const view of views.values()) {
        for (const write of changes(view)) {
          writes.push(write);
          if (write.loaded === null) stored?.add(view.projection.name, write.id);
        }
        view.leaving = view.recent;
        view.recent = new Map();
      }
      characters = 0;
      return writes;
    },
    written(): void {
      for (const view of views.values()) view.leaving = new Map();
    },

    documents: (): number => [...views.values()].reduce((sum, { recent }) => sum + recent.size, 0),
    /** Characters of the documents loaded since the last turn. */
    characters: (): number => characters,
  };
}

/** Returns the changed documents and marks them as stored. */
function changes({ projection: view, recent }: Held): readonly DocumentWrite[] {
  const writes: DocumentWrite[] = [];
  for (const [id, slot] of recent) {
    const { document = null, position, stored } = slot;
    if (!slot.changed || position === null) continue;
    writes.push({ view, id, document, position, loaded: stored });
    slot.stored = position;
    slot.changed = false;
  }
  return writes.sort(byId);
}

/** Orders writes nearly as the stores do, so that neighbors are written together. */
const byId = (a: DocumentWrite, b: DocumentWrite): number => (a.id < b.id ? -1 : 1);

/** Returns the approximate number of characters of a document. */
function roughSize(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 16;
  for (const [key, item] of Object.entries(value)) size += key.length + roughSize(item);
  return size;
}
