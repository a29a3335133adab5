/** API keys of the log, over HTTP: what they may do, how they are changed, and what holds for those who have shown one already. */
import http from 'node:http';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { anyKey, scopeOfView } from '../../src/api/http/endpoint.js';
import { createResources, endpointsOf } from '../../src/api/resources/table.js';
import { scopes as allScopes } from '../../src/events/keys.js';
import { leafOf } from '../../src/eventstore/leaf.js';
import {
  instant,
  newList,
  ok,
  refusal,
  refusals,
  shown,
  someAddress,
  strangerId,
  success,
  unauthorized,
  unique,
  forbidden,
} from '../support/answers.js';
import { eventually, startService, type Answer, type Service } from '../support/service.js';

let service: Service;
// Not the shared one: the ends of keys are events that come by themselves, and other files count events.
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

interface Issued {
  readonly id: string;
  readonly secret: string;
  readonly bearer: { readonly authorization: string };
}

const bearer = (secret: string): { authorization: string } => ({ authorization: `Bearer ${secret}` });

async function issue(scopes: readonly string[], more: object = {}): Promise<Issued> {
  const answer = await ok(service.post('/v1/keys', { name: unique('Key'), scopes, ...more }));
  const secret = answer.field('secret');
  return { id: answer.field('key_id'), secret, bearer: bearer(secret) };
}

async function entry(id: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  const answer = await ok(service.get('/v1/keys?limit=200'));
  return answer.items().find((key) => key['key_id'] === id);
}

/** The status of one request on a connection that stays open. */
function onOneConnection(): { status: (path: string, headers: object) => Promise<number>; close(): void } {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  return {
    close: () => agent.destroy(),
    async status(path, headers) {
      const request = http.get(new URL(path, service.url()), { agent, headers: { ...headers } });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      response.resume();
      await once(response, 'end');
      return response.statusCode ?? 0;
    },
  };
}

/** However it ends. */
function closeOf(stream: http.IncomingMessage): Promise<void> {
  stream.on('error', () => undefined);
  return new Promise((resolve) => stream.once('close', resolve));
}

