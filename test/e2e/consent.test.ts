/** Consent over HTTP: what is taken, what is refused, where it is kept, and who is shown it. */
import { beforeAll, describe, expect, test } from 'vitest';
import { refusal, someAddress, someRequestId, success, unique } from '../support/answers.js';
import type { Answer, Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
let list: string;
const listName = unique('List');
beforeAll(async () => {
  service = await sharedService();
  list = await service.make('/v1/lists/create', { list_name: listName }, 'list_id');
});

const statement = 'Yes, send me “News”.\r\n\tI can leave at any time.';
const full = {
  source: 'signup form',
  statement,
  ip: '2001:db8::7',
  legal_basis: 'consent',
  occurred_at: '2026-03-01T12:00:00+02:00',
};
const kept = { ...full, occurred_at: '2026-03-01T10:00:00.000Z' };

const call = (action: string, body: object, requestId = someRequestId()): Promise<Answer> =>
  service.post(`/v1/contacts/${list}/${action}`, body, { 'x-request-id': requestId });

interface Written {
  readonly type: string;
  readonly person?: unknown;
}

/** Type and data of what a request wrote, without the salt. */
async function written(requestId: string): Promise<readonly Written[]> {
  const events = await service.events(requestId);
  return events.map(({ type, data }) => {
    const { person, ...rest } = data as { person?: { salt?: string } };
    if (person === undefined) return { type, ...rest };
    const { salt, ...personal } = person;
    expect(salt).toMatch(/^[0-9a-f]{32}$/);
    return { type, ...rest, person: personal };
  });
}

async function writtenBy(action: string, body: object) {
  const requestId = someRequestId();
  const answer = await call(action, body, requestId);
  expect(answer.status, answer.text).toBe(200);
  return written(requestId);
}

/** A contact of its own, Subscribed unless told. */
async function made(body: object = {}): Promise<string> {
  const email = someAddress();
  expect((await call('create', { email, status: 'Subscribed', ...body })).status).toBe(200);
  return email;
}

const about = {
  contact_id: expect.any(String) as unknown,
  list_id: expect.any(String) as unknown,
  list_name: listName,
};

describe('what is kept', () => {
  test('by create and upsert with the subscription; the answer is the documented one', async () => {
    for (const action of ['create', 'upsertcontact']) {
      const email = someAddress();
      const requestId = someRequestId();
      const answer = await call(action, { email, status: 'Subscribed', consent: full, tag_name: ['x'] }, requestId);
      const data = { contact_id: answer.field('contact_id'), email, status: 'Subscribed' };
      expect(answer.body).toEqual(success(`Contact ${action === 'create' ? 'created' : 'saved'} successfully!`, data));
      const events = (await written(requestId)).filter(({ type }) => type.startsWith('Contact'));
      expect(events).toEqual([
        { type: 'ContactCreated', contact_id: data.contact_id, person: { email } },
        { type: 'ContactSubscribed', ...about, previous_status: null, person: { consent: kept } },
      ]);
    }
  });

  test('by updatestatus with the status; where it stays, by itself', async () => {
    const email = await made();
    const change = { contact_email: email, status: 'Unsubscribed', consent: { source: 'phone' } };
    expect(await writtenBy('updatestatus', change)).toEqual([
      {
        type: 'ContactUnsubscribed',
        ...about,
        previous_status: 'Subscribed',
        person: { consent: { source: 'phone' } },
      },
    ]);
    expect(await writtenBy('updatestatus', { ...change, consent: full })).toEqual([
      { type: 'ConsentRecorded', ...about, status: 'Unsubscribed', person: { consent: kept } },
    ]);
  });

  test('by upsert of a known contact between its profile and its tags', async () => {
    const email = await made();
    const body = { email, status: 'Subscribed', data: { city: 'Bern' }, tag_name: [unique('Tag')], consent: full };
    const types = (await writtenBy('upsertcontact', body)).map(({ type }) => type);
    expect(types.filter((type) => type !== 'TagCreated')).toEqual([
      'ContactProfileChanged',
      'ConsentRecorded',
      'TagsAttached',
    ]);
  });

  test('nothing of what is absent, null, blank or unknown; in `data` as well; trimmed', async () => {
    const given = { source: ' form ', statement: ' \n', ip: null, legalBasis: 'x', __proto__: null };
    for (const where of [
      { consent: given },
      { data: { firstName: 'Ada', consent: given } },
      { data: {}, consent: given },
    ]) {
      const [, event] = await writtenBy('create', { email: someAddress(), status: 'Subscribed', ...where });
      expect(event).toMatchObject({ type: 'ContactSubscribed' });
      expect(event?.person).toEqual({ consent: { source: 'form' } });
    }
  });

  test('without one the event is as it always was', async () => {
    for (const consent of [undefined, null, {}, { source: '' }, { other: 'x' }]) {
      const [, event] = await writtenBy('create', { email: someAddress(), status: 'Subscribed', consent });
      expect(Object.keys(event ?? {})).toEqual(['type', 'contact_id', 'list_id', 'list_name', 'previous_status']);
    }
  });

  test('its longest: code points, addresses of both kinds, times in every zone', async () => {
    const long = { source: '🙂'.repeat(255), statement: '🙂'.repeat(2_000), legal_basis: 'é'.repeat(100) };
    for (const consent of [long, { ip: '203.0.113.7' }, { ip: '::ffff:203.0.113.7' }]) {
      const [, event] = await writtenBy('create', { email: someAddress(), status: 'Subscribed', consent });
      expect(event?.person).toEqual({ consent });
    }
    for (const [given, utc] of [
      ['2026-02-28T23:30:00.123456-01:00', '2026-03-01T00:30:00.123Z'],
      ['1999-12-31T23:59Z', '1999-12-31T23:59:00.000Z'],
      // Clocks differ a little.
      [new Date(Date.now() + 120_000).toISOString(), expect.any(String) as unknown],
    ]) {
      const consent = { occurred_at: given };
      const [, event] = await writtenBy('create', { email: someAddress(), status: 'Subscribed', consent });
      expect(event?.person).toEqual({ consent: { occurred_at: utc } });
    }
  });
});

describe('the same once more', () => {
  test('writes nothing, and answers as before', async () => {
    const email = await made({ consent: full });
    const requestId = someRequestId();
    // Another spelling of the same time is the same time.
    const consent = { ...full, occurred_at: '2026-03-01T10:00Z' };
    const answer = await call('upsertcontact', { email, status: 'Subscribed', consent }, requestId);
    expect(answer.status).toBe(200);
    expect(await written(requestId)).toEqual([]);
    expect(await writtenBy('updatestatus', { contact_email: email, status: 'Subscribed', consent: full })).toEqual([]);
    // Another one, then the first: each is news.
    const change = { contact_email: email, status: 'Subscribed' };
    for (const one of [{ source: 'phone' }, full])
      expect(await writtenBy('updatestatus', { ...change, consent: one })).toMatchObject([{ type: 'ConsentRecorded' }]);
  });

  test('after another status it is said anew, after a restart it is still known', async () => {
    const email = await made({ consent: full });
    const change = { contact_email: email, status: 'Subscribed' };
    await writtenBy('updatestatus', { ...change, status: 'Unsubscribed' });
    await writtenBy('updatestatus', change);
    const recorded = await writtenBy('updatestatus', { ...change, consent: full });
    expect(recorded).toMatchObject([{ type: 'ConsentRecorded', person: { consent: kept } }]);
    await service.kill('SIGKILL');
    await service.start();
    expect(await writtenBy('updatestatus', { ...change, consent: full })).toEqual([]);
  });

  test('from many at once is recorded once', async () => {
    const email = await made();
    const requestIds = Array.from({ length: 8 }, () => someRequestId());
    const change = { contact_email: email, status: 'Subscribed', consent: full };
    const answers = await Promise.all(requestIds.map((id) => call('updatestatus', change, id)));
    expect(answers.map(({ status }) => status)).toEqual(requestIds.map(() => 200));
    const events = (await Promise.all(requestIds.map(written))).flat();
    expect(events).toMatchObject([{ type: 'ConsentRecorded' }]);
  });
});

describe('what is refused', () => {
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const cases: readonly (readonly [unknown, string])[] = [
    ...['form', 7, true, ['form']].map((bad) => [bad, 'consent must be an object'] as const),
    ...['source', 'statement', 'ip', 'legal_basis', 'occurred_at'].flatMap((field) => [
      [{ [field]: 7 }, `consent.${field} must be a string`] as const,
      [{ [field]: ['x'] }, `consent.${field} must be a string`] as const,
      [{ [field]: 'a\u0000' }, `consent.${field} contains invalid characters`] as const,
      [{ [field]: '\ud800' }, `consent.${field} contains invalid characters`] as const,
    ]),
    [{ source: 'a\nb' }, 'consent.source contains invalid characters'],
    [{ source: 'a'.repeat(256) }, 'consent.source must be at most 255 characters'],
    [{ statement: 'a'.repeat(2_001) }, 'consent.statement must be at most 2000 characters'],
    [{ legal_basis: 'a'.repeat(101) }, 'consent.legal_basis must be at most 100 characters'],
    ...['10.0.0', '10.0.0.256', 'example.com', '::1::', 'fe80::1%eth0', '[::1]'].map(
      (ip) => [{ ip }, 'consent.ip must be a valid IP address'] as const,
    ),
    ...[
      '2026-03-01',
      '2026-03-01T10:00',
      '2026-02-30T10:00:00Z',
      'yesterday',
      '1772359200000',
      '2026-03-01 10:00Z',
    ].map(
      (time) => [{ occurred_at: time }, 'consent.occurred_at must be an ISO 8601 date and time with its zone'] as const,
    ),
    [{ occurred_at: later }, 'consent.occurred_at must not be in the future'],
  ];

  test('names the field, echoes no consent, writes nothing', async () => {
    const email = await made();
    const events = await service.countEvents();
    for (const [consent, message] of cases) {
      const save = { email: someAddress(), status: 'Subscribed' };
      const change = { status: 'Unsubscribed', contact_email: email };
      const label = JSON.stringify(consent).slice(0, 100);
      for (const [action, body] of [
        ['create', save],
        ['upsertcontact', save],
        ['updatestatus', change],
      ] as const)
        expect((await call(action, { ...body, consent })).body, label).toEqual(refusal(message, body));
    }
    const twice = { email: someAddress(), status: 'Subscribed', consent: full, data: { consent: full } };
    expect((await call('create', twice)).body).toMatchObject({ statusCode: 400, message: 'consent is given twice' });
    expect(await service.countEvents()).toBe(events);
  });

  test('after every other field, before the ids', async () => {
    const consent = { ip: 'x' };
    expect((await call('create', { email: 'x', status: 'Subscribed', consent })).body).toMatchObject({
      message: 'email must be a valid email address',
    });
    const body = { email: someAddress(), status: 'Subscribed', consent };
    expect((await service.post('/v1/contacts/lst_none/create', body)).body).toMatchObject({
      message: 'consent.ip must be a valid IP address',
    });
  });
});

describe('who is shown it', () => {
  test('the auditor, in the history and at a time', async () => {
    const email = await made({ consent: { source: 'form' } });
    await writtenBy('updatestatus', { contact_email: email, status: 'Subscribed', consent: full });
    await writtenBy('updatestatus', { contact_email: email, status: 'Unsubscribed' });
    const path = `/v1/audit/contacts/${email}`;
    const history = (await service.get(`${path}/history`)).items();
    expect(history.map(({ type, consent }) => ({ type, consent }))).toEqual([
      { type: 'ContactCreated', consent: undefined },
      { type: 'ContactSubscribed', consent: { source: 'form' } },
      { type: 'ConsentRecorded', consent: kept },
      { type: 'ContactUnsubscribed', consent: undefined },
    ]);
    const [, subscribed, recorded, left] = history;
    const at = async (time: unknown) =>
      (await service.get(`${path}/at?time=${String(time)}&list_id=${list}`)).body as {
        data: { subscription: Record<string, unknown> };
      };
    expect((await at(left?.['at'])).data.subscription).toMatchObject({
      status: 'Unsubscribed',
      consent: { ...kept, because: { event_id: recorded?.['event_id'] } },
      because: { event_id: left?.['event_id'] },
    });
    expect(subscribed).toMatchObject({ status: 'Subscribed', previous_status: null });
  });

  test('nobody else: no other answer, no log line, no metadata', async () => {
    const secret = unique('the very words');
    const email = await made({ consent: { ...full, statement: secret, source: secret } });
    await call('updatestatus', { contact_email: email, status: 'Subscribed', consent: { ip: secret } });
    const id = (await service.get(`/v1/contacts?email=${email}`)).field('contact_id');
    for (const target of [`/v1/contacts?email=${email}`, `/v1/contacts/${list}/${id}`, `/v1/contacts/${list}`])
      expect((await service.get(target)).text).not.toContain(secret);
    for (const { data, ...rest } of await service.events()) {
      expect(JSON.stringify(rest)).not.toContain(secret);
      const { person: _, ...open } = data as { person?: unknown };
      expect(JSON.stringify(open)).not.toContain(secret);
    }
    expect(service.output()).not.toContain(secret);
    expect(service.output()).toContain('updatestatus');
  });
});
