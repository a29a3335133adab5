/** The states of the rebuild coordinator without stores, threads and clocks: each transition, late events, and a kill between any two effects. */
import { describe, expect, it } from 'vitest';
import {
  initialCoordination,
  isMine,
  mayDrop,
  shownIn,
  type CoordinatorEffect,
  type CoordinatorEvent,
  type CoordinatorState,
} from '../../src/rebuild/coordination-states.js';
import { recordToRun, reduce } from '../../src/rebuild/coordination.js';
import type { RebuildResult } from '../../src/rebuild/answers.js';
import { newRecord, type RebuildRecord, type StoredRecords } from '../../src/rebuild/rebuild-record.js';

const at = '2026-01-01T00:00:00.000Z';
const none: StoredRecords = { record: undefined, postponed: undefined };
const made = { rebuild_id: 'made', requested_at: at };
const requested = newRecord({
  rebuild_id: 'requested',
  views: ['lists'],
  dry_run: false,
  cause: 'request',
  requested_at: at,
});
const record: RebuildRecord = { ...requested, state: 'running' };
const switched: RebuildResult = { outcome: 'switched', views: [] };
const poison = {
  view: 'lists',
  stream: 'list-1',
  position: '7',
  event_id: 'e',
  event_type: 'ListCreated',
  reason: 'not today',
};
const progress = {
  stage: 'filling',
  position: '1',
  until: '2',
  share: 0.5,
  events: 1,
  events_per_second: 1,
  seconds_left: 1,
  documents_compared: 0,
} as const;

const leading = { leading: true, missing: [] };
const following = { leading: false, missing: [] };
const alone = { requests: false, progress: false };
const shared = { requests: true, progress: true };

const always = { role: leading, interruptions: 0, isTidy: true };
const idle: CoordinatorState = { ...always, name: 'idle' };
const taking: CoordinatorState = { ...always, name: 'taking', looksAgain: false };
const tidying: CoordinatorState = { ...always, name: 'tidying', looksAgain: false };
const running: CoordinatorState = { ...always, name: 'running', record, saved: record, isSaving: false };
const ending: CoordinatorState = { ...always, name: 'ending', record, isSaving: true, pause: 500 };
const stopping: CoordinatorState = { ...always, role: following, name: 'stopping' };
const closed: CoordinatorState = { ...always, name: 'closed', record: undefined };
const states = [idle, taking, tidying, running, ending, stopping, closed];

const look = { type: 'look' } as const;
const lookIn = (milliseconds: number): CoordinatorEffect => ({ type: 'look_in', milliseconds });
const ends = (end: RebuildResult | string): CoordinatorEvent => ({ type: 'ended', end, at });
const step = (state: CoordinatorState, event: CoordinatorEvent, sharing = alone) => reduce(state, event, sharing);
const withoutLogs = (effects: readonly CoordinatorEffect[]) => effects.filter(({ type }) => type !== 'log');

