/** A rebuild is a second projector: it builds the next storage of views beside the live one, follows the log while it compares the two, and has the projector switch. */
import { unlessAborted } from '../flow/abort.js';
import type { RebuildProgress, RebuildResult, RebuildRun, RebuiltView } from './answers.js';
import type { EventReader } from '../eventstore/event-store.js';
import { PoisonEventError } from '../projector/fold.js';
import {
  dropUnfinished,
  foldNewStorages,
  type NewStorages,
  type NewStoragesFold,
  type SwitchAnswer,
} from './switch.js';
import { readOldStorages } from '../projector/old-storages.js';
import { readParked } from '../projector/parked.js';
import {
  checkpointName,
  isOf,
  nextStorage,
  rebuildName,
  storedAs,
  storedIn,
  storedViews,
  commitUnderLease,
  isAmong,
  type Storages,
  type ViewsWriter,
} from '../projector/storage.js';
import type { Projection } from '../projections/projection.js';
import {
  storageOf,
  ViewDamagedError,
  type Checkpoint,
  type ReadModels,
  type StoredView,
} from '../readmodels/read-models.js';
import { bulkBuild, type WriteBounds } from './bulk-build.js';
import { compareViews, type ViewComparison } from './compare-views.js';

interface RebuildInput extends ViewsWriter {
  readonly run: RebuildRun;
  readonly reader: EventReader;
  readonly projections: readonly Projection[];
  readonly requestSwitch: (built: NewStorages) => Promise<SwitchAnswer>;
  readonly epoch: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: RebuildProgress) => void;
  readonly now: () => number;
  readonly pause: () => Promise<void>;
  /** The bounds of one write of the bulk build, because others wait for it if views share one file. */
  readonly bounds?: WriteBounds;
}

/** The rebuild cannot go on, and nothing has changed: it may be tried again. */
class RebuildInterruptedError extends Error {
  override readonly name = 'RebuildInterruptedError';
}

/** A pass of the bulk build that took no longer than this has come close to the live views. Milliseconds. */
const closeMs = 1_000;
/** How long live views may be behind the new ones. Milliseconds. */
const behindMs = 10_000;

interface RunningRebuild {
  readonly input: RebuildInput;
  readonly live: Storages;
  readonly fresh: Storages;
  readonly tell: ReturnType<typeof createMeter>;
}

/** @throws RebuildInterruptedError, StoreUnavailableError, ReadModelsUnavailableError, LeaseLostError; the signal's reason. What was built is continued next time. */
export async function runRebuild(input: RebuildInput): Promise<RebuildResult> {
  const rebuild = await resumeOrStart(input);
  try {
    const checkpoint = await build(rebuild);
    return await finish(rebuild, { checkpoint, epoch: input.epoch, park: input.run.park });
  } catch (error) {
    // Otherwise every further run would continue with the damaged storages.
    if (error instanceof ViewDamagedError && isAmongFresh(rebuild, error.view)) await dropUnfinished(input);
    // Anything else may go better next time.
    if (!(error instanceof PoisonEventError)) throw error;
    await dropUnfinished(input);
    return { outcome: 'poison', poison: error.poison };
  }
}

const isAmongFresh = ({ fresh }: RunningRebuild, view: StoredView | undefined): boolean =>
  view !== undefined && fresh[view.name] === storageOf(view);

