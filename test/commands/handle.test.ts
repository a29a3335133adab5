import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CommandContext } from '../../src/commands/batch.js';
import { contactDecider, type ContactCommand } from '../../src/commands/contact.js';
import { createCommandHandler } from '../../src/commands/handle.js';
import { listDecider } from '../../src/commands/catalogue.js';
import type { DomainEvent } from '../../src/events/codec.js';
import type { AppendedEvents } from '../../src/events/envelope.js';
import {
  AppendInDoubtError,
  InvalidAppendError,
  StoreUnavailableError,
  type EventStore,
  type StoredEvent,
} from '../../src/eventstore/event-store.js';
import { openSqliteEventStore, type SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { exampleSalt } from '../support/examples.js';

let folder: string;
let store: SqliteEventStore;
let time = Date.parse('2026-03-01T10:00:00Z');

beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'handle-'));
  store = await openSqliteEventStore({ file: path.join(folder, 'events.db'), clock: Date.now });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const context = (): CommandContext => {
  const id = randomUUID();
  return { correlationId: id, causationId: id, requestId: `req-${id}`, actor: 'test' };
};

function handlers(on: EventStore, appended: AppendedEvents<DomainEvent>[] = []) {
  const options = {
    store: on,
    sources: { now: () => time, newEventId: () => randomUUID(), newSalt: () => exampleSalt },
    random: Math.random,
    sleep: () => nextTurn(),
    cacheSize: 100,
    onAppended: (append: AppendedEvents<DomainEvent>) => void appended.push(append),
  };
  return {
    lists: createCommandHandler({ ...options, decider: listDecider }),
    contacts: createCommandHandler({ ...options, decider: contactDecider }),
  };
}

async function streamOf(name: string): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const batch of store.readStream(name)) events.push(...batch);
  return events;
}

const create = (name: string) => ({
  stream: 'lists',
  command: { type: 'Create', id: randomUUID(), name } as const,
  context: context(),
});

const upsert = (fields: { firstName?: string }): ContactCommand => ({
  type: 'Upsert',
  contactId: randomUUID(),
  email: 'ann@example.com',
  profile: fields,
  status: 'Subscribed',
  list: { list_id: 'lst_1', list_name: 'News' },
  tags: [],
});

describe('the queue of a stream', () => {
  test('commands that wait go out as one append, are decided one after the other, and each is answered for itself', async () => {
    const appended: AppendedEvents<DomainEvent>[] = [];
    const { lists } = handlers(store, appended);
    const names = ['first', 'A', 'B', 'a', 'C'];
    const outcomes = await Promise.allSettled(names.map((name) => lists.execute(create(name))));
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(outcomes[3]).toMatchObject({ reason: { code: 'duplicate_list_name' } });
    expect((await streamOf('lists')).map(({ revision }) => revision)).toEqual([0n, 1n, 2n, 3n]);
    // The first went alone, the rest together: their answers carry one position.
    const positions = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.position] : []));
    expect(new Set(positions.slice(1)).size).toBe(1);
    expect(appended.map(({ events, revision }) => [events.length, revision])).toEqual([
      [1, 0n],
      [3, 3n],
    ]);
  });

  test('at most 128 events an append: the rest goes next', async () => {
    const { lists } = handlers(store);
    const first = lists.execute(create('first'));
    const rest = await Promise.all(Array.from({ length: 200 }, (_, index) => lists.execute(create(`list ${index}`))));
    await first;
    const sizes = new Map<string, number>();
    for (const { position } of rest) sizes.set(position, (sizes.get(position) ?? 0) + 1);
    expect([...sizes.values()]).toEqual([128, 72]);
  });

  test('metadata: who, why, and a time that never runs backwards within the stream', async () => {
    const { lists } = handlers(store);
    const asked = create('one');
    await lists.execute(asked);
    time -= 60_000;
    await lists.execute(create('two'));
    time += 60_000;
    const [one, two] = (await streamOf('lists')).map(({ metadata }): unknown => JSON.parse(metadata));
    expect(one).toEqual({
      at: '2026-03-01T10:00:00.000Z',
      $correlationId: asked.context.correlationId,
      $causationId: asked.context.correlationId,
      request_id: asked.context.requestId,
      actor: 'test',
      schema: 1,
    });
    expect(two).toMatchObject({ at: '2026-03-01T10:00:00.000Z' });
  });

  test('nothing changed: no event, and the position of the state that made it unnecessary', async () => {
    const { contacts } = handlers(store);
    const first = await contacts.execute({
      stream: 'contact-1',
      command: upsert({ firstName: 'Ann' }),
      context: context(),
    });
    const again = await contacts.execute({
      stream: 'contact-1',
      command: upsert({ firstName: 'Ann' }),
      context: context(),
    });
    expect(first.events).toHaveLength(2);
    expect(again.events).toEqual([]);
    expect(again.position).toBe(first.position);
  });

  test('a guess that the stream is new is corrected by the log', async () => {
    await handlers(store).contacts.execute({ stream: 'contact-1', command: upsert({}), context: context() });
    const { contacts } = handlers(store);
    const { events } = await contacts.execute({
      stream: 'contact-1',
      command: upsert({ firstName: 'Ann' }),
      context: context(),
      assumeNew: true,
    });
    expect(events.map(({ type }) => type)).toEqual(['ContactProfileChanged']);
  });

  test('a stream with an event that its decider does not know cannot be decided on', async () => {
    const metadata = JSON.stringify({
      at: '2026-03-01T10:00:00.000Z',
      $correlationId: 'c',
      $causationId: 'c',
      request_id: 'r',
      actor: 'a',
      schema: 1,
    });
    await store.append('lists', [{ id: randomUUID(), type: 'ListPainted', data: '{}', metadata }], {
      expectedRevision: 'no_stream',
    });
    await expect(handlers(store).lists.execute(create('one'))).rejects.toMatchObject({ code: 'unavailable' });
    expect(await streamOf('lists')).toHaveLength(1);
  });
});

