/** A rebuild: fills the next storage of views beside the live one, has the projector feed both, compares them, and has it switch. */
import type { EventReader } from '../eventstore/event-store.js';
import type { Checkpoint, ReadModels } from '../readmodels/read-models.js';
import { compareViews, type ViewComparison } from './compare-views.js';
import { fillViews, type FillBounds } from './bulk-build.js';
import { namedStorages, poisonOf } from './shadow-views.js';
import { PoisonEventError } from '../projector/fold.js';
import type { Order, OrderAnswer, Poison } from './projector-commands.js';
import type { RebuildProgress, RebuildResult, RebuildRun, RebuiltView } from './messages.js';
import { overTombstones, readParked } from '../projector/parked.js';
import type { Projection } from '../projections/projection.js';
import { dropAll, readRetiring, type StoredView } from '../projector/old-storages.js';
import {
  checkpointName,
  fillName,
  isOf,
  nextStorage,
  storedAs,
  storedViews,
  type Storages,
} from '../projector/storage.js';

export type Given = Exclude<Order, { type: 'retire' }>;
type Lost = Extract<OrderAnswer, { type: 'lost' }>;

/** Gives the projector an order and resolves when it has been carried out. @throws FeedLostError */
export type Command = (order: Given) => Promise<unknown>;

export interface RebuildInput {
  readonly run: RebuildRun;
  readonly reader: EventReader;
  readonly readModels: ReadModels;
  /** All of this code. */
  readonly projections: readonly Projection[];
  readonly command: Command;
  /** Of the lease `rebuild`. */
  readonly epoch: number;
  readonly check: () => void;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: RebuildProgress) => void;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly pause: () => Promise<void>;
  /** Of what the fill writes at once: others wait for it where they share one file. */
  readonly bounds?: FillBounds;
}

/** The rebuild cannot go on, and nothing has changed: it may be tried again. */
export class RebuildInterruptedError extends Error {
  override readonly name = 'RebuildInterruptedError';
}

/** The projector does not feed the storages any more. */
export class FeedLostError extends RebuildInterruptedError {
  readonly poison: Poison | undefined;

  constructor({ reason, poison }: Pick<Lost, 'reason' | 'poison'>) {
    super(reason);
    this.poison = poison;
  }
}

/** A fill that took no longer has come close enough to the live views: the projector does the rest. Milliseconds. */
const closeMs = 1_000;

interface Target {
  readonly live: Storages;
  readonly fresh: Storages;
  readonly projections: readonly Projection[];
}

/** @throws RebuildInterruptedError, StoreUnavailableError, ReadModelsUnavailableError, LeaseLostError; the signal's reason. What was filled is taken up next time. */
export async function runRebuild(input: RebuildInput): Promise<RebuildResult> {
  const { run, command } = input;
  const target = await aim(input);
  try {
    const from = await fillUp(input, target);
    if (run.isPreparation === true) return { outcome: 'prepared', views: rebuilt(input, target, undefined) };
    const { epoch } = input;
    await command({ type: 'feed', id: run.id, storages: target.fresh, from, epoch, park: run.isStart });
    return await finish(input, target);
  } catch (error) {
    const poison = poisonIn(error);
    if (poison === undefined) throw error;
    await giveUp(input, target);
    return { outcome: 'poison', poison };
  }
}

/** Such an event ends the rebuild; anything else may go better next time. */
function poisonIn(error: unknown): Poison | undefined {
  if (error instanceof PoisonEventError) return poisonOf(error);
  return error instanceof FeedLostError ? error.poison : undefined;
}

/** Which storages are filled: those of a rebuild that was not finished, if it was the same; else they are dropped. */
async function aim(input: RebuildInput): Promise<Target> {
  const { run, readModels, projections } = input;
  const { live, logId } = await demandViews(readModels);
  const wanted = projections.filter(({ name }) => run.views.includes(name));
  const filled = await readModels.checkpoint(fillName);
  const retiring = await readRetiring(readModels);
  const isFree = ({ name, version }: StoredView): boolean =>
    live[name] !== version && !retiring.some((one) => one.name === name && one.version === version);
  const target = (fresh: Storages): Target => ({ live, fresh, projections: namedStorages(projections, fresh) });
  if (filled !== null) {
    const storages = storedViews(filled.live);
    if (filled.logId === logId && isFillOf(wanted, filled.live) && storages.every(isFree)) return target(filled.live);
    await forgetFill(input, filled);
    await dropAll(input, storages.filter(isFree));
  }
  const next = (view: Projection): number => {
    const taken = retiring.filter(({ name }) => name === view.name).map(({ version }) => version);
    return nextStorage(view, live[view.name], taken);
  };
  return target(Object.fromEntries(wanted.map((view) => [view.name, next(view)])));
}

