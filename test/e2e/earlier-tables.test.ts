/** Views in the tables of an earlier version: whole documents, positions as texts, rowids everywhere. */
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { contacts } from '../../src/projections/contacts.js';
import { everyPage } from '../../src/projections/every-page.js';
import { memberships } from '../../src/projections/memberships.js';
import type { StoredDocument } from '../../src/readmodels/read-models.js';
import { openSqliteViews } from '../../src/readmodels/sqlite/read-models.js';
import { Database } from '../../src/sqlite/database.js';
import { newList, ok, someAddress } from '../support/answers.js';
import { eventually, startService, type Service } from '../support/service.js';
import { onServers } from '../support/stores.js';

const earlier = [
  { view: contacts, table: 'contacts_v3', columns: '', index: '' },
  {
    view: memberships,
    table: 'memberships_v2',
    columns: 'i_list_id, i_status, a_tag_ids TEXT, ',
    index: '; create index memberships_v2_by_list_id_and_status on memberships_v2 (i_list_id, i_status, id)',
  },
];

async function makeEarlier(file: string): Promise<void> {
  for (const { view, table, columns, index } of earlier) {
    const documents: StoredDocument[] = [];
    const reader = openSqliteViews({ file });
    for await (const page of everyPage(reader, view)) documents.push(...page);
    await reader.close();
    const db = new Database(file, { access: 'write' });
    db.exec(
      `alter table ${table} rename to later;
       create table ${table} (id TEXT NOT NULL PRIMARY KEY, position TEXT NOT NULL, ${columns}document TEXT);
       insert into ${table} select * from later; drop table later${index}`,
    );
    const write = db.prepare<[string, string, string]>(`update ${table} set document = ?, position = ? where id = ?`);
    for (const { id, document, position } of documents) write.run(JSON.stringify(document), position, id);
    db.close();
  }
}

/** Of contacts, pages and documents. */
async function answersOf(service: Service, list: string, ids: readonly string[]): Promise<readonly string[]> {
  const targets = [
    ...ids.flatMap((id) => [`/v1/contacts/${list}/${id}`, `/v1/views/contacts/${id}`]),
    ...['', '?status=Unsubscribed'].map((query) => `/v1/contacts/${list}${query}`),
    ...['contacts', 'memberships', `memberships?list_id=${list}&status=Subscribed`].map((view) => `/v1/views/${view}`),
  ];
  const texts: string[] = [];
  for (const target of targets) texts.push((await ok(service.get(target))).text);
  return texts;
}

test.skipIf(onServers)('are read and folded on as they are, and a rebuild finds them equal', async () => {
  const service = await startService();
  onTestFinished(() => service.close());
  const list = await newList(service);
  const people = ['Subscribed', 'Unsubscribed', 'Subscribed'].map((status) => ({ email: someAddress(), status }));
  const ids: string[] = [];
  for (const person of people)
    ids.push(await service.make(`/v1/contacts/${list}/create`, { ...person, city: 'Ulm "\\"' }, 'contact_id'));
  const tag = (one: number, tag_name: string) =>
    ok(service.post(`/v1/contacts/tags/${list}/add`, { tag_name: [tag_name], contact_email: people[one]?.email }));
  for (const tag_name of ['first', 'second']) await service.make('/v1/tags/create', { tag_name }, 'tag_id');
  await tag(0, 'first');
  const before = await answersOf(service, list, ids);
  await service.kill('SIGTERM');
  await makeEarlier(path.join(service.dataDir, 'views.db'));
  await service.start();
  expect(await answersOf(service, list, ids)).toEqual(before);

  await tag(1, 'second');
  await tag(0, 'second');
  const changed = await answersOf(service, list, ids);
  await ok(service.post('/v1/projections/contacts,memberships/rebuild', {}));
  const rebuilt = await eventually(
    async () => {
      const { body } = await ok(service.get('/v1/projections/rebuild'));
      const { data } = body as { data: { state: string; outcome: string; results: readonly { differing: number }[] } };
      return data.state === 'finished' ? data : undefined;
    },
    { what: 'the end of the rebuild' },
  );
  expect(rebuilt.outcome).toBe('switched');
  expect(rebuilt.results.map(({ differing }) => differing)).toEqual([0, 0]);
  expect(await answersOf(service, list, ids)).toEqual(changed);
});