describe('a created key', () => {
  test('may do what its scopes say, and is the actor of its events', async () => {
    const key = await issue(['lists:write', 'lists:read', 'lists:write'], { expires_at: '2099-01-01T01:00:00+01:00' });
    expect(key.id).toMatch(/^key_[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    expect(key.secret).toMatch(/^aud_[0-9A-Za-z]{38}$/);
    const made = await ok(service.post('/v1/lists/create', { list_name: unique('List') }, key.bearer));
    const [event] = await service.events(String(made.headers['x-request-id']));
    expect(event?.metadata).toMatchObject({ actor: key.id });
    expect({ ...(await entry(key.id)), last_used_at: null }).toEqual({
      key_id: key.id,
      name: expect.stringMatching(/^Key /) as unknown,
      scopes: ['lists:write', 'lists:read'],
      state: 'active',
      created_at: expect.stringMatching(instant) as unknown,
      expires_at: '2099-01-01T00:00:00.000Z',
      rotated_at: null,
      previous_until: null,
      revoked_at: null,
      last_used_at: null,
    });
  });

  test('is noted as used', async () => {
    const key = await issue(['lists:read']);
    expect((await entry(key.id))?.['last_used_at']).toBeNull();
    await ok(service.get('/v1/lists', key.bearer));
    const used = await eventually(async () => (await entry(key.id))?.['last_used_at'] ?? undefined);
    expect(used).toMatch(instant);
  });

  test.each([
    ['POST', '/v1/lists/create', 'lists:write'],
    ['GET', '/v1/groups', 'groups:read'],
    ['POST', '/v1/keys', 'keys'],
  ])('without the scope of %s %s it is refused, before its body is looked at', async (method, path, scope) => {
    const key = await issue(['lists:read']);
    const bodies = method === 'GET' ? [undefined] : ['{', ' '.repeat(300_000), '{"list_name":"Fine"}'];
    for (const raw of bodies) {
      const answer = await service.request(method, path, {
        ...(raw === undefined ? {} : { raw }),
        headers: key.bearer,
      });
      expect(answer.body).toEqual(forbidden(scope));
    }
  });

  test('cannot give what it has not: not in a new key, and not by rotating one', async () => {
    const strong = await issue(['keys', 'email:write']);
    const weak = await issue(['keys', 'lists:read']);
    const give = (scopes: readonly string[]): Promise<Answer> =>
      service.post('/v1/keys', { name: unique('Key'), scopes }, weak.bearer);
    expect((await give(['lists:read', 'email:write'])).body).toEqual(forbidden('email:write'));
    expect((await give(['lists:read'])).status).toBe(200);
    expect((await service.post(`/v1/keys/${strong.id}/rotate`, {}, weak.bearer)).body).toEqual(
      forbidden('email:write'),
    );
    expect((await service.get('/v1/keys', strong.bearer)).status).toBe(200);
  });
});

test('a key that ends makes none that ends later, and takes over none', async () => {
  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  const scopes = ['keys', 'lists:read'];
  const mortal = await service.post('/v1/keys', { name: unique('Key'), scopes, expires_at });
  const bearer = { authorization: `Bearer ${mortal.field('secret')}` };
  for (const more of [{}, { expires_at: '2999-01-01T00:00:00Z' }]) {
    const made = await service.post('/v1/keys', { name: unique('Key'), scopes, ...more }, bearer);
    expect(made).toMatchObject({ status: 200, body: { data: { expires_at } } });
  }
  const immortal = await service.post('/v1/keys', { name: unique('Key'), scopes });
  const rotate = (key: Answer): Promise<Answer> => service.post(`/v1/keys/${key.field('key_id')}/rotate`, {}, bearer);
  expect(await rotate(immortal)).toMatchObject({ status: 409, body: { message: 'The API key cannot be rotated' } });
  expect((await rotate(mortal)).status).toBe(200);
});

test('what a create refuses', async () => {
  const name = unique('Key');
  const scopes = ['lists:read'];
  await ok(service.post('/v1/keys', { name, scopes }));
  const create = async (body: object): Promise<unknown> => (await service.post('/v1/keys', body)).body;
  const reserved = 'name must not be mailer, cli, service, recipient or the id of a key';
  expect(await create({ name: name.toUpperCase(), scopes })).toEqual(
    refusal('Key name already exist!', { name: name.toUpperCase(), scopes }, 'duplicate'),
  );
  for (const [body, message] of [
    [{ scopes }, 'name is required'],
    [{ name: 'New', scopes: [] }, 'scopes is required'],
    [{ name: 'New', scopes: 'lists:read' }, 'scopes must be an array'],
    [{ name: 'CLI', scopes }, reserved],
    [{ name: 'key_01ARZ3NDEKTSV4RRFFQ69G5FAV', scopes }, reserved],
    [{ name: 'New', scopes, expires_at: '2026-01-01' }, 'expires_at must be an ISO 8601 date and time with its zone'],
    [{ name: 'New', scopes, expires_at: '2020-01-01T00:00:00Z' }, 'expires_at must be in the future'],
  ] as const)
    expect(await create(body)).toEqual(refusal(message, body));
  expect(await create({ name: 'New', scopes: ['lists:read', 'lists:drop'] })).toMatchObject({
    statusCode: 400,
    message: expect.stringMatching(/^scopes must contain only scopes: groups:read, .*, keys, clock$/) as unknown,
  });
  expect(await create({ name: 'New', scopes, expires: '2099-01-01T00:00:00Z' })).toMatchObject({
    message: expect.stringMatching(/^Unknown field expires/) as unknown,
  });
});

test('a repeat with the same Idempotency-Key gets the first answer, without the secret', async () => {
  const body = { name: unique('Shop'), scopes: ['lists:read'] };
  const headers = { 'idempotency-key': unique('create').replace(' ', '-') };
  const first = await ok(service.post('/v1/keys', body, headers));
  const again = await ok(service.post('/v1/keys', body, headers));
  const { data } = JSON.parse(first.text) as { data: object };
  const note = 'The secret was in the first answer only. Where that was lost, rotate the key.';
  expect(again.body).toMatchObject({ data: { ...data, secret: null, note } });
  expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true', 'x-position': first.headers['x-position'] });
  const other = await service.post('/v1/keys', { ...body, scopes: ['tags:read'] }, headers);
  expect(other.body).toMatchObject({ statusCode: 422, type: 'idempotency_conflict' });
  // Clients may add the header to each write.
  const rotated = await service.post(`/v1/keys/${first.field('key_id')}/rotate`, {}, headers);
  expect(rotated.field('secret')).toMatch(/^aud_/);
});

test('unknown keys are 404, other methods 405', async () => {
  const stranger = strangerId('grp').replace('grp', 'key');
  for (const change of ['rotate', 'revoke'])
    expect((await service.post(`/v1/keys/${stranger}/${change}`)).body).toEqual(refusals.notFound);
  const answer = await service.request('DELETE', '/v1/keys');
  expect(answer.body).toEqual(refusals.method);
  expect(answer.headers.allow).toBe('POST, GET, HEAD');
});

test('the list has pages, and shows nothing of a secret', async () => {
  const made = [await issue(['lists:read']), await issue(['lists:read']), await issue(['lists:read'])];
  const found: unknown[] = [];
  let cursor: unknown;
  do {
    const page: Answer = await ok(
      service.get(`/v1/keys?limit=2${typeof cursor === 'string' ? `&cursor=${cursor}` : ''}`),
    );
    expect(page.text).not.toMatch(/aud_|hash|[0-9a-f]{64}/);
    found.push(...page.items().map((key) => key['key_id']));
    cursor = (page.body as { next_cursor?: unknown }).next_cursor;
  } while (cursor !== undefined);
  expect(found).toEqual([...found].sort());
  expect(found).toEqual(expect.arrayContaining(made.map(({ id }) => id)));
  expect((await service.get('/v1/keys?cursor=x')).body).toEqual(refusals.cursor);
});

test('a rotation keeps the secret before as long as was said', async () => {
  const key = await issue(['lists:read']);
  const rotate = (body?: object): Promise<Answer> => service.post(`/v1/keys/${key.id}/rotate`, body);
  const before = Date.now();
  const first = await ok(rotate());
  const dayLater = Date.parse(first.field('previous_until')) - before;
  expect(dayLater).toBeGreaterThanOrEqual(86_400_000);
  expect(dayLater).toBeLessThan(86_460_000);
  const status = async (secret: string): Promise<number> => (await service.get('/v1/lists', bearer(secret))).status;
  expect([await status(key.secret), await status(first.field('secret'))]).toEqual([200, 200]);
  const second = await ok(rotate({ overlap_seconds: 0 }));
  expect(await Promise.all([key.secret, first.field('secret'), second.field('secret')].map(status))).toEqual([
    401, 401, 200,
  ]);
  expect(await entry(key.id)).toMatchObject({ state: 'active', rotated_at: expect.stringMatching(instant) as unknown });
  const expires_at = new Date(before + 3_600_000).toISOString();
  const brief = await issue(['lists:read'], { expires_at });
  expect((await ok(service.post(`/v1/keys/${brief.id}/rotate`))).field('previous_until')).toBe(expires_at);
  for (const overlap_seconds of [-1, 1.5, 2_592_001, '60', null])
    expect((await rotate({ overlap_seconds })).body).toMatchObject({
      message: 'overlap_seconds must be a whole number from 0 to 2592000',
    });
});

test('a revocation holds on open connections, ends open streams, and is final', async () => {
  const key = await issue(['audit:read', 'lists:read']);
  const connection = onOneConnection();
  expect(await connection.status('/v1/lists', key.bearer)).toBe(200);
  const feed = http.get(new URL('/v1/audit/events?follow=true&after=now', service.url()), { headers: key.bearer });
  const [stream] = (await once(feed, 'response')) as [http.IncomingMessage];
  expect(stream.statusCode).toBe(200);
  stream.resume();
  const cut = closeOf(stream);

  const done = success('Key revoked successfully!', { key_id: key.id, state: 'revoked' });
  expect((await service.post(`/v1/keys/${key.id}/revoke`, { reason: 'lost' })).body).toEqual(done);
  expect(await connection.status('/v1/lists', key.bearer)).toBe(401);
  connection.close();
  await cut;
  const events = await service.countEvents();
  expect((await service.post(`/v1/keys/${key.id}/revoke`, { reason: 'again' })).body).toEqual(done);
  expect(await service.countEvents()).toBe(events);
  expect((await service.post(`/v1/keys/${key.id}/rotate`)).body).toMatchObject({
    statusCode: 409,
    message: 'The API key cannot be rotated',
  });
  expect(await entry(key.id)).toMatchObject({
    state: 'revoked',
    revoked_at: expect.stringMatching(instant) as unknown,
  });
});

test('a bulk ends with the key that has begun it', async () => {
  const key = await issue(['contacts:write']);
  const list = await newList(service);
  const before = await service.countEvents();
  const lines = 10_000;
  const body = Array.from({ length: lines }, () => `{"email":"${someAddress()}","status":"Subscribed"}\n`).join('');
  const bulk = http.request(new URL(`/v1/contacts/${list}/bulk`, service.url()), {
    method: 'POST',
    headers: { ...key.bearer, 'content-type': 'application/x-ndjson' },
  });
  bulk.end(body);
  const [stream] = (await once(bulk, 'response')) as [http.IncomingMessage];
  expect(stream.statusCode).toBe(200);
  let answered = '';
  stream.on('data', (piece: Buffer) => (answered += piece.toString('utf8')));
  const cut = closeOf(stream);
  await ok(service.post(`/v1/keys/${key.id}/revoke`));
  await cut;
  expect(stream.complete).toBe(false);
  expect(answered.split('\n').length).toBeLessThan(lines);
  expect((await service.countEvents()) - before).toBeLessThan(2 * lines);
});

describe('GET /v1/keys/self', () => {
  const self = '/v1/keys/self';

  test('shows a key what the list shows of it, whatever its scopes', async () => {
    for (const scopes of [['reports'], ['keys', 'metrics']]) {
      const key = await issue(scopes, { expires_at: '2099-01-01T00:00:00Z' });
      await ok(service.post(`/v1/keys/${key.id}/rotate`));
      const answer = await ok(service.get(self, key.bearer));
      expect(answer.text).not.toMatch(/aud_|hash|[0-9a-f]{64}/);
      const { data } = answer.body as { data: object };
      const listed = { ...(await entry(key.id)), last_used_at: null, reads_recorded: true };
      expect({ ...data, last_used_at: null }).toEqual(listed);
      expect(data).toMatchObject({ key_id: key.id, scopes, state: 'active', expires_at: '2099-01-01T00:00:00.000Z' });
    }
  });

  test('shows a key of the configuration by its name', async () => {
    expect((await service.get(self)).body).toEqual(
      shown({
        key_id: null,
        name: 'test',
        scopes: [...allScopes],
        state: 'active',
        expires_at: null,
        previous_until: null,
        created_at: null,
        rotated_at: null,
        revoked_at: null,
        last_used_at: null,
        reads_recorded: true,
      }),
    );
  });

  test('needs a key that holds', async () => {
    expect((await service.get(self, { authorization: '' })).body).toEqual(unauthorized({}));
    const key = await issue(['reports']);
    await ok(service.post(`/v1/keys/${key.id}/revoke`));
    expect((await service.get(self, key.bearer)).status).toBe(401);
    expect((await service.request('POST', self)).body).toEqual(refusals.method);
  });
});

test.each([
  ['revoked', 'revoke', undefined],
  ['rotated without overlap', 'rotate', { overlap_seconds: 0 }],
])('what comes with a key that was %s meanwhile is not written', async (_, change, body) => {
  const key = await issue(['contacts:write', 'lists:write']);
  const list = await newList(service);
  const open = (path: string, type: string) => {
    const request = http.request(new URL(path, service.url()), {
      method: 'POST',
      headers: { ...key.bearer, 'content-type': type, 'content-length': 100 },
    });
    return request.on('error', () => undefined);
  };
  const bulk = open(`/v1/contacts/${list}/bulk`, 'application/x-ndjson');
  const create = open('/v1/lists/create', 'application/json');
  for (const request of [create, bulk]) request.write('{'.padEnd(50));
  // Both have been let in.
  await eventually(async () => ((await entry(key.id))?.['last_used_at'] === null ? undefined : true));
  const cut = new Promise((resolve) => bulk.once('close', resolve));
  await ok(service.post(`/v1/keys/${key.id}/${change}`, body));
  await cut;
  create.end('"list_name": "Too late"}'.padStart(50));
  const [answer] = (await once(create, 'response')) as [http.IncomingMessage];
  expect(answer.statusCode).toBe(401);
  answer.resume();
});

test('a key that ends is refused on an open connection, and its streams are cut', async () => {
  const key = await issue(['audit:read'], { expires_at: new Date(Date.now() + 1_500).toISOString() });
  const connection = onOneConnection();
  expect(await connection.status('/v1/audit/events?limit=1', key.bearer)).toBe(200);
  const feed = http.get(new URL('/v1/audit/events?follow=true&after=now', service.url()), { headers: key.bearer });
  const [stream] = (await once(feed, 'response')) as [http.IncomingMessage];
  stream.resume();
  await closeOf(stream);
  expect(await connection.status('/v1/audit/events?limit=1', key.bearer)).toBe(401);
  connection.close();
  expect(await entry(key.id)).toMatchObject({ state: 'expired' });
});

describe('an auditor, with audit:read alone,', () => {
  const endpoints = endpointsOf(createResources(Date.now)).filter(
    ({ scope }) => ![anyKey, scopeOfView, 'none'].includes(scope),
  );

  test('reads the record and changes nothing, whatever the route', async () => {
    const auditor = await issue(['audit:read']);
    const list = await newList(service);
    // Reads are recorded, and the service records by itself which keys of earlier tests have ended.
    const expected = ['RecordRead', 'ApiKeyExpired', 'ApiKeySecretExpired'];
    const changes = async () => (await service.events()).filter(({ type }) => !expected.includes(type)).length;
    const before = await changes();
    const reads: string[] = [];
    for (const { method, path, scope } of endpoints) {
      const target = path.replaceAll(/\{(\w+)\}/g, list);
      const verbs = method === 'get' ? ['GET', 'HEAD'] : method === 'post' ? ['POST'] : ['POST', 'DELETE'];
      for (const verb of verbs) {
        const body = verb === 'POST' ? { body: {} } : {};
        const answer = await service.request(verb, target, { ...body, headers: auditor.bearer });
        if (scope === 'audit:read') reads.push(`${verb} ${path}`);
        else expect(answer.status, `${verb} ${path}`).toBe(403);
        if (scope !== 'audit:read' && verb !== 'HEAD') expect(answer.body).toEqual(forbidden(scope));
      }
    }
    expect(reads.every((route) => /^(GET|HEAD) \/v1\/(audit\/|lists\/[^/]+\/diff)/.test(route))).toBe(true);
    expect(reads.length).toBeGreaterThan(0);
    expect(await changes()).toBe(before);
  });

  test('sees digests in the event feed, from which the leaves can be computed', async () => {
    const list = await newList(service);
    const email = someAddress();
    const path = `/v1/contacts/${list}/create`;
    // Other tests have written more than a page holds.
    const { headers: before } = await ok(service.post(path, { email: someAddress(), status: 'Subscribed' }));
    const created = await ok(service.post(path, { email, status: 'Subscribed', firstName: 'Ada' }));
    const sent = await ok(
      service.post('/v1/email/send', { from_email: email, to_email: email, subject: 'Hi', mail_template: 'Hello' }),
    );
    const feed = async (scopes: readonly string[]): Promise<readonly Readonly<Record<string, unknown>>[]> => {
      const { bearer: headers } = await issue(['audit:read', ...scopes]);
      const answer = await ok(
        service.get(
          `/v1/audit/events?types=ContactCreated,EmailRequested&after=${String(before['x-position'])}`,
          headers,
        ),
      );
      const ids = [created, sent].map(({ headers: own }) => own['x-request-id']);
      return answer.items().filter((event) => ids.includes(String(event['request_id'])));
    };
    const [contact, message] = await feed(['contacts:read', 'email:read']);
    const digest = expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as unknown;
    const person = expect.objectContaining({ email }) as unknown;
    const mail = expect.objectContaining({ to_email: email }) as unknown;
    expect([contact?.['data'], message?.['data']]).toMatchObject([{ person }, { message: mail }]);
    expect(JSON.stringify(await feed([]))).not.toContain(email);
    const leaf = (event: Readonly<Record<string, unknown>> | undefined): string =>
      leafOf(1, {
        stream: String(event?.['stream']),
        revision: Number(event?.['revision']),
        id: String(event?.['event_id']),
        type: String(event?.['type']),
        data: JSON.stringify(event?.['data']),
        metadata: '{}',
      });
    for (const [scopes, wanted] of [
      [[], [{ person: digest }, { message: digest }]],
      [['contacts:read'], [{ person }, { message: digest }]],
      [['email:read'], [{ person: digest }, { message: mail }]],
    ] as const) {
      const seen = await feed(scopes);
      expect(seen.map(({ data }) => data)).toMatchObject(wanted);
      expect(seen.map(leaf)).toEqual([contact, message].map(leaf));
    }
  });
});

// On a service of its own: from then on it refuses wrong keys of this machine for a minute.
test('wrong keys are limited for their address, also without a rate limit, and valid ones go on', async () => {
  const own = await startService();
  onTestFinished(() => own.close());
  const guess = (): Promise<Answer> => own.get('/v1/lists', bearer('wrong'));
  const answers = await Promise.all(Array.from({ length: 605 }, guess));
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.body).toEqual(refusals.rateLimited);
  expect(refused?.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  expect(refused?.headers).not.toHaveProperty('ratelimit');
  // 300 in any minute; more may pass where a minute begins between them.
  expect(answers.filter(({ status }) => status === 401).length).toBeGreaterThanOrEqual(300);
  expect((await own.get('/v1/lists')).status).toBe(200);
  expect((await own.get('/v1/lists', { authorization: undefined })).body).toEqual(unauthorized({}));
});
