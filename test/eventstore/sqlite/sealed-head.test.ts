/** The sealed head of the embedded log: moved with each append, refused where it does not fit, and a log that somebody else writes to meanwhile is not written to. */
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { Database } from '../../../src/sqlite/database.js';
import { expect, onTestFinished, test } from 'vitest';
import { deriveHeadKey } from '../../../src/events/streams.js';
import { leafOf, linkAfter, toHex } from '../../../src/eventstore/chain.js';
import { StoreUnavailableError } from '../../../src/eventstore/event-store.js';
import { macOf } from '../../../src/eventstore/sealed-head.js';
import { openSqliteEventStore } from '../../../src/eventstore/sqlite/event-store.js';
import { openSqliteEventReader } from '../../../src/eventstore/sqlite/reader.js';
import { createGrowingTree } from '../../../src/eventstore/tree.js';
import { exampleEvent, newFolder } from '../../support/evidence-log.js';
import { initialised, logId, secretOfLog } from '../../support/migrating.js';

const key = deriveHeadKey(secretOfLog);

async function open(file: string, headKey = key) {
  const told: string[] = [];
  const store = await openSqliteEventStore({
    ...{ file, clock: Date.now, headKey: () => headKey },
    onAltered: (message) => told.push(message),
  });
  onTestFinished(() => store.close());
  return { store, told };
}

async function newLog(events: number) {
  const file = path.join(newFolder(), 'events.db');
  const opened = await open(file);
  await opened.store.append('service', [initialised()], { expectedRevision: 'no_stream' });
  const rest = Array.from({ length: events - 1 }, (_, at) => exampleEvent(at));
  if (rest.length > 0) await opened.store.append('s', rest, { expectedRevision: 'no_stream' });
  return { file, ...opened };
}

/** Behind the back of whoever has it open. */
function change(file: string, statements: string): void {
  const db = new Database(file);
  db.exec(statements);
  db.close();
}

test('says how many events there are and which is the last, and nobody without the secret can make it', async () => {
  const { file, store, told } = await newLog(3);
  const { count, head } = store.chainHead();
  const sealedCount = async () => (await store.sealedHead?.())?.sealed?.count;
  expect(count).toBe(3);
  expect(await store.sealedHead?.()).toMatchObject({
    sealed: { count, head, mac: macOf(key, { logId, count, head }) },
  });
  await store.append('s', [exampleEvent(9)], { expectedRevision: 'stream_exists' });
  expect(await sealedCount()).toBe(4);
  await expect(store.append('s', [exampleEvent(9)], { expectedRevision: 'no_stream' })).rejects.toThrow();
  expect(await sealedCount()).toBe(4);
  await store.close();
  expect((await open(file)).told).toEqual([]);
  expect(told).toEqual([]);
});

test.each([
  ['of another secret', '', /not one that was made with the secret/],
  ['that was taken away', 'delete from head', /has no sealed head/],
  ['of a longer log', 'delete from events where position = 3', /ends after event 2, but its sealed head is of 3/],
  [
    'of a shorter log',
    `insert into events select 4, stream_id, revision + 1, 'x', type, data, metadata, '', chain from events where position = 3`,
    /events after number 3 are not covered/,
  ],
  ['of another history', 'update events set chain = zeroblob(32) where position = 3', /at or before event 3/],
])('a log with a sealed head %s is not written to', async (_, statements, says) => {
  const { file, store } = await newLog(3);
  await store.close();
  change(file, statements);
  const other = await open(file, statements === '' ? deriveHeadKey('another secret, long enough for anybody') : key);
  expect(other.told.join()).toMatch(says);
  expect(other.store.isWritable()).toBe(false);
  const appending = other.store.append('t', [exampleEvent(1)], { expectedRevision: 'no_stream' });
  await expect(appending).rejects.toThrow(StoreUnavailableError);
});

