/** Refused mail in the register: what of it a restored log lacks, in which order it is asked for again, and lines that are missing. */
import { expect, test } from 'vitest';
import { suppressionDecider } from '../../src/commands/suppressions.js';
import type { StoredEvent } from '../../src/eventstore/event-store.js';
import { keptInRegister, refuseAgain, type RefusalCommands } from '../../src/privacy/lasting-refusals.js';
import { missingInLog } from '../../src/privacy/missing.js';
import type { RefusalEntry } from '../../src/privacy/register.js';
import { exampleTime, toAppend } from '../support/examples.js';

const line = (number: number, kind: RefusalEntry['kind'], subject_key: string, by?: 'one_click'): RefusalEntry => {
  const facts = { subject_key, scope: 'all', at: `2026-01-01T00:00:0${number}.000Z`, event_id: `event-${number}` };
  return kind === 'mail_refused'
    ? { kind, ...facts, reason: 'unsubscribe', email_id: 'eml_1', by }
    : { kind, ...facts, reason: 'person' };
};

const context = { correlationId: '', causationId: '', requestId: '', actor: 'service' };
type Ids = Readonly<Record<string, readonly string[]>>;

const readerOf = (there: Ids) => ({
  async *readStream(stream: string) {
    const { data, metadata } = toAppend({ type: 'AddressSuppressed', data: { scope: 'all', reason: 'manual' } });
    const event = { type: 'AddressSuppressed', data, metadata, stream, revision: 0n, position: '' };
    yield (there[stream] ?? []).map((id): StoredEvent => ({ ...event, id }));
  },
});

/** What each register alone, and all together, have beyond a log with these events. */
async function missing(there: Ids, isThorough: boolean, ...registers: readonly (readonly RefusalEntry[])[]) {
  const contents = registers.map((refusals) => ({ erasures: [], keys: [], refusals }));
  const { refusals } = await missingInLog(readerOf(there), contents, { isThorough });
  return Object.fromEntries([...refusals].map(([key, entries]) => [key, entries.map(({ event_id }) => event_id)]));
}

test('a log that has the end of each register has all of them', async () => {
  const registered = [line(1, 'mail_refused', 'a'), line(2, 'mail_refused', 'b')];
  expect(await missing({ 'suppression-a': ['event-1'], 'suppression-b': ['event-2'] }, false, registered)).toEqual({});
  expect(await missing({ 'suppression-b': ['event-2'] }, false, registered)).toEqual({ a: ['event-1'] });
  expect(await missing({ 'suppression-b': ['event-2'] }, false, registered.slice(1), registered)).toEqual({
    a: ['event-1'],
  });
});

test('the end of a register is where lines were added last: the clock may have been set back', async () => {
  const registered = [line(9, 'mail_refused', 'a'), line(1, 'mail_refused', 'b')];
  expect(await missing({ 'suppression-a': ['event-9'] }, false, registered)).toEqual({ b: ['event-1'] });
});

test('what lies before the end of a long register is found by a thorough look', async () => {
  const facts = line(1, 'mail_refused', 'many');
  const many = Array.from({ length: 100 }, (_, index) => ({ ...facts, event_id: `many-${index}` }));
  const there = { 'suppression-many': many.map(({ event_id }) => event_id) };
  const registered = [line(1, 'mail_refused', 'a'), ...many];
  expect(await missing(there, false, registered)).toEqual({});
  expect(await missing(there, true, registered)).toEqual({ a: ['event-1'] });
});

test('of each person it is what came after the last that the log has, oldest first', async () => {
  const registered = [
    line(5, 'mail_refused', 'b', 'one_click'),
    line(1, 'mail_refused', 'a'),
    line(2, 'mail_released', 'a'),
    line(3, 'mail_refused', 'a'),
    line(4, 'mail_released', 'a'),
    line(4, 'mail_released', 'a'),
  ];
  const found = await missing({ 'suppression-a': ['event-2'] }, false, registered);
  expect(found).toEqual({ a: ['event-3', 'event-4'], b: ['event-5'] });
});

test('each is asked for again under the id of its event; a click counts for the lists, too', async () => {
  const asked: unknown[] = [];
  const commands: RefusalCommands = {
    suppressions: {
      execute: ({ stream, command, context: { eventId } }) => {
        asked.push([eventId, command.type, stream, command.type === 'Release' ? command.reason : undefined]);
        return Promise.resolve({ state: suppressionDecider.initial, events: [], eventIds: [], position: '' });
      },
    },
    refusals: {
      refuse: ({ contactKey, by }, { eventId }) => Promise.resolve(void asked.push([eventId, contactKey, by.kind])),
    },
  };
  const forgotten = { ...line(2, 'mail_released', 'a'), kind: 'mail_released', reason: 'forgotten' } as const;
  for (const entry of [line(1, 'mail_refused', 'a'), forgotten, line(3, 'mail_refused', 'b', 'one_click')])
    await refuseAgain(entry, commands, context);
  expect(asked).toEqual([
    ['event-1', 'Suppress', 'suppression-a', undefined],
    ['event-2', 'Release', 'suppression-a', 'forgotten'],
    ['event-3', 'b', 'one_click'],
  ]);
});

test('what the register could not take is no success, and comes with the repeat, which writes nothing to the log', async () => {
  const kept: RefusalEntry[] = [];
  let isFull = true;
  const data = { scope: 'all', reason: 'manual' } as const;
  let events = [{ type: 'AddressSuppressed' as const, data }];
  const state = { active: [], hasPerson: false, erased_through: null };
  const inner = { execute: async () => ({ state, events, eventIds: events.map(() => 'event-1'), position: '1' }) };
  const handler = keptInRegister(inner as unknown as Parameters<typeof keptInRegister>[0], {
    reader: readerOf({}),
    register: () => ({
      keep: (lines) =>
        isFull ? Promise.reject(new Error('ENOSPC')) : Promise.resolve(void kept.push(...(lines as []))),
    }),
    clock: () => 0,
  });
  const command = { type: 'Suppress', entries: [data] } as const;
  const ask = () => handler.execute({ stream: 'suppression-a', command, context });
  await expect(ask()).rejects.toMatchObject({ code: 'unavailable' });
  [isFull, events] = [false, []];
  await ask();
  expect(kept).toMatchObject([{ kind: 'mail_refused', subject_key: 'a', event_id: 'event-1' }]);
  await ask();
  expect(kept).toHaveLength(1);
});

test('a line that a crash has cut off comes with the repeat, which finds the event in the log', async () => {
  const kept: unknown[] = [];
  const state = { active: [], hasPerson: false, erased_through: null };
  const inner = { execute: () => Promise.resolve({ state, events: [], eventIds: [], position: '1' }) };
  const handler = keptInRegister(inner as unknown as Parameters<typeof keptInRegister>[0], {
    reader: readerOf({ 'suppression-a': ['event-1'] }),
    register: () => ({ keep: (lines) => Promise.resolve(void kept.push(...lines)) }),
    clock: () => 0,
  });
  const command = { type: 'Suppress', entries: [{ scope: 'all', reason: 'manual' }] } as const;
  await handler.execute({ stream: 'suppression-a', command, context });
  expect(kept).toMatchObject([{ kind: 'mail_refused', subject_key: 'a', at: exampleTime, event_id: 'event-1' }]);
});
