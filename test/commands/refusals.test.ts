/** What a person decides about mail: in which order the two streams are written, and that a repeat writes what is missing. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openCommands } from '../../src/app/commands.js';
import type { CommandContext } from '../../src/commands/batch.js';
import type { Refusals } from '../../src/commands/refusals.js';
import { refusalOf } from '../../src/commands/suppressions.js';
import { codec } from '../../src/events/codec.js';
import { contactStream, deriveStreamKeys, suppressionStream } from '../../src/events/streams.js';
import { StoreUnavailableError, type EventStore } from '../../src/eventstore/event-store.js';
import { openSqliteEventStore, type SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';

let folder: string;
let store: SqliteEventStore;
beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'refusals-'));
  store = await openSqliteEventStore({ file: path.join(folder, 'events.db'), clock: Date.now });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const keys = deriveStreamKeys('a secret of the tests, long enough for a key');
const email = 'ada@example.com';
const contactKey = keys.contactKey(email);
const context: CommandContext = { correlationId: 'c', causationId: 'c', requestId: 'r', actor: 'recipient' };
const byClick = { kind: 'one_click', email_id: 'eml_1' } as const;
const byPage = { kind: 'page', email_id: 'eml_1' } as const;

/** Ada is in so many lists. */
async function subscribed(lists: number, on: EventStore = store) {
  const { audience, refusals, suppressions, erasures, contacts } = await openCommands({
    store: on,
    keys,
    onUnreadable: () => undefined,
    clock: Date.now,
    newUuid: randomUUID,
  });
  const ids: string[] = [];
  for (let list = 0; list < lists; list += 1) {
    const { id } = await audience.lists.create(`List ${list}`, context);
    const contact = { listId: id, email, status: 'Subscribed', profile: {}, tagNames: [] } as const;
    await audience.upsertContact(contact, context);
    ids.push(id);
  }
  return { audience, refusals, suppressions, erasures, contacts, ids };
}

const contactIdIn = async (refusals: Refusals): Promise<string> =>
  (await refusals.recipient(contactKey))?.contactId ?? 'unknown';

/** The whole log as it is read, without what this test does not look at. */
async function eventsFrom(position: string) {
  const events: { stream: string; type: string; data: object; actor: string; id: string; cause: string }[] = [];
  for await (const page of store.readAll({ after: position }))
    for (const stored of page) {
      const { event, metadata, stream, id } = codec.decode(stored);
      const { actor, $causationId: cause } = metadata;
      events.push({ stream, type: event.type, data: event.data, actor, id, cause });
    }
  return events;
}

test('a click is written to the address first, then to the contact, which names it as its cause; again it writes nothing', async () => {
  const { refusals, ids } = await subscribed(2);
  const [scope = ''] = ids;
  const start = await store.head();
  const click = { contactKey, scope, reason: 'unsubscribe', by: byClick, tokenHash: 'h', ip: '192.0.2.1' } as const;
  await refusals.refuse(click, context);
  await refusals.refuse(click, context);
  const [first, second, ...more] = await eventsFrom(start);
  expect(more).toEqual([]);
  expect(first).toMatchObject({
    stream: suppressionStream(contactKey),
    type: 'AddressSuppressed',
    data: {
      reason: 'unsubscribe',
      scope,
      email_id: 'eml_1',
      by: { kind: 'one_click', token_hash: 'h' },
      person: { email, ip: '192.0.2.1' },
    },
    actor: 'recipient',
  });
  expect(second).toMatchObject({
    stream: contactStream(contactKey),
    type: 'ContactUnsubscribed',
    data: { list_id: scope, list_name: 'List 0', previous_status: 'Subscribed', by: byClick },
    actor: 'recipient',
    cause: first?.id,
  });
});

test('no mail at all ends every subscription to a list that is not deleted', async () => {
  const { audience, refusals, ids } = await subscribed(3);
  await audience.lists.remove(ids[1] ?? '', context);
  const start = await store.head();
  await refusals.refuse({ contactKey, scope: 'all', reason: 'unsubscribe', by: byPage, tokenHash: 'h' }, context);
  const [first, ...others] = await eventsFrom(start);
  expect(first).toMatchObject({ type: 'AddressSuppressed', data: { scope: 'all' } });
  expect(others.map(({ type, data }) => [type, 'list_id' in data && data.list_id])).toEqual(
    [ids[0], ids[2]].map((id) => ['ContactUnsubscribed', id]),
  );
});

test('a complaint stops all mail, and ends the subscription that the e-mail was for and no other', async () => {
  const { refusals, suppressions, ids } = await subscribed(2);
  const [scope = '', other = ''] = ids;
  const by = { kind: 'complaint', email_id: 'eml_1' } as const;
  await refusals.refuse({ contactKey, scope, reason: 'complaint', by, email: 'Ada@example.com' }, context);
  const { state } = await suppressions.fresh(suppressionStream(contactKey));
  expect(state.active).toMatchObject([
    { scope: 'all', reason: 'complaint' },
    { scope, reason: 'unsubscribe' },
  ]);
  expect((await refusals.recipient(contactKey))?.subscriptions).toMatchObject([
    { list_id: scope, status: 'Unsubscribed' },
    { list_id: other, status: 'Subscribed' },
  ]);
  // About an e-mail of no list.
  const start = await store.head();
  await refusals.refuse({ contactKey, scope: 'all', reason: 'complaint', by }, context);
  expect(await eventsFrom(start)).toEqual([]);
});

