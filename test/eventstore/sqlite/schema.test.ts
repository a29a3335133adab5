/** The format of the log file, and names of streams. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Database } from '../../../src/sqlite/database.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSqliteEventStore } from '../../../src/eventstore/sqlite/event-store.js';
import { openSqliteEventReader } from '../../../src/eventstore/sqlite/reader.js';
import { allEvents, missing, newLogFile, openLog, openReader, said } from '../../support/event-log.js';
import { writeLog } from '../../support/integrity-log.js';

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

test('a schema that was written again without a change is no reason to stop', async () => {
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

test.each([1, 5, 6, 8])('a log of format %i is refused with the way to bring its events over', async (format) => {
  const file = newLog();
  change(file, `pragma user_version = ${format}`);
  const says = new RegExp(`has format ${format}, .*audience export events.*audience import events`);
  const before = readFileSync(file);
  await expect(openSqliteEventStore({ file, clock: Date.now })).rejects.toThrow(says);
  expect(() => openSqliteEventReader({ file })).toThrow(says);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('a log with the tables of a development version of format 7 is refused and left as it is', async () => {
  const file = newLog();
  change(
    file,
    `alter table events add column metadata text not null default '';
     update events set metadata = (select json from metadata where id = metadata_id);
     drop view log;
     alter table events drop column metadata_id;
     drop table metadata`,
  );
  const says =
    /has format 7 with the tables of an earlier development version\. .*audience export events.*audience import events/;
  const before = readFileSync(file);
  await expect(openSqliteEventStore({ file, clock: Date.now })).rejects.toThrow(says);
  expect(() => openSqliteEventReader({ file })).toThrow(says);
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('the schema in the file explains each table', () => {
  const db = new Database(newLog(), { access: 'read' });
  const tables = db.prepareValue<[], string>("select sql from sqlite_schema where type in ('table', 'view')").all();
  db.close();
  expect(tables).toHaveLength(5);
  for (const sql of tables) expect(sql).toMatch(/^CREATE (?:TABLE|VIEW) \w+ (?:\(|as)\n +-- [A-Z]/);
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
