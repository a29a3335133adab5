/** A service whose machine loses its power at any moment leaves a log that starts, passes its check, verifies, and has everything that was answered. */
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { openSqliteEventReader } from '../../src/eventstore/sqlite/reader.js';
import { usually } from '../support/amount.js';
import { unique } from '../support/answers.js';
import { audience } from '../support/audience.js';
import { newFolder } from '../support/integrity-log.js';
import { localKey } from '../support/local-service.js';
import { ended, noStrace, readRecording, startTraced, type Recording } from '../support/power-cuts.js';
import { realTime } from '../support/real-time.js';
import { logOf, readSeals, sealsOf, type Scene } from './attacks.js';
import { startOn, verify } from './scene.js';

const [main, program] = ['main', 'audience'].map((name) => new URL(`../../dist/${name}.js`, import.meta.url).pathname);
const rounds = usually(6, 60);

/** A generator of numbers from 0 to 1 that repeats itself for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The folder that the processes change: `data` and `copies`, the folder of SEAL_DIR. */
function newRoot(): { readonly root: string; readonly traces: string[] } & Scene {
  const top = newFolder();
  const root = path.join(top, 'root');
  const scene = { folder: path.join(root, 'data'), copies: path.join(root, 'copies') };
  mkdirSync(scene.copies, { recursive: true });
  return { root, traces: [], ...scene };
}
type Root = ReturnType<typeof newRoot>;

/** Runs the service under strace, with clients that write, and ends it with the signal. */
async function runTraced(place: Root, signal: 'SIGTERM' | 'SIGKILL', milliseconds: number): Promise<void> {
  const trace = path.join(place.root, '..', `trace-${path.basename(place.folder)}-${place.traces.length}`);
  place.traces.push(trace);
  const env = { HOST: '127.0.0.1', PORT: '0', DATA_DIR: place.folder, API_KEYS: `test:${localKey}`, RATE_LIMIT: '0' };
  const child = startTraced(trace, [String(main)], {
    ...env,
    SEAL_DIR: place.copies,
    SEAL_EVERY: '1s',
    NODE_NO_WARNINGS: '1',
  });
  const address = path.join(place.folder, 'address');
  const headers = { authorization: `Bearer ${localKey}`, 'content-type': 'application/json' };
  await vi.waitUntil(
    async () => {
      if (child.exitCode !== null) throw new Error(`the service ended with code ${child.exitCode}`);
      if (!existsSync(address)) return false;
      const answer = await fetch(`${readFileSync(address, 'utf8').trim()}/health/ready`).catch(() => undefined);
      return answer?.status === 200;
    },
    { timeout: 60_000 },
  );
  const url = readFileSync(address, 'utf8').trim();
  const stop = new AbortController();
  const writing = Array.from({ length: 4 }, async () => {
    while (!stop.signal.aborted)
      try {
        const body = JSON.stringify({ group_name: unique('Group') });
        await (await fetch(`${url}/v1/groups/create`, { method: 'POST', headers, body })).text();
      } catch {
        return;
      }
  });
  // Long enough for periodic seals.
  await realTime(milliseconds);
  child.kill(signal);
  expect(await ended(child, trace)).toBe(signal === 'SIGTERM' ? 0 : null);
  stop.abort();
  await Promise.all(writing);
}

const answeredGroups = (sent: string): readonly string[] =>
  [...sent.matchAll(/"group_id":"(\w+)"/g)].map(([, id = '']) => id);

async function groupsIn(folder: string): Promise<ReadonlySet<string>> {
  const log = openSqliteEventReader({ file: logOf(folder), pollMs: 0 });
  const groups = new Set<string>();
  for await (const events of log.readEvents())
    for (const { type, data } of events)
      if (type === 'GroupCreated') groups.add((JSON.parse(data) as { group_id: string }).group_id);
  await log.close();
  return groups;
}

interface Figures {
  rounds: number;
  answered: number;
  /** Seals that could not be read after a cut. */
  torn: number;
}

