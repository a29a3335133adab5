/** Storage versions: which stored generation of a view is live, and which one a rebuild fills beside it. */
import type { Checkpoint, View } from '../readmodels/read-models.js';

/** Storage version of each view by name. */
export type Storages = Checkpoint['live'];

const generations = 1_000;

/** The first fill of a projection's version is stored under that very number; each rebuild of the same version takes the next generation. */
export const storageVersion = (version: number, generation: number): number =>
  generation === 0 ? version : version * generations + generation;

/** The version of the projection whose documents are stored so. */
export const projectionVersionOf = (storage: number): number =>
  storage < generations ? storage : Math.trunc(storage / generations);

/** Where a rebuild of a view fills, while `live` (undefined: none) is read. */
export function nextStorage({ version }: Pick<View, 'version'>, live: number | undefined): number {
  if (live === undefined || projectionVersionOf(live) !== version) return storageVersion(version, 0);
  const generation = live < generations ? 0 : live % generations;
  return storageVersion(version, (generation + 1) % generations);
}

/** Whether what is stored so can be read by this code. */
export const isOf = ({ version }: Pick<View, 'version'>, storage: number | undefined): boolean =>
  storage !== undefined && projectionVersionOf(storage) === version;

/** First storage version of each view by name. */
export const firstStorages = (views: readonly View[]): Storages =>
  Object.fromEntries(views.map(({ name, version }) => [name, version]));

/** Names and storage versions as views that can be dropped. */
export const storedViews = (storages: Storages): readonly Pick<View, 'name' | 'version'>[] =>
  Object.entries(storages).map(([name, version]) => ({ name, version }));

/** The view as it is stored under that version. Adapters keep statements per view object: keep what it returns. */
export const storedAs = <V extends View>(view: V, storage: number): V =>
  storage === view.version ? view : { ...view, version: storage };

export const sameStorages = (one: Storages, other: Storages): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([name, version]) => other[name] === version);