/** Whose appends to contacts fail while it is asked to. */
function failingAtContacts() {
  let isFailing = false;
  const failing: EventStore = Object.create(store, {
    append: {
      value: (...parameters: Parameters<EventStore['append']>) =>
        isFailing && parameters[0].startsWith('contact-')
          ? Promise.reject(new StoreUnavailableError('cut'))
          : store.append(...parameters),
    },
  }) as EventStore;
  return { failing, fail: (whether: boolean) => void (isFailing = whether) };
}

test('cut off between the two appends, mail is refused already, and a repeat writes the rest', async () => {
  const { failing, fail } = failingAtContacts();
  const { refusals, ids } = await subscribed(1, failing);
  const [scope = ''] = ids;
  const click = { contactKey, scope, reason: 'unsubscribe', by: byClick, tokenHash: 'h' } as const;
  fail(true);
  await expect(refusals.refuse(click, context)).rejects.toMatchObject({ code: 'unavailable' });
  const between = await refusals.recipient(contactKey);
  expect(between?.subscriptions).toMatchObject([{ status: 'Subscribed' }]);
  expect(between && refusalOf(between.suppression, scope)).toMatchObject({ reason: 'unsubscribe' });
  fail(false);
  const start = await store.head();
  await refusals.refuse(click, context);
  expect((await eventsFrom(start)).map(({ type }) => type)).toEqual(['ContactUnsubscribed']);
});

test('who subscribes again is refused until the status is written; nothing is lifted beside the list', async () => {
  const { refusals, suppressions, ids } = await subscribed(2);
  const [listId = '', other = ''] = ids;
  for (const scope of [listId, other, 'all'])
    await refusals.refuse({ contactKey, scope, reason: 'unsubscribe', by: byPage, tokenHash: 'h' }, context);
  const start = await store.head();
  const again = {
    contactKey,
    contactId: await contactIdIn(refusals),
    listId,
    by: byPage,
    tokenHash: 'p',
    consent: { source: 'a page' },
  } as const;
  await refusals.resubscribe(again, context);
  await refusals.resubscribe(again, context);
  expect(await eventsFrom(start)).toMatchObject([
    { type: 'ContactSubscribed', data: { list_id: listId, by: byPage, person: { consent: { source: 'a page' } } } },
    { type: 'AddressReleased', data: { scope: listId, reason: 'person', by: { kind: 'page', token_hash: 'p' } } },
  ]);
  const { state } = await suppressions.fresh(suppressionStream(contactKey));
  expect(state.active.map(({ scope }) => scope)).toEqual([other, 'all']);
});

test('who subscribes again has consented, also where the API has set the status meanwhile', async () => {
  const { audience, refusals, ids } = await subscribed(1);
  const [listId = ''] = ids;
  await refusals.refuse({ contactKey, scope: listId, reason: 'unsubscribe', by: byPage, tokenHash: 'h' }, context);
  await audience.updateStatus({ listId, email, status: 'Subscribed' }, context);
  const start = await store.head();
  await refusals.resubscribe(
    {
      contactKey,
      contactId: await contactIdIn(refusals),
      listId,
      by: byPage,
      tokenHash: 'p',
      consent: { source: 'a page' },
    },
    context,
  );
  expect(await eventsFrom(start)).toMatchObject([
    { type: 'ConsentRecorded', data: { list_id: listId, person: { consent: { source: 'a page' } } } },
    { type: 'AddressReleased', data: { scope: listId, reason: 'person' } },
  ]);
});

test('a contact that was erased while it chose its lists does not resubscribe the next contact of its address', async () => {
  const { audience, refusals, contacts, ids } = await subscribed(1);
  const [listId = ''] = ids;
  const contactId = await contactIdIn(refusals);
  const erase = { type: 'Erase', erasure_id: 'ers_1' } as const;
  await contacts.execute({ stream: contactStream(contactKey), command: erase, context });
  const second = { listId, email, status: 'Unsubscribed', profile: {}, tagNames: [] } as const;
  await audience.upsertContact(second, context);
  const start = await store.head();
  const consent = { source: 'a page' };
  const late = refusals.resubscribe({ contactKey, contactId, listId, by: byPage, tokenHash: 'p', consent }, context);
  await expect(late).rejects.toMatchObject({ code: 'unknown_contact' });
  expect(await eventsFrom(start)).toEqual([]);
});

test('the address of somebody who is erased is not known, nor what they refuse told', async () => {
  const { refusals, contacts } = await subscribed(1);
  expect(await refusals.addressOf(contactKey)).toBe(email);
  const command = { type: 'Erase', erasure_id: 'ers_1' } as const;
  await contacts.execute({ stream: contactStream(contactKey), command, context });
  expect(await refusals.addressOf(contactKey)).toBeUndefined();
  expect(await refusals.recipient(contactKey)).toBeUndefined();
});