/** Writes the folder as a cut before the line leaves it, and starts from it twice. */
async function startFrom(recording: Recording, { line, seed }: { line: number; seed: number }, figures: Figures) {
  const random = randomOf(seed);
  const rest = (['lost', 'kept', 'mixed', 'mixed'] as const)[seed % 4] ?? 'mixed';
  const root = newFolder();
  recording.writeTo(root, { line, rest, random });
  const scene = { folder: path.join(root, 'data'), copies: path.join(root, 'copies') };
  const what = `power cut before line ${line} of ${recording.lines}, rest ${rest}, seed ${seed}, in ${root}`;
  const answered = answeredGroups(recording.sentBefore(line));
  const first = await startOn(scene);
  expect(first, what).toMatchObject({ refused: '', altered: '' });
  const groups = await groupsIn(scene.folder);
  expect(
    answered.filter((id) => !groups.has(id)),
    what,
  ).toEqual([]);
  const { code, out, err } = await verify(scene);
  expect(code, `${what}\n${out}${err}`).toBe(0);
  // The first start has repaired every torn file.
  const second = await startOn(scene);
  expect(second, what).toEqual({ refused: '', altered: '', said: '' });
  // After a restore, SEAL_DIR also has the seals of what was removed.
  expect(readSeals(scene.copies), what).toEqual(expect.arrayContaining([...readSeals(sealsOf(scene.folder))]));
  expect(readSeals(scene.copies).at(-1), what).toMatchObject({ final: true });
  figures.rounds += 1;
  figures.answered += answered.length;
  if (first.said.includes('seals are ignored')) figures.torn += 1;
}

/** Cuts the power at random moments. Most of them are while a seal, a key, or the mark of a restore could be lost. */
async function cutOften(recording: Recording, { from = 0, count }: { from?: number; count: number }): Promise<Figures> {
  const figures: Figures = { rounds: 0, answered: 0, torn: 0 };
  const moments = recording.momentsOf(/seal|secret|restored/).filter((line) => line >= from);
  const seeds = randomOf(Number(process.env['POWER_CUTS_SEED'] ?? Date.now() % 2 ** 31));
  for (let round = 0; round < count; round += 1) {
    const seed = Math.floor(seeds() * 2 ** 31);
    const moment = round % 3 === 0 ? undefined : moments[Math.floor(seeds() * moments.length)];
    const line = moment ?? from + Math.floor(seeds() * (recording.lines - from));
    await startFrom(recording, { line, seed }, figures);
  }
  return figures;
}

test('power cuts at a first start, under load, at orderly stops and at starts after them lose nothing and accuse nothing', async (context) => {
  if (noStrace !== undefined) context.skip(noStrace);
  const place = newRoot();
  const base = `${place.root}-base`;
  cpSync(place.root, base, { recursive: true });
  for (const [signal, milliseconds] of [
    ['SIGTERM', 2_500],
    ['SIGKILL', 2_500],
    ['SIGTERM', 1_500],
    ['SIGTERM', 1_500],
  ] as const)
    await runTraced(place, signal, milliseconds);
  const recording = readRecording(place.traces, { root: place.root, base });
  const figures = await cutOften(recording, { count: rounds });
  expect(figures.answered).toBeGreaterThan(0);
  console.log(figures);
});

test('power cuts at the first start after a restore, and after it, lose nothing and accuse nothing', async (context) => {
  if (noStrace !== undefined) context.skip(noStrace);
  const place = newRoot();
  const before = { ...place, folder: path.join(place.root, '..', 'before') };
  await runTraced(before, 'SIGTERM', 1_200);
  const backups = path.join(place.root, '..', 'backups');
  const words = ['--data-dir', before.folder, 'backup', backups];
  expect(await audience(words)).toMatchObject({ code: 0 });
  // Seals of events that the restore removes.
  await runTraced(before, 'SIGTERM', 1_200);
  mkdirSync(place.folder);
  for (const name of ['secret', 'seal-key.pem', 'api-keys.json'])
    if (existsSync(path.join(before.folder, name)))
      cpSync(path.join(before.folder, name), path.join(place.folder, name));
  const base = `${place.root}-base`;
  cpSync(place.root, base, { recursive: true });
  place.traces.length = 0;
  const trace = path.join(place.root, '..', 'trace-of-restore');
  const restore = startTraced(
    trace,
    [String(program), 'restore', backups, '--to', place.folder, '--without-newer-register'],
    {
      DATA_DIR: before.folder,
    },
  );
  expect(await ended(restore, trace)).toBe(0);
  place.traces.push(trace);
  await runTraced(place, 'SIGKILL', 1_200);
  await runTraced(place, 'SIGTERM', 1_200);
  const recording = readRecording(place.traces, { root: place.root, base });
  // The restore itself is repeated after a power cut.
  const figures = await cutOften(recording, { from: recording.starts[1] ?? 0, count: usually(3, 30) });
  expect(figures.answered).toBeGreaterThan(0);
  console.log(figures);
});
