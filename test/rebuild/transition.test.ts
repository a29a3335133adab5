/** The states of the rebuild coordinator, without stores, threads and clocks. */
import { describe, expect, test } from 'vitest';
import type { RebuildResult } from '../../src/rebuild/answers.js';
import {
  initialState,
  mayDrop,
  recordToRun,
  transition,
  type CoordinatorEvent,
  type CoordinatorRole,
  type CoordinatorState,
} from '../../src/rebuild/transition.js';
import { newRecord, type RebuildRecord, type StoredRecords } from '../../src/rebuild/rebuild-record.js';

const at = '2026-01-01T00:00:00.000Z';
const none: StoredRecords = { record: undefined, postponed: undefined };
const made = { rebuild_id: 'made', requested_at: at };
const requested = newRecord({
  ...{ rebuild_id: 'requested', views: ['lists'], dry_run: false, cause: 'request', requested_at: at },
});
const record: RebuildRecord = { ...requested, state: 'running' };
const switched: RebuildResult = { outcome: 'switched', views: [] };

const leading: CoordinatorRole = { leading: true, missing: [] };
const following: CoordinatorRole = { leading: false, missing: [] };
const always = { role: leading, interruptions: 0, isTidy: true, isShared: false };
const idle: CoordinatorState = { ...always, name: 'idle', pause: undefined };
const looking: CoordinatorState = { ...always, name: 'looking', looksAgain: false };
const tidying: CoordinatorState = { ...always, name: 'tidying', looksAgain: false };
const building: CoordinatorState = { ...always, name: 'building', record };
const ending: CoordinatorState = { ...always, name: 'ending', record, pause: 500 };
const stopping: CoordinatorState = { ...always, role: following, name: 'stopping' };
const closed: CoordinatorState = { ...always, name: 'closed' };
const states = [idle, looking, tidying, building, ending, stopping, closed];

const role = (to: CoordinatorRole): CoordinatorEvent => ({ type: 'role', role: to });
const taken = (stored: RebuildRecord | undefined): CoordinatorEvent => ({ type: 'taken', record: stored });
const ended = (end: RebuildResult | string): CoordinatorEvent => ({ type: 'ended', end, at });

describe('looking for rebuilds', () => {
  test('looks for rebuilds only while the process leads', () => {
    const initial = initialState(false);
    for (const type of ['requested', 'due'] as const) {
      expect(transition(initial, { type })).toBe(initial);
      expect(transition(idle, { type })).toEqual(looking);
    }
    expect(transition(initial, role(leading))).toEqual({ ...looking, isTidy: false });
  });

  test('changes nothing when the same role is reported again', () => {
    // A projector that starts again names the same views in another array, which must not end the back-off.
    const missing = { ...idle, pause: 500, role: { leading: true, missing: ['contacts'] } };
    expect(transition(missing, role({ leading: true, missing: ['contacts'] }))).toBe(missing);
    expect(transition(missing, role({ leading: true, missing: ['tags'] })).name).toBe('looking');
  });

  test('tidies up once if there is nothing to carry out, then waits for requests of this process and of others', () => {
    const untidy = { ...looking, isTidy: false };
    expect(transition(untidy, taken(undefined))).toEqual({ ...tidying, isTidy: false });
    expect(transition(tidying, { type: 'tidied', isTidy: true })).toEqual(idle);
    expect(transition(tidying, { type: 'tidied', isTidy: false })).toEqual({ ...idle, isTidy: false, pause: 1_000 });
    expect(transition(looking, taken(undefined))).toEqual(idle);
    expect(transition({ ...looking, isShared: true }, taken(undefined))).toMatchObject({ name: 'idle', pause: 5_000 });
  });

  test('looks again if a request came during the look', () => {
    expect(transition(transition(looking, { type: 'requested' }), taken(undefined))).toEqual(looking);
    const again = transition(tidying, { type: 'requested' });
    expect(transition(again, { type: 'tidied', isTidy: true })).toEqual(looking);
  });

  test('tries again in a second if the stores are unreachable', () => {
    for (const state of [looking, tidying])
      expect(transition(state, { type: 'failed' })).toEqual({ ...idle, pause: 1_000 });
    expect(transition(ending, { type: 'failed' })).toBe(ending);
  });
});

