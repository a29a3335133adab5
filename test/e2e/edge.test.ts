/** At the edge: the limits of clients behind a proxy, and pages of other origins. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startService, type Service } from '../support/service.js';

const limit = 3;
const page = 'https://app.example.com';
let service: Service;
let plain: Service;
beforeAll(async () => {
  const env = { RATE_LIMIT: String(limit), API_KEYS: 'page:page-key', TRUST_PROXY: 'loopback' };
  service = await startService({ env: { ...env, CORS_ORIGINS: `https://other.example.com,${page}` } });
  plain = await startService({ env: { RATE_LIMIT: String(limit) } });
});
afterAll(() => Promise.all([service.close(), plain.close()]));

/** A proxy that adds the client's address as it is told to. */
async function proxyTo({ url }: Service, add: (headers: http.IncomingHttpHeaders) => http.OutgoingHttpHeaders) {
  const proxy = http.createServer((incoming, outgoing) => {
    const { method, url: path = '/', headers } = incoming;
    const onwards = http.request(
      new URL(path, url()),
      { method, headers: { ...headers, ...add(headers) } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(onwards);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const { port } = proxy.address() as AddressInfo;
  return async (headers: Readonly<Record<string, string>> = {}): Promise<number> =>
    (await fetch(`http://127.0.0.1:${port}/v1/groups`, { headers })).status;
}

/** Until the limit bites, within two windows. */
async function exhaust(ask: () => Promise<number>): Promise<void> {
  for (let count = 0; count <= 2 * limit; count += 1) if ((await ask()) === 429) return;
  throw new Error('never limited');
}

describe('behind a proxy', () => {
  test('each client has its own limit, whatever it says itself', async () => {
    let client = '198.51.100.1';
    const ask = await proxyTo(service, ({ 'x-forwarded-for': said }) => ({
      'x-forwarded-for': said === undefined ? client : `${String(said)}, ${client}`,
    }));
    let count = 0;
    await exhaust(() => ask({ 'x-forwarded-for': `203.0.113.${(count += 1)}` }));
    expect(await ask()).toBe(429);
    client = '198.51.100.2';
    expect(await ask()).toBe(401);
  });

  test('in the form of RFC 7239 too', async () => {
    let client = '"[2001:db8::1]:4711"';
    const ask = await proxyTo(service, () => ({ forwarded: `for=${client};proto=https` }));
    await exhaust(ask);
    // Of the same network, and of another one.
    client = '"[2001:db8::2]:4711"';
    expect(await ask()).toBe(429);
    client = '"[2001:db8:0:1::2]:4711"';
    expect(await ask()).toBe(401);
  });

  test('that is not trusted, all have the limit of the proxy', async () => {
    let count = 0;
    const ask = await proxyTo(plain, () => ({ 'x-forwarded-for': `198.51.100.${(count += 1)}` }));
    await exhaust(ask);
    expect(await ask()).toBe(429);
  });
});

describe('a page of an allowed origin', () => {
  const preflight = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(service.url() + path, {
      method: 'OPTIONS',
      headers: { origin: page, 'access-control-request-method': 'POST', ...headers },
    });

  test('is told before the key what it may send', async () => {
    const answer = await preflight('/v1/contacts/lst_x/create');
    expect(answer.status).toBe(200);
    const { headers } = answer;
    expect(headers.get('access-control-allow-origin')).toBe(page);
    expect(headers.get('access-control-allow-methods')).toBe('POST');
    expect(headers.get('access-control-allow-headers')?.split(',')).toEqual(
      expect.arrayContaining([
        'Authorization',
        'Content-Type',
        'Idempotency-Key',
        'Prefer',
        'traceparent',
        'X-Min-Position',
      ]),
    );
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('vary')).toBe('Origin');
    expect(headers.get('x-request-id')).not.toBeNull();
    expect((await preflight('/v1/groups/grp_x/delete')).headers.get('access-control-allow-methods')).toBe(
      'POST, DELETE',
    );
    expect((await preflight('/health/live')).headers.get('access-control-allow-methods')).toBe('GET, HEAD');
    // So that the page may read the 404.
    expect((await preflight('/v1/nowhere')).status).toBe(200);
  });

  test('reads every answer, refusals too, and its headers', async () => {
    for (const [path, key, status] of [
      ['/v1/groups', 'page-key', 200],
      ['/v1/groups?x=1', 'page-key', 400],
      ['/v1/groups', 'wrong-key', 401],
      ['/v1/nowhere', 'page-key', 404],
      ['/v1/audit/events?format=ndjson&limit=1', 'page-key', 200],
      ['/health/live', 'page-key', 200],
    ] as const) {
      const answer = await fetch(service.url() + path, {
        headers: { origin: page, authorization: `Bearer ${key}`, 'x-forwarded-for': `192.0.2.${status % 100}` },
      });
      expect([path, answer.status]).toEqual([path, status]);
      expect(answer.headers.get('access-control-allow-origin')).toBe(page);
      expect(answer.headers.get('access-control-expose-headers')?.split(',')).toEqual(
        expect.arrayContaining([
          'ETag',
          'X-Request-Id',
          'X-Ignored-Fields',
          'X-Position',
          'RateLimit',
          'Retry-After',
          'Location',
          'WWW-Authenticate',
        ]),
      );
      expect(answer.headers.get('vary')).toBe('Origin');
      expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
  });

  test('of no other one, and of none without CORS_ORIGINS', async () => {
    const headers = { origin: 'https://app.example.com.evil.example', 'access-control-request-method': 'POST' };
    const asked = await preflight('/v1/groups/create', headers);
    expect(asked.status).toBe(405);
    expect(asked.headers.get('allow')).toBe('POST');
    expect(asked.headers.get('access-control-allow-origin')).toBeNull();
    for (const method of ['OPTIONS', 'POST']) {
      const ofPage = { ...headers, origin: page, authorization: `Bearer ${plain.key}` };
      const answer = await fetch(`${plain.url()}/v1/groups/create`, { method, headers: ofPage });
      expect(answer.status).toBe(method === 'OPTIONS' ? 405 : 400);
      expect([...answer.headers.keys()].filter((name) => name === 'vary' || name.startsWith('access-'))).toEqual([]);
    }
  });
});
