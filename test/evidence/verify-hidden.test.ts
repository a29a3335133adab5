/** Events that an index was made to leave out: their links are right, but streams are read without them. Verification and the guard at the start find that. */
import { copyFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { verifyOpen } from '../../src/cli/audit/verify.js';
import type { CommandLine } from '../../src/cli/command-line.js';
import { AlteredLogError, guardLog } from '../../src/app/evidence-guard.js';
import type { EventReader } from '../../src/eventstore/event-store.js';
import { openSqliteEventReader } from '../../src/eventstore/sqlite/reader.js';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { hideRows } from '../support/disguise.js';
import { exampleEvent, newFolder, verified } from '../support/evidence-log.js';

/** Two streams of five events each. */
async function newLog(): Promise<string> {
  const file = path.join(newFolder(), 'events.db');
  const store = await openSqliteEventStore({ file, clock: Date.now });
  for (const stream of ['s1', 's2'])
    await store.append(
      stream,
      Array.from({ length: 5 }, (_, at) => exampleEvent(at)),
      { expectedRevision: 'no_stream' },
    );
  await store.close();
  return file;
}

async function revisionsOf(reader: EventReader, stream: string): Promise<bigint[]> {
  const revisions: bigint[] = [];
  for await (const events of reader.readStream(stream)) revisions.push(...events.map(({ revision }) => revision));
  return revisions;
}

test.each([
  [
    'at the end of its stream',
    'position = 5',
    "update streams set revision = 3 where name = 's1'",
    /end of stream s1 /,
  ],
  ['in its middle', 'position = 3', '', /does not find each .*: .*index events_by_stream/],
])('an event %s', async (_, where, also, says) => {
  const file = await newLog();
  expect(await verified(file)).toMatchObject({ intact: true, count: 10 });
  hideRows(file, 'events_by_stream', where);
  new Database(file).exec(also).close();
  const reader = openSqliteEventReader({ file, pollMs: 0 });
  onTestFinished(() => reader.close());
  // So it works: nothing is to be seen of it in the stream.
  expect(await revisionsOf(reader, 's1')).toHaveLength(4);
  for (const depth of ['chain', 'streams'] as const) {
    const result = await verified(file, { depth });
    expect(result).toMatchObject({ intact: false, count: 10, difference: { ordinal: null, position: null } });
    expect(result.intact ? '' : result.difference.message).toMatch(says);
  }
  const guard = guardLog(file);
  onTestFinished(() => guard.close());
  await expect(guard.firstLook()).rejects.toThrow(AlteredLogError);
  expect((await guard.altered).message).toMatch(says);
  expect(guard.isVerified()).toBe(false);
});

/** So long that threads look through it. */
async function newLongLog(): Promise<string> {
  const file = path.join(newFolder(), 'events.db');
  const store = await openSqliteEventStore({ file, clock: Date.now });
  for (let stream = 0; stream < 220; stream += 1)
    await store.append(
      `long-${stream}`,
      Array.from({ length: 100 }, (_, at) => exampleEvent(at)),
      { expectedRevision: 'no_stream' },
    );
  await store.close();
  return file;
}

test('a log of 22,000 events is looked through by threads, which find what is hidden in any of them', async () => {
  const file = await newLongLog();
  const reader = openSqliteEventReader({ file, pollMs: 0 });
  onTestFinished(() => reader.close());
  const notable = { streams: ['long-7'], again: ['Sent'] };
  const seen: number[] = [];
  const request = { streams: true, notable, onProgress: (events: number) => seen.push(events) };
  const proof = await reader.prove?.(request);
  // On one core threads would be no faster.
  expect(proof?.count).toBe(availableParallelism() > 1 ? 22_000 : undefined);
  if (proof !== undefined) {
    expect(proof).toMatchObject({ head: reader.chainHead()?.head, last: { position: reader.chainHead()?.position } });
    expect([...proof.notable].filter(({ stream }) => stream === 'long-7')).toHaveLength(100);
    expect(seen.at(-1)).toBe(22_000);
  }
  const line = {
    stores: { events: { kind: 'embedded', file }, views: { kind: 'embedded', file: `${file}-none` } },
    stderr: { write: () => undefined },
    monotonic: () => 0,
    signal: new AbortController().signal,
  } as unknown as CommandLine;
  const answer = await verifyOpen(reader, { line, depth: 'streams' });
  expect(answer).toMatchObject({ linked: 22_000, result: { intact: true, count: 22_000 } });
  await expect(reader.prove?.({ ...request, signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow(
    'enough',
  );
  for (const position of [3, 11_000, 21_999]) {
    const altered = path.join(newFolder(), 'events.db');
    copyFileSync(file, altered);
    const db = new Database(altered);
    db.prepare('update events set data = data || char(32) where position = ?').run(position);
    db.close();
    expect(await verified(altered), `event ${position}`).toMatchObject({
      intact: false,
      difference: { ordinal: position },
    });
    const thread = openSqliteEventReader({ file: altered, pollMs: 0 });
    expect(await thread.prove?.(request), `event ${position}`).toBeUndefined();
    await thread.close();
  }
}, 60_000);

test('a log that grows while threads look through it is proven as it was', async () => {
  const file = await newLongLog();
  const reader = openSqliteEventReader({ file, pollMs: 0 });
  const until = reader.chainHead()?.position;
  const store = await openSqliteEventStore({ file, clock: Date.now });
  onTestFinished(async () => {
    await reader.close();
    await store.close();
  });
  await store.append('long-3', [exampleEvent(1, 200)], { expectedRevision: 99n });
  await store.append('new', [exampleEvent(1), exampleEvent(2)], { expectedRevision: 'no_stream' });
  const proof = await reader.prove?.({ until, streams: true, notable: { streams: [], again: [] } });
  expect(proof?.count).toBe(availableParallelism() > 1 ? 22_000 : undefined);
}, 60_000);