const isFillOf = (wanted: readonly Projection[], filled: Storages): boolean =>
  Object.keys(filled).length === wanted.length && wanted.every((view) => isOf(view, filled[view.name]));

async function demandViews(readModels: ReadModels): Promise<Checkpoint> {
  const views = await readModels.checkpoint(checkpointName);
  if (views === null) throw new RebuildInterruptedError('the views are being filled for the first time');
  return views;
}

/** Pass after pass, each over what has come meanwhile, until one is short. */
async function fillUp(input: RebuildInput, { projections }: Target): Promise<Checkpoint> {
  const { run, reader, readModels, epoch, check, signal, onProgress, now, bounds } = input;
  let events = 0;
  for (let from = await readModels.checkpoint(fillName); ;) {
    const { position: until } = await demandViews(readModels);
    const begun = now();
    const before = events;
    from = await fillViews({
      reader,
      readModels: takingUpParked(readModels),
      projections,
      name: fillName,
      from,
      until,
      epoch,
      check,
      park: run.isStart,
      signal,
      ...(bounds === undefined ? {} : { bounds }),
      onProgress(progress) {
        events = before + progress.events;
        onProgress({ stage: 'filling', position: progress.position, until, events, documents: 0 });
      },
    });
    if (now() - begun < closeMs) {
      onProgress({ stage: 'catching_up', position: from.position, until, events, documents: 0 });
      return from;
    }
  }
}

const takingUpParked = (readModels: ReadModels): ReadModels => ({
  ...readModels,
  commit: async (commit) => readModels.commit({ ...commit, writes: await overTombstones(readModels, commit.writes) }),
});

/** Both are fed. */
async function finish(input: RebuildInput, target: Target): Promise<RebuildResult> {
  const { run, command } = input;
  const { id } = run;
  const views = run.isStart ? rebuilt(input, target, undefined) : await compareAll(input, target);
  const differs = views.some(({ differing = 0, isChanged }) => differing > 0 && !isChanged);
  if (run.dryRun || differs) {
    await command({ type: 'discard', id });
    await giveUp(input, target);
    return { outcome: differs ? 'differs' : 'checked', views };
  }
  await command({ type: 'switch', id });
  return { outcome: 'switched', views };
}

async function compareAll(input: RebuildInput, target: Target): Promise<readonly RebuiltView[]> {
  const { readModels, signal, pause, onProgress } = input;
  const { position } = await demandViews(readModels);
  const comparisons = new Map<string, ViewComparison>();
  let compared = 0;
  for (const fresh of target.projections) {
    const storage = target.live[fresh.name];
    if (storage === undefined) continue;
    const comparison = await compareViews({
      reader: readModels,
      live: storedAs(fresh, storage),
      fresh,
      signal,
      pause,
      onProgress: (documents) =>
        onProgress({ stage: 'comparing', position, until: position, events: 0, documents: compared + documents }),
    });
    comparisons.set(fresh.name, comparison);
    compared += comparison.documents;
  }
  const parked = new Set([...(await readParked(readModels)).values()].map(({ view }) => view));
  return rebuilt(input, target, { comparisons, parked });
}

interface Found {
  readonly comparisons: ReadonlyMap<string, ViewComparison>;
  /** Views that have parked streams: the fresh storage holds what the live one lacks. */
  readonly parked: ReadonlySet<string>;
}

function rebuilt({ projections }: RebuildInput, target: Target, found: Found | undefined): readonly RebuiltView[] {
  return projections.flatMap((view) => {
    const storage = target.fresh[view.name];
    if (storage === undefined) return [];
    const { name, version } = view;
    const isChanged = !isOf(view, target.live[name]) || found?.parked.has(name) === true;
    return [{ name, version, storage, isChanged, ...found?.comparisons.get(name) }];
  });
}

/** What has been filled is of no use. */
async function giveUp(input: RebuildInput, { fresh }: Target): Promise<void> {
  // This process may have been stopped for long: they may be live by now.
  const views = await input.readModels.checkpoint(checkpointName);
  await forgetFill(input, await input.readModels.checkpoint(fillName));
  await dropAll(
    input,
    storedViews(fresh).filter(({ name, version }) => views?.live[name] !== version),
  );
}

/** Before what it tells of is dropped: else a crash in between would have the next fill go on in empty storages. */
async function forgetFill({ readModels, epoch, check }: RebuildInput, previous: Checkpoint | null): Promise<void> {
  check();
  await readModels.forget({ name: fillName, previous, epoch });
}
