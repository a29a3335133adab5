/** What is true of every answer: routes, methods, keys, request ids, headers, positions, slow clients. */
import { beforeAll, describe, expect, test } from 'vitest';
import {
  refusal,
  refusals,
  shown,
  someAddress,
  someRequestId,
  strangerId,
  unauthorized,
  unique,
} from '../support/answers.js';
import type { Answer, Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
/** Clients that never finish what they began, started early because being cut off takes its time. */
let slow: Record<
  'headers' | 'laterHeaders' | 'body' | 'unreadBody' | 'silent',
  Promise<{ text: string; took: number }>
>;

beforeAll(async () => {
  service = await sharedService();
  const dawdle = async (bytes: string): Promise<{ text: string; took: number }> => {
    const started = Date.now();
    const text = await service.raw(bytes, 28_000);
    return { text, took: Date.now() - started };
  };
  const head = `POST /v1/groups/create HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n`;
  slow = {
    headers: dawdle(head),
    laterHeaders: dawdle(`GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n${head}`),
    body: dawdle(`${head}Content-Length: 40\r\n\r\n{"group_name":`),
    unreadBody: dawdle('POST /v1/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 40\r\n\r\n{'),
    silent: dawdle('GET'),
  };
  for (const client of Object.values(slow)) client.catch(() => undefined);
});

const newGroup = (headers = {}): Promise<Answer> =>
  service.post('/v1/groups/create', { group_name: unique('Group') }, headers);

describe('routes', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/v1'],
    ['GET', '/v2/groups'],
    ['GET', '/v1/group'],
    ['POST', '/v1/groups/x/rename'],
    ['POST', '/v1/groups/x/update/more'],
    ['DELETE', '/v1/contacts/x/y/z'],
    ['POST', '/v1/email/send/now'],
    ['GET', '/.env'],
    ['GET', '/v1/..%2f..%2fetc%2fpasswd'],
    ['GET', '/health'],
  ])('%s %s is not there, with a key or without', async (method, path) => {
    for (const authorization of [`Bearer ${service.key}`, undefined]) {
      const answer = await service.request(method, path, { headers: { authorization } });
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(refusals.notFound);
    }
  });

  test.each([
    '/v1/lists/%E0%A4%A',
    '/v1/lists/%',
    '/v1/contacts/%ff/%fe',
    `/v1/lists/${'x'.repeat(6_000)}`,
    '/v1/lists/%00',
  ])('a path that cannot be an id is a 4xx in the envelope: %#', async (path) => {
    const answer = await service.get(path);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.body).toMatchObject({ statusCode: answer.status, status: 'Error', data: {} });
  });

  test.each([
    ['GET', '/v1/groups/create', ['POST']],
    ['DELETE', '/v1/lists/create', ['POST']],
    ['PUT', '/v1/tags/create', ['POST']],
    ['GET', '/v1/groups/x/update', ['POST']],
    ['PATCH', '/v1/lists/x/update', ['POST']],
    ['GET', '/v1/tags/x/delete', ['DELETE', 'POST']],
    ['PUT', '/v1/groups/x/delete', ['DELETE', 'POST']],
    ['POST', '/v1/groups', ['GET']],
    ['DELETE', '/v1/lists/x', ['GET']],
    ['POST', '/v1/tags/x', ['GET']],
    ['GET', '/v1/contacts/x/create', ['POST']],
    ['PUT', '/v1/contacts/x/upsertcontact', ['POST']],
    ['GET', '/v1/contacts/x/updatestatus', ['POST']],
    ['DELETE', '/v1/contacts/x', ['GET']],
    ['GET', '/v1/contacts/tags/x/add', ['POST']],
    ['DELETE', '/v1/contacts/tags/x/remove', ['POST']],
    ['GET', '/v1/email/send', ['POST']],
    ['POST', '/v1/email/x', ['GET']],
    ['OPTIONS', '/v1/groups/create', ['POST']],
    ['POST', '/health/ready', ['GET']],
    ['DELETE', '/health/live', ['GET']],
  ])('%s %s is no method of it', async (method, path, allowed) => {
    for (const authorization of [`Bearer ${service.key}`, undefined]) {
      const answer = await service.request(method, path, { headers: { authorization } });
      expect(answer.status).toBe(405);
      expect(answer.body).toEqual(refusals.method);
      const allow = (answer.headers.allow ?? '').split(/\s*,\s*/).filter((one) => one !== 'HEAD' && one !== 'OPTIONS');
      expect(allow.sort()).toEqual(allowed);
    }
  });
});

