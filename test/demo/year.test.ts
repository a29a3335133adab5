import { rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeYear } from '../../demo/year.js';
import { codec, eventSchemas } from '../../src/events/codec.js';
import { openSqliteEventReader } from '../../src/eventstore/sqlite/reader.js';
import { frontierAt, rootOf } from '../../src/eventstore/tree.js';
import { findSeals } from '../../src/integrity/seal-store.js';
import { readRegister } from '../../src/recovery/register-file.js';
import { audience } from '../support/audience.js';
import { freshFolder } from '../support/service.js';

const until = Date.UTC(2026, 4, 1);
const place = freshFolder();
const [dataDir, again] = [path.join(place, 'one'), path.join(place, 'again')];
const make = (folder: string) => makeYear(folder, { people: 60, seed: 7, until }, () => undefined);
let read: Awaited<ReturnType<typeof readLog>>;

beforeAll(async () => {
  await Promise.all([make(dataDir), make(again)]);
  read = await readLog(dataDir);
});

afterAll(() => rmSync(place, { recursive: true, force: true }));

async function readLog(folder: string) {
  const reader = openSqliteEventReader({ file: path.join(folder, 'events.db') });
  const events: ReturnType<typeof codec.decode>[] = [];
  for await (const page of reader.readAll()) for (const stored of page) events.push(codec.decode(stored));
  const { count, nodes } = await frontierAt(reader.tree, await reader.tree.count());
  await reader.close();
  return { events, count, root: rootOf({ count, nodes }) };
}

test('the same seed makes the same log, with the same root', async () => {
  expect(read.count).toBeGreaterThan(800);
  expect((await readLog(again)).root).toBe(read.root);
});

test('has every kind of event but that of a restore', () => {
  const types = new Set(read.events.map(({ event }) => event.type));
  expect(Object.keys(eventSchemas).filter((type) => !types.has(type as never))).toEqual(['LogRestored']);
});

test('its times run on through the whole log, and end before the end of the year', () => {
  const times = read.events.map(({ metadata }) => metadata.at);
  expect(times.toSorted()).toEqual(times);
  expect(times[0]).toMatch(/^2025-05-01/);
  expect(times.at(-1)?.slice(0, 10)).toBe('2026-04-30');
});

test('the log and its seals verify, and the doctor is content', async () => {
  const seals = await findSeals({ dataDir, copies: undefined });
  expect(seals.length).toBeGreaterThan(50);
  const verified = await audience(['audit', 'verify', '--data-dir', dataDir, '--json']);
  expect(verified).toMatchObject({ code: 0 });
  const listed = await audience(['audit', 'seals', '--data-dir', dataDir, '--json']);
  expect(listed.code).toBe(0);
  const examined = await audience(['doctor', '--data-dir', dataDir, '--json']);
  expect(examined.code).toBe(0);
  expect(examined.out).not.toContain('"red"');
});

test('who was erased is in the register, and so is what else must not come back', () => {
  const [first] = read.events;
  const logId = first?.event.type === 'ServiceInitialised' ? first.event.data.log_id : '';
  const { lines } = readRegister(path.join(dataDir, 'register.ndjson'), { logId, key: undefined });
  const registered = read.events.filter(
    ({ event }) =>
      ['ErasureRequested', 'AddressSuppressed', 'AddressReleased', 'ApiKeyRotated', 'ApiKeyRevoked'].includes(
        event.type,
      ) ||
      (event.type === 'ContactUnsubscribed' && event.data.by !== undefined),
  );
  expect(lines.map(({ type }) => type).sort()).toEqual(registered.map(({ event }) => event.type).sort());
});

test('people leave by the button of their mail program and by the page', () => {
  const kinds = read.events.flatMap(({ event, metadata }) =>
    event.type === 'ContactUnsubscribed' && event.data.by !== undefined && metadata.actor === 'recipient'
      ? [event.data.by.kind]
      : [],
  );
  expect(new Set(kinds)).toEqual(new Set(['one_click', 'page']));
});
