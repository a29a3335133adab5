/** Storages: which one of a view is live, which one a rebuild builds beside it, and the checkpoints that say so. A rebuild gets at the live ones by `switchTo` only. */
import type { EventReader } from '../eventstore/event-store.js';
import type { Projection } from '../projections/projection.js';
import {
  storageOf,
  type Checkpoint,
  type StoredView,
  type View,
  type Commit,
  type DocumentWrite,
  type ReadModels,
} from '../readmodels/read-models.js';

export type Storages = Checkpoint['storages'];

export const checkpointName = 'views';
/** Checkpoint of a rebuild that is under way, or was interrupted: it names the new storages. */
export const rebuildName = 'rebuild';

const generations = 1_000;

/** The first build of a projection's version is stored under that very number; each rebuild of the same version takes the next generation. */
const storageNumber = (version: number, generation: number): number =>
  generation === 0 ? version : version * generations + generation;

/** The version of the projection whose documents a storage holds. */
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
  while (taken.includes(storageNumber(version, generation))) generation = (generation + 1) % generations;
  return storageNumber(version, generation);
}

export const isOf = ({ version }: Pick<View, 'version'>, storage: number | undefined): boolean =>
  storage !== undefined && projectionVersionOf(storage) === version;

export const storagesOf = (views: readonly View[]): Storages =>
  Object.fromEntries(views.map((view) => [view.name, storageOf(view)]));

export const storedViews = (storages: Storages): readonly StoredView[] =>
  Object.entries(storages).map(([name, storage]) => ({ name, version: projectionVersionOf(storage), storage }));

/** The view in that storage. Adapters keep statements per view object: keep what it returns. */
export const storedAs = <V extends View>(view: V, storage: number): V =>
  storage === storageOf(view) ? view : { ...view, storage };

/** The views that have a storage there, each in that storage. */
export const storedIn = <V extends View>(views: readonly V[], storages: Storages): readonly V[] =>
  views.flatMap((view) => {
    const storage = storages[view.name];
    return storage === undefined ? [] : [storedAs(view, storage)];
  });

/** Returns whether any view has been built. The first checkpoint of a long log names no storages (see `leaveToRebuild`). */
export const hasStorages = (checkpoint: Checkpoint | null): checkpoint is Checkpoint =>
  checkpoint !== null && Object.keys(checkpoint.storages).length > 0;

export const sameStorages = (one: Storages, other: Storages): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([name, storage]) => other[name] === storage);

export interface FoldedViews extends ViewsWriter {
  readonly reader: EventReader;
  readonly projections: readonly Projection[];
  readonly signal: AbortSignal;
}

/** The live storages, between two batches: nothing is folded meanwhile. */
export interface LiveStorages {
  readonly checkpoint: Checkpoint;
  /**
   * Makes these live in place of those of the same views, in one commit: the only way by which a rebuild switches.
   * `unparks`: what the views have parked is folded in the new ones. @throws what makes it unknown whether they are live: the views are to be opened again.
   */
  switchTo(fresh: Storages, options: { readonly unparks: boolean }): Promise<void>;
  /** Gives up these storages, because they are damaged. Their views are missing until a rebuild has built them. @throws as `switchTo` */
  discard(damaged: Storages): Promise<void>;
}

/** The requests of others. Each switch or discard of a view is carried out between two batches. */
export interface WaitingSwitches {
  isWaiting(): boolean;
  onAdded(listener: () => void): void;
  /** Carries out the one that waits longest. `live`: null where nothing has been folded yet. @throws as `switchTo` */
  next(views: FoldedViews & { readonly live: LiveStorages | null }): Promise<void>;
}

/** What a change of the views needs, and what keeps a former holder of the lease from making one. */
export interface ViewsWriter {
  readonly readModels: ReadModels;
  readonly epoch?: number | undefined;
  /** Called before each change: throws when this process may not make it any more. */
  readonly check: () => void;
}

/** Commits only if the checkpoint still is `previous`. */
export async function commitUnderLease(
  { readModels, epoch, check }: ViewsWriter,
  checkpoint: Omit<Commit['checkpoint'], 'epoch'>,
  writes: readonly DocumentWrite[] = [],
): Promise<void> {
  check();
  await readModels.commit({ writes, checkpoint: { ...checkpoint, ...(epoch === undefined ? {} : { epoch }) } });
}

const isSame = (one: StoredView, other: StoredView): boolean =>
  one.name === other.name && storageOf(one) === storageOf(other);
export const isAmong = (view: StoredView, views: readonly StoredView[]): boolean =>
  views.some((one) => isSame(one, view));
