/** Metadata that several events share is stored in one row, and every reader returns it with each of these events. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { EventReader, EventToAppend, StoredEvent } from '../../../src/eventstore/event-store.js';
import { toHex } from '../../../src/eventstore/leaf.js';
import { createSeal } from '../../../src/integrity/seal.js';
import { emptyFrontier, rootOf } from '../../../src/eventstore/tree.js';
import { createAppender } from '../../../src/eventstore/sqlite/append.js';
import { anyRevision, pack } from '../../../src/eventstore/sqlite/messages.js';
import { openForWriting } from '../../../src/eventstore/sqlite/schema.js';
import { Database } from '../../../src/sqlite/database.js';
import { allEvents, newLogFile, openLog, openReader } from '../../support/event-log.js';
import { exported, newFolder, runVerifier, tampered, verified } from '../../support/integrity-log.js';

const noStream = { expectedRevision: 'no_stream' } as const;
const by = (actor: string): string => JSON.stringify({ at: '2026-01-01T00:00:00.000Z', actor });
const [ada, eve] = [by('ada'), by('eve')];

const event = (metadata: string): EventToAppend => ({
  id: randomUUID(),
  type: 'Said',
  data: JSON.stringify({ person: { salt: 'a', email: 'ada@example.com' } }),
  metadata,
});

const logId = randomUUID();
/** The metadata of the events at the positions 1 to 8, the rows that they refer to, and these rows. Three appends wrote them. */
const metadata = [ada, ada, ada, eve, eve, ada, eve, eve];
const rowIds = [1, 2, 2, 3, 3, 4, 5, 5];
const rows = [ada, ada, eve, ada, eve];

async function writtenLog(): Promise<Awaited<ReturnType<typeof openLog>>> {
  const log = await openLog();
  const named = JSON.stringify({ log_id: logId, secret_fingerprint: '' });
  await log.store.append('service', [{ ...event(ada), type: 'ServiceInitialised', data: named }], noStream);
  await log.store.append(
    'one',
    metadata.slice(1, 6).map((text) => event(text)),
    noStream,
  );
  await log.store.append('two', [event(eve), event(eve)], noStream);
  return log;
}

function rowsOf(file: string, sql: string): unknown[] {
  const db = new Database(file, { access: 'read' });
  try {
    return db.prepareValue(sql).all();
  } finally {
    db.close();
  }
}

async function batches(events: AsyncIterable<readonly StoredEvent[]>): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of events) found.push(...batch.map((one) => one.metadata));
  return found;
}

async function followed(reader: EventReader): Promise<string[]> {
  const stop = new AbortController();
  const found: string[] = [];
  for await (const message of reader.subscribe({ after: '', signal: stop.signal }))
    if (message.type === 'events') found.push(...message.events.map((one) => one.metadata));
    else stop.abort();
  return found;
}

test('metadata of consecutive events is stored once and read with each of them', async () => {
  const { store, file } = await writtenLog();
  expect(rowsOf(file, 'select metadata_id from events order by position')).toEqual(rowIds);
  expect(rowsOf(file, 'select json from metadata order by id')).toEqual(rows);
  expect(rowsOf(file, 'select metadata from log')).toEqual(metadata);
  for (const reader of [store, openReader(file)]) {
    expect(await batches(reader.readAll())).toEqual(metadata);
    expect(await batches(reader.readAll({ direction: 'backwards' }))).toEqual(metadata.toReversed());
    expect(await batches(reader.readEvents())).toEqual(metadata);
    expect(await followed(reader)).toEqual(metadata);
    // Starts after the first event with this metadata.
    expect(await batches(reader.readStream('one', { from: 3n }))).toEqual([eve, ada]);
    expect(await batches(reader.readStream('two', { direction: 'backwards', limit: 1 }))).toEqual([eve]);
    const several = await reader.readStreams?.(['two', 'one']);
    expect([...(several?.values() ?? [])].flat().map((one) => one.metadata)).toEqual([
      ...metadata.slice(6),
      ...metadata.slice(1, 6),
    ]);
    expect((await reader.readAt('00000000000000000005'))?.metadata).toBe(eve);
  }
  expect(await verified(file)).toMatchObject({ intact: true, count: 8 });
});

test('a redaction leaves the metadata as it is', async () => {
  const { store, file } = await writtenLog();
  expect(await store.redact('one', 0n)).toBe(1);
  expect((await allEvents(store)).map((one) => one.metadata)).toEqual(metadata);
  expect(await verified(file)).toMatchObject({ intact: true, redacted: 1 });
});

test('an append refers to no metadata of a transaction that was rolled back, nor of an earlier one', () => {
  const db = openForWriting(newLogFile());
  const appender = createAppender(db);
  const take = (...streams: readonly string[]): void => {
    const appends = streams.map((stream) => ({
      stream,
      events: [event(ada), event(ada)],
      expected: anyRevision,
      size: 0,
    }));
    db.exec('begin');
    appender.take(pack(appends, new Date(0).toISOString()));
  };
  take('one');
  db.exec('rollback');
  appender.reset(emptyFrontier);
  for (const streams of [['two'], ['three', 'four']]) {
    take(...streams);
    db.exec('commit');
  }
  expect(db.prepareValue('select metadata_id from events order by position').all()).toEqual([1, 1, 2, 2, 2, 2]);
  expect(db.prepareValue('select json from metadata').all()).toEqual([ada, ada]);
  db.close();
});

test('forged metadata, or a reference to a row of other events, contradicts a seal', async () => {
  const { store, file } = await writtenLog();
  const seal = createSeal(
    { log_id: logId, seq: 1, restores: 0, count: 8, root: toHex(rootOf(await store.frontier()) ?? ''), final: false },
    generateKeyPairSync('ed25519').privateKey,
    0,
  );
  await store.close();
  expect(await verified(file, { seals: [seal] })).toMatchObject({ intact: true, holding: seal });
  const change = (position: number, json: string): string =>
    `update metadata set json = '${json}' where id = (select metadata_id from events where position = ${position})`;
  const refer = (position: number, id: number | string): string =>
    `update events set metadata_id = ${id} where position = ${position}`;
  for (const sql of [
    change(2, by('mallory')),
    change(4, ada),
    change(4, ''),
    refer(5, 2),
    refer(6, 3),
    // Rows that do not exist.
    refer(3, 99),
    refer(3, 0),
    refer(3, '-9223372036854775808'),
    refer(3, '9223372036854775807'),
    'delete from metadata where id = 3',
  ]) {
    const copy = tampered(file, (db) => db.exec(sql));
    expect(await verified(copy, { seals: [seal] }), sql).toMatchObject({
      intact: false,
      seals: [{ state: 'fails' }],
    });
    expect(await allEvents(openReader(copy)), sql).toHaveLength(8);
  }
  const forged = tampered(file, (db) =>
    db.exec(`update metadata set json = replace(json, 'eve', 'mallory') where id = 3`),
  );
  const sealFile = path.join(newFolder(), 'seal.json');
  writeFileSync(sealFile, JSON.stringify(seal));
  const { code, output } = await runVerifier(await exported(forged), sealFile);
  expect({ code, output }).toMatchObject({ code: 1, output: expect.stringContaining('DIFFERENT') as string });
});
