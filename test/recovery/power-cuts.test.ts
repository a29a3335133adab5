/** Cuts the power while a service writes its register. Every answered request has its line, and the service starts whatever was torn. */
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { deriveRegisterKey } from '../../src/events/streams.js';
import { openSqliteEventReader } from '../../src/eventstore/sqlite/reader.js';
import { readRegister, registerName } from '../../src/recovery/register-file.js';
import { isRegistered } from '../../src/recovery/registered-events.js';
import { usually } from '../support/amount.js';
import { someAddress } from '../support/answers.js';
import { newRoot } from '../support/backups.js';
import { localKey, startLocally } from '../support/local-service.js';
import { ended, noStrace, readRecording, startTraced, type Recording } from '../support/power-cuts.js';

const main = new URL('../../dist/main.js', import.meta.url).pathname;
const rounds = usually(3, 60);
const { root: top, remove } = newRoot();
afterAll(remove);

/** The data folder, and the folder of SEAL_DIR. */
const placesIn = (root: string) => ({ data: path.join(root, 'data'), copies: path.join(root, 'copies') });

/** A generator of numbers from 0 to 1 that repeats itself for the same seed (minimal standard). */
function randomOf(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Runs the service under strace, with clients that suppress addresses and erase people, and ends it after some answers. */
async function runTraced(root: string, trace: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const { data, copies } = placesIn(root);
  const child = startTraced(trace, [main], {
    ...{ HOST: '127.0.0.1', PORT: '0', DATA_DIR: data, SEAL_DIR: copies, NODE_NO_WARNINGS: '1' },
    ...{ API_KEYS: `test:${localKey}`, RATE_LIMIT: '0' },
  });
  const address = path.join(data, 'address');
  const url = (): string => readFileSync(address, 'utf8').trim();
  await vi.waitUntil(
    async () => {
      if (child.exitCode !== null) throw new Error(`the service ended with code ${child.exitCode}`);
      return existsSync(address) && (await fetch(`${url()}/health/ready`).catch(() => undefined))?.status === 200;
    },
    { timeout: 60_000 },
  );
  const headers = { authorization: `Bearer ${localKey}`, 'content-type': 'application/json' };
  const post = (target: string, body: object): Promise<Response> =>
    fetch(url() + target, { method: 'POST', headers, body: JSON.stringify(body) });
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let count = 0; count < 5; count += 1) {
        const email = someAddress();
        await (await post('/v1/suppressions', { email, scope: 'all', reason: 'manual' })).text();
        await (await post('/v1/privacy/erasures', { email })).text();
      }
    }),
  );
  child.kill(signal);
  await ended(child, trace);
}

/** Returns the ids of erasures that were answered, and the positions of all answered requests. */
const answeredIn = (sent: string): readonly string[] =>
  [...sent.matchAll(/^X-Position: (\d{20})|"erasure_id":"(\w+)"/gim)].map(
    ([, position, erasure = '']) => position ?? erasure,
  );

interface Registered {
  readonly position: string;
  readonly id: string;
  readonly erasureId: string | undefined;
}

async function registeredIn(data: string): Promise<readonly Registered[]> {
  const log = openSqliteEventReader({ file: path.join(data, 'events.db'), pollMs: 0 });
  const found: Registered[] = [];
  for await (const events of log.readEvents())
    for (const event of events.filter(isRegistered)) {
      const { position, id, data: text } = event;
      found.push({ position, id, erasureId: (JSON.parse(text) as { erasure_id?: string }).erasure_id });
    }
  await log.close();
  return found;
}

/** Returns the ids of valid lines. Takes the log of any line, because each root here has one log. */
function idsIn(folder: string, data: string): ReadonlySet<string> {
  const file = path.join(folder, registerName);
  const logId = existsSync(file) ? /"log_id":"([\w-]+)"/.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  const key = deriveRegisterKey(readFileSync(path.join(data, 'secret'), 'utf8').trim());
  if (logId === undefined) return new Set();
  return new Set(readRegister(file, { logId, key }).lines.map(({ event_id }) => event_id));
}

/** Cuts the power before the line of the recording, and starts the service on what is left. Returns how many requests had been answered. */
async function cutAndStart(recording: Recording, line: number, seed: number): Promise<number> {
  const rest = (['lost', 'kept', 'mixed', 'mixed'] as const)[seed % 4] ?? 'mixed';
  const root = path.join(top, `cut-${line}-${seed}`);
  recording.writeTo(root, { line, rest, random: randomOf(seed) });
  const { data, copies } = placesIn(root);
  const what = `power cut before line ${line} of ${recording.lines}, rest ${rest}, seed ${seed}`;
  const answered = answeredIn(recording.sentBefore(line));
  const before = existsSync(path.join(data, 'secret')) ? idsIn(data, data) : new Set<string>();
  const service = await startLocally(data, { SEAL_DIR: copies }).catch((error: unknown) => {
    throw new Error(`the start was refused after a ${what}`, { cause: error });
  });
  const registered = await registeredIn(data);
  const known = new Map(
    registered.flatMap(({ position, erasureId, id }) => [[position, id] as const, [erasureId, id] as const]),
  );
  // The line is there before the start catches up. The position may be of a later event, such as the end of another erasure.
  const without = answered.filter(
    (one) => (known.has(one) || one.startsWith('ers_')) && !before.has(known.get(one) ?? ''),
  );
  expect(without, what).toEqual([]);
  for (const folder of [data, copies])
    await vi.waitUntil(() => registered.every(({ id }) => idsIn(folder, data).has(id)), { timeout: 10_000 });
  await service.close();
  return answered.length;
}

/** A process that was killed may have left lines that were not flushed. The cursor must not pass them before they are durable. */
function expectFlushBeforeCursor(trace: string): void {
  const calls = readFileSync(trace, 'latin1').split('\n');
  const flush = calls.findIndex((call) => /fsync\(\d+<.*\/data\/register\.ndjson>/.test(call));
  const move = calls.findIndex((call) => /rename.*\/data\/register\.cursor"/.test(call));
  expect(flush).toBeGreaterThan(0);
  expect(move).toBeGreaterThan(flush);
}

test('after a power cut each answered request has its line, and the service starts whatever was torn', async (context) => {
  if (noStrace !== undefined) context.skip(noStrace);
  const root = path.join(top, 'root');
  mkdirSync(placesIn(root).copies, { recursive: true });
  const base = path.join(top, 'base');
  cpSync(root, base, { recursive: true });
  const traces = ['SIGKILL', 'SIGTERM'].map((signal) => path.join(top, `trace-${signal}`));
  await runTraced(root, traces[0] ?? '', 'SIGKILL');
  await runTraced(root, traces[1] ?? '', 'SIGTERM');
  expectFlushBeforeCursor(traces[1] ?? '');
  const recording = readRecording(traces, { root, base });
  const moments = recording.momentsOf(/register/);
  const random = randomOf(Number(process.env['POWER_CUTS_SEED'] ?? Date.now()));
  let answered = 0;
  for (let round = 0; round < rounds; round += 1) {
    const seed = Math.floor(random() * 2 ** 31);
    // Half of them are while a line or the cursor could be lost.
    const chosen = round % 2 === 1 ? undefined : moments[Math.floor(random() * moments.length)];
    answered += await cutAndStart(recording, chosen ?? Math.floor(random() * recording.lines), seed);
  }
  expect(answered).toBeGreaterThan(0);
});
