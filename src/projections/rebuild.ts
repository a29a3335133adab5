/** A rebuild: fills the next storage of views beside the live one, has the projector feed both, compares them, and has it switch. */
import type { EventReader } from '../eventstore/event-store.js';
import type { Checkpoint, ReadModels } from '../readmodels/read-models.js';
import { compareViews, type ViewComparison } from './compare-views.js';
import { fillViews } from './fill.js';
import { namedStorages, poisonOf } from './feeds.js';
import { PoisonEventError } from './fold.js';
import type { Order, OrderAnswer, Poison } from './orders.js';
import { readParked } from './parked.js';
import type { Projection } from './projection.js';
import { dropAll } from './retiring.js';
import { checkpointName, fillName } from './start.js';
import { isOf, nextStorage, sameStorages, storedAs, storedViews, type Storages } from './storage.js';

/** What is asked for. A plain object: it crosses threads. */
export interface RebuildWish {
  readonly id: string;
  /** Names of views. */
  readonly views: readonly string[];
  /** Everything but the switch. */
  readonly dryRun: boolean;
  /** At the start, of views that cannot be read before: poison events park their streams, as the projector does. */
  readonly isStart: boolean;
  /** Up to the head and no further: who starts with this code finds it filled. */
  readonly isPreparation?: boolean;
}

export type RebuildStage = 'filling' | 'catching_up' | 'comparing' | 'switching';

export interface RebuildProgress {
  readonly stage: RebuildStage;
  /** Folded up to here. */
  readonly position: string;
  /** Where the live views stand. */
  readonly until: string;
  /** Events read in this run. */
  readonly events: number;
  /** Compared so far. */
  readonly documents: number;
}

export interface RebuiltView extends Partial<ViewComparison> {
  readonly name: string;
  /** Of the projection. */
  readonly version: number;
  readonly storage: number;
  /** Differences are expected: another version of the projection was live, or streams were parked. */
  readonly isChanged: boolean;
}

export type RebuildResult =
  | { readonly outcome: 'switched' | 'checked' | 'prepared' | 'differs'; readonly views: readonly RebuiltView[] }
  | { readonly outcome: 'poison'; readonly poison: Poison };

/** Gives the projector an order and resolves with its answer. */
export type Command = (order: Exclude<Order, { type: 'retire' }>) => Promise<OrderAnswer>;

export interface RebuildInput {
  readonly wish: RebuildWish;
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
}

/** The rebuild cannot go on, and nothing has changed: it may be tried again. */
export class RebuildInterruptedError extends Error {
  override readonly name = 'RebuildInterruptedError';
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
  const { wish, command } = input;
  const target = await aim(input);
  try {
    const from = await fillUp(input, target);
    if (wish.isPreparation === true) return { outcome: 'prepared', views: rebuilt(input, target, undefined) };
    const { epoch } = input;
    const fed = await command({ type: 'feed', id: wish.id, storages: target.fresh, from, epoch, park: wish.isStart });
    if (fed.type === 'lost') return await lost(input, target, fed);
    return await finish(input, target);
  } catch (error) {
    if (!(error instanceof PoisonEventError)) throw error;
    await giveUp(input, target);
    return { outcome: 'poison', poison: poisonOf(error) };
  }
}

/** Which storages are filled. Those of another rebuild that was not finished are dropped. */
async function aim(input: RebuildInput): Promise<Target> {
  const { wish, readModels, projections } = input;
  const views = await demandViews(readModels);
  const wanted = projections.filter(({ name }) => wish.views.includes(name));
  const fresh = Object.fromEntries(wanted.map((view) => [view.name, nextStorage(view, views.live[view.name])]));
  const filled = await readModels.checkpoint(fillName);
  if (filled !== null && (filled.logId !== views.logId || !sameStorages(filled.live, fresh))) {
    await dropAll(
      input,
      storedViews(filled.live).filter(({ name, version }) => views.live[name] !== version),
    );
    input.check();
    await readModels.forget(fillName);
  }
  return { live: views.live, fresh, projections: namedStorages(projections, fresh) };
}

async function demandViews(readModels: ReadModels): Promise<Checkpoint> {
  const views = await readModels.checkpoint(checkpointName);
  if (views === null) throw new RebuildInterruptedError('the views are being filled for the first time');
  return views;
}

/** Pass after pass, each over what has come meanwhile, until one is short. */
async function fillUp(input: RebuildInput, { projections }: Target): Promise<Checkpoint> {
  const { wish, reader, readModels, epoch, check, signal, onProgress, now } = input;
  let events = 0;
  for (let from = await readModels.checkpoint(fillName); ;) {
    const { position: until } = await demandViews(readModels);
    const begun = now();
    const before = events;
    from = await fillViews({
      reader,
      readModels,
      projections,
      name: fillName,
      from,
      until,
      epoch,
      check,
      park: wish.isStart,
      signal,
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

/** Both are fed. */
async function finish(input: RebuildInput, target: Target): Promise<RebuildResult> {
  const { wish, command } = input;
  const { id } = wish;
  const views = wish.isStart ? rebuilt(input, target, undefined) : await compareAll(input, target);
  const differs = views.some(({ differing = 0, isChanged }) => differing > 0 && !isChanged);
  if (wish.dryRun || differs) {
    const discarded = await command({ type: 'discard', id });
    if (discarded.type === 'lost') return await lost(input, target, discarded);
    await giveUp(input, target);
    return { outcome: differs ? 'differs' : 'checked', views };
  }
  const switched = await command({ type: 'switch', id });
  return switched.type === 'lost' ? await lost(input, target, switched) : { outcome: 'switched', views };
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

/** The projector does not feed them any more. A poison event ends the rebuild; anything else may go better next time. */
async function lost(
  input: RebuildInput,
  target: Target,
  { reason, poison }: Extract<OrderAnswer, { type: 'lost' }>,
): Promise<RebuildResult> {
  if (poison === undefined) throw new RebuildInterruptedError(reason);
  await giveUp(input, target);
  return { outcome: 'poison', poison };
}

/** What has been filled is of no use. */
async function giveUp(input: RebuildInput, { fresh }: Target): Promise<void> {
  await dropAll(input, storedViews(fresh));
  input.check();
  await input.readModels.forget(fillName);
}
