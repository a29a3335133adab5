/** Logs of older formats: read as they are, brought to the present one when they are opened for writing, whole or not at all. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { firstLink, linkAfter } from '../../../src/eventstore/chain.js';
import type { StoredEvent } from '../../../src/eventstore/event-store.js';
import { openSqliteEventReader } from '../../../src/eventstore/sqlite/reader.js';
import { openSqliteEventStore } from '../../../src/eventstore/sqlite/event-store.js';
import { disguise, hideRows } from '../../support/disguise.js';
import {
  allEvents,
  eventLogChild,
  missing,
  newLogFile,
  openLog,
  openReader,
  said,
  startChild,
  streamOf,
} from '../../support/event-log.js';
import { makeFormat, type OldFormat } from '../../support/old-log.js';

const formats: OldFormat[] = [1, 2];
const oldStreams = ['s0', 's1', 's2'];

async function currentLog(): Promise<{ file: string; events: StoredEvent[] }> {
  const { store, file } = await openLog();
  for (let at = 0; at < 30; at += 1)
    await store.append(`s${at % 3}`, [said(`${at}`), said('é')], { expectedRevision: 'any' });
  const events = await allEvents(store);
  await store.close();
  return { file, events };
}

async function oldLog(format: OldFormat): Promise<{ file: string; events: StoredEvent[] }> {
  const log = await currentLog();
  makeFormat(log.file, format);
  return log;
}

async function linksIn(file: string): Promise<(string | null)[]> {
  const links: (string | null)[] = [];
  for await (const batch of openReader(file).readLinked()) links.push(...batch.map(({ link }) => link));
  return links;
}

function expectedLinks(events: readonly StoredEvent[]): string[] {
  const links: string[] = [];
  for (const [at, event] of events.entries()) links.push(linkAfter(links.at(-1) ?? firstLink, at + 1, event));
  return links;
}

function inFile<Result>(file: string, look: (db: Database.Database) => Result): Result {
  const db = new Database(file);
  try {
    return look(db);
  } finally {
    db.close();
  }
}

const formatOf = (file: string): unknown => inFile(file, (db) => db.pragma('user_version', { simple: true }));
/** One without an index, in which another stream has the name of the second one. */
const namedTwice = `drop view log;
  create table others (id integer primary key, name text not null, revision integer not null) strict;
  insert into others select * from streams; insert into others values (4, 's1', 0);
  drop table streams; alter table others rename to streams`;

const change = (file: string, sql: string): void =>
  inFile(file, (db) => {
    db.pragma('foreign_keys = off');
    db.exec(sql);
  });

test('a log without links is read, and has no chain', async () => {
  const { file, events } = await oldLog(1);
  const reader = openReader(file);
  expect(await allEvents(reader)).toEqual(events);
  expect(reader.chainHead()).toBeUndefined();
  expect(new Set(await linksIn(file))).toEqual(new Set([null]));
});

test('a log with links and without the index of names is read, and has its chain', async () => {
  const { file, events } = await oldLog(2);
  const reader = openReader(file);
  expect(await allEvents(reader)).toEqual(events);
  expect(reader.chainHead()).toMatchObject({ count: 60, head: expectedLinks(events).at(-1) });
  expect(await linksIn(file)).toEqual(expectedLinks(events));
});

