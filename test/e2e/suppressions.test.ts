/** Refused mail over HTTP: who refuses what, since when and why; what lifts it; and what stays when the person is erased. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { newList, ok, refusal, refusals, someAddress, someRequestId, strangerId } from '../support/answers.js';
import { audience } from '../support/audience.js';
import { eventually, startService, type Answer, type Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';
import { onServers } from '../support/stores.js';

let service: Service;
let list: string;
beforeAll(async () => {
  service = await sharedService();
  list = await newList(service);
});

const suppress = (body: object, on = service): Promise<Answer> => on.post('/v1/suppressions', body);
const release = (body: object, on = service): Promise<Answer> => on.post('/v1/suppressions/release', body);
const search = async (email: string, on = service) =>
  (await ok(on.post('/v1/suppressions/search', { email }))).body as {
    data: { active: Record<string, unknown>[]; history: Record<string, unknown>[] };
  };
const many = (lines: readonly unknown[], on = service): Promise<Answer> =>
  on.request('POST', '/v1/suppressions', {
    raw: lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  });
const linesOf = ({ text }: Answer) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const byEmail = (email: string, on = service): Promise<Answer> =>
  on.get(`/v1/contacts?email=${encodeURIComponent(email)}`);
const time = expect.stringMatching(/^\d{4}-.*Z$/) as string;
const position = expect.stringMatching(/^\d+$/) as string;

describe('an address', () => {
  test('is suppressed once per scope and reason, and found with who did it, when and why', async () => {
    const email = someAddress();
    const requestId = someRequestId();
    const body = { email, reason: 'manual', note: 'said so by phone' };
    const first = await service.post('/v1/suppressions', body, { 'x-request-id': requestId });
    const active = [{ scope: 'all', reason: 'manual', since: time, email_id: null }];
    expect(first.body).toEqual({
      statusCode: 200,
      status: 'Success',
      message: 'Suppression saved successfully!',
      data: { outcome: 'created', active, position },
    });
    const again = await ok(suppress({ ...body, email: email.toUpperCase() }));
    expect(again.body).toMatchObject({ data: { outcome: 'unchanged', active } });
    await ok(suppress({ email, reason: 'unsubscribe', scope: list }));
    const { data } = await search(email);
    expect(data.active).toEqual([...active, { scope: list, reason: 'unsubscribe', since: time, email_id: null }]);
    expect(data.history).toMatchObject([
      { type: 'AddressSuppressed', scope: 'all', reason: 'manual', note: 'said so by phone', request_id: requestId },
      { type: 'AddressSuppressed', scope: list, reason: 'unsubscribe', note: null, by: null, email_id: null },
    ]);
    expect(data.history[0]).toMatchObject({ at: time, actor: 'test', ip: null });
  });

  test('is released by scope, with a reason, and may be suppressed again', async () => {
    const email = someAddress();
    for (const scope of ['all', list]) await ok(suppress({ email, reason: 'manual', scope }));
    await ok(suppress({ email, reason: 'complaint' }));
    const asked = { email, scope: 'all', reason: 'asked_by_phone', note: 'to Ada' };
    const left = [{ scope: list, reason: 'manual', since: time, email_id: null }];
    expect((await ok(release(asked))).body).toMatchObject({
      message: 'Suppression released successfully!',
      data: { outcome: 'released', active: left },
    });
    expect((await ok(release(asked))).body).toMatchObject({ data: { outcome: 'unchanged', active: left } });
    expect((await search(email)).data.history.at(-1)).toMatchObject({
      ...{ type: 'AddressReleased', scope: 'all', reason: 'asked_by_phone', note: 'to Ada' },
    });
    expect((await ok(suppress({ email, reason: 'manual' }))).body).toMatchObject({ data: { outcome: 'created' } });
  });

  test('that nobody knows refuses nothing', async () => {
    expect((await search(someAddress())).data).toEqual({ active: [], history: [] });
    const nothing = { outcome: 'unchanged', active: [], position: '' };
    const asked = { email: someAddress(), scope: 'all', reason: 'x' };
    expect((await ok(release(asked))).body).toMatchObject({ data: nothing });
  });

  test('is refused with what is wrong', async () => {
    const email = someAddress();
    const refused = async (answer: Promise<Answer>) => {
      const { status, body } = await answer;
      expect(status).toBe(400);
      return (body as { message: string }).message;
    };
    expect((await suppress({ reason: 'manual' })).body).toEqual(refusal('email is required', { reason: 'manual' }));
    expect(await refused(suppress({ email }))).toBe('reason is required');
    expect(await refused(suppress({ email, reason: 'bored' }))).toBe(
      'reason must be hard_bounce, repeated_bounces, complaint, unsubscribe or manual',
    );
    expect(await refused(suppress({ email, reason: 'manual', scope: 'News' }))).toBe(
      'scope must be all or the id of a list',
    );
    expect(await refused(suppress({ email: 'ada', reason: 'manual' }))).toBe('email must be a valid email address');
    expect(await refused(suppress({ email, reason: 'manual', list: 'x' }))).toBe('Unknown field list');
    expect(await refused(release({ email, scope: 'all', reason: 'forgotten' }))).toBe(
      'reason must not be person or forgotten',
    );
    expect(await refused(release({ email, scope: 'all', reason: 'By phone' }))).toBe(
      'reason must be 1 to 40 of a-z, 0-9 and _',
    );
    expect((await suppress({ email, reason: 'manual', scope: strangerId('lst') })).body).toEqual(refusals.notFound);
    expect((await service.request('POST', '/v1/suppressions', { raw: '{"email":' })).body).toEqual(refusals.json);
    const plain = { raw: '{}', headers: { 'content-type': 'text/plain' } };
    expect((await service.request('POST', '/v1/suppressions', plain)).body).toEqual(refusals.mediaType);
    expect((await search(email)).data.history).toEqual([]);
  });
});

describe('many addresses', () => {
  test('are lines that are answered one by one; a bad one spoils nothing', async () => {
    const [ada, bob] = [someAddress(), someAddress()];
    const answered = await many([
      { email: ada, reason: 'unsubscribe' },
      '{"email":',
      '',
      { email: 'nobody', reason: 'unsubscribe' },
      { email: ada.toUpperCase(), reason: 'unsubscribe' },
      { email: bob, reason: 'hard_bounce', scope: strangerId('lst') },
      { email: bob, reason: 'hard_bounce', scope: list },
    ]);
    expect(answered.headers['content-type']).toBe('application/x-ndjson');
    const refused = (line: number, message: string) => ({ line, outcome: 'refused', error: { message } });
    expect(linesOf(answered)).toMatchObject([
      { line: 1, outcome: 'created', position },
      refused(2, 'Request body must be a JSON object'),
      refused(4, 'email must be a valid email address'),
      { line: 5, outcome: 'unchanged' },
      refused(6, 'Please provide valid list id!'),
      { line: 7, outcome: 'created' },
    ]);
    expect((await search(ada)).data.active).toMatchObject([{ scope: 'all', reason: 'unsubscribe' }]);
  });

  test('are listed by scope and reason, in pages', async () => {
    const own = await newList(service);
    const emails = [someAddress(), someAddress(), someAddress()];
    await many(emails.map((email) => ({ email, reason: 'unsubscribe', scope: own })));
    await ok(suppress({ email: emails[0] ?? '', reason: 'complaint', scope: own }));
    const found = async (query: string) =>
      (await ok(service.get(`/v1/suppressions?scope=${own}${query}`))).items().map(({ email }) => email);
    expect((await found('')).sort()).toEqual([...emails].sort());
    expect(await found('&reason=complaint')).toEqual([emails[0]]);
    expect(await found('&reason=manual')).toEqual([]);
    const page = (await ok(service.get(`/v1/suppressions?scope=${own}&limit=2`))).body as { next_cursor: string };
    expect(await found(`&limit=2&cursor=${page.next_cursor}`)).toHaveLength(1);
    expect((await service.get(`/v1/suppressions?cursor=${page.next_cursor}`)).body).toEqual(refusals.cursor);
    await ok(release({ email: emails[1] ?? '', scope: own, reason: 'asked' }));
    expect(await found('')).toHaveLength(2);
    const [one] = (await ok(service.get(`/v1/suppressions?scope=${own}&reason=complaint`))).items();
    expect(one).toEqual({
      email: emails[0],
      active: [
        { scope: own, reason: 'unsubscribe', since: time },
        { scope: own, reason: 'complaint', since: time },
      ],
    });
  });
});

describe('a contact', () => {
  test('shows at once where mail is refused, whatever the status; Subscribed does not lift it', async () => {
    const [email, other] = [someAddress(), await newList(service)];
    const created = await ok(service.post(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' }));
    await ok(service.post(`/v1/contacts/${other}/upsertcontact`, { email, status: 'Subscribed' }));
    const shown = async () => {
      const found = (await ok(byEmail(email))).body as { data: { subscriptions: Record<string, unknown>[] } };
      const id = created.field('contact_id');
      const { data } = (await ok(service.get(`/v1/contacts/${list}/${id}`))).body as typeof found;
      expect(data.subscriptions).toEqual(found.data.subscriptions);
      const entries = data.subscriptions.map(({ list_id, suppressed }) => [String(list_id), suppressed] as const);
      return Object.fromEntries<unknown>(entries);
    };
    expect(await shown()).toEqual({ [list]: undefined, [other]: undefined });
    await ok(suppress({ email, reason: 'unsubscribe', scope: list }));
    expect(await shown()).toEqual({ [list]: { reason: 'unsubscribe', since: time }, [other]: undefined });
    await ok(service.post(`/v1/contacts/${list}/updatestatus`, { contact_email: email, status: 'Unsubscribed' }));
    await ok(service.post(`/v1/contacts/${list}/updatestatus`, { contact_email: email, status: 'Subscribed' }));
    expect((await shown())[list]).toMatchObject({ reason: 'unsubscribe' });
    await ok(suppress({ email, reason: 'hard_bounce' }));
    expect((await shown())[other]).toMatchObject({ reason: 'hard_bounce' });
    await ok(release({ email, scope: 'all', reason: 'new_mailbox' }));
    await ok(release({ email, scope: list, reason: 'asked' }));
    expect(await shown()).toEqual({ [list]: undefined, [other]: undefined });
  });
});

describe('keys', () => {
  test('need the scope; who searched is on record under the pseudonym', async () => {
    const keyOf = async (scope: string): Promise<string> =>
      (await ok(service.post('/v1/keys', { name: someRequestId(), scopes: [scope] }))).field('secret');
    const [reading, writing] = [await keyOf('suppressions:read'), await keyOf('suppressions:write')];
    const by = (key: string) => ({ authorization: `Bearer ${key}` });
    const email = someAddress();
    const entry = { email, reason: 'manual' };
    expect((await service.post('/v1/suppressions', entry, by(reading))).status).toBe(403);
    expect((await service.post('/v1/suppressions', entry, by(writing))).status).toBe(200);
    const at = { ...by(reading), 'x-request-id': someRequestId() };
    expect((await service.post('/v1/suppressions/search', { email }, at)).status).toBe(200);
    expect((await service.post('/v1/suppressions/search', { email }, by(writing))).status).toBe(403);
    expect((await service.get('/v1/suppressions', by(writing))).status).toBe(403);
    expect((await service.get('/v1/views/suppressions', by(reading))).status).toBe(200);
    expect((await service.get('/v1/views/suppressions', by(writing))).status).toBe(403);
    const [read] = await service.events(at['x-request-id']);
    expect(read).toMatchObject({ type: 'RecordRead', data: { what: 'suppressions' } });
    expect(JSON.stringify(read)).not.toContain(email);
  });
});

describe('an erasure', () => {
  const erased = async (on: Service, body: object): Promise<void> => {
    const { headers } = await on.post('/v1/privacy/erasures', body);
    await eventually(async () =>
      (await ok(on.get(String(headers.location)))).field('status') === 'completed' ? true : undefined,
    );
  };
  const email = 'Zelda.Quastenflosser@privat.example';
  const note = 'Zeldarine rang twice';

  test('leaves the refusal by its key alone; a second life is refused, too; and forgetting lifts it', async () => {
    const own = await startService();
    onTestFinished(() => own.close());
    const news = await newList(own);
    await ok(own.post(`/v1/contacts/${news}/create`, { email, status: 'Subscribed' }));
    await ok(suppress({ email, reason: 'unsubscribe', scope: news, note }, own));
    await ok(suppress({ email: 'never@privat.example', reason: 'complaint', note }, own));
    const exported = (await ok(own.get(`/v1/privacy/export?email=${email}`))).body;
    expect(exported).toMatchObject({ data: { refused_mail: { history: [{ note, scope: news }] } } });
    const page = await own.get(`/v1/privacy/export?email=${email}`, { accept: 'text/html' });
    expect(page.text).toContain(note);

    await erased(own, { email });
    await erased(own, { email: 'never@privat.example' });
    if (!onServers) {
      const names = readdirSync(own.dataDir, { recursive: true, encoding: 'utf8' });
      const files = names.map((name) => path.join(own.dataDir, name)).filter((file) => statSync(file).isFile());
      const traces = files.filter((file) => /Zelda|never@privat/.test(readFileSync(file, 'latin1')));
      expect(traces).toEqual([]);
    }
    // Who has the address gets the answer; nobody gets the address.
    const { data } = await search(email, own);
    expect(data.active).toMatchObject([{ scope: news, reason: 'unsubscribe' }]);
    expect(data.history).toMatchObject([{ type: 'AddressSuppressed', note: null }, { type: 'SuppressionErased' }]);
    const listed = (await ok(own.get('/v1/suppressions'))).items();
    expect(listed).toHaveLength(2);
    expect(listed).toContainEqual({ email: null, active: [{ scope: news, reason: 'unsubscribe', since: time }] });
    const contactAnswer = await byEmail(email, own);
    expect(contactAnswer.status).toBe(404);
    if (!onServers) {
      const verified = await audience(['--data-dir', own.dataDir, 'audit', 'verify']);
      expect(verified).toMatchObject({ code: 0 });
    }

    await ok(own.post(`/v1/contacts/${news}/create`, { email, status: 'Subscribed' }));
    const subscriptions = async () =>
      ((await ok(byEmail(email, own))).body as { data: { subscriptions: unknown[] } }).data.subscriptions;
    expect(await subscriptions()).toMatchObject([{ status: 'Subscribed', suppressed: { reason: 'unsubscribe' } }]);
    expect((await ok(suppress({ email, reason: 'unsubscribe', scope: news }, own))).body).toMatchObject({
      data: { outcome: 'unchanged' },
    });

    await erased(own, { email, forget_suppression: true });
    expect((await search(email, own)).data).toMatchObject({
      active: [],
      history: [{}, {}, { type: 'AddressReleased', scope: 'all', reason: 'forgotten' }],
    });
    await ok(own.post(`/v1/contacts/${news}/create`, { email, status: 'Subscribed' }));
    expect((await subscriptions())[0]).not.toHaveProperty('suppressed');
  });
});