describe('keys', () => {
  const wrong = (): [string, string | undefined][] => [
    ['none', undefined],
    ['empty', ''],
    ['scheme only', 'Bearer'],
    ['empty key', 'Bearer '],
    ['another key', 'Bearer wrong'],
    ['one character more', `Bearer ${service.key}x`],
    ['one character less', `Bearer ${service.key.slice(0, -1)}`],
    ['other case', `Bearer ${service.key.toUpperCase()}`],
    ['with its name', `Bearer test:${service.key}`],
    ['another scheme', `Basic ${Buffer.from(`test:${service.key}`).toString('base64')}`],
    ['no scheme', service.key],
    ['two keys', `Bearer ${service.key}, Bearer ${service.key}`],
    ['very long', `Bearer ${'x'.repeat(8_000)}`],
  ];

  test('a missing or wrong one is 401, and nothing else happens', async () => {
    const events = await service.countEvents();
    const group_name = unique('Nobody');
    for (const [what, authorization] of wrong()) {
      const answer = await service.post('/v1/groups/create', { group_name }, { authorization });
      expect(answer.status, what).toBe(401);
      expect(answer.body, what).toEqual(unauthorized({ group_name }));
      expect(answer.headers['www-authenticate'], what).toMatch(/^Bearer\b/);
    }
    expect(await service.countEvents()).toBe(events);
  });

  test.each(['bearer', 'BEARER', 'bEaReR'])('the scheme may be written %s', async (scheme) => {
    expect((await service.get('/v1/groups', { authorization: `${scheme} ${service.key}` })).status).toBe(200);
  });

  test('health needs none', async () => {
    for (const path of ['/health/live', '/health/ready'])
      expect((await service.get(path, { authorization: undefined })).status).toBe(200);
  });
});

describe('request ids', () => {
  test.each(['a', 'A.b_c-9', 'x'.repeat(128)])(
    'one of the caller is echoed and kept with the events: %#',
    async (id) => {
      const requestId = `${id}${id.length < 100 ? someRequestId() : ''}`;
      const answer = await newGroup({ 'x-request-id': requestId });
      expect(answer.headers['x-request-id']).toBe(requestId);
      expect(await service.events(requestId)).toMatchObject([
        { type: 'GroupCreated', metadata: { request_id: requestId } },
      ]);
    },
  );

  test.each([[''], ['x'.repeat(129)], ['a b'], ['a/b'], ['é'], ['<script>'], [undefined]])(
    'another one is replaced: %#',
    async (id) => {
      const answer = await newGroup({ 'x-request-id': id });
      const given = String(answer.headers['x-request-id']);
      expect(given).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
      expect(given).not.toBe(id);
      expect(await service.events(given)).toMatchObject([{ type: 'GroupCreated' }]);
    },
  );
});

describe('headers', () => {
  test.each([
    ['a success', 'GET', '/v1/groups', 200],
    ['a missing route', 'GET', '/nowhere', 404],
    ['a wrong method', 'PUT', '/v1/groups', 405],
    ['a refusal', 'POST', '/v1/groups/create', 400],
    ['liveness', 'GET', '/health/live', 200],
    ['readiness', 'GET', '/health/ready', 200],
  ])('of %s are safe and name no software', async (_what, method, path, status) => {
    const { headers, ...answer } = await service.request(method, path);
    expect(answer.status).toBe(status);
    expect(headers['content-type']).toMatch(/^application\/json(; charset=utf-8)?$/i);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['content-security-policy']).toMatch(/default-src '(self|none)'/);
    expect(headers).not.toHaveProperty('strict-transport-security');
    expect(headers['x-frame-options']).toMatch(/^(DENY|SAMEORIGIN)$/);
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['x-request-id']).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('ratelimit');
    expect(headers).not.toHaveProperty('ratelimit-policy');
  });
});

