/** The rate limit: a bucket per key, one for e-mail, one per address before authentication. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refusals, someAddress, unauthorized } from '../support/answers.js';
import { startService, type Answer, type Service } from '../support/service.js';

const limit = 5;
const emailLimit = 3;
const keys = ['steady', 'greedy', 'mailing', 'both', 'checked', 'patient', 'issuing'] as const;
const bearer = (key: (typeof keys)[number]): { authorization: string } => ({ authorization: `Bearer ${key}-key` });

let service: Service;
beforeAll(async () => {
  service = await startService({
    env: {
      RATE_LIMIT: String(limit),
      RATE_LIMIT_EMAIL: String(emailLimit),
      API_KEYS: keys.map((key) => `${key}:${key}-key`).join(','),
    },
  });
});
afterAll(() => service.close());

const email = (): object => ({
  from_email: 'ledger@example.com',
  to_email: someAddress(),
  subject: 'Hello',
  mail_template: 'Hello',
});

/** Repeats until the limit bites, but not before `least`; a window that turns over meanwhile allows twice as many at most. */
async function exhaust(times: number, call: () => Promise<Answer>, least = times): Promise<Answer> {
  for (let count = 0; count <= 2 * times; count += 1) {
    const answer = await call();
    if (answer.status === 429) {
      expect(count).toBeGreaterThanOrEqual(least);
      return answer;
    }
  }
  throw new Error(`no 429 in ${2 * times + 1} requests`);
}

function expectFields({ headers }: Answer, quota: number): void {
  expect(headers['ratelimit-policy']).toMatch(new RegExp(`;\\s*q=${quota}\\b`));
  expect(headers['ratelimit-policy']).toMatch(/;\s*w=60\b/);
  expect(headers['ratelimit']).toMatch(/;\s*r=\d+\b/);
  expect(headers['ratelimit']).toMatch(/;\s*t=\d+\b/);
}

const remaining = ({ headers }: Answer): number => Number(/;\s*r=(\d+)/.exec(String(headers['ratelimit']))?.[1]);

describe('a key', () => {
  test('has its quota a minute, told with every answer', async () => {
    const first = await service.get('/v1/groups', bearer('steady'));
    expect(first.status).toBe(200);
    expectFields(first, limit);
    expect(remaining(first)).toBe(limit - 1);
    const second = await service.post('/v1/groups/create', {}, bearer('steady'));
    expect(second.status).toBe(400);
    expectFields(second, limit);
    expect(remaining(second)).toBe(limit - 2);
  });

  test('is refused beyond it, before its body is looked at, and others are not', async () => {
    const refused = await exhaust(limit, () => service.get('/v1/groups', bearer('greedy')));
    expect(refused.body).toEqual(refusals.rateLimited);
    expectFields(refused, limit);
    expect(remaining(refused)).toBe(0);
    const wait = String(refused.headers['retry-after']);
    expect(wait).toMatch(/^[1-9]\d*$/);
    expect(Number(wait)).toBeLessThanOrEqual(60);

    const events = await service.countEvents();
    const raw = '{"group_name":"Fine"}';
    for (const contentType of ['application/json', 'text/plain'])
      for (const text of [raw, '{', raw.padEnd(300_000)]) {
        const headers = { ...bearer('greedy'), 'content-type': contentType };
        const answer = await service.request('POST', '/v1/groups/create', { raw: text, headers });
        expect(answer.body).toEqual(refusals.rateLimited);
      }
    expect(await service.countEvents()).toBe(events);
    expect((await service.get('/v1/groups', bearer('patient'))).status).toBe(200);
  });

  test('has one for all of its secrets, counted before its scopes are looked at', async () => {
    const issued = await service.post('/v1/keys', { name: 'narrow', scopes: ['lists:read'] }, bearer('issuing'));
    const rotated = await service.post(`/v1/keys/${issued.field('key_id')}/rotate`, {}, bearer('issuing'));
    const secrets = [issued.field('secret'), rotated.field('secret')];
    const statuses: number[] = [];
    const refused = await exhaust(limit, async () => {
      const answer = await service.get('/v1/groups', { authorization: `Bearer ${secrets[statuses.length % 2]}` });
      statuses.push(answer.status);
      return answer;
    });
    expect(refused.body).toEqual(refusals.rateLimited);
    expect(new Set(statuses)).toEqual(new Set([403, 429]));
  });

  test('has another quota for sending e-mail', async () => {
    const send = (): Promise<Answer> => service.post('/v1/email/send', email(), bearer('mailing'));
    const first = await send();
    expect(first.status).toBe(200);
    expectFields(first, emailLimit);
    const refused = await exhaust(emailLimit - 1, send);
    expect(refused.body).toEqual(refusals.rateLimited);
    expect(refused.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    const other = await service.get('/v1/groups', bearer('mailing'));
    expect(other.status).toBe(200);
    expect(remaining(other)).toBe(limit - 1);
  });

  test('may send e-mail when its other quota is spent', async () => {
    await exhaust(limit, () => service.get('/v1/lists', bearer('both')));
    expect((await service.post('/v1/email/send', email(), bearer('both'))).status).toBe(200);
  });
});

describe('without a key', () => {
  test('keys that are short enough to be guessed are warned of at the start, by name', () => {
    const warned = [
      ...service.output().matchAll(/"key":"(\w+)","msg":"a key of API_KEYS has less than 16 characters/g),
    ];
    expect(warned.map(([, name]) => name)).toEqual(keys);
    for (const key of keys) expect(service.output()).not.toContain(bearer(key).authorization.slice('Bearer '.length));
  });

  test('what the route decides is answered with the fields too', async () => {
    for (const [method, path, status] of [
      ['GET', '/v1/nowhere', 404],
      ['PUT', '/v1/groups', 405],
    ] as const) {
      const answer = await service.request(method, path, { headers: bearer('checked') });
      expect(answer.status).toBe(status);
      expectFields(answer, limit);
    }
  });

  test('wrong keys have the quota of their address, and leave that of the keys alone', async () => {
    const guess = (): Promise<Answer> => service.get('/v1/groups', { authorization: 'Bearer guess' });
    const first = await guess();
    expect(first.body).toEqual(unauthorized({}));
    expectFields(first, limit);
    const refused = await exhaust(limit, guess, 1);
    expect(refused.body).toEqual(refusals.rateLimited);
    expect(refused.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    const good = await service.get('/v1/groups', bearer('checked'));
    expect(good.status).toBe(200);
  });

  test('health is not limited', async () => {
    for (let count = 0; count < 4 * limit; count += 1) {
      const answer = await service.get(count % 2 === 0 ? '/health/live' : '/health/ready', {
        authorization: undefined,
      });
      expect(answer.status).toBe(200);
      expect(answer.headers).not.toHaveProperty('ratelimit');
    }
  });
});