describe('looks for requests', () => {
  it('takes up what is stored while it leads, and nothing else', () => {
    expect(step(initialCoordination, look)).toEqual({ state: initialCoordination, effects: [] });
    expect(step(initialCoordination, { type: 'role', role: leading })).toMatchObject({ effects: [lookIn(0)] });
    expect(step(idle, look)).toEqual({ state: taking, effects: [{ type: 'take' }] });
    expect(step(idle, { type: 'requested' })).toEqual({ state: idle, effects: [lookIn(0)] });
  });

  it('does nothing when it is told the same role again', () => {
    for (const state of states) expect(step(state, { type: 'role', role: state.role })).toEqual({ state, effects: [] });
    // A projector that was started again names the same views in another array: the back-off goes on.
    const missing = { ...idle, role: { leading: true, missing: ['contacts'] } };
    const again = { leading: true, missing: ['contacts'] };
    expect(step(missing, { type: 'role', role: again })).toEqual({ state: missing, effects: [] });
    const other = { leading: true, missing: ['tags'] };
    expect(step(missing, { type: 'role', role: other })).toMatchObject({
      state: { role: other },
      effects: [lookIn(0)],
    });
  });

  it('begins a thread for what it has taken up', () => {
    const begun = step(taking, { type: 'taken', record }, shared);
    expect(begun.state).toEqual(running);
    expect(begun.effects).toMatchObject([
      { type: 'log', level: 'info', message: 'rebuild begins' },
      { type: 'start_thread', record },
      lookIn(1_000),
    ]);
    expect(withoutLogs(step(taking, { type: 'taken', record }).effects)).toEqual([{ type: 'start_thread', record }]);
  });

  it('begins none when the lead was lost meanwhile', () => {
    const { state } = step(taking, { type: 'role', role: following });
    expect(recordToRun(state, { ...none, record: requested }, made)).toBeUndefined();
    expect(step(state, { type: 'taken', record })).toEqual({ state: { ...idle, role: following }, effects: [] });
  });

  it('clears up once where there is nothing to take up', () => {
    const nothing = { type: 'taken', record: undefined } as const;
    const untidy = { isTidy: false };
    expect(step({ ...taking, ...untidy }, nothing)).toEqual({
      state: { ...tidying, ...untidy },
      effects: [{ type: 'tidy' }],
    });
    expect(step({ ...tidying, ...untidy }, { type: 'tidied', isTidy: true })).toEqual({ state: idle, effects: [] });
    expect(step({ ...tidying, ...untidy }, { type: 'tidied', isTidy: false })).toEqual({
      state: { ...idle, ...untidy },
      effects: [lookIn(1_000)],
    });
    expect(step(taking, nothing)).toEqual({ state: idle, effects: [] });
    // Others may have asked for one.
    expect(step(taking, nothing, shared)).toEqual({ state: idle, effects: [lookIn(5_000)] });
  });

  it('looks again where a request came while it looked', () => {
    for (const state of [taking, tidying]) {
      const again = step(state, look).state;
      const done = { type: 'taken', record: undefined } as const;
      const event = state.name === 'taking' ? done : ({ type: 'tidied', isTidy: true } as const);
      expect(step(again, event)).toEqual({ state: idle, effects: [lookIn(0)] });
    }
  });

  it('tries again in a second when the views are out of reach', () => {
    for (const state of [taking, tidying])
      expect(step(state, { type: 'look_failed' })).toEqual({ state: idle, effects: [lookIn(1_000)] });
  });
});

describe('what it takes up', () => {
  it('is the request that is open, or was put off', () => {
    expect(recordToRun(taking, { ...none, record: { ...requested, fault: 'it fell' } }, made)).toEqual(record);
    expect(recordToRun(taking, { record: { ...record, state: 'finished' }, postponed: requested }, made)).toEqual(
      record,
    );
    expect(recordToRun(taking, none, made)).toBeUndefined();
    for (const state of states.filter(({ name }) => name !== 'taking'))
      expect(recordToRun(state, { ...none, record: requested }, made)).toBeUndefined();
  });

  it('is first what the start needs, with the record that such a start has left open', () => {
    const state = { ...taking, role: { leading: true, missing: ['contacts'] } };
    const ofStart = recordToRun(state, { ...none, record: requested }, made);
    expect(ofStart).toMatchObject({ ...made, views: ['contacts'], cause: 'start', state: 'running', dry_run: false });
    const left = { ...record, cause: 'start', views: ['tags'] } as const;
    expect(recordToRun(state, { ...none, record: left }, made)).toEqual({ ...left, views: ['contacts'] });
    expect(recordToRun(state, { ...none, record: { ...left, state: 'failed' } }, made)).toMatchObject(made);
  });
});