test('a log that is rewritten while it is open is not written to any more, and no event of the service is to blame', async () => {
  const { file, store, told } = await newLog(5);
  expect(store.altered()).toBeUndefined();
  change(file, `update events set type = 'Forged', chain = zeroblob(32) where position = 5`);
  await expect(store.append('t', [exampleEvent(1)], { expectedRevision: 'no_stream' })).rejects.toThrow(
    /at or before event 5/,
  );
  expect(told).toEqual([store.altered()]);
  expect(told.join()).toContain('the history up to event 5 is not the one of the end that this service left');
  const db = new Database(file, { access: 'read' });
  expect(db.prepareValue('select count(*) from events').get()).toBe(5);
  db.close();
});

test('the next look finds it, too', async () => {
  const { file, store, told } = await newLog(5);
  expect(store.isWritable()).toBe(true);
  change(file, 'delete from events where position = 5');
  expect(store.isWritable()).toBe(false);
  expect(told).toHaveLength(1);
});

test('what somebody else appends is not read, and found at the next look', async () => {
  const { file, store, told } = await newLog(5);
  change(
    file,
    `insert into events select 9, stream_id, revision + 1, 'forged', type, data, metadata, '', zeroblob(32) from events where position = 5`,
  );
  const ids: string[] = [];
  for (const read of [store.readAll(), store.readAll({ direction: 'backwards' }), store.readStream('s')])
    for await (const events of read) ids.push(...events.map(({ id }) => id));
  for await (const [last] of store.readStream('s', { direction: 'backwards', limit: 1 }))
    expect(last?.position).toMatch(/5$/);
  expect(ids).toHaveLength(14);
  expect(ids).not.toContain('forged');
  expect([await store.head(), store.chainHead().count, told]).toEqual([expect.stringMatching(/5$/), 5, []]);
  expect(await store.readAt('00000000000000000009')).toBeUndefined();
  expect(store.isWritable()).toBe(false);
  expect(told).toHaveLength(1);
});

test('an honest log is not taken for a rewritten one while it is written to', async () => {
  const { store, told } = await newLog(1);
  const appending = Array.from({ length: 300 }, async (_, at) => {
    await store.append(`s${at}`, [exampleEvent(at)], { expectedRevision: 'no_stream' });
    expect(store.altered()).toBeUndefined();
  });
  for (let looks = 0; looks < 50; looks += 1) {
    expect(store.isWritable()).toBe(true);
    await new Promise(setImmediate);
  }
  await Promise.all(appending);
  expect(told).toEqual([]);
});

test('roots of complete blocks are kept, over several appends, roll-backs and starts', async () => {
  const { file, store } = await newLog(100);
  await store.close();
  const again = (await open(file)).store;
  for (let at = 0; at < 9; at += 1) {
    await expect(again.append('s', [exampleEvent(1)], { expectedRevision: 'no_stream' })).rejects.toThrow();
    await again.append(
      `t${at}`,
      Array.from({ length: 50 }, (_, n) => exampleEvent(n)),
      { expectedRevision: 'no_stream' },
    );
  }
  const tree = createGrowingTree();
  const roots: string[] = [];
  let link = '00'.repeat(32);
  for await (const events of again.readLinked())
    for (const event of events) {
      const ordinal = event.ordinal ?? 0;
      const root = tree.add(leafOf(ordinal, event));
      if (root !== undefined) roots.push(toHex(root));
      link = linkAfter(link, ordinal, event);
      expect(event.link).toBe(link);
    }
  expect(roots).toHaveLength(2);
  expect((await again.tree.blockRoots(9)).map(toHex)).toEqual(roots);
  expect(await again.tree.leavesOf(2)).toHaveLength(550 - 512);
  const copy = path.join(newFolder(), 'events.db');
  await again.close();
  copyFileSync(file, copy);
  expect((await open(copy)).told).toEqual([]);

  new Database(file).exec(`update events set type = 'Other' where position = 540`).close();
  const altered = openSqliteEventReader({ file });
  await expect(altered.tree.leavesOf(2)).rejects.toThrow('event 540 does not fit its link');
  expect(await altered.tree.leavesOf(1)).toHaveLength(256);
  await altered.close();
});
