/** What the API reads: names joined, dead lists and tags hidden, pages, due e-mails. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contacts } from '../../src/projections/contacts.js';
import { emails } from '../../src/projections/emails.js';
import { lists, tags } from '../../src/projections/catalogues.js';
import { membershipId, memberships } from '../../src/projections/memberships.js';
import { createEmailWorklist } from '../../src/projections/email-worklist.js';
import { createQueries, type Queries } from '../../src/projections/queries.js';
import { liveProjections } from '../../src/projections/views.js';
import { InvalidCursorError, type Document, type ReadModels, type View } from '../../src/readmodels/read-models.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { emptyProfile, examplePosition, exampleTime } from '../support/examples.js';
import { queryViewsOf } from '../support/query-views.js';

const profile = {
  ...emptyProfile,
  firstName: 'Ada',
};
const reason = {
  event_id: '6f9c1a52-7d5f-4a0e-9a31-0d6a5c1f0009',
  at: exampleTime,
  actor: 'shop',
  request_id: 'order-4711',
  position: examplePosition(1),
};
const contact = (number: number, subscriptions: Document = {}) => ({
  contact_id: `con_${number}`,
  stream: `contact-${number}`,
  email: `ada${number}@example.com`,
  ...profile,
  created_at: exampleTime,
  subscriptions,
});
const answer = (number: number) => {
  const { stream: _, subscriptions: __, ...rest } = contact(number);
  return rest;
};
const email = (number: number, fields: Document) => ({
  email_id: `eml_${number}`,
  stream: `email-${number}`,
  state: 'deferred',
  open: true,
  attempts: 1,
  requested_at: exampleTime,
  open_since: exampleTime,
  sent_at: null,
  last_error: 'timeout',
  deadline: null,
  run_id: null,
  ...fields,
});

let folder: string;
let models: ReadModels;
let queries: Queries;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'queries-'));
  models = openSqliteReadModels({ file: path.join(folder, 'views.db') });
  for (const view of liveProjections) await models.prepare(view);
  const put = (view: View, id: string, document: Document) => ({
    view,
    id,
    document,
    position: examplePosition(1),
    loaded: null,
  });
  const member = (listId: string, number: number, rest: Document) =>
    put(memberships, membershipId(listId, `con_${number}`), { list_id: listId, contact_id: `con_${number}`, ...rest });
  const on = { status: 'Subscribed', tag_ids: ['tag_2', 'tag_dead', 'tag_1'] };
  const off = { status: 'Unsubscribed', tag_ids: ['tag_2'] };
  const isOn = { ...on, because: reason };
  const isOff = { ...off, because: reason };
  const listOf = (id: string, name: string) =>
    put(lists, id, { list_id: id, list_name: name, name_key: name.toLowerCase(), created_at: exampleTime });
  const tagOf = (id: string, name: string) =>
    put(tags, id, { tag_id: id, tag_name: name, name_key: name.toLowerCase(), created_at: exampleTime });
  await models.commit({
    writes: [
      ...[listOf('lst_1', 'One'), listOf('lst_2', 'Two'), listOf('lst_3', 'Three'), listOf('lst_4', 'Four')],
      ...[tagOf('tag_1', 'VIP'), tagOf('tag_2', 'Press')],
      put(contacts, 'con_1', contact(1, { lst_2: isOff, lst_dead: isOn, lst_1: isOn, lst_4: isOff })),
      put(contacts, 'con_2', contact(2, { lst_1: isOff })),
      put(contacts, 'con_3', contact(3, { lst_1: isOn })),
      put(contacts, 'con_4', { ...contact(4), stream: 'contact-1' }),
      ...[member('lst_1', 1, on), member('lst_2', 1, off), member('lst_dead', 1, on)],
      ...[member('lst_1', 2, off), member('lst_1', 3, on), member('lst_4', 1, on), member('lst_4', 4, on)],
      put(emails, 'eml_1', email(1, { next_attempt_at: '2026-03-01T10:10:00.000Z' })),
      put(emails, 'eml_2', email(2, { state: 'sending', next_attempt_at: '2026-03-01T10:05:00.000Z' })),
      put(emails, 'eml_3', email(3, { state: 'sent', open: false, next_attempt_at: null })),
    ],
    checkpoint: {
      name: 'views',
      previous: null,
      next: { logId: 'log', position: examplePosition(1), eventId: 'e', storages: {} },
    },
  });
  const lastOf = new Map([
    ['contact-1', 'con_4'],
    ['contact-2', 'con_2'],
  ]);
  queries = createQueries(queryViewsOf(models), { contactOf: async (stream) => lastOf.get(stream) });
});
afterAll(async () => {
  await models.close();
  rmSync(folder, { recursive: true });
});

const vip = { tag_id: 'tag_1', tag_name: 'VIP' };
const press = { tag_id: 'tag_2', tag_name: 'Press' };
const left = { ...reason, type: 'ContactUnsubscribed' };
const inOne = { status: 'Subscribed', tags: [vip, press], because: { ...reason, type: 'ContactSubscribed' } };

describe('names', () => {
  it('are read one by one, by name and in pages', async () => {
    const one = { list_id: 'lst_1', list_name: 'One', created_at: exampleTime };
    expect(await queries.lists.get('lst_1')).toEqual(one);
    expect(await queries.lists.get('lst_dead')).toBeUndefined();
    expect(await queries.groups.get('grp_1')).toBeUndefined();
    expect(await queries.tags.get('tag_1')).toEqual({ ...vip, created_at: exampleTime });
    const first = await queries.lists.page({ limit: 2 });
    expect(first.items.map(({ list_id }) => list_id)).toEqual(['lst_1', 'lst_2']);
    const second = await queries.lists.page({ limit: 2, cursor: first.next_cursor });
    expect(second.items.map(({ list_id }) => list_id)).toEqual(['lst_3', 'lst_4']);
    expect(second).not.toHaveProperty('next_cursor');
    expect(await queries.groups.page({ limit: 2 })).toEqual({ items: [], isIncomplete: false });
    await expect(queries.tags.page({ limit: 2, cursor: 'x' })).rejects.toThrow(InvalidCursorError);
  });
});

describe('contacts', () => {
  it('show living lists by id, and living tags', async () => {
    expect(await queries.contactById('con_1')).toEqual({
      ...answer(1),
      subscriptions: [
        { list_id: 'lst_1', list_name: 'One', ...inOne },
        { list_id: 'lst_2', list_name: 'Two', status: 'Unsubscribed', tags: [press], because: left },
        { list_id: 'lst_4', list_name: 'Four', status: 'Unsubscribed', tags: [press], because: left },
      ],
    });
    expect(await queries.contactById('con_9')).toBeUndefined();
  });

  it('are found by stream, the last life of it', async () => {
    expect(await queries.contactByStream('contact-2')).toMatchObject({ contact_id: 'con_2' });
    expect(await queries.contactByStream('contact-1')).toEqual({ ...answer(4), subscriptions: [] });
    expect(await queries.contactByStream('contact-9')).toBeUndefined();
  });

  it('are paged by list, status and tag', async () => {
    const page = async (request: Partial<Parameters<Queries['pageContactsOfList']>[1]>, listId = 'lst_1') =>
      (await queries.pageContactsOfList(listId, { limit: 10, ...request }))?.items.map(({ contact_id }) => contact_id);
    expect(await page({})).toEqual(['con_1', 'con_2', 'con_3']);
    expect(await page({ status: 'Subscribed' })).toEqual(['con_1', 'con_3']);
    expect(await page({ tagName: 'press' })).toEqual(['con_1', 'con_2', 'con_3']);
    expect(await page({ tagName: 'press', status: 'Unsubscribed' })).toEqual(['con_2']);
    expect(await page({ tagName: '  vip ' })).toEqual(['con_1', 'con_3']);
    expect(await page({ tagName: 'nobody' })).toEqual([]);
    expect(await page({}, 'lst_3')).toEqual([]);
    expect(await page({}, 'lst_dead')).toBeUndefined();
    const first = await queries.pageContactsOfList('lst_1', { limit: 2 });
    expect(first?.items[0]).toEqual({ ...answer(1), ...inOne });
    const second = await queries.pageContactsOfList('lst_1', { limit: 2, cursor: first?.next_cursor });
    expect(second?.items.map(({ contact_id }) => contact_id)).toEqual(['con_3']);
    expect(second).not.toHaveProperty('next_cursor');
  });

  it('are shown as their document has them, should a commit come between finding and reading them', async () => {
    // The membership is still the old one: of con_1 another status, of con_4 one that the document does not have.
    const page = await queries.pageContactsOfList('lst_4', { limit: 10 });
    expect(page?.items).toEqual([{ ...answer(1), status: 'Unsubscribed', tags: [press], because: left }]);
    expect(await queries.pageContactsOfList('lst_4', { limit: 10, status: 'Subscribed' })).toEqual({
      items: [],
      isIncomplete: false,
    });
    expect(await queries.pageContactsOfList('lst_4', { limit: 10, tagName: 'VIP' })).toEqual({
      items: [],
      isIncomplete: false,
    });
  });
});

describe('e-mails', () => {
  it('show no next attempt while one is running', async () => {
    const shown = { attempts: 1, requested_at: exampleTime, sent_at: null, last_error: 'timeout' };
    const next_attempt_at = '2026-03-01T10:10:00.000Z';
    expect(await queries.getEmail('eml_1')).toEqual({
      ...shown,
      email_id: 'eml_1',
      state: 'deferred',
      next_attempt_at,
    });
    const sending = { ...shown, email_id: 'eml_2', state: 'sending', next_attempt_at: null };
    expect(await queries.getEmail('eml_2')).toEqual(sending);
    expect(await queries.getEmail('eml_9')).toBeUndefined();
  });

  it('are due by next attempt or deadline, longest due first', async () => {
    const due = async (now: string, limit = 10) =>
      (await createEmailWorklist(models).dueEmails(now, limit)).map(({ email_id }) => email_id);
    expect(await due('2026-03-01T10:04:59.999Z')).toEqual([]);
    expect(await due('2026-03-01T10:05:00.000Z')).toEqual(['eml_2']);
    expect(await due('2026-03-01T10:10:00.000Z')).toEqual(['eml_2', 'eml_1']);
    expect(await due('2026-03-01T10:10:00.000Z', 1)).toEqual(['eml_2']);
  });

  it('are overdue when they have waited since before a time, but not while they are sent', async () => {
    const overdue = async (before: string) =>
      (await createEmailWorklist(models).overdueEmails(before, 10)).map(({ email_id }) => email_id);
    expect(await overdue(exampleTime)).toEqual([]);
    expect(await overdue('2026-03-01T10:00:00.001Z')).toEqual(['eml_1']);
  });
});
