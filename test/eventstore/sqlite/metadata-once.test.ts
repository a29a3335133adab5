/** Events that are appended together and have the same metadata: the file has their text once, and every reader gives it with each of them. */
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
/** The metadata of the events at the positions 1 to 8, and what their rows store. */
const metadata = [ada, ada, ada, eve, eve, ada, eve, eve];
const rows = [ada, ada, '2', eve, '4', ada, eve, '7'];

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

function rowsOf(file: string, sql = 'select metadata from events order by position'): unknown[] {
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

test('stand in the file once, and with each event wherever it is read', async () => {
  const { store, file } = await writtenLog();
  expect(rowsOf(file)).toEqual(rows);
  expect(rowsOf(file, 'select metadata from log')).toEqual(metadata);
  for (const reader of [store, openReader(file)]) {
    expect(await batches(reader.readAll())).toEqual(metadata);
    expect(await batches(reader.readAll({ direction: 'backwards' }))).toEqual(metadata.toReversed());
    expect(await batches(reader.readEvents())).toEqual(metadata);
    expect(await followed(reader)).toEqual(metadata);
    // From the middle: what stands before is not read.
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

test('stay after a redaction of the event that has the text', async () => {
  const { store, file } = await writtenLog();
  expect(await store.redact('one', 0n)).toBe(1);
  expect((await allEvents(store)).map((one) => one.metadata)).toEqual(metadata);
  expect(await verified(file)).toMatchObject({ intact: true, redacted: 1 });
});

test('are never looked for in what was rolled back, or in a commit before', () => {
  const db = openForWriting(newLogFile());
  const appender = createAppender(db);
  const take = (stream: string, events: readonly EventToAppend[]): void => {
    db.exec('begin');
    appender.take(pack([{ stream, events, expected: anyRevision, size: 0 }], new Date(0).toISOString()));
  };
  take('one', [event(ada), event(ada)]);
  db.exec('rollback');
  appender.reset(emptyFrontier);
  for (const stream of ['two', 'three']) {
    take(stream, [event(ada), event(ada)]);
    db.exec('commit');
  }
  expect(db.prepareValue('select metadata from events').all()).toEqual([ada, '1', ada, '3']);
  db.close();
});

test('are covered by a seal, so that a forged one is found', async () => {
  const { store, file } = await writtenLog();
  const seal = createSeal(
    { log_id: logId, seq: 1, restores: 0, count: 8, root: toHex(rootOf(await store.frontier()) ?? ''), final: false },
    generateKeyPairSync('ed25519').privateKey,
    0,
  );
  await store.close();
  expect(await verified(file, { seals: [seal] })).toMatchObject({ intact: true, holding: seal });
  for (const [row, forged] of [
    [2, by('mallory')],
    [4, ada],
    // Of another event.
    [5, '2'],
    [8, '6'],
    [7, '5'],
    // Of an event that has not the text itself, of itself, of none.
    [3, '5'],
    [3, '3'],
    [3, '99'],
    [3, '-9223372036854775808'],
    [3, '9223372036854775808'],
    [3, ''],
    [3, eve],
  ] as const) {
    const copy = tampered(file, (db) =>
      db.prepare('update events set metadata = ? where position = ?').run(forged, row),
    );
    const where = `${row}: ${forged}`;
    expect(await verified(copy, { seals: [seal] }), where).toMatchObject({
      intact: false,
      seals: [{ state: 'fails' }],
    });
    expect(await allEvents(openReader(copy)), where).toHaveLength(8);
  }
  const forged = tampered(file, (db) =>
    db.exec(`update events set metadata = replace(metadata, 'eve', 'mallory') where position = 4`),
  );
  const sealFile = path.join(newFolder(), 'seal.json');
  writeFileSync(sealFile, JSON.stringify(seal));
  const { code, output } = await runVerifier(await exported(forged), sealFile);
  expect({ code, output }).toMatchObject({ code: 1, output: expect.stringContaining('DIFFERENT') as string });
});