describe('while its thread runs', () => {
  it('shows the progress, and writes it now and then where others show it too', () => {
    const moved = step(running, { type: 'progress', progress }, shared).state;
    expect(shownIn(moved)).toEqual({ ...record, progress });
    const saving = step(moved, look, shared);
    expect(saving.effects).toEqual([{ type: 'save', record: shownIn(moved) }]);
    expect(step(saving.state, look, shared)).toEqual({ state: saving.state, effects: [] });
    const saved = step(saving.state, { type: 'settled', record: { ...record, progress } }, shared);
    expect(saved).toMatchObject({ state: { isSaving: false }, effects: [lookIn(1_000)] });
    expect(step(running, look, shared)).toEqual({ state: running, effects: [lookIn(1_000)] });
    const failed = step(saving.state, { type: 'save_failed', record }, shared);
    expect(failed).toEqual({ state: moved, effects: [lookIn(1_000)] });
    expect(shownIn(ending)).toBeUndefined();
  });

  it('writes how it ended, then looks at once', () => {
    const end = step({ ...running, interruptions: 3 }, ends(switched));
    const result = { ...record, state: 'finished', outcome: 'switched', finished_at: at, progress: null } as const;
    expect(end.state).toMatchObject({ name: 'ending', record: result, interruptions: 0, pause: 0 });
    expect(end.effects).toMatchObject([
      { type: 'log', level: 'info', message: 'rebuild ended' },
      { type: 'save', record: result },
    ]);
    if (end.state.name !== 'ending') throw new Error('not ending');
    const saved = step(end.state, { type: 'settled', record: end.state.record });
    expect(saved).toEqual({ state: idle, effects: [lookIn(0)] });
  });

  it('ends as failed with differences, and with the place of a poison event in the log line', () => {
    expect(step(running, ends({ outcome: 'differs', views: [] })).state).toMatchObject({ record: { state: 'failed' } });
    const { state, effects } = step(running, ends({ outcome: 'poison', poison }));
    expect(state).toMatchObject({ record: { state: 'failed', outcome: 'poison', poison } });
    expect(effects[0]).toMatchObject({ level: 'error', facts: { view: 'lists', position: '7', reason: 'not today' } });
  });

  it('writes the end until it stands there', () => {
    const failed = step(ending, { type: 'save_failed', record });
    expect(failed).toEqual({ state: { ...ending, isSaving: false }, effects: [lookIn(1_000)] });
    expect(step(failed.state, look)).toEqual({ state: ending, effects: [{ type: 'save', record }] });
    expect(step(ending, look)).toEqual({ state: ending, effects: [] });
  });

  it('pauses longer after each interruption, and gives a request up after ten; never what a start needs', () => {
    let state: CoordinatorState = running;
    const pauses: number[] = [];
    for (let count = 1; count <= 10; count += 1) {
      const ended = step(state, ends('it fell')).state;
      if (ended.name !== 'ending') throw new Error('not ending');
      expect(ended.record).toMatchObject({ fault: 'it fell', state: count < 10 ? 'running' : 'failed' });
      pauses.push(ended.pause);
      const { state: after, effects } = step(ended, { type: 'settled', record: ended.record });
      expect(effects).toEqual([lookIn(ended.pause)]);
      state = { ...running, interruptions: after.interruptions };
    }
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000]);
    expect(state.interruptions).toBe(0);
    const ofStart: CoordinatorState = { ...running, record: { ...record, cause: 'start' }, interruptions: 12 };
    expect(step(ofStart, ends('it fell')).state).toMatchObject({ interruptions: 13, record: { state: 'running' } });
  });
});

describe('when another process leads', () => {
  it('closes its thread, and writes no more of the rebuild', () => {
    const lost = step(running, { type: 'role', role: following });
    expect(lost).toEqual({ state: stopping, effects: [{ type: 'close_thread' }] });
    expect(isMine(running, record)).toBe(true);
    expect(isMine(stopping, record)).toBe(false);
    const ended = step({ ...ending, interruptions: 2 }, { type: 'role', role: following });
    expect(ended).toEqual({ state: { ...idle, role: following }, effects: [] });
    expect(step(stopping, ends('it was stopped'))).toMatchObject({ state: { name: 'idle' } });
  });

  it('waits for the end of its old thread before it takes the rebuild up again', () => {
    const { state } = step(stopping, { type: 'role', role: leading });
    expect(step(state, look)).toEqual({ state, effects: [] });
    expect(step(state, ends('it was stopped'))).toEqual({ state: idle, effects: [lookIn(0)] });
  });
});

