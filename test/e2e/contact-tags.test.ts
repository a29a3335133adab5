/** Tags on contacts, and the pages of a list: attach, detach, what renames and deletions show, filters. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  idOf,
  logPosition,
  newList,
  refusal,
  refusals,
  shown,
  someAddress,
  someRequestId,
  strangerId,
  success,
  unique,
} from '../support/answers.js';
import type { Answer, Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

interface TagReference {
  readonly tag_id: string;
  readonly tag_name: string;
}

const newTag = async (tag_name = unique('Tag')): Promise<TagReference> => ({
  tag_id: (await service.client().createTag({ body: { tag_name } })).data.tag_id,
  tag_name,
});
async function member(list: string, status = 'Subscribed'): Promise<{ email: string; id: string }> {
  const email = someAddress();
  return { email, id: await service.make(`/v1/contacts/${list}/create`, { email, status }, 'contact_id') };
}
const change =
  (operation: 'add' | 'remove') =>
  (list: string, contact_email: string, tag_name: unknown, requestId = someRequestId()): Promise<Answer> =>
    service.post(`/v1/contacts/tags/${list}/${operation}`, { tag_name, contact_email }, { 'x-request-id': requestId });
const add = change('add');
const remove = change('remove');
const caused = async (requestId: string): Promise<unknown[]> =>
  (await service.events(requestId)).map(({ type, data }) => ({ type, data }));
const added = (tags: readonly TagReference[]): unknown =>
  success('Tags added successfully!', { tag_id: tags[0]?.tag_id, tag_name: tags.map((tag) => tag.tag_name), tags });
const removed = (tags: readonly TagReference[]): unknown => success('Tags removed successfully!', tags);

/** The tags of a contact in a list, as the list's page shows them. */
async function tagsIn(list: string, id: string): Promise<unknown> {
  const page = await service.get(`/v1/contacts/${list}?limit=200`);
  return page.items().find((item) => item['contact_id'] === id)?.['tags'];
}

