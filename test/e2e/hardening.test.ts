/** What once went wrong from outside and must not again. */
import { closeSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unique } from '../support/answers.js';
import { paths } from '../support/api-description.js';
import { freshFolder, runToExit, startService, type Service } from '../support/service.js';
import { onServers } from '../support/stores.js';

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { RATE_LIMIT: '1000000' } });
});
afterAll(() => service.close());

const send = (from_email: string) =>
  service.post('/v1/email/send', { from_email, to_email: 'a@b.co', subject: 's', mail_template: 'x' });

test('a display name of 255 characters is taken, a longer one is no valid address', async () => {
  expect((await send(`${'n'.repeat(255)} <a@b.co>`)).status).toBe(200);
  const refused = await send(`${'n'.repeat(256)} <a@b.co>`);
  expect(refused.status).toBe(400);
  expect(refused.body).toMatchObject({ message: 'from_email must be a valid email address' });
});

test('the rate fields stand on every answer under /v1, in whatever form it is asked for', async () => {
  for (const target of ['/v1', '/v1?x=1', '/v1/nope']) {
    const answer = await service.get(target);
    expect(answer.status).toBe(404);
    expect(answer.headers).toHaveProperty('ratelimit-policy');
  }
});

test('requests sent all at once are answered one after the other, each whole, in order', async () => {
  const names = Array.from({ length: 50 }, (_, index) => unique(`Pipelined ${index}`));
  const requests = names.map((name, index) => {
    const body = JSON.stringify({ group_name: name });
    const last = index === names.length - 1 ? 'Connection: close\r\n' : '';
    return `POST /v1/groups/create HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n${last}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  });
  const text = await service.raw(requests.join(''));
  expect([...text.matchAll(/"group_name":"([^"]+)"/g)].map(([, name]) => name)).toEqual(names);
});

test('101 of 150 requests that are sent all at once are answered, and the last answer ends the connection', async () => {
  const text = await service.raw('GET /nope HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(150));
  expect(text.match(/HTTP\/1\.1 404 /g)).toHaveLength(101);
  expect(text.match(/^Connection: close/gim)).toHaveLength(1);
});

test('whatever stands in a path, the answer is one that is described of its operation', async () => {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({ path, method, statuses: Object.keys(responses) })),
  );
  for (const word of ['%zz', '%FF', 'create', 'send'])
    for (const { path, method, statuses } of operations.filter((one) => one.path.includes('{'))) {
      const answer = await service.request(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, word));
      expect(statuses, `${method} ${path} with ${word}`).toContain(String(answer.status));
    }
});

describe('files', () => {
  test('an empty secret is refused by name', async ({ skip }) => {
    skip(onServers, 'with EVENTSTORE_URL the secret comes from the environment');
    const dataDir = freshFolder();
    writeFileSync(path.join(dataDir, 'secret'), '');
    const { code, output } = await runToExit(dataDir, {});
    expect(code).not.toBe(0);
    expect(output).toMatch(/secret must hold at least 32 bytes/);
  });

  test('broken stored keys are refused by name', async () => {
    const dataDir = freshFolder();
    writeFileSync(path.join(dataDir, 'api-keys.json'), '{bad');
    const { code, output } = await runToExit(dataDir, { API_KEYS: undefined });
    expect(code).not.toBe(0);
    expect(output).toMatch(/api-keys\.json cannot be read/);
    expect(output).not.toMatch(/SyntaxError/);
  });

  test('views that are damaged inside are folded anew at the next start', async ({ skip }) => {
    skip(onServers, 'the files of MongoDB are its own');
    const listId = await service.make('/v1/lists/create', { list_name: unique('Kept') }, 'list_id');
    for (let count = 0; count < 30; count += 1)
      await service.make(
        `/v1/contacts/${listId}/create`,
        { email: `${unique('kept')}@example.com`.replace(/\s/g, ''), status: 'Subscribed' },
        'contact_id',
      );
    await service.kill('SIGTERM');
    const file = path.join(service.dataDir, 'views.db');
    const handle = openSync(file, 'r+');
    for (let at = 8 * 4096; at < statSync(file).size; at += 3 * 4096)
      writeSync(handle, Buffer.alloc(4096, 0xa5), 0, 4096, at);
    closeSync(handle);
    await service.start();
    expect((await service.get(`/v1/contacts/${listId}?limit=200`)).items()).toHaveLength(30);
    expect(service.output()).toMatch(/corrupt and is being rebuilt/);
  });
});
