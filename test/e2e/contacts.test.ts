/** Contacts over HTTP: create, upsert, status, reads; one person has one address and one id across all lists. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  idOf,
  instant,
  logPosition,
  refusal,
  refusals,
  shown,
  someAddress,
  someRequestId,
  strangerId,
  success,
  unique,
} from '../support/answers.js';
import type { Answer, LoggedEvent, Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

const profile = {
  firstName: 'Ada',
  lastName: 'King',
  phone: '+44 (0)20 7946-0958 x12',
  dateOfBirth: '1915-12-10',
  address: '12 St James\nSquare',
  city: 'London',
  state: 'Greater London',
  country: 'UK',
  zipcode: 'SW1Y 4JH',
};
const noProfile = Object.fromEntries(Object.keys(profile).map((field) => [field, null]));

let service: Service;
let list: string;
let otherList: string;
const names = { list: unique('Readers'), otherList: unique('Writers') };

beforeAll(async () => {
  service = await sharedService();
  list = await service.make('/v1/lists/create', { list_name: names.list }, 'list_id');
  otherList = await service.make('/v1/lists/create', { list_name: names.otherList }, 'list_id');
});

type Operation = 'create' | 'upsertcontact' | 'updatestatus';
const call = (operation: Operation, listId: string, body: unknown, requestId = someRequestId()): Promise<Answer> =>
  service.post(`/v1/contacts/${listId}/${operation}`, body, { 'x-request-id': requestId });
const made = (email: string, more: object = {}, status = 'Subscribed'): Promise<string> =>
  service.make(`/v1/contacts/${list}/create`, { email, status, ...more }, 'contact_id');
const byEmail = (email: string): Promise<Answer> => service.get(`/v1/contacts?email=${encodeURIComponent(email)}`);
const caused = async (requestId: string): Promise<string[]> =>
  (await service.events(requestId)).map(({ type }) => type);

/** What a read says of the event that made a status so. */
const becauseOf = (event: LoggedEvent | undefined) => ({
  event_id: event?.event_id,
  type: event?.type,
  at: event?.metadata['at'],
  actor: 'test',
  request_id: event?.metadata['request_id'],
  position: event?.position,
});

const created = (contact_id: string, email: string, status: string): unknown =>
  success('Contact created successfully!', { contact_id, email, status });
const saved = (contact_id: string, email: string, status: string): unknown =>
  success('Contact saved successfully!', { contact_id, email, status });
const duplicate = (data: unknown): unknown => refusal('Email already exist!', data, 'duplicate');