describe('attach tags', () => {
  test('that exist, named in any spelling, answers their stored spelling', async () => {
    const list = await newList(service);
    const { email, id } = await member(list);
    const [one, two] = [await newTag(), await newTag()];
    const requestId = someRequestId();
    const given = [two.tag_name.toUpperCase(), ` ${one.tag_name}`, two.tag_name];
    const answer = await add(list, email.toUpperCase(), given, requestId);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(added([two, one]));
    expect(await caused(requestId)).toEqual([
      { type: 'TagsAttached', data: { contact_id: id, list_id: list, tags: [two, one] } },
    ]);
    expect(await tagsIn(list, id)).toEqual(expect.arrayContaining([one, two]));
  });

  test('that do not exist creates them, caused by that request', async () => {
    const list = await newList(service);
    const { email, id } = await member(list);
    const known = await newTag();
    const fresh = unique('Fresh');
    const requestId = someRequestId();
    const answer = await add(list, email, [fresh, known.tag_name], requestId);
    const created = { tag_id: answer.field('tag_id'), tag_name: fresh };
    expect(created.tag_id).toMatch(idOf('tag'));
    expect(answer.body).toEqual(added([created, known]));
    const events = await service.events(requestId);
    expect(await caused(requestId)).toEqual([
      { type: 'TagCreated', data: created },
      { type: 'TagsAttached', data: { contact_id: id, list_id: list, tags: [created, known] } },
    ]);
    expect(events[1]?.metadata['$correlationId']).toBe(events[0]?.metadata['$correlationId']);
    expect((await service.get(`/v1/tags/${created.tag_id}`)).body).toEqual(shown(created));
  });

  test('that are attached already writes nothing', async () => {
    const list = await newList(service);
    const { email } = await member(list);
    const [one, two] = [await newTag(), await newTag()];
    await add(list, email, [one.tag_name]);
    const again = someRequestId();
    const answer = await add(list, email, [one.tag_name], again);
    expect(answer.body).toEqual(added([one]));
    expect(answer.headers['x-position']).toMatch(logPosition);
    expect(await caused(again)).toEqual([]);
    const more = someRequestId();
    expect((await add(list, email, [one.tag_name, two.tag_name], more)).body).toEqual(added([one, two]));
    expect(await caused(more)).toMatchObject([{ type: 'TagsAttached', data: { tags: [two] } }]);
  });

  test('creates no tag when another check fails', async () => {
    const list = await newList(service);
    const elsewhere = await newList(service);
    const { email } = await member(elsewhere);
    const names = [unique('Never')];
    for (const [listId, contact, names_, message, type] of [
      [list, email, names, 'Please provide valid contact email!', 'not_in_list'],
      [list, someAddress(), names, 'Please provide valid contact email!', 'unknown_id'],
      [strangerId('lst'), email, names, 'Please provide valid list id!', 'unknown_id'],
      [elsewhere, email, [...names, 7], 'tag_name must contain only strings', 'validation_error'],
    ] as const)
      for (const operation of [add, remove]) {
        const requestId = someRequestId();
        const answer = await operation(listId, contact, names_, requestId);
        expect(answer.status).toBe(400);
        expect(answer.body).toEqual(refusal(message, { tag_name: names_, contact_email: contact }, type));
        expect(await caused(requestId)).toEqual([]);
      }
    const wanted = { email: 'no address', status: 'Subscribed', tag_name: names };
    expect((await service.post(`/v1/contacts/${list}/upsertcontact`, wanted)).status).toBe(400);
    const all = await service.get('/v1/tags?limit=200');
    expect(all.items().map((tag) => tag['tag_name'])).not.toContain(names[0]);
  });

  test('takes 1 to 100 names and no more', async () => {
    const list = await newList(service);
    const { email, id } = await member(list);
    const names = Array.from({ length: 101 }, (_, index) => unique(`n${index}`));
    const events = await service.countEvents();
    const tooMany = await add(list, email, names);
    expect(tooMany.body).toMatchObject({ statusCode: 400, message: 'tag_name must have at most 100 names' });
    expect((await add(list, email, [])).body).toMatchObject({ statusCode: 400, message: 'tag_name is required' });
    expect(await service.countEvents()).toBe(events);
    const answer = await add(list, email, names.slice(0, 100));
    expect(answer.status).toBe(200);
    expect(Reflect.get(Object(Reflect.get(Object(answer.body), 'data')), 'tag_name')).toEqual(names.slice(0, 100));
    expect(await tagsIn(list, id)).toHaveLength(100);
  });

  test('by upsert adds and never replaces', async () => {
    const list = await newList(service);
    const { email, id } = await member(list);
    const [one, two] = [await newTag(), await newTag()];
    for (const tag of [one, two, one]) {
      const body = { email, status: 'Subscribed', tag_name: [tag.tag_name] };
      expect((await service.post(`/v1/contacts/${list}/upsertcontact`, body)).status).toBe(200);
    }
    const tags = await tagsIn(list, id);
    expect(tags).toHaveLength(2);
    expect(tags).toEqual(expect.arrayContaining([one, two]));
  });

  test('only in the list that is named', async () => {
    const [list, other] = [await newList(service), await newList(service)];
    const { email, id } = await member(list);
    await service.post(`/v1/contacts/${other}/upsertcontact`, { email, status: 'Subscribed' });
    const tag = await newTag();
    await add(other, email, [tag.tag_name]);
    expect(await tagsIn(list, id)).toEqual([]);
    expect(await tagsIn(other, id)).toEqual([tag]);
  });
});

describe('detach tags', () => {
  test('answers the named tags that exist; what is unknown or unattached is left alone', async () => {
    const list = await newList(service);
    const { email, id } = await member(list);
    const [kept, gone, unattached] = [await newTag(), await newTag(), await newTag()];
    await add(list, email, [kept.tag_name, gone.tag_name]);
    const requestId = someRequestId();
    const names = [gone.tag_name.toUpperCase(), unique('Unknown'), unattached.tag_name];
    const answer = await remove(list, email, names, requestId);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(removed([gone, unattached]));
    expect(await caused(requestId)).toEqual([
      { type: 'TagsDetached', data: { contact_id: id, list_id: list, tags: [gone] } },
    ]);
    expect(await tagsIn(list, id)).toEqual([kept]);
  });

  test('unknown ones only: 200, an empty array, no tag and no event', async () => {
    const list = await newList(service);
    const { email } = await member(list);
    const requestId = someRequestId();
    const answer = await remove(list, email, [unique('Unknown')], requestId);
    expect(answer.body).toEqual(removed([]));
    expect(await caused(requestId)).toEqual([]);
  });
});

