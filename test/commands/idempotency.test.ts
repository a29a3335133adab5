/** `Idempotency-Key` on creates and `resubscribe: false`, on a real log: in one process, in another, and in several at once. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openCommands } from '../../src/app/commands.js';
import type { Audience, SaveContact } from '../../src/commands/audience.js';
import type { CommandContext } from '../../src/commands/batch.js';
import { deriveStreamKeys } from '../../src/events/streams.js';
import { AppendInDoubtError, type EventStore, type StoredEvent } from '../../src/eventstore/event-store.js';
import { openSqliteEventStore, type SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';

let folder: string;
let store: SqliteEventStore;
let audience: Audience;
beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'idempotency-'));
  store = await openSqliteEventStore({ file: path.join(folder, 'events.db'), clock: Date.now });
  audience = await opened();
});
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const context: CommandContext = { correlationId: 'c', causationId: 'c', requestId: 'r', actor: 'test' };
const none = { load: () => Promise.resolve(undefined), save: () => Promise.resolve(), close: () => Promise.resolve() };

/** Of each test its own: they share the log. */
let tests = 0;
const own = (text: string): string => `${text}-${(tests += 1)}`;

const keys = deriveStreamKeys('a secret of the tests, long enough for a key');

/** A process of its own on the log. */
async function opened(on: EventStore = store): Promise<Audience> {
  const commands = await openCommands({
    store: on,
    keys,
    onUnreadable: () => undefined,
    clock: Date.now,
    newUuid: randomUUID,
  });
  await commands.openCatalogues(none);
  return commands.audience;
}

async function logged(): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const batch of store.readAll()) events.push(...batch);
  return events;
}

describe.each(['groups', 'lists', 'tags'] as const)('%s', (kind) => {
  test('the same key and name: the first answer, also after a rename and in another process; nothing is written', async () => {
    const [name, key] = [own('News'), own('key')];
    const created = await audience[kind].create(name, context, key);
    expect(created.replayed).toBe(false);
    await audience[kind].rename({ id: created.id, name: own('Offers') }, context);
    const events = (await logged()).length;
    for (const process of [audience, await opened()])
      expect(await process[kind].create(name, context, key)).toMatchObject({ id: created.id, name, replayed: true });
    expect(await logged()).toHaveLength(events);
  });

  test('the same key with another name is a conflict; another key or none is a create like any other', async () => {
    const [name, key] = [own('News'), own('key')];
    await audience[kind].create(name, context, key);
    await expect(audience[kind].create(own('Offers'), context, key)).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
    const duplicate = `duplicate_${kind.slice(0, -1)}_name`;
    for (const other of [own('key'), undefined])
      await expect(audience[kind].create(name, context, other)).rejects.toMatchObject({ code: duplicate });
  });

  test('what is deleted forgets its key', async () => {
    const [name, key] = [own('Offers'), own('key')];
    const { id } = await audience[kind].create(own('News'), context, key);
    await audience[kind].remove(id, context);
    const again = await audience[kind].create(name, context, key);
    expect(again.replayed).toBe(false);
    expect(again.id).not.toBe(id);
    expect((await (await opened())[kind].create(name, context, key)).id).toBe(again.id);
  });
});

test('of processes that create at once with one key one does, and the others answer the same', async () => {
  const processes = await Promise.all([1, 2, 3].map(() => opened({ ...store, soleWriter: false })));
  for (let round = 0; round < 3; round += 1) {
    const [name, key] = [own('News'), own('key')];
    const named = await Promise.all(processes.map(({ lists }) => lists.create(name, context, key)));
    const contact = { ...ada(), listId: named[0]?.id ?? '' };
    const contacts = await Promise.all(processes.map((one) => one.createContact(contact, context, key)));
    for (const answers of [named, contacts.map(({ contactId: id, replayed }) => ({ id, replayed }))]) {
      expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
      expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    }
  }
});

test('a reply of the store that was lost makes no replay', async () => {
  let lost = false;
  const process = await opened({
    ...store,
    append: async (stream, events, options) => {
      const result = await store.append(stream, events, options);
      if (lost) return result;
      lost = true;
      throw new AppendInDoubtError('the reply was lost');
    },
  });
  expect((await process.lists.create(own('News'), context, own('key'))).replayed).toBe(false);
  expect(lost).toBe(true);
});

const ada = (): Omit<SaveContact, 'listId'> => ({
  email: own('ada@example.com').replace(/(@.*)-(\d+)/, '$2$1'),
  status: 'Subscribed',
  profile: { firstName: 'Ada' },
  tagNames: [],
});

describe('e-mails', () => {
  test('the same key and fields: the first answer, in this process and in another; other fields are a conflict', async () => {
    const message = {
      from_email: 'a@example.com',
      to_email: 'b@example.com',
      subject: '{{a}}',
      mail_template: '{{b}}',
    };
    const asked = { message: { ...message, variables: { a: 'x', b: 'y' } }, idempotencyKey: own('key') };
    const { emailId } = await audience.email.send(asked, context);
    const others = [message, { ...asked.message, variables: { a: 'x', b: 'z' } }, { ...asked.message, subject: 's' }];
    for (const { email } of [audience, await opened()]) {
      expect(await email.send(asked, context)).toMatchObject({ emailId, replayed: true });
      for (const other of others)
        await expect(email.send({ ...asked, message: other }, context)).rejects.toMatchObject({
          code: 'idempotency_conflict',
        });
    }
  });
});