describe('create a contact', () => {
  test.each([
    ['flat', profile],
    ['nested in data', { data: profile }],
    ['both, without conflict', { ...profile, data: { ...profile } }],
    ['some here, some there', { ...profile, city: undefined, data: { city: profile.city } }],
  ])('with profile fields %s', async (_what, fields) => {
    const email = someAddress();
    const requestId = someRequestId();
    const answer = await call('create', list, { email, status: 'Subscribed', ...fields }, requestId);
    const id = answer.field('contact_id');
    expect(answer.body).toEqual(created(id, email, 'Subscribed'));
    expect(id).toMatch(idOf('con'));

    const events = await service.events(requestId);
    expect(events.map(({ type }) => type)).toEqual(['ContactCreated', 'ContactSubscribed']);
    expect(events[0]?.data).toMatchObject({ contact_id: id, person: { email, ...profile } });
    expect(events[1]?.data).toEqual({
      contact_id: id,
      list_id: list,
      list_name: names.list,
      previous_status: null,
    });
    expect(events[0]?.stream).toMatch(/^contact-[0-9a-f]{32}$/);
    expect((await byEmail(email)).body).toEqual(
      shown({
        contact_id: id,
        email,
        ...profile,
        created_at: events[0]?.metadata['at'],
        subscriptions: [
          { list_id: list, list_name: names.list, status: 'Subscribed', tags: [], because: becauseOf(events[1]) },
        ],
      }),
    );
  });

  test.each([
    ['a field in two values', { firstName: 'Ada', data: { firstName: 'Augusta' } }, 'firstName'],
    ['another one', { data: { zipcode: '1' }, zipcode: '2' }, 'zipcode'],
  ])('refuses %s', async (_what, fields, field) => {
    const body = { email: someAddress(), status: 'Subscribed', ...fields };
    for (const operation of ['create', 'upsertcontact'] as const) {
      const requestId = someRequestId();
      const answer = await call(operation, list, body, requestId);
      expect(answer.body).toEqual(refusal(`${field} is given twice`, body));
      expect(await caused(requestId)).toEqual([]);
    }
  });

  test.each([
    ['Subscribed', 'Subscribed'],
    ['unsubscribed', 'Unsubscribed'],
    ['sUBSCRIBED', 'Subscribed'],
    ['UNSUBSCRIBED', 'Unsubscribed'],
  ])('takes status %s and answers %s', async (given, canonical) => {
    const email = someAddress();
    const requestId = someRequestId();
    const answer = await call('create', list, { email, status: given }, requestId);
    expect(answer.body).toEqual(created(answer.field('contact_id'), email, canonical));
    expect(await caused(requestId)).toEqual(['ContactCreated', `Contact${canonical}`]);
  });

  test('ignores unknown fields, a message, and null', async () => {
    const email = someAddress();
    const requestId = someRequestId();
    const nulls = { ...noProfile, data: null };
    const odd = { message: 'Contact created', nickname: 'Countess', tag_name: 7 };
    const answer = await call('create', list, { email, status: 'Subscribed', ...nulls, ...odd }, requestId);
    expect(answer.status).toBe(200);
    expect(JSON.stringify(await service.events(requestId))).not.toContain('Countess');
    const person = Object((await service.events(requestId))[0]?.data['person']) as Record<string, unknown>;
    expect(Object.keys(person).sort()).toEqual(['email', 'salt']);
    expect((await byEmail(email)).body).toMatchObject({ data: noProfile });
  });

  test('refuses a known address in any spelling, in this list and in another', async () => {
    const email = someAddress('Ada');
    await made(email);
    const body = { status: 'Unsubscribed', firstName: 'Eve', data: { city: 'Paris' } };
    for (const spelling of [email, email.toUpperCase(), email.toLowerCase()])
      for (const listId of [list, otherList]) {
        const requestId = someRequestId();
        const answer = await call('create', listId, { ...body, email: spelling, nickname: 'x' }, requestId);
        expect(answer.status).toBe(400);
        expect(answer.body).toEqual(duplicate({ ...body, email: spelling }));
        expect(await caused(requestId)).toEqual([]);
      }
    expect((await call('create', list, { ...body, email: `  ${email}\u0020` })).body).toMatchObject({
      message: 'Email already exist!',
    });
  });

  test('knows an address of another script in every spelling, and shows the first one', async () => {
    const mark = unique('x').replaceAll(' ', '');
    const email = `Jürgen${mark}@München.example`;
    const requestId = someRequestId();
    expect((await call('create', list, { email, status: 'Subscribed' }, requestId)).body).toMatchObject({
      data: { email },
    });
    expect((await service.events(requestId))[0]?.data['person']).toMatchObject({ email });
    for (const spelling of [email.normalize('NFD'), email.toUpperCase(), `jürgen${mark}@xn--mnchen-3ya.example`]) {
      const answer = await call('create', list, { email: spelling, status: 'Subscribed' });
      expect(answer.body).toEqual(duplicate({ email: spelling, status: 'Subscribed' }));
      expect((await byEmail(spelling)).body).toMatchObject({ data: { email } });
    }
    const joined = await call('create', list, { email: `a\u200d${email}`, status: 'Subscribed' });
    expect(joined.body).toMatchObject({
      statusCode: 400,
      message: 'email must be a valid email address: it contains an invisible character',
    });
  });
});

