/** The demo of ten thousand people, and `npm run demo` as it is called. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../client/client.js';
import { makeDemo } from '../../demo/folder.js';
import { readOptions } from '../../demo/options.js';
import { makeYear } from '../../demo/year.js';
import { audience } from '../support/audience.js';
import { eventually } from '../support/service.js';

const script = fileURLToPath(new URL('../../scripts/demo.mjs', import.meta.url));
const place = mkdtempSync(path.join(tmpdir(), 'demo-'));

afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Of a terminal whose variables are those of another service. */
async function runDemo(...args: readonly string[]) {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: place,
    env: { PATH: process.env['PATH'], PORT: '0', SMTP_URL: 'smtp://mail.example:25', DATA_DIR: 'elsewhere' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'exit');
  let said = '';
  child.stdout.on('data', (text: Buffer) => (said += text.toString('utf8')));
  const [, url = '', apiKey = ''] = await eventually(() => {
    if (child.exitCode !== null) throw new Error(`the demo ended: ${said}`);
    return Promise.resolve(/(http\S+)\/console\n.*: +(aud_\w+)/.exec(said) ?? undefined);
  });
  return {
    ...{ url, said, client: createClient({ baseUrl: url, apiKey }) },
    async stop(): Promise<unknown> {
      child.kill('SIGTERM');
      return (await ended)[0];
    },
  };
}

test('ten thousand people take less than half a minute, and what is held, in doubt or put off is still so', async () => {
  const options = readOptions(['--folder', path.join(place, 'large')], Date.now());
  if (options === undefined) throw new Error('help was not asked for');
  const before = process.threadCpuUsage();
  const made = await makeDemo(options, (folder) => makeYear(folder, options, () => undefined));
  // Time of the processor, for other tests run beside this one. Writing and folding have threads of their own.
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(30);
  expect(made.events).toBeGreaterThan(60_000);

  const { url, client, stop } = await runDemo('--folder', options.folder);
  expect((await fetch(`${url}/console/`)).status).toBe(200);
  expect((await client.listLists({ query: { limit: 100 } })).data).toHaveLength(12);
  for (const state of ['held', 'in_doubt', 'deferred'] as const) {
    const { data } = await client.listEmails({ query: { state } });
    expect(data.length, state).toBeGreaterThan(0);
  }
  expect(await stop()).toBe(0);
  expect((await audience(['audit', 'verify', '--data-dir', options.folder])).code).toBe(0);
});

test('the first run makes the folder, the next ones start it as it is', async () => {
  const first = await runDemo('--people', '60');
  expect(first.said).toMatch(/events of a year were written in/);
  expect(await first.stop()).toBe(0);
  const mark = path.join(place, 'demo-data', 'demo.json');
  const made = readFileSync(mark, 'utf8');
  const next = await runDemo('--people', '60');
  expect(next.said).not.toMatch(/were written/);
  expect(readFileSync(mark, 'utf8')).toBe(made);
  expect((await next.client.listTags({ query: { limit: 100 } })).data.length).toBeGreaterThan(20);
  expect(await next.stop()).toBe(0);
});
