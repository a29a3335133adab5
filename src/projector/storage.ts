/** Storage versions: which stored generation of a view is live, which one a rebuild builds beside it, and the checkpoints that say so. */
import type { Checkpoint, View } from '../readmodels/read-models.js';

export type Storages = Checkpoint['storages'];

export const checkpointName = 'views';
/** Checkpoint of an initial build, which nobody reads yet. */
export const initialBuildName = 'initial_build';
/** Checkpoint of a rebuild that is under way, or was interrupted: it names the new storages. */
export const rebuildName = 'rebuild';

export type StoredView = Pick<View, 'name' | 'version'>;

const generations = 1_000;

/** The first build of a projection's version is stored under that very number; each rebuild of the same version takes the next generation. */
const storageVersion = (version: number, generation: number): number =>
  generation === 0 ? version : version * generations + generation;

/** The version of the projection whose documents are stored so. */
export const projectionVersionOf = (storage: number): number =>
  storage < generations ? storage : Math.trunc(storage / generations);

/** Where a rebuild builds a view, while `live` (undefined: none) is read and `taken` are still to be dropped. */
export function nextStorage(
  { version }: Pick<View, 'version'>,
  live: number | undefined,
  taken: readonly number[] = [],
): number {
  const isNew = live === undefined || projectionVersionOf(live) !== version;
  let generation = isNew ? 0 : ((live < generations ? 0 : live % generations) + 1) % generations;
  while (taken.includes(storageVersion(version, generation))) generation = (generation + 1) % generations;
  return storageVersion(version, generation);
}

/** Whether what is stored so can be read by this code. */
export const isOf = ({ version }: Pick<View, 'version'>, storage: number | undefined): boolean =>
  storage !== undefined && projectionVersionOf(storage) === version;

export const firstStorages = (views: readonly View[]): Storages =>
  Object.fromEntries(views.map(({ name, version }) => [name, version]));

export const storedViews = (versions: Storages): readonly StoredView[] =>
  Object.entries(versions).map(([name, version]) => ({ name, version }));

/** The view as it is stored under that version. Adapters keep statements per view object: keep what it returns. */
export const storedAs = <V extends View>(view: V, storage: number): V =>
  storage === view.version ? view : { ...view, version: storage };

/** Those of the views that are among the versions, as they are stored. */
export const storedIn = <V extends View>(views: readonly V[], versions: Storages): readonly V[] =>
  views.flatMap((view) => {
    const storage = versions[view.name];
    return storage === undefined ? [] : [storedAs(view, storage)];
  });

export const sameStorages = (one: Storages, other: Storages): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([name, version]) => other[name] === version);