describe('the next rebuild', () => {
  test('carries out the request that is open, or that was put off', () => {
    expect(recordToRun(looking, { ...none, record: { ...requested, fault: 'it fell' } }, made)).toEqual(record);
    const finished: RebuildRecord = { ...record, state: 'finished' };
    expect(recordToRun(looking, { record: finished, postponed: requested }, made)).toEqual(record);
    expect(recordToRun(looking, none, made)).toBeUndefined();
    for (const state of [...states.filter(({ name }) => name !== 'looking'), { ...looking, role: following }])
      expect(recordToRun(state, { ...none, record: requested }, made)).toBeUndefined();
  });

  test('carries out a rebuild of missing views first, in the record that an earlier start has left open', () => {
    const state = { ...looking, role: { leading: true, missing: ['contacts'] } };
    const ofStart = recordToRun(state, { ...none, record: requested }, made);
    expect(ofStart).toMatchObject({ ...made, views: ['contacts'], cause: 'start', state: 'running', dry_run: false });
    const left = { ...record, cause: 'start', views: ['tags'] } as const;
    expect(recordToRun(state, { ...none, record: left }, made)).toEqual({ ...left, views: ['contacts'] });
    expect(recordToRun(state, { ...none, record: { ...left, state: 'failed' } }, made)).toMatchObject(made);
  });
});

describe('the end of a rebuild', () => {
  test('finishes a rebuild with its result, and looks again at once', () => {
    const end = transition({ ...building, interruptions: 3 }, ended(switched));
    const result = { ...record, state: 'finished', outcome: 'switched', finished_at: at, progress: null };
    expect(end).toEqual({ ...ending, record: result, pause: 0 });
    expect(transition(end, { type: 'saved' })).toEqual({ ...idle, pause: 0 });
  });

  test('fails a rebuild if documents differ or an event cannot be folded', () => {
    const poison = { view: 'lists', stream: 'l', position: '7', event_id: 'e', event_type: 'ListCreated', reason: 'r' };
    const differs = transition(building, ended({ outcome: 'differs', views: [] }));
    expect(differs).toMatchObject({ record: { state: 'failed', outcome: 'differs' } });
    const stopped = transition(building, ended({ outcome: 'poison', poison }));
    expect(stopped).toMatchObject({ record: { state: 'failed', outcome: 'poison', poison } });
  });

  test('pauses longer after each interruption, and gives up a request after ten, but never missing views', () => {
    let state: CoordinatorState = building;
    const pauses: number[] = [];
    for (let count = 1; count <= 10; count += 1) {
      const interrupted = transition(state, ended('it fell'));
      expect(interrupted).toMatchObject({ record: { fault: 'it fell', state: count < 10 ? 'running' : 'failed' } });
      const pausing = transition(interrupted, { type: 'saved' });
      pauses.push(pausing.name === 'idle' ? (pausing.pause ?? 0) : 0);
      state = { ...building, interruptions: pausing.interruptions };
    }
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000]);
    expect(state.interruptions).toBe(0);
    const ofStart: CoordinatorState = { ...building, record: { ...record, cause: 'start' }, interruptions: 12 };
    expect(transition(ofStart, ended('it fell'))).toMatchObject({ interruptions: 13, record: { state: 'running' } });
  });
});

describe('the loss of the lead', () => {
  test('leaves the rebuild to the process that leads, and writes nothing more about it', () => {
    expect(transition(building, role(following))).toEqual(stopping);
    const lost = transition({ ...ending, interruptions: 2 }, role(following));
    expect(transition(lost, { type: 'failed' })).toEqual({ ...idle, role: following });
    expect(transition({ ...looking, role: following }, taken(record))).toEqual({ ...idle, role: following });
  });

  test('waits for the end of the rebuild thread before the process leads again', () => {
    const again = transition(stopping, role(leading));
    expect(again).toEqual({ ...stopping, role: leading });
    expect(transition(again, { type: 'requested' })).toBe(again);
    expect(transition(again, ended('it was stopped'))).toEqual({ ...idle, pause: 0 });
  });
});

test('drops abandoned storages only while nothing is being built and no view is missing', () => {
  expect(states.filter(mayDrop).map(({ name }) => name)).toEqual(['idle', 'looking', 'tidying', 'ending']);
  const missing = { leading: true, missing: ['lists'] };
  expect(states.filter((state) => mayDrop({ ...state, role: missing }))).toEqual([]);
});

test('ignores an event that does not belong to the state', () => {
  const belongs: Readonly<Record<string, readonly string[]>> = {
    due: ['idle'],
    taken: ['looking'],
    tidied: ['tidying'],
    failed: ['looking', 'tidying'],
    ended: ['building', 'stopping'],
    saved: ['ending'],
  };
  const events: readonly CoordinatorEvent[] = [
    ...(['due', 'failed', 'saved'] as const).map((type) => ({ type })),
    taken(record),
    { type: 'tidied', isTidy: true },
    ended(switched),
  ];
  for (const state of states)
    for (const event of events)
      expect(transition(state, event) === state, `${event.type} in ${state.name}`).toBe(
        belongs[event.type]?.includes(state.name) !== true,
      );
  for (const state of states) expect(transition(state, { type: 'close' }).name).toBe('closed');
});
