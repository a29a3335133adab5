/** Streams of the embedded log are found by name by everybody, at every moment: while they are new, and once they are in the index. */
import { randomUUID } from 'node:crypto';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import type { EventStore } from '../../../src/eventstore/event-store.js';
import { createNameFinder, createWrittenNames, indexNewNames } from '../../../src/eventstore/sqlite/names.js';
import { openForReading, openForWriting } from '../../../src/eventstore/sqlite/schema.js';
import {
  eventLogChild,
  missing,
  newLogFile,
  openLog,
  openReader,
  said,
  startChild,
  streamOf,
} from '../../support/event-log.js';

const noStream = { expectedRevision: 'no_stream' } as const;
const names = (count: number): string[] => Array.from({ length: count }, () => `contact-${randomUUID()}`);

/** So few at once that the index gets its share in between. */
async function write(store: EventStore, streams: readonly string[]): Promise<void> {
  for (let at = 0; at < streams.length; at += 100)
    await Promise.all(streams.slice(at, at + 100).map((stream) => store.append(stream, [said()], noStream)));
}

function rows<Row>(file: string, sql: string): Row[] {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare<[], Row>(sql).pluck().all();
  } finally {
    db.close();
  }
}

const indexedUpTo = (file: string): number => rows<number>(file, 'select up_to from indexed_streams')[0] ?? 0;

function change(file: string, sql: string): void {
  const db = new Database(file);
  db.exec(sql);
  db.close();
}

test('12,000 streams are found by the writer’s process and by readers, before and after it is closed', async () => {
  const { store, file } = await openLog();
  const streams = names(12_000);
  const absent = names(1);
  const before = openReader(file);
  const slices = new Set<number>();
  for (let at = 0; at < streams.length; at += 2_000) {
    await write(store, streams.slice(at, at + 2_000));
    slices.add(indexedUpTo(file));
    for (const reader of [store, before, openReader(file)]) {
      const asked = [...streams.slice(0, at + 2_000).filter((_, which) => which % 20 === 0 || which > at), ...absent];
      expect(await missing(reader, asked)).toEqual(absent);
    }
  }
  // None of them yet, some, and more.
  expect(slices.size).toBeGreaterThan(2);
  expect(indexedUpTo(file)).toBeLessThan(streams.length);
  const after = openReader(file);
  for (const reader of [store, before, after]) expect(await missing(reader, [...streams, ...absent])).toEqual(absent);
  expect(await after.damage?.()).toBeUndefined();
  await store.close();
  const again = (await openLog(file)).store;
  for (const reader of [again, before, openReader(file)])
    expect(await missing(reader, [...streams, ...absent])).toEqual(absent);
}, 60_000);

test('a stream is never missed at the moment when it is acknowledged, nor found before it is there', async () => {
  const { store, file } = await openLog();
  const reader = openReader(file);
  const wrong: string[] = [];
  let left = 12_000;
  const writer = async (): Promise<void> => {
    while (left-- > 0) {
      const stream = `contact-${randomUUID()}`;
      for (const look of [store, reader]) if ((await missing(look, [stream])).length === 0) wrong.push(stream);
      await store.append(stream, [said()], noStream);
      for (const look of [store, reader]) wrong.push(...(await missing(look, [stream])));
    }
  };
  await Promise.all(Array.from({ length: 32 }, writer));
  expect(indexedUpTo(file)).toBeGreaterThan(8_000);
  expect(wrong).toEqual([]);
}, 60_000);

