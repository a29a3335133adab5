/** Events that an index was made to leave out: their links are right, but streams are read without them. Verification and the guard at the start find that. */
import path from 'node:path';
import { Database } from '../../src/sqlite/database.js';
import { expect, onTestFinished, test } from 'vitest';
import { AlteredLogError, guardLog } from '../../src/evidence/guard.js';
import type { EventReader } from '../../src/eventstore/event-store.js';
import { openSqliteEventReader } from '../../src/eventstore/sqlite/reader.js';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { hideRows } from './disguise.js';
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
  ['at the end of its stream', 'position = 5', "update streams set revision = 3 where name = 's1'"],
  ['in its middle', 'position = 3', ''],
])('an event %s', async (_, where, also) => {
  const says = /does not find each .*: .*index events_by_stream/;
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
  const guard = guardLog({ file, views: { kind: 'embedded', file: `${file}-views` }, clock: Date.now });
  onTestFinished(() => guard.close());
  await expect(guard.tailVerified()).rejects.toThrow(AlteredLogError);
  expect((await guard.altered).message).toMatch(says);
  expect(guard.isVerified()).toBe(false);
});
