/** A contact with more lists and tags than one append takes is erased in parts, and the service goes on. */
import { rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { contactDecider } from '../../src/commands/contact.js';
import type { DomainEvent } from '../../src/events/codec.js';
import type { ContactEvent } from '../../src/events/contact.js';
import { contactStream, deriveStreamKeys } from '../../src/events/streams.js';
import { openSqliteEventReader } from '../../src/eventstore/sqlite/reader.js';
import { openSqliteEventStore, type SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { createLiveReader } from '../../src/projector/live-reader.js';
import { liveProjections } from '../../src/projections/views.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { usually } from '../support/amount.js';
import { ok } from '../support/answers.js';
import { exampleMetadata, exampleSalt, toAppend } from '../support/examples.js';
import { documentsOf, freshFold } from '../support/fresh-fold.js';
import { eventually, freshFolder, startService, type Answer, type Service } from '../support/service.js';
import { onServers } from '../support/stores.js';

const secret = 'the secret of a log with very many tags';
const keys = deriveStreamKeys(secret);
const logId = '5b0c8f7e-1d2a-4c3b-9e8f-7a6b5c4d3e2f';
const long = (prefix: string, number: number): string => `${prefix}_${String(number).padStart(26, '0')}`;
/** One append takes the tags of 31,000 attachments. */
const listCount = usually(20, 300);
const listIds = Array.from({ length: listCount }, (_, number) => long('lst', number));
const [news = ''] = listIds;
const streamOf = (email: string): string => contactStream(keys.contactKey(email));
const manyTags = { email: 'many-tags@privat.example', id: long('con', 1) };
const manyLists = { email: 'many-lists@privat.example', id: long('con', 2) };
const halfway = { email: 'halfway@privat.example', id: long('con', 3) };
const back = long('con', 4);

let dataDir: string;
let service: Service | undefined;
beforeEach(() => {
  dataDir = freshFolder();
});
afterEach(async () => {
  await service?.close();
  service = undefined;
  rmSync(dataDir, { recursive: true, force: true });
});

/** Without the rules of today. */
async function written(write: (store: SqliteEventStore) => Promise<unknown>): Promise<void> {
  const file = path.join(dataDir, 'events.db');
  const store = await openSqliteEventStore({ file, clock: () => 0 });
  const log = { log_id: logId, secret_fingerprint: keys.fingerprint(logId) };
  await append(store, 'service', [{ type: 'ServiceInitialised', data: log }]);
  const listed = listIds.map(
    (list_id, at) => ({ type: 'ListCreated', data: { list_id, list_name: `List ${at}` } }) as const,
  );
  const tags = Array.from({ length: 200 }, (_, at) => ({ tag_id: long('tag', at), tag_name: `Tag ${at}` }));
  await append(store, 'lists', listed);
  await append(
    store,
    'tags',
    tags.map((data) => ({ type: 'TagCreated', data }) as const),
  );
  await write(store);
  await store.close();
}

async function append(store: SqliteEventStore, stream: string, events: readonly DomainEvent[]): Promise<void> {
  for (let from = 0; from < events.length; from += 20) {
    const some = events.slice(from, from + 20).map((event) => toAppend(event));
    await store.append(stream, some, { expectedRevision: 'any' });
  }
}

function created({ email, id }: typeof manyTags): ContactEvent {
  return { type: 'ContactCreated', data: { contact_id: id, person: { salt: exampleSalt, email } } };
}

function life(person: typeof manyTags, lists: readonly string[], tagCount: number): ContactEvent[] {
  const contact_id = person.id;
  return [
    created(person),
    ...lists.flatMap((list_id): ContactEvent[] => {
      const tags = Array.from({ length: tagCount }, (_, at) => ({ tag_id: long('tag', at), tag_name: `Tag ${at}` }));
      const parts = Array.from({ length: Math.ceil(tagCount / 500) }, (_, at) => tags.slice(at * 500, at * 500 + 500));
      return [
        { type: 'ContactSubscribed', data: { contact_id, list_id, list_name: list_id, previous_status: null } },
        ...parts.map((some) => ({ type: 'TagsAttached', data: { contact_id, list_id, tags: some } }) as const),
      ];
    }),
  ];
}

const env = { SECRET: secret, SMTP_URL: 'smtp://127.0.0.1:1' };
const erase = async (of: Service, email: string): Promise<Answer> => await of.post('/v1/privacy/erasures', { email });
const completed = (of: Service, location: string): Promise<Record<string, unknown>> =>
  eventually(
    async () => {
      const { data } = (await ok(of.get(location))).body as { data: Record<string, unknown> };
      return data['status'] === 'completed' ? data : undefined;
    },
    { what: location },
  );

interface Row {
  readonly total?: number;
  readonly in_use?: number;
  readonly erased: number;
}
const lastOf = async (of: Service, target: string): Promise<Row | undefined> =>
  ((await ok(of.get(`/v1/analytics/${target}`))).body as { data: { rows: readonly Row[] } }).data.rows.at(-1);

/** Of a stopped service. */
async function expectTrueViews(): Promise<void> {
  const log = openSqliteEventReader({ file: path.join(dataDir, 'events.db') });
  const views = openSqliteReadModels({ file: path.join(dataDir, 'views.db') });
  try {
    const live = createLiveReader(views, liveProjections);
    live.use((await views.checkpoint('views'))?.storages ?? {});
    expect(await documentsOf(live)).toEqual(await freshFold(log));
  } finally {
    await views.close();
    await log.close();
  }
}

test.skipIf(onServers)(
  'people with very many tags in a list, or with 200 in each of many lists, are erased',
  async () => {
    await written(async (store) => {
      await append(store, streamOf(manyTags.email), life(manyTags, [news], usually(32_000, 35_000)));
      await append(store, streamOf(manyLists.email), life(manyLists, listIds, 200));
    });
    service = await startService({ dataDir, env });
    const running = service;
    const other = 'other@privat.example';
    await ok(
      running.post(`/v1/contacts/${news}/upsertcontact`, { email: other, status: 'Subscribed', tag_name: ['Tag 0'] }),
    );
    expect(await lastOf(running, `lists/${news}/growth`)).toMatchObject({ total: 3 });
    expect(await lastOf(running, `tags/${long('tag', 0)}/use`)).toMatchObject({ in_use: listCount + 2 });
    const answers = await Promise.all([manyTags.email, manyLists.email, other].map((email) => erase(running, email)));
    for (const { headers } of answers)
      expect(await completed(running, String(headers.location))).toMatchObject({ contacts: 1 });
    for (const email of [manyTags.email, manyLists.email, other])
      expect((await running.get(`/v1/contacts?email=${email}`)).status).toBe(404);
    expect(await lastOf(running, `lists/${news}/growth`)).toMatchObject({ total: 0, erased: 3 });
    expect(await lastOf(running, `tags/${long('tag', 0)}/use`)).toMatchObject({ in_use: 0, erased: listCount + 2 });
    const parts = (await running.events()).filter(({ type }) => type === 'ContactErased');
    const partsOf = (id: string) => parts.filter(({ data }) => data['contact_id'] === id);
    expect(partsOf(manyTags.id).length).toBeGreaterThan(3);
    expect(partsOf(manyLists.id).length).toBeGreaterThan(listCount > 100 ? 3 : 0);
    expect(new Set(partsOf(manyTags.id).map(({ data }) => data['through'])).size).toBe(1);
    expect(JSON.stringify(await running.events())).not.toContain('@privat.example');
    await running.kill('SIGTERM');
    await expectTrueViews();
  },
  60_000,
);

test.skipIf(onServers)(
  'killed between two parts, it goes on; who has come meanwhile stays whole',
  async () => {
    const email = halfway.email;
    const stream = streamOf(email);
    await written(async (store) => {
      const history = life(halfway, [news], 9_000);
      await append(store, stream, history);
      const request = { erasure_id: long('ers', 1), subject_key: keys.contactKey(email) };
      await append(store, 'erasures', [{ type: 'ErasureRequested', data: request }]);
      const state = history.reduce(
        (folded, event) => contactDecider.evolve(folded, event, exampleMetadata),
        contactDecider.initial,
      );
      const command = { type: 'Erase', erasure_id: request.erasure_id } as const;
      const first = contactDecider.decide(command, state, {
        revision: BigInt(history.length - 1),
        at: '2026-03-01T09:00:00.000Z',
      });
      await append(store, stream, [...(first as readonly ContactEvent[]), ...life({ email, id: back }, [news], 3)]);
    });
    service = await startService({ dataDir, env });
    expect(await completed(service, `/v1/privacy/erasures/${long('ers', 1)}`)).toMatchObject({ contacts: 1 });
    const ofStream = (await service.events()).filter((event) => event.stream === stream);
    expect(ofStream.at(-1)).toMatchObject({ type: 'ContactErased', data: { contact_id: halfway.id, list_ids: [] } });
    const shown = await ok(service.get(`/v1/contacts?email=${email}`));
    expect(shown.body).toMatchObject({
      data: { contact_id: back, email, subscriptions: [{ list_id: news, status: 'Subscribed', tags: { length: 3 } }] },
    });
    const at = await ok(service.get(`/v1/audit/contacts/${email}/at?time=2099-01-01`));
    expect(at.body).toMatchObject({ data: { contact_id: back, existed: true, profile: { email } } });
    const old = await ok(service.get(`/v1/audit/contacts/${halfway.id}/at?time=2099-01-01`));
    expect(old.body).toMatchObject({ data: { existed: false, profile: null, subscriptions: [] } });
    const members = await ok(service.get(`/v1/audit/lists/${news}/at?time=2099-01-01`));
    expect(members.text).toContain(back);
    expect(members.text).not.toContain(halfway.id);
    expect(await lastOf(service, `lists/${news}/growth`)).toMatchObject({ total: 1 });
    await ok(service.post(`/v1/contacts/tags/${news}/add`, { tag_name: ['Tag 9'], contact_email: email }));
    // Who came back asks as well: that is an erasure of its own.
    const again = await erase(service, email);
    expect(await completed(service, String(again.headers.location))).toMatchObject({ contacts: 1 });
    expect((await service.get(`/v1/contacts?email=${email}`)).status).toBe(404);
    expect(await lastOf(service, `lists/${news}/growth`)).toMatchObject({ total: 0, erased: 1 });
    await service.kill('SIGTERM');
    await expectTrueViews();
  },
  60_000,
);

test.skipIf(onServers)(
  'an erasure that fails again and again is named, and stops nothing else',
  async () => {
    const id = long('ers', 1);
    await written(async (store) => {
      const stream = streamOf(halfway.email);
      await append(store, stream, life(halfway, [news], 1));
      const unreadable = { ...toAppend(created(halfway)), type: 'ContactOfALaterVersion' };
      await store.append(stream, [unreadable], { expectedRevision: 'any' });
      const data = { erasure_id: id, subject_key: keys.contactKey(halfway.email) };
      await append(store, 'erasures', [{ type: 'ErasureRequested', data }]);
    });
    service = await startService({ dataDir, env });
    const ready = async () => (await ok((service as Service).get('/health/ready'))).body as { data: unknown };
    const why = [{ erasure_id: id, reason: 'unreadable_event' }];
    expect(await ready()).toMatchObject({ data: { erasures: { waiting: 1, why } } });
    expect(
      await completed(service, String((await erase(service, 'nobody@privat.example')).headers.location)),
    ).toMatchObject({ contacts: 0 });
    expect(await ready()).toMatchObject({ data: { erasures: { waiting: 1, why } } });
  },
  60_000,
);
