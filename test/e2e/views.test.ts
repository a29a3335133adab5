/** The documents of views over HTTP: by id, by equality on indexed fields, page by page, to keys that may read what they hold. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forbidden, refusal, someAddress, unique } from '../support/answers.js';
import { startService, type Service } from '../support/service.js';

let service: Service;
let list: string;
const people: string[] = [];
beforeAll(async () => {
  service = await startService();
  list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
  for (const status of ['Subscribed', 'Unsubscribed', 'Subscribed']) {
    const body = { email: someAddress(), status, tag_name: ['VIP'] };
    people.push(await service.make(`/v1/contacts/${list}/upsertcontact`, body, 'contact_id'));
  }
});
afterAll(() => service.close());

const ids = (items: readonly object[]): unknown[] => items.map((item) => Reflect.get(item, 'id') as unknown);

test('a document by its id, as the view has it', async () => {
  const [first = ''] = people;
  const { status, body } = await service.get(`/v1/views/contacts/${first}`);
  expect(status).toBe(200);
  const position = expect.stringMatching(/^\d{20,40}$/) as unknown;
  expect(body).toMatchObject({ data: { id: first, position, document: { contact_id: first, firstName: null } } });
  const membership = await service.get(`/v1/views/memberships/${encodeURIComponent(`${list}/${first}`)}`);
  expect(membership.body).toMatchObject({ data: { document: { list_id: list, contact_id: first } } });
  expect((await service.get('/v1/views/contacts/con_none')).status).toBe(404);
});

test('documents by fields of an index, page by page', async () => {
  const [first, second, third] = people.map((id) => `${list}/${id}`);
  const members = (query: string) => service.get(`/v1/views/memberships?${query}`);
  expect(ids((await members(`list_id=${list}&status=Subscribed`)).items())).toEqual([first, third]);
  expect(ids((await members(`list_id="${list}"&status=Unsubscribed`)).items())).toEqual([second]);
  const [tag] = (await service.get('/v1/tags')).items();
  expect(ids((await members(`tag_ids=${String(tag?.['tag_id'])}`)).items())).toEqual([first, second, third]);
  const page = await members(`list_id=${list}&status=Subscribed&limit=1`);
  const cursor = String(Reflect.get(Object(page.body), 'next_cursor'));
  expect(ids(page.items())).toEqual([first]);
  expect(ids((await members(`status=Subscribed&list_id=${list}&limit=1&cursor=${cursor}`)).items())).toEqual([third]);
  expect((await members(`list_id=${list}&cursor=${cursor}`)).body).toEqual(refusal('cursor is not valid', {}));
  expect((await service.get('/v1/views/emails?open=true')).items()).toEqual([]);
});

test('what no index serves is refused, with the index that it needs', async () => {
  const none = 'No index of the view serves this query: ';
  expect((await service.get('/v1/views/memberships?status=Subscribed')).body).toEqual(
    refusal(`${none}memberships needs an index that begins with (status); it has (list_id, status)`, {}),
  );
  expect((await service.get('/v1/views/email_outcomes?day=2026-03-01')).body).toEqual(
    refusal(`${none}email_outcomes needs an index that begins with (day); it has none`, {}),
  );
  expect((await service.get('/v1/views/emails?open=true&open=false')).body).toEqual(
    refusal('open must be a string', {}),
  );
  for (const query of ['__proto__=x', `__proto__=x&list_id=${list}`])
    expect((await service.get(`/v1/views/memberships?${query}`)).body).toEqual(
      refusal('Unknown query parameter __proto__', {}),
    );
  const unknown = await service.get('/v1/views/nothing');
  expect(unknown).toMatchObject({ status: 404, body: { type: 'not_found' } });
  expect(unknown.text).toContain('There is no such view. There are: groups, lists, tags, contacts, ');
});

test('to keys that may read what the view holds', async () => {
  const keyed = async (scopes: readonly string[]) => {
    const { body } = await service.post('/v1/keys', { name: unique('key'), scopes });
    const secret = String(Reflect.get(Object(Reflect.get(Object(body), 'data')), 'secret'));
    return (view: string) => service.get(`/v1/views/${view}`, { authorization: `Bearer ${secret}` });
  };
  const analyst = await keyed(['analytics:read', 'projections']);
  for (const view of ['list_growth', 'tag_use', 'email_outcomes']) expect((await analyst(view)).status).toBe(200);
  for (const [view, scope] of [
    ['contacts', 'contacts:read'],
    ['memberships', 'contacts:read'],
    ['emails', 'email:read'],
    ['lists', 'lists:read'],
    ['groups', 'groups:read'],
    ['tags', 'tags:read'],
  ] as const) {
    expect((await analyst(view)).body, view).toEqual(forbidden(scope));
    expect((await (await keyed([scope]))(view)).status, view).toBe(200);
  }
});