test.each([true, false])(
  'a stream with an event that cannot be read is refused each time, and never passes for the whole (sole writer: %s)',
  async (soleWriter) => {
    const before = handlers(store).lists;
    for (const name of ['one', 'two', 'three']) await before.execute(create(name));
    const [first] = await streamOf('lists');
    if (first === undefined) throw new Error('no list was created');
    const event = { id: randomUUID(), type: 'ListPainted', data: '{}', metadata: first.metadata };
    await store.append('lists', [event], { expectedRevision: 'any' });
    const { lists } = handlers({ ...store, soleWriter });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(lists.fresh('lists')).rejects.toMatchObject({ code: 'unavailable' });
      await expect(lists.execute(create('one'))).rejects.toMatchObject({ code: 'unavailable' });
    }
    expect(lists.known('lists', () => true)).toBeUndefined();
  },
);

describe('two processes on one log', () => {
  /** The store as it looks when others write too. */
  const shared = (): EventStore => ({ ...store, soleWriter: false });

  test('racing creates of one name: exactly one wins, by way of conflicts', async () => {
    const [one, two] = [handlers(shared()), handlers(shared())];
    for (let round = 0; round < 20; round += 1) {
      const outcomes = await Promise.allSettled([one, two].map(({ lists }) => lists.execute(create(`name ${round}`))));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { code: 'duplicate_list_name' },
      });
    }
    expect(await streamOf('lists')).toHaveLength(20);
  });

  test('a refusal is given only after the tail has been read', async () => {
    const [one, two] = [handlers(shared()), handlers(shared())];
    const created = await one.lists.execute(create('News'));
    await expect(two.lists.execute(create('news'))).rejects.toMatchObject({ code: 'duplicate_list_name' });
    const [id] = [...created.state.nameById.entries()][0] ?? [''];
    await two.lists.execute({ stream: 'lists', command: { type: 'Delete', id }, context: context() });
    // `one` remembers the name; only the log knows that it is free.
    await expect(one.lists.execute(create('news'))).resolves.toMatchObject({ events: [{ type: 'ListCreated' }] });
  });
});

describe('faults of the store', () => {
  test('an append in doubt is asked for again with the same ids, and written once', async () => {
    let lost = 0;
    const { lists } = handlers({
      ...store,
      append: async (stream, events, options) => {
        const result = await store.append(stream, events, options);
        lost += 1;
        if (lost <= 2) throw new AppendInDoubtError('the reply was lost');
        return result;
      },
    });
    const { position } = await lists.execute(create('News'));
    const events = await streamOf('lists');
    expect(events).toHaveLength(1);
    expect(events[0]?.position).toBe(position);
    expect(lost).toBe(3);
  });

  test('an unavailable store is 503, and the stream works again afterwards', async () => {
    let isDown = true;
    const { lists } = handlers({
      ...store,
      append: (stream, events, options) =>
        isDown ? Promise.reject(new StoreUnavailableError('down')) : store.append(stream, events, options),
    });
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((name) => lists.execute(create(name))));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: 'unavailable', retryAfter: 1 } });
    isDown = false;
    await expect(lists.execute(create('a'))).resolves.toMatchObject({ events: [{ type: 'ListCreated' }] });
  });

  test('a stream with an event that cannot be read is 503 for a minute, not for a second', async () => {
    const { lists, contacts } = handlers(store);
    await lists.execute(create('News'));
    // The decider of contacts knows no event of lists.
    await expect(contacts.fresh('lists')).rejects.toMatchObject({ code: 'unavailable', retryAfter: 60 });
  });

  test('an append that no store ever takes is not 503: a repeat does not help', async () => {
    const { lists } = handlers({
      ...store,
      append: () => Promise.reject(new InvalidAppendError('too large')),
    });
    await expect(lists.execute(create('News'))).rejects.toBeInstanceOf(InvalidAppendError);
  });
});

test('streams that are asked for in one turn are one read; one that is left out is read by itself', async () => {
  const upsert = (stream: string): ContactCommand => ({
    type: 'Upsert',
    contactId: `con_${stream}`,
    list: { list_id: 'lst_1', list_name: 'News' },
    email: 'ada@example.com',
    status: 'Subscribed',
    profile: {},
    tags: [],
  });
  const save = (on: EventStore) => {
    const { contacts } = handlers(on);
    return Promise.all(
      ['contact-a', 'contact-b', 'contact-c'].map((stream) =>
        contacts.execute({ stream, command: upsert(stream), context: context() }),
      ),
    );
  };
  await save(store);
  const reads: (string | readonly string[])[] = [];
  const again = await save({
    ...store,
    readStream(stream, options) {
      reads.push(stream);
      return store.readStream(stream, options);
    },
    async readStreams(streams) {
      reads.push(streams);
      const found = new Map(await store.readStreams?.(streams));
      found.delete('contact-b');
      return found;
    },
  });
  expect(again.map(({ state, events }) => [state.contactId, events])).toEqual(
    ['a', 'b', 'c'].map((name) => [`con_contact-${name}`, []]),
  );
  expect(reads).toEqual([['contact-a', 'contact-b', 'contact-c'], 'contact-b']);
});
