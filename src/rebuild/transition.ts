/** The states of the rebuild coordinator, and the one function that says which state follows. `coordinator.ts` does what a state demands. */
import { backOff } from '../flow/backoff.js';
import { isDeepStrictEqual } from 'node:util';
import type { ProjectorStatus } from '../projector/status.js';
import type { RebuildProgress, RebuildResult } from './answers.js';
import { isOpen, newRecord, nextOf, type RebuildRecord, type StoredRecords } from './rebuild-record.js';

/** Whether this process folds the views, and which views are missing. */
export interface CoordinatorRole {
  readonly leading: boolean;
  readonly missing: readonly string[];
}

export const roleOf = ({
  standby,
  live,
  missing,
}: Pick<ProjectorStatus, 'standby' | 'live' | 'missing'>): CoordinatorRole => ({
  leading: !standby && live !== null,
  missing,
});

interface Always {
  readonly role: CoordinatorRole;
  /** Number of rebuilds in a row that were interrupted. */
  readonly interruptions: number;
  /** Whether the storages of an abandoned rebuild have been dropped since the start. */
  readonly isTidy: boolean;
  /** Whether other processes may write requests, and show the progress. */
  readonly isShared: boolean;
}

type Phase =
  /** Waits for an event, at most `pause` milliseconds. If `pause` is undefined, there is no limit. */
  | { readonly name: 'idle'; readonly pause: number | undefined }
  /** Looks for a rebuild to carry out, and writes its record as running. */
  | { readonly name: 'looking'; readonly looksAgain: boolean }
  /** Drops storages that no rebuild continues. */
  | { readonly name: 'tidying'; readonly looksAgain: boolean }
  /** The rebuild thread runs. */
  | { readonly name: 'building'; readonly record: RebuildRecord }
  /** The rebuild thread has ended, and its end is being written into the record. `pause`: milliseconds before the next look. */
  | { readonly name: 'ending'; readonly record: RebuildRecord; readonly pause: number }
  /** Ends the rebuild thread, because another process leads and continues the rebuild. */
  | { readonly name: 'stopping' }
  | { readonly name: 'closed' };

export type CoordinatorState = Always & Phase;

export type CoordinatorEvent =
  | { readonly type: 'role'; readonly role: CoordinatorRole }
  | { readonly type: 'requested' | 'close' }
  /** The pause of the state `idle` is over. */
  | { readonly type: 'due' }
  /** Undefined if there is no rebuild to carry out. */
  | { readonly type: 'taken'; readonly record: RebuildRecord | undefined }
  | { readonly type: 'tidied'; readonly isTidy: boolean }
  | { readonly type: 'progress'; readonly progress: RebuildProgress }
  /** The rebuild thread has ended with a result or with the reason for its failure. */
  | { readonly type: 'ended'; readonly end: RebuildResult | string; readonly at: string }
  | { readonly type: 'saved' }
  /** The stores could not be reached. */
  | { readonly type: 'failed' };

/** How often progress is written into the record, and how soon a failed access to the stores is repeated. */
export const lookMs = 1_000;
/** How often the coordinator looks for requests that other processes have written. */
const othersLookMs = 5_000;
const pauses = { first: 500, most: 30_000 };
/** A request is given up after this many interruptions in a row. A rebuild of missing views is never given up. */
const mostInterruptions = 10;

export const initialState = (isShared: boolean): CoordinatorState => ({
  name: 'idle',
  pause: undefined,
  role: { leading: false, missing: [] },
  interruptions: 0,
  isTidy: false,
  isShared,
});

/** Returns the state that follows. An event that does not belong to the state changes nothing. */
export function transition(state: CoordinatorState, event: CoordinatorEvent): CoordinatorState {
  if (state.name === 'closed') return state;
  switch (event.type) {
    case 'role':
      return changeRole(state, event.role);
    case 'requested':
      return state.role.leading ? look(state) : state;
    case 'due':
      return due(state);
    case 'taken':
      return taken(state, event.record);
    case 'tidied':
      return tidied(state, event.isTidy);
    case 'progress':
      return withProgress(state, event.progress);
    case 'ended':
      return ended(state, event.end, event.at);
    case 'saved':
      return saved(state);
    case 'failed':
      return failed(state);
    case 'close':
      return enter(state, { name: 'closed' });
    default:
      return event satisfies never;
  }
}

const enter = ({ role, interruptions, isTidy, isShared }: Always, phase: Phase): CoordinatorState => ({
  ...{ role, interruptions, isTidy, isShared },
  ...phase,
});

const idle = (state: Always, pause: number | undefined): CoordinatorState =>
  enter(state, { name: 'idle', pause: state.role.leading ? pause : undefined });

type In<Name extends CoordinatorState['name']> = Extract<CoordinatorState, { name: Name }>;

