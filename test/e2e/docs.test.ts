/** The page at /docs and the document behind it: no key, nothing from elsewhere, sent again only when changed. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type Service } from '../support/service.js';

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { RATE_LIMIT: '1' } });
});
afterAll(() => service.close());

const anonymous = { authorization: undefined };

test('the page loads what it needs from the service alone, and its policy allows no more', async () => {
  const page = await service.get('/docs', anonymous);
  expect(page.status).toBe(200);
  const policy = String(page.headers['content-security-policy']);
  expect(policy).toMatch(/^default-src 'none';/);
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
  expect(page.text).not.toMatch(/https?:/);
  const linked = [...page.text.matchAll(/(?:href|src)="(docs\/[^"]+)"/g)].map(([, file = '']) => file);
  expect(linked).toEqual(['docs/swagger-ui.css', 'docs/swagger-ui-bundle.js']);
  for (const file of linked) {
    const asset = await service.get(`/${file}`, anonymous);
    expect(asset.status).toBe(200);
    expect(asset.headers).toMatchObject({
      'cache-control': 'public, max-age=3600',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.stringMatching(/^[\w-]{36}$/),
    });
    const { etag } = asset.headers;
    expect((await service.get(`/${file}`, { ...anonymous, 'if-none-match': etag })).status).toBe(304);
  }
});

test('/docs/ leads to /docs, where what the page loads is found', async () => {
  const answer = await service.get('/docs/', anonymous);
  expect(answer).toMatchObject({ status: 301, headers: { location: '../docs', 'x-content-type-options': 'nosniff' } });
});

test('the document is compressed for who asks for that', async () => {
  const plain = await service.get('/openapi.json', anonymous);
  expect(plain.headers).not.toHaveProperty('content-encoding');
  const answer = await fetch(`${service.url()}/openapi.json`, { headers: { 'accept-encoding': 'gzip' } });
  expect(answer.headers.get('content-encoding')).toBe('gzip');
  expect(answer.headers.get('vary')).toBe('Accept-Encoding');
  expect(answer.headers.get('etag')).not.toBe(plain.headers.etag);
  expect(Number(answer.headers.get('content-length'))).toBeLessThan(45_000);
  expect(await answer.text()).toBe(plain.text);
});

test.for(['/docs', '/openapi.json'])('%s is not limited, and is sent again only when it has changed', async (path) => {
  const first = await service.get(path, anonymous);
  expect(first.headers['cache-control']).toBe('no-cache');
  const again = await service.get(path, { ...anonymous, 'if-none-match': first.headers.etag });
  expect(again.status).toBe(304);
  const head = await service.request('HEAD', path, { headers: anonymous });
  expect(head).toMatchObject({ status: 200, text: '', headers: { etag: first.headers.etag } });
  expect((await service.post(path, {}, anonymous)).headers.allow).toBe('GET, HEAD');
});