describe('what becomes of tags and lists shows at once', () => {
  test('a renamed tag, on every contact; the history keeps the old name', async () => {
    const list = await newList(service);
    const [ada, bob] = [await member(list), await member(list)];
    const tag = await newTag();
    const requestId = someRequestId();
    await add(list, ada.email, [tag.tag_name], requestId);
    await add(list, bob.email, [tag.tag_name]);
    const renamed = { ...tag, tag_name: unique('Renamed') };
    await service.post(`/v1/tags/${tag.tag_id}/update`, { tag_name: renamed.tag_name });
    expect(await tagsIn(list, ada.id)).toEqual([renamed]);
    expect(await tagsIn(list, bob.id)).toEqual([renamed]);
    const filtered = await service.get(`/v1/contacts/${list}?tag_name=${encodeURIComponent(renamed.tag_name)}`);
    expect(filtered.items()).toHaveLength(2);
    expect(await service.events(requestId)).toMatchObject([{ data: { tags: [tag] } }]);
  });

  test('a deleted tag, from every contact, for good', async () => {
    const list = await newList(service);
    const { email, id } = await member(list);
    const [tag, kept] = [await newTag(), await newTag()];
    await add(list, email, [tag.tag_name, kept.tag_name]);
    await service.post(`/v1/tags/${tag.tag_id}/delete`);
    expect(await tagsIn(list, id)).toEqual([kept]);
    const byName = `/v1/contacts/${list}?tag_name=${encodeURIComponent(tag.tag_name)}`;
    expect((await service.get(byName)).body).toEqual(shown([]));
    expect((await remove(list, email, [tag.tag_name])).body).toEqual(removed([]));
    // A new tag of that name is another tag.
    const successor = await newTag(tag.tag_name);
    expect(await tagsIn(list, id)).toEqual([kept]);
    expect((await service.get(byName)).body).toEqual(shown([]));
    expect((await add(list, email, [tag.tag_name])).body).toEqual(added([successor]));
  });

  test('a renamed list, and a deleted one: its memberships end, the contact stays', async () => {
    const [list, other] = [await newList(service), await newList(service)];
    const { email, id } = await member(list);
    await service.post(`/v1/contacts/${other}/upsertcontact`, { email, status: 'Unsubscribed' });
    const list_name = unique('Renamed');
    await service.post(`/v1/lists/${other}/update`, { list_name });
    await service.post(`/v1/lists/${list}/delete`);
    const subscriptions = [{ list_id: other, list_name, status: 'Unsubscribed', tags: [] }];
    const contact = await service.get(`/v1/contacts?email=${email}`);
    expect(contact.body).toMatchObject({ data: { contact_id: id, subscriptions } });
    expect(Reflect.get(Object(Reflect.get(Object(contact.body), 'data')), 'subscriptions')).toHaveLength(1);
    for (const path of [list, `${list}/${id}`])
      expect((await service.get(`/v1/contacts/${path}`)).body).toEqual(refusals.notFound);
    const update = { status: 'Subscribed', contact_email: email };
    expect((await service.post(`/v1/contacts/${list}/updatestatus`, update)).body).toEqual(
      refusal('Please provide valid list id!', update, 'unknown_id'),
    );
  });
});

describe('pages of a list', () => {
  test('shape, order, filters and paging', async () => {
    const list = await newList(service);
    expect((await service.get(`/v1/contacts/${list}`)).body).toEqual(shown([]));
    const tag = await newTag();
    const members: { email: string; id: string }[] = [];
    for (let index = 0; index < 9; index += 1) {
      const one = await member(list, index % 3 === 0 ? 'Unsubscribed' : 'Subscribed');
      members.push(one);
      if (index % 2 === 0) await add(list, one.email, [tag.tag_name]);
    }
    const whole = await service.get(`/v1/contacts/${list}`);
    expect(whole.items().map((item) => item['contact_id'])).toEqual(members.map(({ id }) => id).sort());
    expect(whole.body).toEqual(shown(whole.items()));
    const first = members[0] ?? { email: '', id: '' };
    const { created_at: at, ...item } = whole.items().find((one) => one['contact_id'] === first.id) ?? {};
    expect(typeof at).toBe('string');
    expect(item).toEqual({
      contact_id: first.id,
      email: first.email,
      ...Object.fromEntries(
        ['firstName', 'lastName', 'phone', 'dateOfBirth', 'address', 'city', 'state', 'country', 'zipcode'].map(
          (field) => [field, null],
        ),
      ),
      status: 'Unsubscribed',
      tags: [tag],
      because: expect.objectContaining({ type: 'ContactUnsubscribed', actor: 'test' }) as unknown,
    });

    const tagged = `tag_name=${encodeURIComponent(tag.tag_name.toUpperCase())}`;
    for (const [query, wanted] of [
      ['', () => true],
      ['status=Unsubscribed', (index: number) => index % 3 === 0],
      ['status=subscribed', (index: number) => index % 3 !== 0],
      [tagged, (index: number) => index % 2 === 0],
      [`status=Subscribed&${tagged}`, (index: number) => index % 3 !== 0 && index % 2 === 0],
      [`tag_name=${encodeURIComponent(unique('nobody'))}`, () => false],
    ] as const) {
      const expected = members.filter((_, index) => wanted(index)).map(({ id }) => id);
      expect(await allPages(`/v1/contacts/${list}?limit=2&${query}`), query).toEqual(expected.sort());
    }
  });

  test('a bad status, limit, cursor: 400; an unknown list: 404', async () => {
    const list = await newList(service);
    const bad = await service.get(`/v1/contacts/${list}?status=Gone`);
    expect(bad.body).toMatchObject({ statusCode: 400, message: 'status must be Subscribed or Unsubscribed' });
    expect((await service.get(`/v1/contacts/${list}?limit=0`)).body).toEqual(refusals.limit);
    expect((await service.get(`/v1/contacts/${list}?limit=201`)).body).toEqual(refusals.limit);
    expect((await service.get(`/v1/contacts/${list}?cursor=nonsense`)).body).toEqual(refusals.cursor);
    expect((await service.get(`/v1/contacts/${strangerId('lst')}`)).body).toEqual(refusals.notFound);
  });

  async function allPages(path: string): Promise<unknown[]> {
    const ids: unknown[] = [];
    for (let cursor = ''; ;) {
      const page = await service.get(path + cursor);
      expect(page.status).toBe(200);
      ids.push(...page.items().map((item) => item['contact_id']));
      const next: unknown = Reflect.get(Object(page.body), 'next_cursor');
      if (typeof next !== 'string') return ids;
      expect(page.items()).toHaveLength(2);
      cursor = `&cursor=${encodeURIComponent(next)}`;
    }
  }
});

