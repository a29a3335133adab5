/** The file of the log holds what the service created and nothing else: at every open for writing, while it is open, in every verification. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Database } from '../../../src/sqlite/database.js';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openSqliteEventStore } from '../../../src/eventstore/sqlite/event-store.js';
import { openSqliteEventReader } from '../../../src/eventstore/sqlite/reader.js';
import { allEvents, missing, newLogFile, openLog, openReader, said } from '../../support/event-log.js';
import { verified, writeLog } from '../../support/evidence-log.js';

const noStream = { expectedRevision: 'no_stream' } as const;

function change(file: string, sql: string): void {
  const db = new Database(file);
  db.pragma('foreign_keys = off');
  db.exec(sql);
  db.close();
}

const folder = mkdtempSync(path.join(tmpdir(), 'schema-'));
const original = path.join(folder, 'events.db');
beforeAll(() => writeLog(original, 12));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function newLog(): string {
  const file = newLogFile();
  copyFileSync(original, file);
  return file;
}

const ignoringTrigger = `create trigger quiet before insert on events when new.type = 'ContactUnsubscribed'
  begin select raise(ignore); end`;

test.each([
  ['a trigger that ignores ContactUnsubscribed', ignoringTrigger, 'the service did not create the trigger "quiet"'],
  [
    'a trigger on the view for people',
    'create trigger t instead of insert on log begin select 1; end',
    'the service did not create the trigger "t"',
  ],
  ['one more table', 'create table more (a)', 'the service did not create the table "more"'],
  ['one more index', 'create index more on events (type)', 'the service did not create the index "more"'],
  ['one more view', 'create view more as select 1', 'the service did not create the view "more"'],
  ['statistics, which change how SQLite reads', 'analyze', 'the service did not create the table "sqlite_stat1"'],
  ['an index that is gone', 'drop index events_by_stream', 'the index "events_by_stream" is missing'],
  [
    'an index that leaves events out',
    'drop index events_by_stream; create unique index events_by_stream on events (stream_id, revision) where revision > 0',
    'the index "events_by_stream" was altered',
  ],
  ['a table that was altered', "alter table events add column more text default ''", 'the table "events" was altered'],
  [
    'a table that is a view',
    'drop view log; alter table streams rename to other; create view streams as select * from other',
    'the service did not create the ',
  ],
])('%s is found by verification, and refused before anything is written', async (_, sql, says) => {
  const file = newLog();
  change(file, sql);
  for (const depth of ['chain', 'streams'] as const)
    expect(await verified(file, { depth })).toMatchObject({ intact: false });
  expect(await openReader(file).damage?.()).toContain(says);
  const before = readFileSync(file);
  await expect(openSqliteEventStore({ file, clock: Date.now })).rejects.toThrow(says);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test.each([
  ['altered', "create view log as select * from events where type <> 'ContactUnsubscribed'"],
  ['missing', ''],
])(
  'the view log, %s, is found by verification, and created again when the log is opened for writing',
  async (_, sql) => {
    const file = newLog();
    const before = await verified(file);
    change(file, `drop view log; ${sql}`);
    expect(await verified(file)).toMatchObject({ intact: false, difference: { kind: 'store', ordinal: null } });
    const { faults, store } = await openLog(file);
    expect(faults.map(({ message }) => message).join()).toContain('the view log of');
    await store.close();
    expect(await verified(file)).toEqual(before);
    const db = new Database(file, { access: 'read' });
    expect(db.prepareValue('select count(*) from log where stream = ?').get('service')).toBe(1);
    db.close();
  },
);

test('a trigger that is added while the log is open fails appends, until it is gone: no acknowledged event vanishes', async () => {
  const { store, file, faults } = await openLog();
  await store.append('before', [said()], noStream);
  change(file, ignoringTrigger);
  const unsubscribed = { ...said(), type: 'ContactUnsubscribed' };
  await expect(store.append('contact', [unsubscribed], noStream)).rejects.toThrow(
    /was altered: the service did not create the trigger/,
  );
  await vi.waitFor(() => expect(store.isWritable()).toBe(false));
  expect(faults.map(({ message }) => message).join()).toContain('the service did not create the trigger "quiet"');
  change(file, 'drop trigger quiet');
  await vi.waitFor(() => store.append('contact', [unsubscribed], noStream), { timeout: 10_000, interval: 50 });
  expect((await allEvents(store)).map(({ type }) => type)).toEqual(['Said', 'ContactUnsubscribed']);
});

test('a schema that was written anew without being changed is no reason to stop', async () => {
  const { store, file } = await openLog();
  await store.append('before', [said()], noStream);
  change(file, 'create table theirs (a); drop table theirs');
  await store.append('after', [said()], noStream);
  expect(await allEvents(store)).toHaveLength(2);
});

test('a stream begun twice is refused by SQLite itself', async () => {
  const { store, file } = await openLog();
  await store.append('once', [said()], noStream);
  await store.close();
  expect(() => change(file, "insert into streams (name, revision) values ('once', 0)")).toThrow(/UNIQUE/);
});

test.each([1, 2, 3, 4, 7])('a log of format %i is refused with the way to bring its events over', async (format) => {
  const file = newLog();
  change(file, `pragma user_version = ${format}`);
  const says = new RegExp(`has format ${format}, .*audience export events.*audience import events`);
  const before = readFileSync(file);
  await expect(openSqliteEventStore({ file, clock: Date.now })).rejects.toThrow(says);
  expect(() => openSqliteEventReader({ file })).toThrow(says);
  expect(readFileSync(file).equals(before)).toBe(true);
});

const alike = [
  ...['x-00000001', 'y-00000001', '-00000001', '00000001', '0000001', '1'],
  ...[
    'a',
    'ab',
    'A',
    'é',
    '😀',
    'zoë',
    'contact-zoë-😀',
    'contact-zoé-😀',
    '😀'.repeat(8),
    '😀'.repeat(9),
    '%',
    "it's",
  ],
];
const unlike = ['z-00000001', '0000000', 'b', 'B', 'e', '😁', 'zoe', 'contact-zoe-😀', '😀'.repeat(7), '_', '%1'];

test('names of streams that are alike are told apart, by the writer and by readers', async () => {
  const { store, file } = await openLog();
  for (const stream of alike) await store.append(stream, [said()], noStream);
  for (const reader of [store, openReader(file)]) expect(await missing(reader, [...alike, ...unlike])).toEqual(unlike);
  for (const stream of alike)
    await expect(store.append(stream, [said()], noStream)).rejects.toMatchObject({ actual: 0n });
  for (const stream of unlike)
    await expect(store.append(stream, [said()], { expectedRevision: 0n })).rejects.toMatchObject({
      actual: 'no_stream',
    });
});