describe.each(formats)('a log of format %i', (format) => {
  test('opened for writing it is brought to the present format, says so once, and goes on', async () => {
    const { file, events } = await oldLog(format);
    let upgrades = 0;
    for (let round = 0; round < 2; round += 1) {
      const store = await openSqliteEventStore({ file, clock: Date.now, onUpgrade: () => (upgrades += 1) });
      expect(upgrades).toBe(1);
      const again = store.append('s1', [said()], { expectedRevision: 'no_stream' });
      await expect(again).rejects.toMatchObject({ actual: BigInt(19 + round) });
      await store.append('s1', [said()], { expectedRevision: BigInt(19 + round) });
      await store.append(`new-${round}`, [said()], { expectedRevision: 'no_stream' });
      await store.close();
    }
    expect(upgrades).toBe(1);
    expect(formatOf(file)).toBe(3);
    const all = await allEvents(openReader(file));
    expect(all.slice(0, events.length)).toEqual(events);
    expect(await linksIn(file)).toEqual(expectedLinks(all));
    expect(await openReader(file).damage?.()).toBeUndefined();
    const fresh = newLogFile();
    copyFileSync(file, fresh);
    inFile(fresh, (db) => {
      expect(db.prepare('select chain from log').pluck().all()).toEqual(expectedLinks(all));
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
      expect(db.pragma('foreign_key_check')).toEqual([]);
    });
  });

  test('a reader that was open all the time goes on finding streams, old and new', async () => {
    const { file } = await oldLog(format);
    const used = openReader(file);
    const unused = openReader(file);
    expect(await missing(used, [...oldStreams, 'new'])).toEqual(['new']);
    const { store } = await openLog(file);
    expect(await missing(used, [...oldStreams, 'new'])).toEqual(['new']);
    await store.append('new', [said()], { expectedRevision: 'no_stream' });
    await store.append('s1', [said('last')], { expectedRevision: 19n });
    for (const reader of [used, unused]) {
      expect(await missing(reader, [...oldStreams, 'new', 'newer'])).toEqual(['newer']);
      expect(await streamOf(reader, 's1')).toHaveLength(21);
      expect(reader.chainHead()).toMatchObject({ count: 62 });
    }
  });

  test('a view that somebody has added stays, and is in nobody’s way', async () => {
    const { file } = await oldLog(format);
    change(file, 'create view names as select name from streams');
    await (await openLog(file)).store.close();
    expect(inFile(file, (db) => db.prepare('select * from names').pluck().all())).toEqual(oldStreams);
  });

  test.each<[string, RegExp, (file: string) => void]>([
    [
      'one name twice, and no index that would forbid it',
      /names of streams are not unique/,
      (file) => change(file, namedTwice),
    ],
    [
      'one name twice, and an index that says that it forbids it',
      /non-unique entry in index streams_by_name/,
      (file) => {
        change(file, `${namedTwice}; create index streams_by_name on streams (name)`);
        disguise(file, 'streams_by_name', 'CREATE UNIQUE INDEX streams_by_name on streams (name)');
      },
    ],
    [
      'an index that leaves out an event',
      /index events_by_stream/,
      (file) => hideRows(file, 'events_by_stream', 'position = 17'),
    ],
  ])('with %s is refused and left as it is', async (_, says, tamper) => {
    const { file } = await oldLog(format);
    tamper(file);
    const before = readFileSync(file);
    const opening = openSqliteEventStore({ file, clock: Date.now });
    await expect(opening).rejects.toThrow(says);
    await expect(opening).rejects.toThrow('left as it is');
    expect(readFileSync(file)).toEqual(before);
  });
});

test('a log with a hole is refused and left as it is', async () => {
  const { file } = await oldLog(1);
  change(file, 'delete from events where position = 17');
  const before = readFileSync(file);
  await expect(openSqliteEventStore({ file, clock: Date.now })).rejects.toThrow('event 17 is missing');
  expect(readFileSync(file)).toEqual(before);
});

test.each<[number, string, () => Promise<{ file: string }>, string]>([
  [1, 'its events have the column chain', () => oldLog(1), 'alter table events add column chain blob'],
  [1, 'its events have the column chain', () => oldLog(2), 'pragma user_version = 1'],
  [2, 'its events lack the column chain', () => oldLog(1), 'pragma user_version = 2'],
  [2, 'it has the table stream_names', currentLog, 'pragma user_version = 2'],
  [3, 'it lacks the table stream_names', () => oldLog(2), 'pragma user_version = 3'],
  [3, 'it lacks the table stream_names', currentLog, 'drop table stream_names'],
])(
  'a log that says format %i although %s is refused by name and left as it is (%#)',
  async (version, what, log, sql) => {
    const { file } = await log();
    change(file, sql);
    const before = readFileSync(file);
    const message = `${file} says that it has format ${version} (user_version), but ${what}`;
    await expect(openSqliteEventStore({ file, clock: Date.now })).rejects.toThrow(message);
    expect(() => openSqliteEventReader({ file })).toThrow(message);
    expect(readFileSync(file)).toEqual(before);
  },
);

