/** Logs of the format before the evidence chain: read as they are, given their links when they are opened for writing, whole or not at all. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { firstLink, linkAfter } from '../../src/eventstore/chain.js';
import type { StoredEvent } from '../../src/eventstore/event-store.js';
import { openSqliteEventReader } from '../../src/eventstore/sqlite-reader.js';
import { openSqliteEventStore } from '../../src/eventstore/sqlite.js';
import { allEvents, newLogFile, openLog, said } from '../support/event-log.js';

async function oldLog(): Promise<{ file: string; events: StoredEvent[] }> {
  const { store, file } = await openLog();
  for (let at = 0; at < 30; at += 1)
    await store.append(`s${at % 3}`, [said(`${at}`), said('é')], { expectedRevision: 'any' });
  const events = await allEvents(store);
  await store.close();
  makeOld(file);
  return { file, events };
}

/** As version 1 wrote it. */
function makeOld(file: string): void {
  const db = new Database(file);
  db.exec(`drop view log; alter table events drop column chain;
    create view log as select e.position, s.name as stream from events e join streams s on s.id = e.stream_id;
    pragma user_version = 1`);
  db.close();
}

async function linksIn(file: string): Promise<(string | null)[]> {
  const reader = openSqliteEventReader({ file });
  const links: (string | null)[] = [];
  for await (const batch of reader.readLinked()) links.push(...batch.map(({ link }) => link));
  await reader.close();
  return links;
}

function expectedLinks(events: readonly StoredEvent[]): string[] {
  const links: string[] = [];
  for (const [at, event] of events.entries()) links.push(linkAfter(links.at(-1) ?? firstLink, at + 1, event));
  return links;
}

test('a log without links is read, and has no chain', async () => {
  const { file, events } = await oldLog();
  const reader = openSqliteEventReader({ file });
  expect(await allEvents(reader)).toEqual(events);
  expect(reader.chainHead()).toBeUndefined();
  expect(new Set(await linksIn(file))).toEqual(new Set([null]));
  await reader.close();
});

test('opened for writing it is given its links, says so, and goes on', async () => {
  const { file, events } = await oldLog();
  const reader = openSqliteEventReader({ file });
  let upgrades = 0;
  for (let round = 0; round < 2; round += 1) {
    const store = await openSqliteEventStore({ file, clock: Date.now, onUpgrade: () => (upgrades += 1) });
    await store.append(`new-${round}`, [said()], { expectedRevision: 'no_stream' });
    await store.close();
  }
  expect(upgrades).toBe(1);
  const all = await allEvents(reader);
  expect(all.slice(0, events.length)).toEqual(events);
  expect(await linksIn(file)).toEqual(expectedLinks(all));
  // A reader that was open all the time sees it, too.
  expect(reader.chainHead()).toMatchObject({ count: 62, head: expectedLinks(all).at(-1) });
  await reader.close();
  const fresh = newLogFile();
  copyFileSync(file, fresh);
  expect(new Database(fresh, { readonly: true }).prepare('select chain from log').pluck().all()).toEqual(
    expectedLinks(all),
  );
});

test('a log with a hole is refused and left as it is', async () => {
  const { file } = await oldLog();
  new Database(file).exec('delete from events where position = 17').close();
  await expect(openSqliteEventStore({ file, clock: Date.now })).rejects.toThrow('event 17 is missing');
  const db = new Database(file, { readonly: true });
  expect(db.pragma('user_version', { simple: true })).toBe(1);
  expect(db.pragma('table_info(events)')).toHaveLength(8);
  db.close();
});

test.each([
  ['1', 'have', 'alter table events add column chain blob'],
  ['2', 'lack', 'pragma user_version = 2'],
])(
  'a log that says format %s although its events %s a chain is refused by name and left as it is',
  async (version, has, change) => {
    const { file } = await oldLog();
    new Database(file).exec(change).close();
    const before = readFileSync(file);
    const message = `${file} says that it has format ${version} (user_version), but its events ${has} the column chain`;
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
  makeOld(file);
  const compiled = fileURLToPath(new URL('../../dist/eventstore/sqlite.js', import.meta.url));
  const script = `import(${JSON.stringify(compiled)})
    .then(({ openSqliteEventStore }) => openSqliteEventStore({ file: ${JSON.stringify(file)}, clock: Date.now }))
    .then((store) => store.close())`;
  const child = spawn(process.execPath, ['--max-old-space-size=40', '-e', script], { stdio: 'ignore' });
  await once(child, 'close');
  expect(child.exitCode).toBe(0);
  const db = new Database(file, { readonly: true });
  expect(db.prepare('select count(*) from events where length(chain) = 32').pluck().get()).toBe(100);
  db.close();
}, 60_000);