test('another process finds each stream while it is written, and when its writer was killed', async () => {
  const file = newLogFile();
  const child = startChild(process.execPath, eventLogChild, 'streams', file, '1000000');
  await child.until((lines) => lines.length > 0);
  const reader = openReader(file);
  const asked: string[] = [];
  const missed: string[] = [];
  while (asked.length < 10_000) {
    await child.until((lines) => lines.length > asked.length);
    for (const { acked = 'nothing' } of child.lines.slice(asked.length)) {
      missed.push(...(await missing(reader, [acked])));
      asked.push(acked);
    }
  }
  await child.kill();
  expect(missed).toEqual([]);
  expect(indexedUpTo(file)).toBeGreaterThan(8_000);
  const all = child.lines.flatMap(({ acked }) => acked ?? []);
  for (const look of [reader, openReader(file)]) expect(await missing(look, all)).toEqual([]);
  const { store } = await openLog(file);
  expect(await missing(store, all)).toEqual([]);
  for (const stream of [all[0], all[5_000], all.at(-1)])
    await expect(store.append(stream ?? '', [said()], noStream)).rejects.toMatchObject({ actual: 0n });
  expect(await store.damage?.()).toBeUndefined();
}, 60_000);

const alike = [
  ...['x-00000001', 'y-00000001', '-00000001', '00000001', '0000001', '1'],
  ...['a', 'ab', 'A', 'é', '😀', 'zoë', 'contact-zoë-😀', 'contact-zoé-😀'],
  ...['😀'.repeat(8), `x${'😀'.repeat(8)}`, '😀'.repeat(9), '%', '_______1', "it's"],
];
const unlike = ['z-00000001', '0000000', '01', 'b', 'B', 'e', '😁', 'zoe', 'contact-zoe-😀', '😀'.repeat(7), '_', '%1'];

test('names that end alike, short ones and ones of many bytes are told apart, new and in the index', async () => {
  const { store, file } = await openLog();
  const reader = openReader(file);
  await write(store, alike);
  const look = async (revision: bigint, store: EventStore): Promise<void> => {
    for (const by of [store, reader, openReader(file)])
      expect(await missing(by, [...alike, ...unlike])).toEqual(unlike);
    for (const stream of alike) {
      await expect(store.append(stream, [said()], noStream)).rejects.toMatchObject({ actual: revision });
      await store.append(stream, [said()], { expectedRevision: revision });
    }
    for (const stream of unlike)
      await expect(store.append(stream, [said()], { expectedRevision: 0n })).rejects.toMatchObject({
        actual: 'no_stream',
      });
  };
  await look(0n, store);
  expect(indexedUpTo(file)).toBe(0);
  await write(store, names(6_000));
  expect(indexedUpTo(file)).toBeGreaterThan(alike.length);
  await look(1n, store);
  await store.close();
  await look(2n, (await openLog(file)).store);
  expect(await streamOf(reader, 'y-00000001')).toHaveLength(4);
  expect(rows(file, 'select name from streams group by name having count(*) > 1')).toEqual([]);
}, 60_000);

test('a stream of an earlier slice goes on where it stood', async () => {
  const { store, file } = await openLog();
  const first = ['begun', 'done'];
  for (const stream of first) await store.append(stream, [said(), said(), said()], noStream);
  await write(store, names(9_000));
  expect(indexedUpTo(file)).toBeGreaterThan(4_000);
  await expect(store.append('begun', [said()], noStream)).rejects.toMatchObject({ actual: 2n });
  expect(await store.append('begun', [said()], { expectedRevision: 'stream_exists' })).toMatchObject({ revision: 3n });
  expect(await store.append('done', [said()], { expectedRevision: 'any' })).toMatchObject({ revision: 3n });
  for (const stream of first) expect(await streamOf(store, stream)).toHaveLength(4);
}, 60_000);