describe('upsert a contact', () => {
  test('creates it, with tags, in one append', async () => {
    const email = someAddress();
    const tags = [unique('vip'), unique('early')];
    const requestId = someRequestId();
    const body = { email, status: 'subscribed', data: { firstName: 'Ada' }, tag_name: tags };
    const answer = await call('upsertcontact', list, body, requestId);
    expect(answer.body).toEqual(saved(answer.field('contact_id'), email, 'Subscribed'));
    expect((await caused(requestId)).sort()).toEqual(
      ['ContactCreated', 'ContactSubscribed', 'TagCreated', 'TagCreated', 'TagsAttached'].sort(),
    );
    expect((await byEmail(email)).body).toMatchObject({ data: { firstName: 'Ada', lastName: null } });
  });

  test('leaves what is omitted, clears null and the empty text, sets the rest', async () => {
    const email = someAddress();
    const id = await made(email, profile);
    const requestId = someRequestId();
    const changes = { firstName: 'Augusta', city: null, data: { state: '', phone: profile.phone } };
    const answer = await call('upsertcontact', list, { email, status: 'Subscribed', ...changes }, requestId);
    expect(answer.body).toEqual(saved(id, email, 'Subscribed'));
    expect(await service.events(requestId)).toMatchObject([{ type: 'ContactProfileChanged' }]);
    const person = Object((await service.events(requestId))[0]?.data['person']) as Record<string, unknown>;
    expect({ ...person, salt: '' }).toEqual({ salt: '', firstName: 'Augusta', city: null, state: null });
    expect((await byEmail(email)).body).toMatchObject({
      data: { ...profile, firstName: 'Augusta', city: null, state: null },
    });
  });

  test.each([
    ['the same fields', profile],
    ['no fields', {}],
    ['null for what is not there, and no tags', { data: {}, tag_name: null }],
    ['an empty array of tags', { tag_name: [] }],
  ])('writes no event when nothing changes: %s', async (_what, fields) => {
    const email = someAddress();
    const id = await made(email, profile);
    const requestId = someRequestId();
    const answer = await call('upsertcontact', list, { email, status: 'subscribed', ...fields }, requestId);
    expect(answer.body).toEqual(saved(id, email, 'Subscribed'));
    expect(answer.headers['x-position']).toMatch(logPosition);
    expect(await caused(requestId)).toEqual([]);
  });

  test('sets the status, and the event says what it was', async () => {
    const email = someAddress();
    const id = await made(email);
    for (const [status, previous_status] of [
      ['Unsubscribed', 'Subscribed'],
      ['Subscribed', 'Unsubscribed'],
    ] as const) {
      const requestId = someRequestId();
      expect((await call('upsertcontact', list, { email, status }, requestId)).body).toEqual(saved(id, email, status));
      expect(await service.events(requestId)).toMatchObject([{ type: `Contact${status}`, data: { previous_status } }]);
    }
  });

  test('brings a known contact into a second list', async () => {
    const email = someAddress('Ada');
    const id = await made(email, { firstName: 'Ada' });
    const respelt = email.toUpperCase();
    const requestId = someRequestId();
    const answer = await call('upsertcontact', otherList, { email: respelt, status: 'Unsubscribed' }, requestId);
    expect(answer.body).toEqual(saved(id, respelt, 'Unsubscribed'));
    const [entry, ...more] = await service.events(requestId);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      type: 'ContactUnsubscribed',
      data: { contact_id: id, list_id: otherList, previous_status: null },
    });
    const shownContact = await byEmail(respelt.toLowerCase());
    expect(shownContact.body).toMatchObject({ data: { contact_id: id, email, firstName: 'Ada' } });
    const subscriptions: unknown = Reflect.get(Object(Reflect.get(Object(shownContact.body), 'data')), 'subscriptions');
    expect(subscriptions).toHaveLength(2);
    expect(subscriptions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ list_id: list, list_name: names.list, status: 'Subscribed', tags: [] }),
        expect.objectContaining({ list_id: otherList, status: 'Unsubscribed', tags: [], because: becauseOf(entry) }),
      ]),
    );
  });
});

describe('update the status of a contact', () => {
  const update = (email: string, status: string, requestId?: string): Promise<Answer> =>
    call('updatestatus', list, { status, contact_email: email }, requestId);
  const updated = (contact_id: string, status: string): unknown =>
    success('Contact status updated successfully!', { contact_id, list_id: list, status });

  test('both ways, in any case and spelling; the same status again writes nothing', async () => {
    const email = someAddress('Ada');
    const id = await made(email);
    for (const [given, canonical, previous_status] of [
      ['UNSUBSCRIBED', 'Unsubscribed', 'Subscribed'],
      ['subscribed', 'Subscribed', 'Unsubscribed'],
    ] as const) {
      const requestId = someRequestId();
      expect((await update(` ${email.toUpperCase()}`, given, requestId)).body).toEqual(updated(id, canonical));
      expect(await service.events(requestId)).toMatchObject([
        { type: `Contact${canonical}`, data: { previous_status } },
      ]);
      const again = someRequestId();
      const answer = await update(email, canonical, again);
      expect(answer.body).toEqual(updated(id, canonical));
      expect(answer.headers['x-position']).toMatch(logPosition);
      expect(await caused(again)).toEqual([]);
      expect((await byEmail(email)).body).toMatchObject({ data: { subscriptions: [{ status: canonical }] } });
    }
  });

  test('refuses an unknown contact, and one that is not in the list', async () => {
    const stranger = { status: 'Unsubscribed', contact_email: someAddress() };
    const unknown = await call('updatestatus', list, { ...stranger, note: 1 });
    expect(unknown.body).toEqual(refusal('Please provide valid contact email!', stranger, 'unknown_id'));
    const elsewhere = { status: 'Unsubscribed', contact_email: someAddress() };
    await made(elsewhere.contact_email);
    const requestId = someRequestId();
    const answer = await call('updatestatus', otherList, elsewhere, requestId);
    expect(answer.body).toEqual(refusal('Please provide valid contact email!', elsewhere, 'not_in_list'));
    expect(await caused(requestId)).toEqual([]);
  });
});