describe('contacts', () => {
  let listId: string;
  beforeAll(async () => {
    listId = (await audience.lists.create(own('News'), context)).id;
  });

  test('the same key and input: the first answer, in this process and in another; nothing is written', async () => {
    const key = own('key');
    const contact = { ...ada(), listId, consent: { source: 'form', occurred_at: '2026-03-01T10:00:00.000Z' } };
    const { contactId } = await audience.createContact(contact, context, key);
    await audience.upsertContact({ ...contact, profile: { firstName: 'Augusta' }, status: 'Unsubscribed' }, context);
    const events = (await logged()).length;
    const reordered = { ...contact, consent: { occurred_at: '2026-03-01T10:00:00.000Z', source: 'form' } };
    for (const process of [audience, await opened()])
      expect(await process.createContact(reordered, context, key)).toMatchObject({ contactId, replayed: true });
    expect(await logged()).toHaveLength(events);
  });

  test.each<[string, (contact: SaveContact) => Partial<SaveContact>]>([
    ['status', () => ({ status: 'Unsubscribed' })],
    ['profile', () => ({ profile: { firstName: 'Ada', city: 'London' } })],
    ['consent', () => ({ consent: { source: 'form' } })],
    ['spelling of the address', ({ email }) => ({ email: email.toUpperCase() })],
  ])('the same key with another %s is a conflict', async (_, other) => {
    const key = own('key');
    const contact = { ...ada(), listId };
    await audience.createContact(contact, context, key);
    await expect(audience.createContact({ ...contact, ...other(contact) }, context, key)).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
  });

  test('another key, none, or a contact that an upsert created: a duplicate; another address: created', async () => {
    const key = own('key');
    const contact = { ...ada(), listId };
    await audience.createContact(contact, context, key);
    const upserted = { ...ada(), listId };
    await audience.upsertContact(upserted, context);
    const repeats: [SaveContact, string | undefined][] = [
      [contact, own('key')],
      [contact, undefined],
      [upserted, key],
    ];
    for (const [repeat, other] of repeats)
      await expect(audience.createContact(repeat, context, other)).rejects.toMatchObject({ code: 'duplicate_email' });
    expect((await audience.createContact({ ...ada(), listId }, context, key)).replayed).toBe(false);
  });

  test('hashes stand in the metadata of what was created and nowhere else; neither key nor address does', async () => {
    const before = (await logged()).length;
    const key = own('a-secret-key');
    const list = await audience.lists.create(own('News'), context, key);
    const contact = { ...ada(), listId: list.id };
    await audience.createContact(contact, context, key);
    await audience.upsertContact({ ...contact, tagNames: [own('VIP')], status: 'Unsubscribed' }, context);
    const keyed = (await logged()).slice(before).filter(({ metadata }) => metadata.includes('idempotency'));
    expect(keyed.map(({ type }) => type)).toEqual(['ListCreated', 'ContactCreated', 'ContactSubscribed']);
    const hash: unknown = expect.stringMatching(/^[0-9a-f]{32}$/);
    for (const { metadata } of keyed) {
      expect(JSON.parse(metadata)).toMatchObject({ idempotency: { key_hash: hash, request_hash: hash } });
      expect(metadata).not.toMatch(/a-secret-key|example\.com/);
    }
  });

  describe('resubscribe: false', () => {
    test('who has unsubscribed stays so; profile and tags are saved, and the answer says the status', async () => {
      const contact = { ...ada(), listId };
      await audience.createContact({ ...contact, status: 'Unsubscribed' }, context);
      const line = { ...contact, profile: { city: 'London' }, tagNames: [own('VIP')], resubscribe: false };
      const saved = await audience.upsertContact({ ...line, consent: { source: 'an old file' } }, context);
      expect(saved).toMatchObject({ outcome: 'updated', status: 'Unsubscribed' });
      expect((await logged()).slice(-2).map(({ type }) => type)).toEqual(['ContactProfileChanged', 'TagsAttached']);
      const again = await audience.upsertContact(line, context);
      expect(again).toMatchObject({ outcome: 'unchanged', status: 'Unsubscribed' });
      const told = await audience.upsertContact({ ...line, resubscribe: true }, context);
      expect(told).toMatchObject({ outcome: 'updated', status: 'Subscribed' });
    });

    test('is about that list alone, and about subscribing', async () => {
      const contact = { ...ada(), resubscribe: false };
      const other = (await audience.lists.create(own('Offers'), context)).id;
      const save = async (list: string, status: SaveContact['status']) => {
        const saved = await audience.upsertContact({ ...contact, listId: list, status }, context);
        return [saved.outcome, saved.status];
      };
      expect(await save(listId, 'Unsubscribed')).toEqual(['created', 'Unsubscribed']);
      expect(await save(other, 'Subscribed')).toEqual(['updated', 'Subscribed']);
      expect(await save(other, 'Unsubscribed')).toEqual(['updated', 'Unsubscribed']);
      expect(await save(other, 'Subscribed')).toEqual(['unchanged', 'Unsubscribed']);
    });
  });
});
