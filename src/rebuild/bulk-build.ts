/** Builds views that are not live yet: folds in memory, writes each document seldom and in the order of ids, and makes indexes last. */
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
  /** Of the last event that was folded. */
  readonly position: Position;
  /** Number of events that were folded. */
  readonly events: number;
}

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
  readonly bounds?: WriteBounds | undefined;
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
      input.onProgress({ position, events: foldedEvents });
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

/** The documents of one view: those touched since the last turn, and those that are being written. */
interface Held {
  readonly projection: Projection;
  recent: Map<string, Slot>;
  leaving: ReadonlyMap<string, Slot>;
}

/** With 10 million ids, 5 % of new ones are taken for known. */
const filterBits = 2 ** 26;

type BuildCache = ReturnType<typeof createBuildCache>;

/** `isEmpty`: nothing is stored yet, so that what was never written need not be looked for. */
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

    /** All that is to be written, by view and in the order of ids. It is kept until it has been. */
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

/** From now on they count as stored. */
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

/** Nearly as the stores order them: what lies close together is written close together. */
const byId = (a: DocumentWrite, b: DocumentWrite): number => (a.id < b.id ? -1 : 1);

/** Characters of a document, near enough for a bound. */
function roughSize(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let size = 16;
  for (const [key, item] of Object.entries(value)) size += key.length + roughSize(item);
  return size;
}
