/** Seconds after a first start on servers: whoever is told that the service listens reads what it wrote. */
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { newDeployment, noServers } from './deployment.js';
import { eventually, freshFolder, startService } from '../support/service.js';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const key = 'a-key-of-first-starts';
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };

/** Creates lists, and reads each at once. Resolves with the statuses of the reads. */
async function readOwnWrites(dataDir: string): Promise<readonly number[]> {
  const address = readFileSync(path.join(dataDir, 'address'), 'utf8').trim();
  const statuses: number[] = [];
  for (const list_name of ['News', 'Offers', 'Events']) {
    const body = JSON.stringify({ list_name });
    const created = await fetch(`${address}/v1/lists/create`, { method: 'POST', headers, body });
    const { data } = (await created.json()) as { data: { list_id: string } };
    const read = await fetch(`${address}/v1/lists/${data.list_id}`, { headers });
    statuses.push(read.status);
    await read.text();
  }
  return statuses;
}

/** Resolves with what reads of own writes answered from the moment that the service said that it listens. */
async function firstStart(): Promise<readonly number[]> {
  const deployment = newDeployment();
  cleanups.push(() => deployment.close());
  const dataDir = freshFolder();
  let reads: Promise<readonly number[]> | undefined;
  const service = await startService({
    dataDir,
    env: { ...deployment.env, API_KEYS: `test:${key}` },
    onOutput: (text) => {
      if (text.includes('"msg":"listening"')) reads ??= readOwnWrites(dataDir);
    },
  });
  cleanups.push(async () => {
    await service.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  return await eventually(async () => reads, { within: 30_000, what: 'the word that it listens' });
}

describe.skipIf(noServers !== undefined)(`a first start${noServers === undefined ? '' : ` (${noServers})`}`, () => {
  test('that says it listens shows what it answers: no 503 after 2 s for a read of an own write', async () => {
    // Load to each other: each thread loads and runs everything for the first time.
    const reads = await Promise.all([firstStart(), firstStart(), firstStart()]);
    expect(reads).toEqual(reads.map(() => [200, 200, 200]));
  }, 120_000);
});
