/** The history of a contact over HTTP, as an auditor asks for it. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  untimed,
  instant,
  refusal,
  refusals,
  shown,
  someAddress,
  someRequestId,
  strangerId,
  unique,
} from '../support/answers.js';
import type { Answer, Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

const historyOf = (contact: string, query = ''): Promise<Answer> =>
  service.get(`/v1/audit/contacts/${encodeURIComponent(contact)}/history${query}`);

/** What a contact of its own went through: 8 events. */
async function life() {
  const listName = unique('List');
  const list = await service.make('/v1/lists/create', { list_name: listName }, 'list_id');
  const email = someAddress('Ada');
  const tagName = unique('Tag');
  const requestId = someRequestId();
  const body = { email, status: 'Subscribed', firstName: 'Ada', tag_name: [tagName] };
  const created = await service.post(`/v1/contacts/${list}/upsertcontact`, body, { 'x-request-id': requestId });
  await service.post(`/v1/lists/${list}/update`, { list_name: `${listName} renamed` });
  const change = { contact_email: email, status: 'Unsubscribed' };
  await service.post(`/v1/contacts/${list}/updatestatus`, change);
  const tags = await service.post(`/v1/contacts/tags/${list}/add`, { contact_email: email, tag_name: [tagName] });
  await service.request('DELETE', `/v1/tags/${tags.field('tag_id')}/delete`);
  await service.request('DELETE', `/v1/lists/${list}/delete`);
  return { list, listName, email, tagName, requestId, contactId: created.field('contact_id') };
}

