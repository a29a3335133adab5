/** A log of the format before: it is read as it is, and its first append makes it one of this format, with everything that is in it. */
import { randomUUID } from 'node:crypto';
import { copyFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { EventToAppend } from '../../../src/eventstore/event-store.js';
import { createAppender } from '../../../src/eventstore/sqlite/append.js';
import { anyRevision, pack } from '../../../src/eventstore/sqlite/messages.js';
import { openForWriting } from '../../../src/eventstore/sqlite/schema.js';
import { Database } from '../../../src/sqlite/database.js';
import { earlierFolder, earlierLog } from '../../support/earlier-log.js';
import { allEvents, openLog, openReader } from '../../support/event-log.js';
import { newFolder, verified } from '../../support/evidence-log.js';

const noStream = { expectedRevision: 'no_stream' } as const;
const newLog = (): string => path.join(earlierFolder(), 'events.db');
const asWritten = { intact: true, count: earlierLog.count, head: earlierLog.head, linked: true };
const two = (): EventToAppend[] =>
  Array.from({ length: 2 }, () => ({
    id: randomUUID(),
    type: 'Said',
    data: '{}',
    metadata: JSON.stringify({ at: '2030-01-01T00:00:00.000Z', actor: 'shop' }),
  }));

function inFile<Result>(file: string, action: (db: Database) => Result): Result {
  const db = new Database(file, { access: 'write' });
  try {
    return action(db);
  } finally {
    db.close();
  }
}
const formatOf = (file: string): unknown => inFile(file, (db) => db.pragma('user_version'));
const metadataIn = (file: string): unknown[] =>
  inFile(file, (db) => db.prepareValue('select metadata from events order by position').all());

test('is read and verified as it is, and stays so where nothing is appended', async () => {
  const file = newLog();
  const before = readFileSync(file);
  expect(await verified(file)).toMatchObject(asWritten);
  expect(await openReader(file).damage?.()).toBeUndefined();
  const { store, faults } = await openLog(file);
  expect(await allEvents(store)).toHaveLength(earlierLog.count);
  await store.close();
  expect(faults).toEqual([]);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('has format 6 after its first append, also for who has it open, and no row of it has changed', async () => {
  const file = newLog();
  const before = metadataIn(file);
  const reader = openReader(file);
  const { store } = await openLog(file);
  const events = two();
  await store.append('new', events, noStream);
  expect(formatOf(file)).toBe(6);
  expect(metadataIn(file)).toEqual([...before, events[0]?.metadata, String(earlierLog.count + 1)]);
  expect((await allEvents(reader)).slice(-2)).toMatchObject(events);
  await store.append('more', two(), noStream);
  await store.close();
  expect(await verified(file)).toMatchObject({ intact: true, count: earlierLog.count + 4 });
  const read = inFile(file, (db) => db.prepareValue('select metadata from log').all());
  expect(read.slice(0, -2)).toEqual([...before, events[0]?.metadata, events[1]?.metadata]);
});

test('is a log of one format or the other, with everything in it, whenever the process ends', async () => {
  const file = newLog();
  const crashed = async (): Promise<unknown> => {
    const copy = path.join(newFolder(), 'events.db');
    for (const end of ['', '-wal']) copyFileSync(file + end, copy + end);
    const { count } = await verified(copy);
    const { store } = await openLog(copy);
    await store.append('after', two(), noStream);
    await store.close();
    expect(await verified(copy)).toMatchObject({ intact: true, count: count + 2 });
    return { count, format: formatOf(copy) };
  };
  const db = openForWriting(file);
  const appender = createAppender(db);
  const take = (): void => {
    const append = { stream: 'new', events: two(), expected: anyRevision, size: 0 };
    appender.take(pack([append], new Date(0).toISOString()));
  };
  db.exec('begin immediate');
  take();
  expect(await crashed()).toEqual({ count: earlierLog.count, format: 6 });
  db.exec('rollback');
  expect(db.pragma('user_version')).toBe(5);
  appender.reset();
  db.exec('begin immediate');
  take();
  db.exec('commit');
  expect(await crashed()).toEqual({ count: earlierLog.count + 2, format: 6 });
  db.close();
});

test.each([
  ['altered', "create view log as select * from events where type <> 'ContactUnsubscribed'"],
  ['missing', ''],
])('gets its own view log again, where it is %s', async (_, sql) => {
  const file = newLog();
  inFile(file, (db) => db.exec(`drop view log; ${sql}`));
  expect(await verified(file)).toMatchObject({ intact: false });
  const { store, faults } = await openLog(file);
  expect(faults.map(({ message }) => message).join()).toContain('the view log of');
  expect(await verified(file)).toMatchObject(asWritten);
  await store.append('new', two(), noStream);
  await store.close();
  expect(await verified(file)).toMatchObject({ intact: true, count: earlierLog.count + 2 });
});

test('says what was done to it', async () => {
  const file = newLog();
  // The mark of the other format.
  inFile(file, (db) => db.exec('pragma user_version = 6'));
  expect(await verified(file)).toMatchObject({ intact: false, difference: { kind: 'store' } });
  const forged = newLog();
  // The event before is of the same append, the one before that of another.
  inFile(forged, (db) => db.exec(`update events set metadata = '5' where position = 6`));
  expect(await verified(forged)).toMatchObject(asWritten);
  inFile(forged, (db) => db.exec(`update events set metadata = '4' where position = 6`));
  expect(await verified(forged)).toMatchObject({ intact: false, difference: { ordinal: 6 } });
});
