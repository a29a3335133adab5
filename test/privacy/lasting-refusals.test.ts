/** Refused mail in the register: what of it a restored log lacks, in which order it is asked for again, and a register that cannot be written. */
import { expect, test } from 'vitest';
import { suppressionDecider } from '../../src/commands/suppressions.js';
import type { StoredEvent } from '../../src/eventstore/event-store.js';
import { keptInRegister, refusalsAgain, type RefusalCommands } from '../../src/privacy/lasting-refusals.js';
import type { RefusalEntry } from '../../src/privacy/register.js';

const line = (number: number, kind: RefusalEntry['kind'], subject_key: string, by?: 'one_click'): RefusalEntry => {
  const facts = { subject_key, scope: 'all', at: `2026-01-01T00:00:0${number}.000Z`, event_id: `event-${number}` };
  return kind === 'mail_refused'
    ? { kind, ...facts, reason: 'unsubscribe', email_id: 'eml_1', by }
    : { kind, ...facts, reason: 'person' };
};

async function again(registered: readonly RefusalEntry[], there: Readonly<Record<string, readonly string[]>>) {
  const asked: string[] = [];
  const { suppressions, refusals }: RefusalCommands = {
    suppressions: {
      execute: ({ stream, command }) => {
        asked.push(`${command.type} ${stream}${command.type === 'Release' ? ` ${command.reason}` : ''}`);
        return Promise.resolve({ state: suppressionDecider.initial, events: [], eventIds: [], position: '' });
      },
    },
    refusals: {
      refuse: ({ contactKey, by }) => Promise.resolve(void asked.push(`refuse ${contactKey} ${by.kind}`)),
    },
  };
  const commands = { suppressions, refusals };
  const log = {
    async *readStream(stream: string) {
      yield (there[stream] ?? []).map((id) => ({ id }) as StoredEvent);
    },
  };
  const context = { correlationId: '', causationId: '', requestId: '', actor: 'service' };
  const people = await refusalsAgain(registered, { log, commands, newContext: () => context });
  return { asked, people };
}

test('a log that has the newest has all of them', async () => {
  const registered = [line(1, 'mail_refused', 'a'), line(2, 'mail_refused', 'b')];
  expect(await again(registered, { 'suppression-b': ['event-2'] })).toEqual({ asked: [], people: [] });
});

test('of each person what came after the last that the log has, in its order; a click counts for the lists, too', async () => {
  const registered = [
    line(5, 'mail_refused', 'b', 'one_click'),
    line(1, 'mail_refused', 'a'),
    line(2, 'mail_released', 'a'),
    line(3, 'mail_refused', 'a'),
    line(4, 'mail_released', 'a'),
    line(4, 'mail_released', 'a'),
  ];
  expect(await again(registered, { 'suppression-a': ['event-2'] })).toEqual({
    asked: ['Suppress suppression-a', 'Release suppression-a person', 'refuse b one_click'],
    people: ['a', 'b'],
  });
});

test('what was forgotten is forgotten again', async () => {
  const { subject_key, scope, at, event_id } = line(2, 'mail_released', 'a');
  const released = { kind: 'mail_released', subject_key, scope, at, event_id, reason: 'forgotten' } as const;
  const { asked } = await again([line(1, 'mail_refused', 'a'), released], { 'suppression-a': ['event-1'] });
  expect(asked).toEqual(['Release suppression-a forgotten']);
});

test('what the register could not take is no success, and comes with the repeat, which writes nothing to the log', async () => {
  const kept: RefusalEntry[] = [];
  let isFull = true;
  const data = { scope: 'all', reason: 'manual' } as const;
  let events = [{ type: 'AddressSuppressed' as const, data }];
  const state = { active: [], hasPerson: false, erased_through: null };
  const inner = { execute: async () => ({ state, events, eventIds: events.map(() => 'event-1'), position: '1' }) };
  const handler = keptInRegister(inner as unknown as Parameters<typeof keptInRegister>[0], {
    register: () => ({
      keep: (lines) =>
        isFull ? Promise.reject(new Error('ENOSPC')) : Promise.resolve(void kept.push(...(lines as []))),
    }),
    clock: () => 0,
  });
  const context = { correlationId: '', causationId: '', requestId: '', actor: 'test' };
  const command = { type: 'Suppress', entries: [data] } as const;
  const ask = () => handler.execute({ stream: 'suppression-a', command, context });
  await expect(ask()).rejects.toMatchObject({ code: 'unavailable' });
  [isFull, events] = [false, []];
  await ask();
  expect(kept).toMatchObject([{ kind: 'mail_refused', subject_key: 'a', event_id: 'event-1' }]);
  await ask();
  expect(kept).toHaveLength(1);
});