describe('GET /v1/audit/contacts/{contact}/history', () => {
  test('tells everything, with names then and now, by address in any spelling and by id', async () => {
    const { list, listName, email, tagName, requestId, contactId } = await life();
    const byId = await historyOf(contactId);
    const [created, subscribed, attached, renamed, unsubscribed, tagDeleted, listDeleted] = byId.items();
    expect(byId.items()).toHaveLength(7);
    expect(created).toMatchObject({
      type: 'ContactCreated',
      request_id: requestId,
      actor: 'test',
      contact_id: contactId,
    });
    expect(created?.['data']).toMatchObject({ person: { email, firstName: 'Ada' } });
    const names = { list_id: list, name_now: `${listName} renamed`, deleted_at: listDeleted?.['at'] };
    expect(subscribed).toMatchObject({
      summary: `Subscribed to the list "${listName}" for the first time.`,
      at: expect.stringMatching(instant) as unknown,
      list: { ...names, name_then: listName },
      previous_status: null,
      status: 'Subscribed',
    });
    expect(attached).toMatchObject({ tags: [{ name_then: tagName, name_now: tagName }] });
    expect(renamed).toMatchObject({ type: 'ListRenamed', stream: 'lists' });
    expect(unsubscribed).toMatchObject({ previous_status: 'Subscribed', list: { name_then: `${listName} renamed` } });
    expect(tagDeleted).toMatchObject({ type: 'TagDeleted', list_ids: [list] });
    expect(listDeleted).toMatchObject({ previous_status: 'Unsubscribed', status: null });
    for (const spelling of [email, ` ${email.toUpperCase()} `])
      expect(untimed((await historyOf(spelling)).text)).toBe(untimed(byId.text));

    const event = (await service.events(requestId)).find(({ type }) => type === 'ContactSubscribed');
    expect(subscribed).toMatchObject({
      event_id: event?.event_id,
      stream: event?.stream,
      revision: event?.revision,
      correlation_id: event?.metadata['$correlationId'],
      causation_id: event?.metadata['$causationId'],
      data: event?.data,
    });
  });

  test('shows a write that was answered just before', async () => {
    const list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
    for (let round = 0; round < 20; round += 1) {
      const email = someAddress();
      const id = await service.make(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' }, 'contact_id');
      expect((await historyOf(email)).items()).toHaveLength(2);
      expect((await historyOf(id)).items()).toHaveLength(2);
    }
  });

  test('has the e-mails that were accepted just before, says what it rests on, and takes a list by name', async () => {
    const { email, listName } = await life();
    const mail = { from_email: 'shop@example.com', to_email: email.toUpperCase(), subject: 'Hello' };
    await service.post('/v1/email/send', { ...mail, mail_template: '<p>Hello</p>' });
    const history = await historyOf(email, '?to=2999-01-01');
    const { body } = history;
    expect(history.items()[7]).toMatchObject({ type: 'EmailRequested', email: { subject: 'Hello' } });
    const rests = { count: expect.any(Number) as unknown, seal: null };
    expect(body).toMatchObject({ answered_at: expect.stringMatching(instant) as unknown, future: true, ...rests });
    const named = await historyOf(email, `?list_id=${encodeURIComponent(listName.toUpperCase())}`);
    expect(named.items()).toHaveLength(6);
    expect(Reflect.get(Object(named.body), 'list_note')).toContain(`"${listName}" stands for the list lst_`);
    expect(named.body).not.toHaveProperty('emails_until');
  });

  test('pages by cursor', async () => {
    const { email } = await life();
    const all = (await historyOf(email)).items();
    const seen: unknown[] = [];
    let query = '?limit=3';
    for (;;) {
      const page = await historyOf(email, query);
      seen.push(...page.items());
      const cursor: unknown = Reflect.get(Object(page.body), 'next_cursor');
      if (typeof cursor !== 'string') break;
      query = `?limit=3&cursor=${cursor}`;
    }
    expect(seen).toEqual(all);
    expect((await historyOf(someAddress(), query)).body).toEqual(refusals.cursor);
    expect((await historyOf(email, `${query}x`)).body).toEqual(refusals.cursor);
    expect((await historyOf(email, `${query}&from=2000-01-01`)).body).toEqual(refusals.cursor);
    expect((await historyOf(email, '?limit=201')).body).toEqual(refusals.limit);
  });

  test('filters by list and time', async () => {
    const { email, list } = await life();
    const other = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
    await service.post(`/v1/contacts/${other}/upsertcontact`, { email, status: 'Subscribed' });
    const all = (await historyOf(email)).items();
    const inOther = await historyOf(email, `?list_id=${other}`);
    expect(inOther.items()).toEqual(all.slice(-1));
    expect((await historyOf(email, `?list_id=${list}`)).items()).toEqual(all.slice(1, -1));
    const at = String(all.at(-1)?.['at']);
    expect((await historyOf(email, `?from=${at}`)).items()).toEqual(all.filter((item) => String(item['at']) >= at));
    expect((await historyOf(email, `?from=2020-01-01T00:00%2B02:00&to=${at}`)).items()).toEqual(all);
    // The plus sign that nobody encoded.
    expect((await historyOf(email, '?to=2020-01-01T00:00+02:00')).items()).toEqual([]);
    expect((await historyOf(email, `?from=${at.slice(0, 10)}&to=${at.slice(0, 10)}`)).items()).toEqual(all);
  });

  test('an unknown contact, an unknown list: 404', async () => {
    const { email } = await life();
    expect(await historyOf(someAddress())).toMatchObject({ status: 404, body: refusals.contact });
    expect(await historyOf(strangerId('con'))).toMatchObject({ status: 404, body: refusals.contact });
    expect(await historyOf(email, `?list_id=${strangerId('lst')}`)).toMatchObject({ status: 404, body: refusals.list });
    const other = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
    const never = /^The contact was never in this list\. Answered at \S+ from the log \S+, up to /;
    const message: unknown = expect.stringMatching(never);
    const { body } = await historyOf(email, `?list_id=${other}`);
    expect(body).toMatchObject({ statusCode: 404, message, data: {}, type: 'never_in_list' });
  });

  test.for([
    ['?from=yesterday', 'from must be an ISO 8601 date, or a date and time with its zone'],
    ['?to=2026-02-30', 'to must be an ISO 8601 date, or a date and time with its zone'],
    ['?to=2026-03-01T10:00:00', 'to must be an ISO 8601 date, or a date and time with its zone'],
    ['?from=2026-03-02&to=2026-03-01', 'from must not be after to'],
    ['?from=2026-03-02&from=2026-03-01', 'from must be a string'],
    ['?list_id=', 'list_id must not be empty'],
    ['?list=lst_1', 'Unknown query parameter list. Did you mean list_id?'],
    ['?a%20b=1', 'Unknown query parameter a b'],
  ] as const)('refuses %s', async ([query, message]) => {
    const answer = await historyOf(someAddress(), query);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(refusal(message, {}));
  });

  test('refuses what looks like an address and is none, a missing key, another method', async () => {
    expect((await historyOf('a@b@c')).body).toEqual(refusal('contact must be a valid email address', {}));
    const target = `/v1/audit/contacts/${strangerId('con')}/history`;
    expect((await service.get(target, { authorization: undefined })).status).toBe(401);
    expect(await service.post(target, {})).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    expect((await service.request('HEAD', target)).status).toBe(404);
  });

  test('an empty history within the filter is an empty page', async () => {
    const { email } = await life();
    expect((await historyOf(email, '?to=2020-01-01')).body).toMatchObject(shown([]));
  });

  test('nothing personal is logged', async () => {
    const { email, contactId } = await life();
    await historyOf(email);
    await historyOf(contactId, '?from=bad');
    await service.kill('SIGTERM');
    await service.start();
    expect(service.output()).toContain('"route":"/v1/audit/contacts/{contact}/history"');
    for (const secret of [email, email.toLowerCase(), encodeURIComponent(email), contactId])
      expect(service.output()).not.toContain(secret);
  });
});

describe('GET /v1/audit/contacts/{contact}/at', () => {
  const at = (contact: string, query: string): Promise<Answer> =>
    service.get(`/v1/audit/contacts/${encodeURIComponent(contact)}/at${query}`);

  test('answers what, since when, by whom and until when, by address and by id', async () => {
    const { list, listName, email, tagName, requestId, contactId } = await life();
    const history = (await historyOf(email)).items();
    const timeOf = (type: string): string => String(history.find((item) => item['type'] === type)?.['at']);
    const before = timeOf('ContactSubscribed');
    const answer = await at(email.toUpperCase(), `?time=${before}&list_id=${list}`);
    expect(answer.body).toMatchObject(
      shown({
        time: before,
        contact_id: contactId,
        existed: true,
        created_at: timeOf('ContactCreated'),
        profile: { email, firstName: 'Ada', lastName: null, because: { type: 'ContactCreated' }, next_change: null },
        subscription: {
          list_id: list,
          list_name: listName,
          status: 'Subscribed',
          consent: null,
          because: { type: 'ContactSubscribed', actor: 'test', request_id: requestId },
          next_change: { type: 'ContactUnsubscribed', at: timeOf('ContactUnsubscribed') },
          tags: [{ tag_name: tagName, because: { request_id: requestId }, next_change: { type: 'TagDeleted' } }],
        },
      }),
    );
    expect(untimed((await at(contactId, `?time=${before}&list_id=${list}`)).text)).toBe(untimed(answer.text));
    expect((await at(email, `?time=${before}`)).body).toMatchObject({
      data: { subscriptions: [Reflect.get(Object(Reflect.get(Object(answer.body), 'data')), 'subscription')] },
    });
    const today = new Date().toISOString().slice(0, 10);
    expect((await at(email, `?time=${today}`)).body).toMatchObject({ data: { subscriptions: [] } });
    expect((await at(email, '?time=2020-01-01')).body).toMatchObject({
      data: { contact_id: null, existed: false, profile: null, next_change: { type: 'ContactCreated' } },
    });
  });

  test('an unknown contact, an unknown list: 404; no time, a bad one: 400', async () => {
    const { email } = await life();
    const time = '?time=2026-03-01';
    expect((await at(someAddress(), time)).body).toEqual(refusals.contact);
    expect((await at(strangerId('con'), time)).body).toEqual(refusals.contact);
    expect((await at(email, `${time}&list_id=${strangerId('lst')}`)).body).toEqual(refusals.list);
    expect((await at(email, '')).body).toEqual(refusal('time is required', {}));
    expect((await at(email, '?time=')).body).toEqual(refusal('time is required', {}));
    expect((await at(email, '?time=now')).body).toEqual(
      refusal('time must be an ISO 8601 date, or a date and time with its zone', {}),
    );
  });
});