test('events that are together larger than the memory are given their links all the same', async () => {
  const { store, file } = await openLog();
  const large = 'x'.repeat(1_000_000);
  for (let at = 0; at < 100; at += 1) await store.append(`s${at}`, [said(large)], { expectedRevision: 'no_stream' });
  await store.close();
  makeFormat(file, 1);
  const compiled = fileURLToPath(new URL('../../../dist/eventstore/sqlite/event-store.js', import.meta.url));
  const script = `import(${JSON.stringify(compiled)})
    .then(({ openSqliteEventStore }) => openSqliteEventStore({ file: ${JSON.stringify(file)}, clock: Date.now }))
    .then((store) => store.close())`;
  const child = spawn(process.execPath, ['--max-old-space-size=40', '-e', script], { stdio: 'ignore' });
  await once(child, 'close');
  expect(child.exitCode).toBe(0);
  const linked = 'select count(*) from events where length(chain) = 32';
  expect(inFile(file, (db) => db.prepare(linked).pluck().get())).toBe(100);
}, 60_000);

describe.each(formats)('a large log of format %i', (format) => {
  const streams = 24_000;
  /** So long that the upgrade cannot keep all that it changes in memory until it commits. */
  const nameOf = (at: number): string => 'x'.repeat(300) + String(at);
  const some = Array.from({ length: streams / 100 }, (_, at) => nameOf(at * 100 + 99));
  let folder: string;
  let large: string;
  let digest: unknown;

  /** Every event with its stream, as a number. */
  const digestOf = (file: string): unknown =>
    inFile(file, (db) =>
      db
        .prepare(
          `select count(*) as events, sum(position * (e.revision + 1) * cast(substr(s.name, 301) as integer)) as sum
           from events e join streams s on s.id = e.stream_id`,
        )
        .get(),
    );

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'large-log-'));
    large = path.join(folder, 'events.db');
    const store = await openSqliteEventStore({ file: large, clock: Date.now });
    for (let at = 0; at < streams; at += 2_000)
      await Promise.all(
        Array.from({ length: 2_000 }, (_, more) =>
          store.append(nameOf(at + more), [said()], { expectedRevision: 'no_stream' }),
        ),
      );
    await store.close();
    makeFormat(large, format);
    digest = digestOf(large);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function copy(): string {
    const file = newLogFile();
    copyFileSync(large, file);
    return file;
  }

  test.each<[string, number, readonly unknown[]]>([
    ['before it writes', 0, [format, 3]],
    ['when it writes', 1, [format, 3]],
    ['when it has written 3 MB', 3e6, [format, 3]],
  ])(
    'is whole, of this format or the present one, when its upgrade is killed %s',
    async (_, written, found) => {
      const file = copy();
      const child = startChild(process.execPath, eventLogChild, 'upgrade', file);
      await child.until((lines) => lines.some(({ upgrading }) => upgrading));
      let isOver = false;
      void child.exited.then(() => (isOver = true));
      const isTime = (): boolean => (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) >= written;
      while (!isOver && !isTime()) await nextTurn();
      await child.kill();
      expect(found).toContain(formatOf(file));
      expect(digestOf(file)).toEqual(digest);
      expect(await missing(openReader(file), [...some, 'x'])).toEqual(['x']);
      const { store } = await openLog(file);
      expect(formatOf(file)).toBe(3);
      expect(digestOf(file)).toEqual(digest);
      expect(await missing(store, [...some, 'x'])).toEqual(['x']);
      expect(await store.damage?.()).toBeUndefined();
    },
    60_000,
  );

  test('is read by others while it is upgraded: every stream is found at every moment', async () => {
    const file = copy();
    const child = startChild(process.execPath, eventLogChild, 'upgrade', file);
    let isOver = false;
    void child.exited.then(() => (isOver = true));
    const reader = openReader(file);
    await child.until((lines) => lines.some(({ upgrading }) => upgrading));
    let meanwhile = 0;
    while (!isOver) {
      expect(await missing(reader, some)).toEqual([]);
      if (formatOf(file) === format) meanwhile += 1;
      await nextTurn();
    }
    expect(meanwhile).toBeGreaterThan(0);
    expect(formatOf(file)).toBe(3);
    expect(await missing(reader, some)).toEqual([]);
  }, 60_000);
});