/** The storages are those of a rebuild that was interrupted, if it was the same; else they are new ones. */
async function resumeOrStart(input: RebuildInput): Promise<RunningRebuild> {
  const { run, readModels, projections, now } = input;
  const { storages: live, logId } = await demandLive(readModels);
  const wanted = projections.filter(({ name }) => run.views.includes(name));
  const old = await readOldStorages(readModels);
  const isFree = (view: StoredView): boolean => live[view.name] !== storageOf(view) && !isAmong(view, old);
  const rebuild = { input, live, tell: createMeter(now) };
  const previous = await readModels.checkpoint(rebuildName);
  if (previous !== null) {
    const isSame = previous.logId === logId && isOfViews(wanted, previous.storages);
    if (isSame && storedViews(previous.storages).every(isFree)) return { ...rebuild, fresh: previous.storages };
    await dropUnfinished(input);
  }
  const fresh = Object.fromEntries(
    wanted.map((view) => {
      const taken = old.filter(({ name }) => name === view.name).map(storageOf);
      return [view.name, nextStorage(view, live[view.name], taken)];
    }),
  );
  // First the checkpoint: no storage is made that no checkpoint names.
  const next = { logId, position: '', eventId: '', storages: fresh };
  await commitUnderLease(input, { name: rebuildName, previous: null, next });
  return { ...rebuild, fresh };
}

const isOfViews = (wanted: readonly Projection[], storages: Storages): boolean =>
  Object.keys(storages).length === wanted.length && wanted.every((view) => isOf(view, storages[view.name]));

async function demandLive(readModels: ReadModels): Promise<Checkpoint> {
  const live = await readModels.checkpoint(checkpointName);
  if (live === null) throw new RebuildInterruptedError('nothing has been folded yet');
  return live;
}

/** Pass after pass of the bulk build, each over what has come meanwhile, until one is short. */
async function build({ input, live, fresh, tell }: RunningRebuild): Promise<Checkpoint> {
  const { run, readModels, now, onProgress } = input;
  const projections = storedIn(input.projections, fresh);
  // Write more at once while nobody reads views and nothing is folded into them.
  const bounds = Object.keys(live).length === 0 ? undefined : input.bounds;
  let read = 0;
  for (let from = await readModels.checkpoint(rebuildName); ;) {
    const { position: until } = await demandLive(readModels);
    const startedAt = now();
    const before = read;
    from = await bulkBuild({
      ...input,
      bounds,
      projections,
      name: rebuildName,
      from,
      until,
      park: run.park,
      onProgress({ position, events }) {
        read = before + events;
        onProgress(tell({ stage: 'filling', position, until, events: read }));
      },
    });
    if (now() - startedAt >= closeMs) continue;
    onProgress(tell({ stage: 'catching_up', position: from.position, until, events: read }));
    return from;
  }
}

async function finish(rebuild: RunningRebuild, built: NewStorages): Promise<RebuildResult> {
  const { input } = rebuild;
  const { dryRun, acceptDifferences } = input.run;
  const folding = await foldNewStorages(built, input);
  const views = await compareAll(rebuild, folding);
  const differs = views.some(({ differing, is_changed }) => (differing ?? 0) > 0 && !is_changed);
  if (dryRun || (differs && !acceptDifferences)) {
    await dropUnfinished(input);
    return { outcome: differs ? 'differs' : 'checked', views };
  }
  await untilSwitched(rebuild, built, folding);
  return { outcome: 'switched', views };
}

/** Folds up to this position, or to the end of the log. */
async function foldTo({ input }: RunningRebuild, folding: NewStoragesFold, until?: string): Promise<void> {
  const { reader, signal } = input;
  const { position: after } = folding.checkpoint();
  if (until !== undefined && after >= until) return;
  for await (const page of reader.readAll({ after, signal })) {
    const events = until === undefined ? page : page.filter(({ position }) => position <= until);
    if (events.length > 0) await folding.fold(events);
    if (events.length < page.length) return;
  }
  signal.throwIfAborted();
}

/** Folds to exactly where the live views are, and resolves with that position. */
async function followLive(rebuild: RunningRebuild, folding: NewStoragesFold): Promise<string> {
  const { readModels, pause, now, signal } = rebuild.input;
  const startedAt = now();
  for (;;) {
    const { position } = await demandLive(readModels);
    await foldTo(rebuild, folding, position);
    // An earlier run may have folded further.
    if (folding.checkpoint().position <= position) return position;
    if (now() - startedAt > behindMs) throw new RebuildInterruptedError('the live views are behind and do not move');
    await pause();
    signal.throwIfAborted();
  }
}