const subscriptionsIn = (answer: Answer): readonly Record<string, unknown>[] =>
  (answer.body as { data: { subscriptions: Record<string, unknown>[] } }).data.subscriptions;
/** The auditor tells more of it. */
function becauseIn({ because }: Record<string, unknown>) {
  const { event_id, type, at, actor, request_id, position } = because as Record<string, unknown>;
  return { event_id, type, at, actor, request_id, position };
}

describe('read a contact', () => {
  test('by id in a list', async () => {
    const email = someAddress();
    const id = await made(email, profile, 'Unsubscribed');
    const answer = await service.get(`/v1/contacts/${list}/${id}`);
    const standing = { status: 'Unsubscribed', tags: [], because: expect.any(Object) as unknown };
    const subscriptions = [{ list_id: list, list_name: names.list, ...standing }];
    const created_at = expect.stringMatching(instant) as unknown;
    expect(answer.body).toEqual(shown({ contact_id: id, email, ...profile, created_at, ...standing, subscriptions }));
  });

  test('what made its status so, in the words of the auditor, wherever it is shown', async () => {
    const email = someAddress();
    const id = await made(email);
    const requestId = someRequestId();
    const change = { status: 'Unsubscribed', contact_email: email };
    const { headers } = await call('updatestatus', list, change, requestId);
    await call('upsertcontact', otherList, { email, status: 'Subscribed', tag_name: [unique('Tag')] });
    // Neither of these makes a status so.
    await call('upsertcontact', list, { email, status: 'Unsubscribed', city: 'Bern', consent: { source: 'form' } });
    await service.post(`/v1/lists/${otherList}/update`, { list_name: unique('Renamed') });
    const because = becauseOf((await service.events(requestId))[0]);
    expect(because).toMatchObject({ type: 'ContactUnsubscribed', position: headers['x-position'] });
    const inList = await service.get(`/v1/contacts/${list}/${id}`);
    expect(inList.body).toMatchObject({ data: { because } });
    const onPage = (await service.get(`/v1/contacts/${list}?limit=200`)).items().find((one) => one['email'] === email);
    expect(onPage).toMatchObject({ status: 'Unsubscribed', because });

    const told = await service.get(`/v1/audit/contacts/${id}/at?time=9999-12-31`);
    const reasons = subscriptionsIn(told).map((one) => [one['list_id'], becauseIn(one)]);
    expect(reasons).toHaveLength(2);
    expect(reasons).toContainEqual([list, because]);
    for (const answer of [inList, await byEmail(email)])
      expect(subscriptionsIn(answer).map((one) => [one['list_id'], one['because']])).toEqual(reasons);
  });

  test('an unknown one, one of another list, an unknown list: 404', async () => {
    const id = await made(someAddress());
    for (const path of [
      `${list}/${strangerId('con')}`,
      `${list}/x`,
      `${otherList}/${id}`,
      `${strangerId('lst')}/${id}`,
    ]) {
      const answer = await service.get(`/v1/contacts/${path}`);
      expect(answer.status, path).toBe(404);
      expect(answer.body).toEqual(refusals.notFound);
    }
  });

  test('by e-mail address: unknown 404, bad or missing 400', async () => {
    const unknown = await byEmail(someAddress());
    expect(unknown.status).toBe(404);
    expect(unknown.body).toEqual(refusals.notFound);
    expect((await byEmail('not an address')).body).toMatchObject({
      statusCode: 400,
      message: 'email must be a valid email address',
    });
    for (const query of ['', '?email=', '?email=%20'])
      expect((await service.get(`/v1/contacts${query}`)).body).toMatchObject({
        statusCode: 400,
        message: 'email is required',
      });
  });
});
