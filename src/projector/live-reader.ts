/** Reads of the live views: a read that names a view reads the storage version of it that is live. */
import {
  ReadModelsUnavailableError,
  storageOf,
  ViewDamagedError,
  ViewMissingError,
  type ReadModelReader,
  type View,
} from '../readmodels/read-models.js';
import { checkpointName, isOf, storedAs, type Storages } from './storage.js';

export interface LiveReader extends ReadModelReader {
  /** From now on these storage versions are read. To be called before anything is shown that only they hold. */
  use(live: Storages): void;
  /** The storages in use were still live at this time, by the clock of the freshness. */
  confirm(askedAt: number): void;
  /** The last object given to `use`. */
  used(): Storages | undefined;
  /** Views of this code without a readable live storage: reads of them throw. */
  missing(): readonly string[];
  /** Makes reads of the view throw ViewDamagedError, and invalidates prepared answers. */
  refuse(view: string): void;
  /** The view can be read again. */
  allow(view: string): void;
}

/** Where other processes switch: an old storage is dropped some time after the switch, and reads as empty from then on. */
interface Freshness {
  /** Milliseconds, monotonic; goes on while the process is stopped. */
  readonly now: () => number;
  /** Milliseconds after which what was live may have been dropped. */
  readonly most: number;
}

/**
 * All reads of one of `views` throw ReadModelsUnavailableError until it is known which storage version is live, and while
 * the live one was folded by another version of the projection: its documents have another shape. Other views pass.
 * With a freshness, so do reads that end when what they have read may have been dropped: it was not confirmed for too long.
 */
export function createLiveReader(reader: ReadModelReader, views: readonly View[], freshness?: Freshness): LiveReader {
  /** By name; `null`: nothing readable is live. */
  const stored = new Map<string, View | null>(views.map(({ name }) => [name, null]));
  const damaged = new Set<string>();
  let used: Storages | undefined;
  let confirmed = freshness?.now() ?? 0;

  const live = (view: View): View => {
    const found = stored.get(view.name);
    if (found === undefined) return view;
    if (damaged.has(view.name))
      throw new ViewDamagedError(`the view ${view.name} is damaged and is being rebuilt`, view);
    if (found === null) throw new ViewMissingError(view.name);
    return found;
  };

  const isStale = ({ name }: View, since: number): boolean =>
    freshness !== undefined && stored.has(name) && freshness.now() - since > freshness.most;

  async function readEach<T>(wanted: readonly View[], action: (stored: readonly View[]) => Promise<T>): Promise<T> {
    const before = confirmed;
    const answer = await action(wanted.map(live));
    // After the answer: the process may have been stopped, or cut off, at any moment until then.
    const stale = wanted.find((view) => isStale(view, before));
    if (stale === undefined) return answer;
    throw new ReadModelsUnavailableError(`it is not known which storage of the view ${stale.name} is live`);
  }

  const read = <T>(view: View, action: (stored: View) => Promise<T>): Promise<T> =>
    readEach([view], ([stored = view]) => action(stored));

  return {
    use(storages) {
      if (storages === used) return;
      used = storages;
      for (const view of views) {
        const storage = storages[view.name];
        const before = stored.get(view.name) ?? null;
        if (storage === undefined || !isOf(view, storage)) stored.set(view.name, null);
        else if (before === null || storageOf(before) !== storage) stored.set(view.name, storedAs(view, storage));
      }
    },
    confirm(askedAt) {
      confirmed = Math.max(confirmed, askedAt);
    },
    used: () => used,
    missing: () => views.filter(({ name }) => stored.get(name) === null).map(({ name }) => name),
    refuse(view) {
      damaged.add(view);
      // Another object, because prepared answers are kept for as long as this one is in use.
      used = { ...used };
    },
    allow: (view) => void damaged.delete(view),
    get: (view, id) => read(view, (stored) => reader.get(stored, id)),
    getMany: (view, ids) => read(view, (stored) => reader.getMany(stored, ids)),
    getEach: (wanted) =>
      readEach(
        wanted.map(({ view }) => view),
        (stored) => reader.getEach(wanted.map(({ view, ids }, index) => ({ view: stored[index] ?? view, ids }))),
      ),
    find: (view, query) => read(view, (stored) => reader.find(stored, query)),
    search: (view, query) => read(view, (stored) => reader.search(stored, query)),
    checkpoint: (name) => reader.checkpoint(name),
    readRecord: (name) => reader.readRecord(name),
    close: () => reader.close(),
  };
}

/** For reading once, as of now. @throws ReadModelsUnavailableError */
export async function readLive(reader: ReadModelReader, views: readonly View[]): Promise<LiveReader> {
  const live = createLiveReader(reader, views);
  live.use((await reader.checkpoint(checkpointName))?.storages ?? {});
  return live;
}
