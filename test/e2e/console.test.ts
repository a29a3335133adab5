/** The files of the console, as a browser or a proxy gets them. What they do in a browser is in test/console. */
import { beforeAll, expect, test } from 'vitest';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

/** As a browser asks: without a key. The description of the API does not know these answers. */
const ask = async (path: string, init: RequestInit = {}) => await fetch(`${service.url()}${path}`, init);

const filesOf = (html: string): readonly string[] =>
  [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, file = '']) => file);

test.each(['/console', '/console/', '/console/lists', '/console/lists/', '/console/contacts/con_1/report'])(
  '%s is the page, and its files are found from there',
  async (path) => {
    const response = await ask(path);
    expect(response.status).toBe(200);
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' });
    const policy = headers['content-security-policy'];
    const text = await response.text();
    expect(policy).toMatch(/^default-src 'none';/);
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:|blob:/);
    expect(text).not.toMatch(/<style|<script(?! type="module" src=)|\son\w+=/);
    const files = filesOf(text);
    expect(files).toHaveLength(3);
    for (const file of files) {
      const { pathname } = new URL(file, `${service.url()}${path}`);
      const found = await ask(pathname);
      expect({ pathname, status: found.status }).toEqual({ pathname, status: 200 });
      expect(found.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
  },
);

test('all of it is less than 120 KB to load', async () => {
  const seen = new Set<string>();
  let bytes = 0;
  const load = async (path: string): Promise<void> => {
    if (seen.has(path)) return;
    seen.add(path);
    const response = await ask(path, { headers: { 'accept-encoding': 'gzip' } });
    expect(response.status).toBe(200);
    bytes += Number(response.headers.get('content-length'));
    const text = await response.text();
    const names = path.endsWith('.js')
      ? [...text.matchAll(/["`']\.\/([\w.-]+\.js)["`']/g)].map(([, name = '']) => name)
      : filesOf(text).map((file) => file.replace(/^.*assets\//, ''));
    for (const name of names) await load(`/console/assets/${name}`);
  };
  await load('/console/');
  // The page, its style and icon, the first script, and one more for each view.
  expect(seen.size).toBeGreaterThan(12);
  expect(bytes).toBeLessThan(120_000);
});

test.each([
  ['gzip, deflate, br', 'gzip'],
  ['identity', null],
])('a browser that takes %s gets %s', async (accepted, encoding) => {
  const { headers } = await ask('/console/', { headers: { 'accept-encoding': accepted } });
  expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([encoding, 'Accept-Encoding']);
});

test.each([
  ['GET', '/console/assets/none.js', 404],
  ['GET', '/console/assets/', 404],
  ['GET', '/console/assets/..%2findex.html', 404],
  ['GET', '/console/..%2f..%2fpackage.json', 200],
  ['GET', '/console/a/b/c/d/e', 404],
  ['GET', '/consoles', 404],
  ['POST', '/console', 405],
  ['DELETE', '/console/lists', 405],
])('%s %s: %d, and nothing of the disk', async (method, path, status) => {
  const answer = await ask(path, { method });
  expect(answer.status).toBe(status);
  expect(await answer.text()).not.toContain('"dependencies"');
  if (status === 405) expect(answer.headers.get('allow')).toBe('GET, HEAD');
});
