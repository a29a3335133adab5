/** A catalogue that cannot be folded stops the commands that need its names, and no others. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CommandContext } from '../../src/commands/batch.js';
import { UnreadableEventError } from '../../src/events/codec.js';
import { deriveStreamKeys, emailStream, erasuresStream } from '../../src/events/streams.js';
import { StoreUnavailableError, type EventStore } from '../../src/eventstore/event-store.js';
import { openSqliteEventStore, type SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { openCommands } from '../../src/app/commands.js';
import { exampleEvents, exampleTime, toAppend } from '../support/examples.js';

let folder: string;
let store: SqliteEventStore;
let told: { stream: string; reason: string }[];
beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'commands-'));
  store = await openSqliteEventStore({ file: path.join(folder, 'events.db'), clock: Date.now });
  told = [];
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const none = { load: () => Promise.resolve(undefined), save: () => Promise.resolve(), close: () => Promise.resolve() };
const context: CommandContext = { correlationId: 'c', causationId: 'c', requestId: 'r', actor: 'test' };
const keys = deriveStreamKeys('a secret of the tests, long enough for a key');
const opened = (on: EventStore = store) =>
  openCommands({
    store: on,
    keys,
    onUnreadable: (stream, reason) => told.push({ stream, reason }),
    clock: Date.now,
    newUuid: randomUUID,
  });

test.each([
  ['a broken body', { ...toAppend(exampleEvents.listCreated), data: '{"list_name":"Ada"}' }, /ListCreated.*list_id/],
  ['a type of tomorrow', { ...toAppend(exampleEvents.listCreated), type: 'ListPainted' }, /ListPainted.*unknown type/],
  ['an event of another kind', toAppend(exampleEvents.tagCreated), /TagCreated.*none of this stream/],
])('%s in a catalogue lets the service start, and refuses what rests on its names', async (_, poison, reason) => {
  await store.append('lists', [toAppend(exampleEvents.otherListCreated), poison], { expectedRevision: 'no_stream' });
  const writes = await opened();
  await writes.openCatalogues(none);
  expect(told).toEqual([{ stream: 'lists', reason: expect.stringMatching(reason) as unknown }]);
  expect(told[0]?.reason).toMatch(/revision 1 of lists, position 0*2,/);
  expect(told[0]?.reason).not.toContain('Ada');
  const { audience } = writes;
  // Not from what was folded before the event, either.
  for (const attempt of [
    () => audience.lists.create('Offers', context),
    () => audience.lists.remove('lst_02', context),
  ])
    await expect(attempt()).rejects.toMatchObject({ code: 'unavailable', cause: expect.any(Error) as unknown });
  expect((await audience.tags.create('VIP', context)).name).toBe('VIP');
  await writes.close();
});

test('who asked to be erased is not written to again: what failed before is not released, what came after is', async () => {
  const { audience, emails, erasures } = await opened();
  const message = { from_email: 'a@b.example', to_email: 'ada@example.com', subject: 's', mail_template: 't' };
  /** As the view has it. */
  async function failedEmail() {
    const { emailId, position } = await audience.email.send({ message, idempotencyKey: undefined }, context);
    const stream = emailStream(keys.emailKey({ emailId }));
    const start = { run_id: 'run', deadline: '2999-01-01T00:00:00.000Z', now: exampleTime };
    await emails.execute({ stream, command: { type: 'StartDispatch', ...start }, context });
    await emails.execute({ stream, command: { type: 'RecordFailed', attempt: 1, reason: 'smtp_5xx' }, context });
    return { stream, recipientKey: keys.contactKey('ada@example.com'), position };
  }
  const release = (email: Awaited<ReturnType<typeof failedEmail>>) =>
    audience.email.release(email, exampleTime, context);
  const [first, second] = [await failedEmail(), await failedEmail()];
  expect(await release(first)).toMatchObject({ status: 'deferred' });
  const asked = { type: 'Request', erasure_id: 'ers_1', subject_key: second.recipientKey } as const;
  await erasures.execute({ stream: erasuresStream, command: asked, context });
  await expect(release(second)).rejects.toMatchObject({ code: 'recipient_erased' });
  expect((await emails.fresh(second.stream)).state.status).toBe('failed');
  expect(await release(await failedEmail())).toMatchObject({ status: 'deferred' });
});

test('an event that cannot be read at the beginning of the log ends the start, by its place', async () => {
  const begun = { ...toAppend(exampleEvents.serviceInitialised), data: '{}' };
  await store.append('service', [begun], { expectedRevision: 'no_stream' });
  await expect(opened()).rejects.toMatchObject({ cause: expect.any(UnreadableEventError) as unknown });
});

test('a log that is out of reach ends the start, as ever', async () => {
  const writes = await opened();
  const away = new StoreUnavailableError('away');
  store.readStream = () => {
    throw away;
  };
  await expect(writes.openCatalogues(none)).rejects.toMatchObject({ cause: away });
  expect(told).toEqual([]);
});

test('of several processes none attaches a renamed tag under the name that another tag has now', async () => {
  const shared = { ...store, soleWriter: false };
  const [one, other] = [(await opened(shared)).audience, (await opened(shared)).audience];
  const list = await one.lists.create('News', context);
  const email = 'ada@example.com';
  const tagged = { listId: list.id, email, tagNames: ['VIP'] };
  await one.createContact({ listId: list.id, email, status: 'Subscribed', profile: {}, tagNames: [] }, context);
  const [first] = (await other.addTags(tagged, context)).tags;
  await one.tags.rename({ id: first?.tag_id ?? '', name: 'Former VIP' }, context);
  const reused = await one.tags.create('VIP', context);
  const now = [{ tag_id: reused.id, tag_name: 'VIP' }];
  expect((await other.addTags(tagged, context)).tags).toEqual(now);
  expect((await other.removeTags(tagged, context)).tags).toEqual(now);
});
