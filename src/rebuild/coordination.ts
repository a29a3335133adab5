/** What the rebuild coordinator does next: a pure function from state and event (`coordination-states.ts`) to state and effects. `coordinator.ts` carries the effects out and reports how they ended. */
import { isDeepStrictEqual } from 'node:util';
import type { RebuildResult } from './answers.js';
import type {
  Always,
  CoordinatorEffect,
  CoordinatorEvent,
  CoordinatorRole,
  CoordinatorState,
  Phase,
  Sharing,
  Step,
} from './coordination-states.js';
import { isOpen, newRecord, nextOf, type RebuildRecord, type StoredRecords } from './rebuild-record.js';

/** How often a process that leads writes down how far it is, and tries again. */
const lookMs = 1_000;
/** How often it looks for what other processes were asked for. */
const othersLookMs = 5_000;
const backOffMs = { first: 500, most: 30_000 };
/** Interruptions in a row after which a request is given up. What the start needs is never given up. */
const mostInterruptions = 10;

/** An event that does not belong to the state is late, and changes nothing. */
export function reduce(state: CoordinatorState, event: CoordinatorEvent, sharing: Sharing): Step {
  if (state.name === 'closed') return stay(state);
  switch (event.type) {
    case 'role':
      return changeRole(state, event.role);
    case 'requested':
      return stay(state, lookIn(0));
    case 'look':
      return look(state);
    case 'look_failed':
      return isLooking(state) ? enter(state, { name: 'idle' }, lookIn(lookMs)) : stay(state);
    case 'taken':
      return taken(state, event.record, sharing);
    case 'tidied':
      return state.name === 'tidying' ? rest({ ...state, isTidy: event.isTidy }, sharing) : stay(state);
    case 'progress':
      return state.name === 'running' ? stay(withChange(state, { progress: event.progress })) : stay(state);
    case 'ended':
      return ended(state, event.end, event.at);
    case 'settled':
    case 'save_failed':
      return written(state, event.record, event.type === 'settled');
    case 'close':
      return enter(state, { name: 'closed', record: state.name === 'ending' ? state.record : undefined });
    default:
      return event satisfies never;
  }
}

