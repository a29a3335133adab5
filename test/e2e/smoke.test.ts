/** `npm run smoke`: it tells a service that works from one that does not, and takes back what it made. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unique } from '../support/answers.js';
import { startService, type Service } from '../support/service.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

async function smoke(words: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['scripts/smoke-live.mjs', ...words], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  return { code: child.exitCode, output };
}

const lists = async (): Promise<readonly unknown[]> => (await service.get('/v1/lists')).items();

test('a service that works: in ten seconds, and nothing of it stays', async () => {
  const before = await lists();
  const { code, output } = await smoke([service.url(), service.key]);
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(output).toMatch(
    /a list is made[^]*a contact is made[^]*no e-mail is sent[^]*erased[^]*deleted[^]*all is well\n$/,
  );
  expect(Number(/(\d+) ms {2}all is well/.exec(output)?.[1])).toBeLessThan(10_000);
  expect(await lists()).toEqual(before);
  const address = /smoke-[0-9a-f]{8}@example\.com/;
  expect(JSON.stringify((await service.events()).map(({ data }) => data))).not.toMatch(address);
  expect((await service.get('/v1/email?limit=200')).items()).toEqual([]);
});

test('with --email one e-mail goes to that address, and is seen to be sent', async () => {
  const { code, output } = await smoke([service.url(), service.key, '--email', 'me@example.com']);
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(output).toContain('an e-mail was sent, or written to the outbox where there is no mail server');
  expect((await service.get('/v1/email?state=sent')).items()).toHaveLength(1);
});

test('what is wrong is said, and the list is deleted all the same', async () => {
  expect(await smoke([service.url(), 'a-key-that-is-wrong'])).toMatchObject({
    code: 1,
    output: expect.stringContaining('401') as unknown,
  });
  const scopes = ['lists:read', 'lists:write', 'contacts:read'];
  const weak = await service.post('/v1/keys', { name: unique('Smoke'), scopes });
  const before = await lists();
  const failed = await smoke([service.url()], { AUDIENCE_KEY: weak.field('secret') });
  expect(failed.code).toBe(1);
  expect(failed.output).toMatch(/FAILED: POST \/v1\/contacts\/lst_\w+\/create: 403[^]*something is wrong/);
  expect(await lists()).toEqual(before);
});

test('a service that is not there, and a command line that says nothing', async () => {
  expect(await smoke(['http://127.0.0.1:9', 'key'])).toMatchObject({ code: 1 });
  expect(await smoke([])).toMatchObject({
    code: 2,
    output: expect.stringContaining('npm run smoke -- URL KEY') as unknown,
  });
  expect(await smoke(['--unknown'])).toMatchObject({ code: 2 });
});