function changeRole(before: CoordinatorState, role: CoordinatorRole): CoordinatorState {
  // Compare the content, so that a projector that starts again does not end the back-off.
  if (isDeepStrictEqual(role, before.role)) return before;
  const state = { ...before, role };
  if (role.leading) return look(state);
  const following = { ...state, interruptions: 0 };
  if (state.name === 'building') return enter(following, { name: 'stopping' });
  return state.name === 'idle' ? idle(following, undefined) : following;
}

function look(state: CoordinatorState): CoordinatorState {
  if (state.name === 'idle') return enter(state, { name: 'looking', looksAgain: false });
  return state.name === 'looking' || state.name === 'tidying' ? { ...state, looksAgain: true } : state;
}

const due = (state: CoordinatorState): CoordinatorState =>
  state.name === 'idle' && state.role.leading ? look(state) : state;

function taken(state: CoordinatorState, record: RebuildRecord | undefined): CoordinatorState {
  if (state.name !== 'looking') return state;
  // The process that leads now finds the record running, and continues the rebuild.
  if (!state.role.leading) return idle(state, undefined);
  if (record !== undefined) return enter(state, { name: 'building', record });
  return state.isTidy ? rest(state) : { ...state, name: 'tidying' };
}

/** There is nothing to do. */
function rest(state: In<'looking'> | In<'tidying'>): CoordinatorState {
  if (state.looksAgain) return look(idle(state, undefined));
  if (!state.isTidy) return idle(state, lookMs);
  return idle(state, state.isShared ? othersLookMs : undefined);
}

const tidied = (state: CoordinatorState, isTidy: boolean): CoordinatorState =>
  state.name === 'tidying' ? rest({ ...state, isTidy }) : state;

const withProgress = (state: CoordinatorState, progress: RebuildProgress): CoordinatorState =>
  state.name === 'building' ? { ...state, record: { ...state.record, progress } } : state;

const saved = (state: CoordinatorState): CoordinatorState =>
  state.name === 'ending' ? idle(state, state.pause) : state;

function failed(state: CoordinatorState): CoordinatorState {
  if (state.name === 'looking' || state.name === 'tidying') return idle(state, lookMs);
  return state.name === 'ending' && !state.role.leading ? idle(state, undefined) : state;
}

function ended(state: CoordinatorState, end: RebuildResult | string, at: string): CoordinatorState {
  if (state.name === 'stopping') return idle(state, 0);
  if (state.name !== 'building') return state;
  if (typeof end === 'string') return interrupted(state, end, at);
  const { outcome } = end;
  const isDone = outcome === 'switched' || outcome === 'checked';
  const record: RebuildRecord = {
    ...state.record,
    progress: null,
    outcome,
    results: 'views' in end ? end.views : [],
    poison: 'poison' in end ? end.poison : null,
    state: isDone ? 'finished' : 'failed',
    finished_at: at,
  };
  return enter({ ...state, interruptions: 0 }, { name: 'ending', record, pause: 0 });
}

function interrupted(state: In<'building'>, reason: string, at: string): CoordinatorState {
  const interruptions = state.interruptions + 1;
  const isGivenUp = state.record.cause === 'request' && interruptions >= mostInterruptions;
  const record: RebuildRecord = {
    ...state.record,
    fault: reason,
    ...(isGivenUp ? { state: 'failed', finished_at: at } : {}),
  };
  const pause = backOff(interruptions - 1, pauses);
  return enter({ ...state, interruptions: isGivenUp ? 0 : interruptions }, { name: 'ending', record, pause });
}

/** Returns the record of the rebuild that begins now, or undefined if no rebuild is waiting. Missing views come before requests. */
export function recordToRun(
  { name, role }: CoordinatorState,
  stored: StoredRecords,
  made: Pick<RebuildRecord, 'rebuild_id' | 'requested_at'>,
): RebuildRecord | undefined {
  if (name !== 'looking' || !role.leading) return undefined;
  const next = role.missing.length > 0 ? recordOfStart(role.missing, stored.record, made) : nextOf(stored);
  return next === undefined ? undefined : { ...next, state: 'running', fault: null };
}

function recordOfStart(
  views: readonly string[],
  last: RebuildRecord | undefined,
  made: Pick<RebuildRecord, 'rebuild_id' | 'requested_at'>,
): RebuildRecord {
  if (last?.cause === 'start' && isOpen(last)) return { ...last, views };
  return newRecord({ ...made, views, dry_run: false, accept_differences: false, cause: 'start' });
}

/** Returns whether this process may drop the storages of an abandoned rebuild: nothing is being built, and no view is missing. */
export const mayDrop = ({ name, role }: CoordinatorState): boolean =>
  name !== 'building' && name !== 'stopping' && name !== 'closed' && role.missing.length === 0;