/** What the rebuild that begins now is to be written as; undefined: nothing is to be carried out. */
export function recordToRun(
  { name, role }: CoordinatorState,
  stored: StoredRecords,
  made: Pick<RebuildRecord, 'rebuild_id' | 'requested_at'>,
): RebuildRecord | undefined {
  if (name !== 'taking' || !role.leading) return undefined;
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

type In<Name extends CoordinatorState['name']> = Extract<CoordinatorState, { name: Name }>;
type Looking = Always & Extract<Phase, { looksAgain: boolean }>;

const isLooking = (state: CoordinatorState): state is Looking => state.name === 'taking' || state.name === 'tidying';

const lookIn = (milliseconds: number): CoordinatorEffect => ({ type: 'look_in', milliseconds });

const stay = (state: CoordinatorState, ...effects: readonly CoordinatorEffect[]): Step => ({ state, effects });

const enter = (
  { role, interruptions, isTidy }: Always,
  phase: Phase,
  ...effects: readonly CoordinatorEffect[]
): Step => ({
  state: { role, interruptions, isTidy, ...phase },
  effects,
});

const withChange = (state: In<'running'>, change: Partial<RebuildRecord>): CoordinatorState => ({
  ...state,
  record: { ...state.record, ...change },
});

/** By content: a projector that was started again names the same views in another array. */
const isSameRole = (one: CoordinatorRole, other: CoordinatorRole): boolean =>
  one.leading === other.leading && isDeepStrictEqual(one.missing, other.missing);

function changeRole(before: CoordinatorState, role: CoordinatorRole): Step {
  if (isSameRole(role, before.role)) return stay(before);
  const state = { ...before, role };
  if (role.leading) return stay(state, lookIn(0));
  const follows = { ...state, interruptions: 0 };
  if (state.name === 'running') return enter(follows, { name: 'stopping' }, { type: 'close_thread' });
  return state.name === 'ending' ? enter(follows, { name: 'idle' }) : stay(follows);
}

function look(state: CoordinatorState): Step {
  switch (state.name) {
    case 'idle':
      return state.role.leading ? enter(state, { name: 'taking', looksAgain: false }, { type: 'take' }) : stay(state);
    case 'taking':
    case 'tidying':
      return stay({ ...state, looksAgain: true });
    case 'running':
      if (state.isSaving) return stay(state);
      return state.record === state.saved ? stay(state, lookIn(lookMs)) : save(state);
    case 'ending':
      return state.isSaving ? stay(state) : save(state);
    case 'stopping':
    case 'closed':
      return stay(state);
    default:
      return state satisfies never;
  }
}

const save = (state: In<'running'> | In<'ending'>): Step =>
  stay({ ...state, isSaving: true }, { type: 'save', record: state.record });

/** Nothing is to be done just now. */
function rest(state: Looking, sharing: Sharing): Step {
  if (state.looksAgain) return enter(state, { name: 'idle' }, lookIn(0));
  const looksLater = sharing.requests || !state.isTidy;
  const pause = state.isTidy ? othersLookMs : lookMs;
  return enter(state, { name: 'idle' }, ...(looksLater ? [lookIn(pause)] : []));
}

function taken(state: CoordinatorState, record: RebuildRecord | undefined, sharing: Sharing): Step {
  if (state.name !== 'taking') return stay(state);
  // If this process leads no more, the one that does finds the record running, and continues it.
  if (!state.role.leading) return enter(state, { name: 'idle' });
  if (record === undefined)
    return state.isTidy ? rest(state, sharing) : stay({ ...state, name: 'tidying' }, { type: 'tidy' });
  const { rebuild_id, views, dry_run, accept_differences, cause } = record;
  const facts = { rebuild_id, views, dry_run, accept_differences, cause };
  return enter(
    state,
    { name: 'running', record, saved: record, isSaving: false },
    { type: 'log', level: 'info', message: 'rebuild begins', facts },
    { type: 'start_thread', record },
    ...(sharing.progress ? [lookIn(lookMs)] : []),
  );
}

function ended(state: CoordinatorState, end: RebuildResult | string, at: string): Step {
  if (state.name === 'stopping') return enter(state, { name: 'idle' }, lookIn(0));
  if (state.name !== 'running') return stay(state);
  return typeof end === 'string' ? interrupted(state, end, at) : finished(state, end, at);
}

function interrupted(state: In<'running'>, reason: string, at: string): Step {
  const interruptions = state.interruptions + 1;
  const { rebuild_id, cause } = state.record;
  const given_up = cause === 'request' && interruptions >= mostInterruptions;
  const record: RebuildRecord = {
    ...state.record,
    fault: reason,
    ...(given_up ? { state: 'failed', finished_at: at } : {}),
  };
  return enter(
    { ...state, interruptions: given_up ? 0 : interruptions },
    {
      name: 'ending',
      record,
      isSaving: true,
      pause: Math.min(backOffMs.most, backOffMs.first * 2 ** Math.min(interruptions - 1, 16)),
    },
    { type: 'log', level: 'error', message: 'rebuild interrupted', facts: { rebuild_id, reason, given_up } },
    { type: 'save', record },
  );
}

function finished(state: In<'running'>, end: RebuildResult, at: string): Step {
  const { outcome } = end;
  const poison = 'poison' in end ? end.poison : null;
  const isDone = outcome === 'switched' || outcome === 'checked';
  const record: RebuildRecord = {
    ...state.record,
    progress: null,
    outcome,
    results: 'views' in end ? end.views : [],
    poison,
    state: isDone ? 'finished' : 'failed',
    finished_at: at,
  };
  const facts = { rebuild_id: record.rebuild_id, outcome, ...placeOf(poison) };
  return enter(
    { ...state, interruptions: 0 },
    { name: 'ending', record, isSaving: true, pause: 0 },
    { type: 'log', level: isDone ? 'info' : 'error', message: 'rebuild ended', facts },
    { type: 'save', record },
  );
}

const placeOf = (poison: RebuildRecord['poison']): object =>
  poison === null ? {} : { view: poison.view, stream: poison.stream, position: poison.position, reason: poison.reason };

function written(state: CoordinatorState, record: RebuildRecord, isSaved: boolean): Step {
  if (state.name === 'running' && state.isSaving)
    return stay({ ...state, isSaving: false, ...(isSaved ? { saved: record } : {}) }, lookIn(lookMs));
  if (state.name !== 'ending' || record !== state.record) return stay(state);
  return isSaved
    ? enter(state, { name: 'idle' }, lookIn(state.pause))
    : stay({ ...state, isSaving: false }, lookIn(lookMs));
}
