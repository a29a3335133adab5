/** Reading an embedded log back and verifying it, in this thread and in a worker thread. */
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { leafOf, toHex } from '../../src/eventstore/leaf.js';
import { openSqliteEventReader } from '../../src/eventstore/sqlite/reader.js';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { createGrowingTree, emptyFrontier, rootOf, type Frontier } from '../../src/eventstore/tree.js';
import { createSeal, type Seal } from '../../src/integrity/seal.js';
import { runIntegrityJob } from '../../src/integrity/integrity-jobs.js';
import { Database } from '../../src/sqlite/database.js';
import { exampleEvent, newFolder, serviceInitialised, tampered } from '../support/integrity-log.js';
import { restoredKey, sealKey } from '../support/memory-log.js';

type Job = Parameters<typeof runIntegrityJob>[0];

/** So many that reading all of them takes a thread, and reading the last ones does not. */
const size = 4_500;
const folder = mkdtempSync(path.join(tmpdir(), 'jobs-'));
const file = path.join(folder, 'events.db');
const frontiers = new Map<number, Frontier>();
let logId = '';

beforeAll(async () => {
  const store = await openSqliteEventStore({ file, clock: Date.now });
  await store.append('service', [serviceInitialised()], { expectedRevision: 'no_stream' });
  for (let stream = 1; store.count() < size; stream += 1) {
    const events = Array.from({ length: Math.min(500, size - store.count()) }, (_, at) => exampleEvent(at));
    await store.append(`contact-${stream}`, events, { expectedRevision: 'no_stream' });
  }
  await store.close();
  const reader = openSqliteEventReader({ file, pollMs: 0 });
  const tree = createGrowingTree();
  for await (const events of reader.readEvents())
    for (const event of events) {
      if (tree.count() === 0) logId = (JSON.parse(event.data) as { readonly log_id: string }).log_id;
      tree.add(leafOf(tree.count() + 1, event));
      frontiers.set(tree.count(), tree.frontier());
    }
  await reader.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const frontierOf = (count: number): Frontier => (count === 0 ? emptyFrontier : (frontiers.get(count) ?? emptyFrontier));
const readBack = (from: number, to: number, of = file, share = 1): Job => ({
  ...{ kind: 'read_back', file: of, from: frontierOf(from), to: frontierOf(to), share },
});
const run = (job: Job, signal = new AbortController().signal) => runIntegrityJob(job, { signal });
const changed = (sql: string): string => tampered(file, (db) => db.exec(sql));
const altered = (position: number): string => changed(`update events set type = 'Forged' where position = ${position}`);

function sealOf(count: number, state: Partial<Seal> = {}): Seal {
  const root = toHex(rootOf(frontierOf(count)) ?? '');
  return createSeal({ log_id: logId, seq: 1, restores: 0, count, root, final: false, ...state }, sealKey, 0);
}

const verify = (of: string, seals: readonly Seal[] = [], count = size): Job => ({
  ...{ kind: 'verify', file: of, count, seals, restoredKey: new Uint8Array(restoredKey.export()), share: 1 },
});

describe.each([
  ['in this thread', 4_000],
  ['in a worker thread', 0],
])('reading back %s', (_, from) => {
  test('finds nothing in an unaltered log, also up to an event before its end', async () => {
    expect(await run(readBack(from, size))).toEqual({ fault: undefined });
    expect(await run(readBack(from, size - 3))).toEqual({ fault: undefined });
  });

  test('names the block and the events of a difference in a complete block', async () => {
    const { fault } = await run(readBack(from, size, altered(4_100)));
    expect(fault).toBe('block 16 differs: the difference is at or after event 4097, up to event 4352');
  });

  test('names the events of a difference after the last complete block', async () => {
    const { fault } = await run(readBack(from, size, altered(4_400)));
    expect(fault).toBe('block 17 differs: the difference is at or after event 4353, up to event 4500');
  });

  test('finds a stored block root that was altered or removed', async () => {
    for (const sql of [
      'update blocks set root = zeroblob(32) where number = 16',
      'delete from blocks where number = 16',
    ])
      expect((await run(readBack(from, size, changed(sql)))).fault).toMatch(/^block 16 differs/);
  });

  test('finds events that were removed', async () => {
    expect((await run(readBack(from, size, changed('delete from events where position = 4200')))).fault).toBe(
      'event 4200 is missing',
    );
    expect((await run(readBack(from, size, changed('delete from events where position > 4490')))).fault).toBe(
      'the log ends after event 4490, but 4500 events were appended',
    );
  });

  test('stops when it is told to', async () => {
    const reason = new Error('the service stops');
    await expect(run(readBack(from, size), AbortSignal.abort(reason))).rejects.toBe(reason);
    const stopping = new AbortController();
    const reading = run(readBack(from, size), stopping.signal);
    stopping.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });
});

describe('reading back', () => {
  /** So small that the pause after the first page lasts for minutes. */
  const tinyShare = 1e-6;
  const { signal } = new AbortController();

  test('reading back uses no more than its share of a core, until somebody waits for the result', async () => {
    const urgent = new AbortController();
    let isDone = false;
    const reading = runIntegrityJob(readBack(1_000, size, file, tinyShare), { signal, urgent: urgent.signal });
    void reading.then(() => (isDone = true));
    // Without pauses, each of the 18 pages takes one turn.
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    expect(isDone).toBe(false);
    urgent.abort();
    expect(await reading).toEqual({ fault: undefined });
  });

  test('reading back in a thread speeds up when somebody waits for the result', async () => {
    const urgent = new AbortController();
    const reading = runIntegrityJob(readBack(0, size, file, tinyShare), { signal, urgent: urgent.signal });
    urgent.abort();
    expect(await reading).toEqual({ fault: undefined });
    const { signal: aborted } = urgent;
    expect(await runIntegrityJob(readBack(0, size, file, tinyShare), { signal, urgent: aborted })).toEqual({
      fault: undefined,
    });
  });

  test('reading back that pauses stops when it is told to', async () => {
    const reason = new Error('the service stops');
    const stopping = new AbortController();
    const reading = run(readBack(1_000, size, file, tinyShare), stopping.signal);
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    stopping.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });

  test('reading back does not look at events that were read back before, nor at later events', async () => {
    expect(await run(readBack(4_360, 4_450, altered(4_355)))).toEqual({ fault: undefined });
    expect(await run(readBack(4_360, 4_450, altered(4_451)))).toEqual({ fault: undefined });
    const { fault } = await run(readBack(4_360, 4_450, altered(4_361)));
    expect(fault).toBe('block 17 differs: the difference is at or after event 4361, up to event 4450');
  });

  test('reading back reports a difference only if a second pass finds it as well', async () => {
    const copy = altered(3_080);
    const reading = run(readBack(3_000, size, copy));
    // The first page has been read, and several pages follow.
    await nextTurn();
    const db = new Database(copy);
    db.exec(`update events set type = 'Said' where position = 3080`);
    db.close();
    expect(await reading).toEqual({ fault: undefined });
    expect((await run(readBack(3_000, size, altered(3_080)))).fault).toMatch(/^block 12 differs/);
  });

  test('reading back a file that is gone fails and is not a difference', async () => {
    await expect(run(readBack(4_000, size, path.join(newFolder(), 'events.db')))).rejects.toThrow(
      'there is no event log',
    );
    await expect(run(readBack(0, size, path.join(newFolder(), 'events.db')))).rejects.toThrow('there is no event log');
  });

  test.each([
    ['in this thread', 4_000],
    ['in a worker thread', 0],
  ])('reading back a damaged file %s is a difference', async (_, from) => {
    const copy = changed('pragma user_version = 7');
    const bytes = statSync(copy).size;
    const descriptor = openSync(copy, 'r+');
    for (let page = 4_096; page < bytes; page += 4_096) writeSync(descriptor, Buffer.alloc(64, 0xff), 0, 64, page);
    closeSync(descriptor);
    expect((await run(readBack(from, size, copy))).fault).toMatch(/^the file is damaged: /);
  });
});

describe('verifying in a thread', () => {
  test('verifying in a thread returns the states of the seals in the order of the job', async () => {
    const seals = [sealOf(4_400), sealOf(10), sealOf(300)];
    expect(await run(verify(file, seals))).toEqual({
      fault: undefined,
      seals: seals.map(() => ({ state: 'holds', reason: null })),
    });
    const wrong = sealOf(300, { root: 'a'.repeat(64) });
    const { fault, seals: states } = await run(verify(file, [sealOf(4_400), wrong, sealOf(10)]));
    expect(fault).toMatch(/^the first 300 events are not those that were sealed/);
    expect(states?.map(({ state }) => state)).toEqual(['holds', 'fails', 'holds']);
  });

  test('verifying in a thread tells the place of an event that is out of order, for the operator', async () => {
    const { fault } = await run(verify(changed('update events set revision = 900 where position = 30')));
    expect(fault).toMatch(
      /^event 30, revision 900 of stream contact-1, should be revision 28 \(position 0{18}30: \w+, revision 900 of contact-1\)$/,
    );
  });

  test('verifying in a thread does not look at events after the count of the job', async () => {
    expect((await run(verify(altered(4_100), [], 4_096))).fault).toBeUndefined();
    expect((await run(verify(altered(4_100), [], 4_400))).fault).toMatch(/^the stored root of the block/);
  });

  test('verifying a short log needs no thread', async () => {
    expect((await run(verify(file, [sealOf(100)], 1_000))).seals).toEqual([{ state: 'holds', reason: null }]);
  });
});