describe('positions', () => {
  test('a write names its own, and a read that asks for it sees the write', async () => {
    const answer = await newGroup();
    const position = String(answer.headers['x-position']);
    const logged = await service.events(String(answer.headers['x-request-id']));
    expect(logged.map((event) => event.position)).toEqual([position]);
    const read = await service.get(`/v1/groups/${answer.field('group_id')}`, { 'x-min-position': position });
    expect(read.body).toMatchObject({ ...shown({ group_id: answer.field('group_id') }) });
  });

  const reads = async (): Promise<readonly string[]> => {
    const list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
    const contact = { email: someAddress(), status: 'Subscribed', tag_name: [unique('Tag')] };
    const id = await service.make(`/v1/contacts/${list}/upsertcontact`, contact, 'contact_id');
    const [tag] = (await service.get('/v1/tags?limit=1')).items();
    const group = (await newGroup()).field('group_id');
    const ofContacts = [`?email=${contact.email}`, `/${list}`, `/${list}/${id}`].map((rest) => `/v1/contacts${rest}`);
    const each = [`/v1/groups/${group}`, `/v1/lists/${list}`, `/v1/tags/${String(tag?.['tag_id'])}`];
    return ['/v1/groups', '/v1/lists', '/v1/tags', ...each, ...ofContacts];
  };

  test('one beyond the end of the log is 400, on every read', async () => {
    const paths = await reads();
    for (const path of paths) expect((await service.get(path)).status, path).toBe(200);
    const last = BigInt(String((await newGroup()).headers['x-position']));
    for (const beyond of [String(last + 1_000n), '9'.repeat(40)]) {
      const headers = { 'x-min-position': beyond };
      for (const path of paths)
        expect((await service.get(path, headers)).body, path).toEqual(
          refusal('X-Min-Position is not a position of this log', {}),
        );
    }
  });

  test('zeros in front may be missing', async () => {
    const position = String((await newGroup()).headers['x-position']);
    for (const text of [position, position.replace(/^0+/, ''), `000${position}`, '0'])
      expect((await service.get('/v1/groups', { 'x-min-position': text })).status, text).toBe(200);
  });

  test('own reads refuse query parameters that they do not know; the documented ones ignore them', async () => {
    for (const path of await reads()) {
      const answer = await service.get(`${path}${path.includes('?') ? '&' : '?'}statsu=x`);
      if (/^\/v1\/(lists|tags)\/./.test(path)) expect(answer.status, path).toBe(200);
      else expect(answer.body, path).toEqual(refusal('Unknown query parameter statsu', {}));
    }
  });

  test.each(['abc', '-1', '1.5', '0x10', '9'.repeat(500), strangerId('grp')])(
    'a malformed one is 400: %#',
    async (position) => {
      const answer = await service.get('/v1/groups', { 'x-min-position': position });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        message: 'X-Min-Position is not a position of this log',
        type: 'validation_error',
        data: {},
      });
    },
  );
});

describe('what is no HTTP, or comes too slowly', () => {
  test.each([
    ['no request line', 'hello\r\n\r\n', / 400 /],
    ['headers too large', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, / 431 /],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}', / 400 /],
    [
      'length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}',
      / 400 /,
    ],
  ])('%s is refused', async (_what, bytes, status) => {
    expect((await service.raw(bytes)).slice(0, 40)).toMatch(status);
    expect((await service.get('/health/live')).status).toBe(200);
  });

  const answered: Readonly<Record<string, RegExp>> = { silent: /^$| 408 /, unreadBody: / 404 / };

  test('slow clients are cut off within 22 seconds, others are served', async () => {
    for (const [what, client] of Object.entries(slow)) {
      const { text, took } = await client;
      expect(text, what).toMatch(answered[what] ?? /HTTP\/1\.1 408 /);
      expect(took, what).toBeLessThan(22_000);
    }
    expect((await newGroup()).status).toBe(200);
  }, 30_000);
});