test('a transaction that is rolled back leaves no name behind', async () => {
  const { store, file } = await openLog();
  const reader = openReader(file);
  await store.append('before', [said()], noStream);
  change(
    file,
    `create trigger refuse before insert on events when new.type = 'Refused' begin select raise(abort, 'no'); end`,
  );
  const lost = names(20);
  const refused = { ...said(), type: 'Refused' };
  const together = [...lost.map((stream) => store.append(stream, [said()], noStream))];
  together.push(store.append('refused', [refused], noStream));
  const outcomes = await Promise.allSettled(together);
  const gone = lost.filter((_, at) => outcomes[at]?.status === 'rejected');
  expect(gone.length).toBeGreaterThan(0);
  expect(await missing(reader, gone)).toEqual(gone);
  await expect(store.append(gone[0] ?? '', [said()], { expectedRevision: 0n })).rejects.toMatchObject({
    actual: 'no_stream',
  });
  // Whoever still knew their numbers would take these streams for those.
  await store.append('other', [said('other')], noStream);
  for (const stream of gone) expect(await store.append(stream, [said()], noStream)).toMatchObject({ revision: 0n });
  for (const look of [store, reader]) {
    expect(await missing(look, [...lost, 'before', 'other', 'refused'])).toEqual(['refused']);
    expect(await streamOf(look, 'other')).toHaveLength(1);
  }
  expect(await store.damage?.()).toBeUndefined();
});

test('streams that cannot be indexed for a while are found all the same, and are indexed later', async () => {
  const { store, file, faults } = await openLog();
  const reader = openReader(file);
  await store.append('before', [said()], noStream);
  change(file, `create trigger refuse before insert on stream_names begin select raise(abort, 'no'); end`);
  const streams = names(6_000);
  await write(store, streams);
  expect(faults.map(({ message }) => message)).toContainEqual(expect.stringContaining('indexing names'));
  expect(indexedUpTo(file)).toBe(0);
  for (const look of [store, reader]) expect(await missing(look, streams)).toEqual([]);
  await expect(store.append('before', [said()], noStream)).rejects.toMatchObject({ actual: 0n });
  change(file, 'drop trigger refuse');
  await vi.waitFor(
    async () => {
      await store.append('before', [said()], { expectedRevision: 'any' });
      expect(indexedUpTo(file)).toBe(6_001);
    },
    { interval: 1, timeout: 10_000 },
  );
  for (const look of [store, reader]) expect(await missing(look, streams)).toEqual([]);
  expect(await store.damage?.()).toBeUndefined();
}, 60_000);

test('a name that comes into the index between two looks of a reader is found', () => {
  const file = newLogFile();
  const db = openForWriting(file);
  db.exec("insert into streams (name, revision) values ('s1', 0), ('s2', 0)");
  const commands: unknown[] = [];
  const verbose = (sql: unknown): void => {
    commands.push(sql);
    if (sql === 'BEGIN') db.transaction(() => indexNewNames(db))();
  };
  const other = new Database(file, { readonly: true, verbose });
  const find = createNameFinder(other);
  expect(find('s2')).toBe(2);
  expect(commands).toContain('BEGIN');
  expect(find('s1')).toBe(1);
  other.close();
  db.close();
});

test('names are kept in memory no longer than until they are in the index', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const used = (): number => {
    collect();
    return getHeapStatistics().used_heap_size;
  };
  const file = newLogFile();
  const db = openForWriting(file);
  const other = openForReading(file);
  const written = createWrittenNames(db);
  const find = createNameFinder(other);
  const insert = db.prepare('insert into streams (name, revision) values (?, 0)');
  const nameOf = (at: number): string => `${at}-`.padEnd(2_000, 'x') + String(at);
  const addSome = db.transaction((from: number) => {
    for (let at = from; at < from + 5_000; at += 1) {
      const name = nameOf(at);
      written.add(name, Number(insert.run(name).lastInsertRowid));
    }
  });
  const before = used();
  for (let from = 0; from < 20_000; from += 5_000) {
    addSome(from);
    // Now it knows all that are new.
    expect(find('absent')).toBeUndefined();
    expect(used() - before).toBeGreaterThan(10e6);
    written.tidy();
    expect(find('absent')).toBeUndefined();
    expect(used() - before).toBeLessThan(5e6);
  }
  for (const at of [0, 7_000, 19_999]) expect(find(nameOf(at))).toBe(at + 1);
  for (const at of [0, 7_000, 19_999]) expect(written.find(nameOf(at))).toBe(at + 1);
  other.close();
  db.close();
});