it('drops what nobody continues only while it builds nothing, and is not about to', () => {
  expect(states.filter(mayDrop).map(({ name }) => name)).toEqual(['idle', 'taking', 'tidying', 'ending']);
  expect(states.filter((state) => mayDrop({ ...state, role: { leading: true, missing: ['lists'] } }))).toEqual([]);
});

it('ignores an event that does not belong to its state', () => {
  const belongs: Readonly<Record<string, readonly string[]>> = {
    taken: ['taking'],
    tidied: ['tidying'],
    look_failed: ['taking', 'tidying'],
    progress: ['running'],
    ended: ['running', 'stopping'],
  };
  const other = { ...record, rebuild_id: 'another' };
  const events: readonly CoordinatorEvent[] = [
    { type: 'taken', record },
    { type: 'tidied', isTidy: true },
    { type: 'look_failed' },
    { type: 'progress', progress },
    ends(switched),
    { type: 'settled', record: other },
    { type: 'save_failed', record: other },
  ];
  for (const state of states)
    for (const event of events)
      if (belongs[event.type]?.includes(state.name) !== true)
        expect(step(state, event, shared), `${event.type} in ${state.name}`).toEqual({ state, effects: [] });
});

it('does nothing any more once it is closed, except to write how the last rebuild ended', () => {
  for (const state of states) expect(step(state, { type: 'close' }).state.name).toBe('closed');
  expect(isMine(step(ending, { type: 'close' }).state, record)).toBe(true);
  expect(isMine(step(running, { type: 'close' }).state, record)).toBe(false);
  for (const event of [look, ends(switched), { type: 'role', role: following }] as const)
    expect(step(closed, event)).toEqual({ state: closed, effects: [] });
});

interface World {
  record: RebuildRecord;
  missing: readonly string[];
}

/** A process that carries effects out until it is killed, after so many of them. */
function runUntil(world: World, most: number): number {
  let state = initialCoordination;
  let done = 0;
  const role = (): CoordinatorEvent => ({ type: 'role', role: { leading: true, missing: world.missing } });
  const queue: CoordinatorEvent[] = [role()];
  const carryOut = (effect: CoordinatorEffect): readonly CoordinatorEvent[] => {
    switch (effect.type) {
      case 'look_in':
        return [look];
      case 'take': {
        const next = recordToRun(state, { ...none, record: world.record }, made);
        if (next !== undefined) world.record = next;
        return [{ type: 'taken', record: next }];
      }
      case 'tidy':
        return [{ type: 'tidied', isTidy: true }];
      case 'save':
        if (isMine(state, effect.record) && world.record.rebuild_id === effect.record.rebuild_id)
          world.record = effect.record;
        return [{ type: 'settled', record: effect.record }];
      case 'start_thread':
        // No thread builds what is not written as running.
        expect(world.record).toMatchObject({ rebuild_id: effect.record.rebuild_id, state: 'running' });
        world.missing = [];
        return [role(), ends(switched)];
      default:
        return [];
    }
  };
  for (let event = queue.shift(); event !== undefined; event = queue.shift()) {
    const next = reduce(state, event, alone);
    state = next.state;
    for (const effect of next.effects) {
      if (done === most) return done;
      done += 1;
      queue.push(...carryOut(effect));
    }
  }
  return done;
}

it.each([
  { cause: 'request', missing: [] },
  { cause: 'start', missing: ['contacts'] },
] as const)('a kill between any two effects of a $cause loses nothing: the next process finishes it', (rebuild) => {
  const world = (): World => ({ record: { ...requested, cause: rebuild.cause }, missing: rebuild.missing });
  const all = runUntil(world(), Infinity);
  expect(all).toBeGreaterThan(6);
  for (let survived = 0; survived <= all; survived += 1) {
    const killed = world();
    runUntil(killed, survived);
    runUntil(killed, Infinity);
    expect(killed).toMatchObject({
      missing: [],
      record: { rebuild_id: 'requested', state: 'finished', outcome: 'switched' },
    });
  }
});
