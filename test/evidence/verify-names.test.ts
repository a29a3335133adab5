/** Verification finds what was done to the index by which the embedded log finds its streams, though no event is altered. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSqliteEventReader } from '../../src/eventstore/sqlite/reader.js';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { tampered, verified, writeLog } from '../support/evidence-log.js';

const size = 40;
let folder: string;
let log: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'verify-names-'));
  log = path.join(folder, 'events.db');
  await writeLog(log, size);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Of the six streams so many are in the index, the others are new. */
const indexed = (streams: number): string =>
  `insert into stream_names select substr(name, -8), id from streams where id <= ${streams};
   update indexed_streams set up_to = ${streams};`;

const again = (stream: number): string =>
  `insert into streams select 7, name, revision from streams where id = ${stream};`;

const moved = (to: string): string =>
  `delete from stream_names; update indexed_streams set up_to = 0;
   update streams set id = ${to} where id = 2; update events set stream_id = ${to} where stream_id = 2;`;

const altered = (sql: string, streams: number): string =>
  tampered(log, (db) => {
    db.pragma('foreign_keys = off');
    db.exec(indexed(streams) + sql);
  });

test.each([0, 4, 6])('an honest log is intact when %i of its streams are in the index', async (streams) => {
  for (const depth of ['chain', 'streams'] as const)
    expect(await verified(altered('', streams), { depth })).toMatchObject({ intact: true, count: size });
});

test.each([
  ['a stream left out', 'delete from stream_names where stream_id = 2', 'more or fewer'],
  ['a stream with another ending', `update stream_names set ending = 'another' where stream_id = 2`, 'leaves out'],
  ['a stream in place of another', 'update stream_names set stream_id = 6 where stream_id = 2', 'leaves out'],
  ['a stream that is in it twice', `insert into stream_names values ('another', 2)`, 'more or fewer'],
  ['a stream that nobody has', `insert into stream_names values ('ontact-9', 99)`, 'more or fewer'],
  ['a new stream', `insert into stream_names select substr(name, -8), id from streams where id = 5`, 'more or fewer'],
  ['more streams told than indexed', 'update indexed_streams set up_to = 5', 'more or fewer'],
  [
    'more streams told than there are',
    `delete from stream_names; ${indexed(6)} update indexed_streams set up_to = 7`,
    'told as indexed',
  ],
  ['fewer streams told than indexed', 'update indexed_streams set up_to = 3', 'more or fewer'],
  ['less than none told', 'delete from stream_names; update indexed_streams set up_to = -1', 'told as indexed'],
  ['a stream with a number below all others', moved('-5'), 'a number that'],
  ['a stream with number 0', moved('0'), 'a number that'],
  ['a stream with a number that JavaScript rounds', moved('9007199254740993'), 'a number that'],
  ['told twice', 'insert into indexed_streams values (4)', 'not told once'],
  ['not told', 'delete from indexed_streams', 'not told once'],
  [
    'an index that is a view',
    'alter table stream_names rename to other; create view stream_names as select * from other',
    'stream_names is not a table',
  ],
  [
    'a view that tells',
    'alter table indexed_streams rename to other; create view indexed_streams as select * from other',
    'indexed_streams is not a table',
  ],
  ['a name that stands twice in it', `delete from stream_names; ${again(2)} ${indexed(7)}`, 'not unique'],
  ['a name that stands in it and is new', again(2), 'not unique'],
  ['a name that is new twice', again(6), 'not unique'],
])('%s', async (_, sql, says) => {
  const file = altered(sql, 4);
  for (const depth of ['chain', 'streams'] as const)
    expect(await verified(file, { depth })).toMatchObject({ intact: false, difference: { ordinal: null } });
  const reader = openSqliteEventReader({ file, pollMs: 0 });
  expect(await reader.damage?.()).toContain(says);
  await reader.close();
});

test.each([
  ['a stream left out', 'delete from stream_names where stream_id = 2', /more or fewer streams/],
  ['more streams told than there are', 'update indexed_streams set up_to = 7', /told as indexed/],
  ['a stream with a number below all others', moved('-5'), /a number that/],
])('is refused before anything is written to it: %s', async (_, sql, says) => {
  const file = altered(sql, 4);
  const before = readFileSync(file);
  await expect(openSqliteEventStore({ file, clock: Date.now })).rejects.toThrow(says);
  expect(readFileSync(file)).toEqual(before);
});
