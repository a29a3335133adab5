/** Reads of the live views: whoever names a view reads the storage version of it that is live. */
import { ReadModelsUnavailableError, type ReadModelReader, type View } from '../readmodels/read-models.js';
import { checkpointName, isOf, storedAs, type Storages } from './storage.js';

export interface LiveReader extends ReadModelReader {
  /** From now on these storage versions are read. To be called before anything is shown that only they hold. */
  use(live: Storages): void;
  /** What was told last: the very same object. */
  used(): Storages | undefined;
  /** Views of this code that nothing readable is live of: reads of them throw. */
  missing(): readonly string[];
}

/**
 * All reads of one of `views` throw ReadModelsUnavailableError until it is known which storage version is live, and while
 * the live one was folded by another version of the projection: its documents have another shape. Other views pass.
 */
export function createLiveReader(reader: ReadModelReader, views: readonly View[]): LiveReader {
  /** By name; `null`: nothing readable is live. */
  const stored = new Map<string, View | null>(views.map(({ name }) => [name, null]));
  let used: Storages | undefined;

  const live = (view: View): View => {
    const found = stored.get(view.name);
    if (found === undefined) return view;
    if (found === null) throw new ReadModelsUnavailableError(`the view ${view.name} has not been built yet`);
    return found;
  };

  return {
    use(storages) {
      if (storages === used) return;
      used = storages;
      for (const view of views) {
        const storage = storages[view.name];
        if (storage === undefined || !isOf(view, storage)) stored.set(view.name, null);
        else if (stored.get(view.name)?.version !== storage) stored.set(view.name, storedAs(view, storage));
      }
    },
    used: () => used,
    missing: () => views.filter(({ name }) => stored.get(name) === null).map(({ name }) => name),
    get: async (view, id) => reader.get(live(view), id),
    getMany: async (view, ids) => reader.getMany(live(view), ids),
    find: async (view, query) => reader.find(live(view), query),
    checkpoint: (name) => reader.checkpoint(name),
    close: () => reader.close(),
  };
}

/** For reading once, as of now. @throws ReadModelsUnavailableError */
export async function readLive(reader: ReadModelReader, views: readonly View[]): Promise<LiveReader> {
  const live = createLiveReader(reader, views);
  live.use((await reader.checkpoint(checkpointName))?.live ?? {});
  return live;
}