async function compareAll(rebuild: RunningRebuild, folding: NewStoragesFold): Promise<readonly RebuiltView[]> {
  const { input, live, fresh, tell } = rebuild;
  const { readModels } = input;
  const follow = async (): Promise<string> => followLive(rebuild, folding);
  const comparisons = new Map<string, ViewComparison>();
  let compared = 0;
  for (const view of storedIn(input.projections, fresh)) {
    const storage = live[view.name];
    if (storage === undefined) continue;
    const position = await follow();
    const onProgress = (documents: number): void => {
      const documents_compared = compared + documents;
      input.onProgress(tell({ stage: 'comparing', position, until: position, documents_compared }));
    };
    const comparison = await compareViews({ ...input, live: storedAs(view, storage), fresh: view, follow, onProgress });
    comparisons.set(view.name, comparison);
    compared += comparison.documents ?? 0;
  }
  const parked = new Set([...(await readParked(readModels)).values()].map(({ view }) => view));
  return rebuiltViews(rebuild, { comparisons, parked });
}

interface Found {
  readonly comparisons: ReadonlyMap<string, ViewComparison>;
  /** Views that have parked streams: the new storage holds what the live one lacks. */
  readonly parked: ReadonlySet<string>;
}

const notCompared = { documents: null, live_documents: null, hash: null, differing: null, differences: [] };

function rebuiltViews({ input, live, fresh }: RunningRebuild, { comparisons, parked }: Found): readonly RebuiltView[] {
  return input.projections.flatMap((view) => {
    const storage_version = fresh[view.name];
    if (storage_version === undefined) return [];
    const { name, version } = view;
    const is_changed = !isOf(view, live[name]) || parked.has(name);
    return [{ name, version, storage_version, is_changed, ...(comparisons.get(name) ?? notCompared) }];
  });
}

/** Folds to the end of the log before it asks, so that the projector has little left to fold. */
async function untilSwitched(rebuild: RunningRebuild, built: NewStorages, folding: NewStoragesFold): Promise<void> {
  const { input, tell } = rebuild;
  for (;;) {
    await foldTo(rebuild, folding);
    const checkpoint = folding.checkpoint();
    const { position } = checkpoint;
    input.onProgress(tell({ stage: 'switching', position, until: position }));
    input.check();
    const answer = await unlessAborted(input.requestSwitch({ ...built, checkpoint }), input.signal);
    if (answer.outcome === 'switched') return;
    if (answer.outcome === 'poison') throw new PoisonEventError(answer.poison);
    if (answer.outcome === 'failed') throw new RebuildInterruptedError(answer.reason);
  }
}

type Measured = Pick<RebuildProgress, 'stage' | 'position' | 'until'> &
  Partial<Pick<RebuildProgress, 'events' | 'documents_compared'>>;

/** Adds the speed of the bulk build, and how long it will take. `now`: milliseconds, monotonic. */
function createMeter(now: () => number): (measured: Measured) => RebuildProgress {
  let first: { readonly at: number; readonly share: number; readonly events: number } | undefined;
  let events_per_second = 0;
  return ({ events = 0, documents_compared = 0, ...measured }) => {
    // Positions are decimal texts of equal length, so their values as numbers give the approximate share.
    const [done, all] = [Number(measured.position), Number(measured.until)];
    const share = all > 0 ? Math.min(1, done / all) : 1;
    first ??= { at: now(), share, events };
    const seconds = (now() - first.at) / 1_000;
    const gained = share - first.share;
    const isFilling = measured.stage === 'filling' && seconds > 0;
    if (isFilling) events_per_second = Math.round((events - first.events) / seconds);
    const seconds_left = isFilling && gained > 0 ? Math.ceil(((1 - share) / gained) * seconds) : null;
    return { ...measured, share, events, events_per_second, seconds_left, documents_compared };
  };
}