describe('two hundred tags in a list', () => {
  const message = 'a contact can have at most 200 tags in a list';
  const tagsOf = (count: number, of: string): string[] => Array.from({ length: count }, (_, at) => `${of} ${at}`);
  const save = (list: string, email: string, tag_name: readonly string[], headers = {}): Promise<Answer> =>
    service.post(
      `/v1/contacts/${list}/upsertcontact`,
      { email, status: 'Subscribed', city: 'Bern', tag_name },
      headers,
    );

  test('are the most; what would exceed them changes nothing, and creates no tag', async () => {
    const list = await newList(service);
    const [of, others] = [unique('Full'), unique('Other')];
    const { email } = await member(list);
    expect((await add(list, email, tagsOf(100, of))).status).toBe(200);
    expect((await add(list, email, tagsOf(198, of).slice(100))).status).toBe(200);
    const requestId = someRequestId();
    const asked = { 'x-request-id': requestId };
    const body = { tag_name: [`${others} 0`, `${others} 1`, `${others} 2`], contact_email: email };
    const refused = await service.post(`/v1/contacts/tags/${list}/add`, body, asked);
    expect([refused.status, refused.body]).toEqual([400, refusal(message, body)]);
    const upsert = await save(list, email, body.tag_name, asked);
    expect([upsert.status, upsert.body]).toMatchObject([400, { message, type: 'validation_error' }]);
    const lines = [body.tag_name, [`${of} 0`]].map((tag_name) =>
      JSON.stringify({ email, status: 'Subscribed', tag_name }),
    );
    const bulk = await service.request('POST', `/v1/contacts/${list}/bulk`, {
      raw: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson', ...asked },
    });
    expect(
      bulk.text
        .trim()
        .split('\n')
        .map((line): unknown => JSON.parse(line)),
    ).toMatchObject([
      { line: 1, outcome: 'refused', error: { type: 'validation_error', message } },
      { line: 2, outcome: 'unchanged' },
    ]);
    expect(await caused(requestId)).toEqual([]);
    // A spelling is no further tag.
    expect((await add(list, email, [`${others} 0`, `${others} 0`.toUpperCase(), `${others} 1`])).status).toBe(200);
    const one = await newTag();
    expect((await add(list, email, [one.tag_name])).status).toBe(400);
    expect((await save(list, email, [one.tag_name])).status).toBe(400);
    // Another list has room, and so has this one when a tag is taken off or deleted.
    expect((await save(await newList(service), email, [one.tag_name])).status).toBe(200);
    expect((await remove(list, email, [`${of} 0`])).status).toBe(200);
    expect((await add(list, email, [one.tag_name])).status).toBe(200);
    expect((await service.post(`/v1/tags/${one.tag_id}/delete`)).status).toBe(200);
    expect((await add(list, email, [(await newTag()).tag_name])).status).toBe(200);
    expect((await add(list, email, [(await newTag()).tag_name])).status).toBe(400);
  });
});
