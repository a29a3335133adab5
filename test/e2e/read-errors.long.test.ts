/** A disk that refuses a read once. strace injects the errors into system calls. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newList, someAddress } from '../support/answers.js';
import { eventually, freshFolder, startService } from '../support/service.js';
import { onServers } from '../support/stores.js';

const main = path.resolve('dist/main.js');
const canInject = spawnSync('strace', ['-f', '-e', 'trace=none', 'true']).status === 0;

async function furnished(): Promise<string> {
  const dataDir = freshFolder();
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const service = await startService({ dataDir });
  const list = await newList(service);
  for (let at = 0; at < 50; at += 1)
    await service.make(`/v1/contacts/${list}/create`, { email: someAddress(), status: 'Subscribed' }, 'contact_id');
  await service.kill('SIGTERM');
  await service.close();
  return dataDir;
}

/** Starts a service of which one read of the log fails, and resolves with what becomes of it. */
async function withReadError(dataDir: string, read: number) {
  const address = path.join(dataDir, 'address');
  rmSync(address, { force: true });
  const inject = ['-P', path.join(dataDir, 'events.db'), '-e', `inject=pread64:error=EIO:when=${read}`];
  const child = spawn('strace', ['-f', '-qq', '-o', '/dev/null', ...inject, process.execPath, main], {
    cwd: dataDir,
    env: {
      PATH: process.env['PATH'],
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataDir,
      API_KEYS: 'test:a-key-that-is-long-enough-for-all-0001',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A signal to strace alone would leave the service running, so the signal goes to both.
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  const ended = once(child, 'close');
  try {
    return await eventually(
      async () => {
        if (child.exitCode !== null) return `ended: ${output}`;
        if (!existsSync(address)) return undefined;
        const answer = await fetch(`${readFileSync(address, 'utf8').trim()}/health/ready`).catch(() => undefined);
        return /"read_back_at":"[^"]+","fault":null/.test((await answer?.text()) ?? '') ? 'read back' : undefined;
      },
      { within: 60_000, what: `a log that was read back (${output})` },
    );
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await ended;
  }
}

test.skipIf(onServers || !canInject)(
  'one refused read at any moment does not end the service with "the event log is damaged"',
  async () => {
    const dataDir = await furnished();
    const outcomes = new Map<number, string>();
    // Later reads of the start come from the cache, or do not come.
    for (let read = 1; read <= 60; read += 3) outcomes.set(read, await withReadError(dataDir, read));
    const wrong = [...outcomes].filter(([, outcome]) => /damaged|altered/.test(outcome));
    expect(wrong).toEqual([]);
    expect([...outcomes.values()].filter((outcome) => outcome === 'read back').length).toBeGreaterThan(10);
  },
);
