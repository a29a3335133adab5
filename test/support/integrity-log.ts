/** Small logs with every kind of event text, copies to tamper with, exports, and the stand-alone verifier. */
import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { Database } from '../../src/sqlite/database.js';
import { onTestFinished } from 'vitest';
import { verifyLog, type Verification, type VerifyOptions } from '../../src/integrity/verify.js';
import type { EventToAppend } from '../../src/eventstore/event-store.js';
import { openSqliteEventReader } from '../../src/eventstore/sqlite/reader.js';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';

const verifier = new URL('../../verify.mjs', import.meta.url);

/** What is awkward in JSON, in UTF-8, and for whoever splits lines. */
const texts = ['plain', 'a "quoted" \\ name', 'zoë 😀', 'line\nbreak \u2028', '{"person":{}}', '', '],}'];

export function exampleEvent(number: number, at = number): EventToAppend {
  const text = texts[number % texts.length];
  const kinds = [
    { contact_id: `c${number}`, person: { salt: randomUUID(), email: text, tags: [text, { text }] } },
    { contact_id: `c${number}`, list_id: text, previous_status: null },
    { email_id: `e${number}`, message: { salt: randomUUID(), subject: text }, attempt: number },
  ];
  return {
    id: randomUUID(),
    type: ['Said', 'Subscribed', 'Sent'][number % 3] ?? 'Said',
    data: JSON.stringify(kinds[number % kinds.length]),
    metadata: JSON.stringify({ at: new Date(Date.UTC(2026, 0, 1) + at * 1_000).toISOString(), actor: 'shop' }),
  };
}

export const serviceInitialised = (): EventToAppend => ({
  id: randomUUID(),
  type: 'ServiceInitialised',
  data: JSON.stringify({ log_id: randomUUID(), secret_fingerprint: 'fingerprint' }),
  metadata: JSON.stringify({
    ...{ at: '2026-01-01T00:00:00.000Z', $correlationId: 'a', $causationId: 'a' },
    ...{ request_id: 'a', actor: 'service', schema: 1 },
  }),
});

/** A closed log of so many events in a handful of streams, as the service would have written it. */
export async function writeLog(file: string, events: number): Promise<void> {
  const store = await openSqliteEventStore({ file, clock: Date.now });
  await store.append('service', [serviceInitialised()], { expectedRevision: 'no_stream' });
  const revisions = new Map<string, number>();
  for (let number = 1; number < events; number += 1) {
    const stream = `contact-${(number * 7) % 5}`;
    const revision = revisions.get(stream) ?? -1;
    await store.append(stream, [exampleEvent(number)], {
      expectedRevision: revision < 0 ? 'no_stream' : BigInt(revision),
    });
    revisions.set(stream, revision + 1);
  }
  await store.close();
}

export function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'integrity-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A copy of the log with something done to it behind the service's back. */
export function tampered(file: string, tamper: (db: Database) => void): string {
  const copy = path.join(newFolder(), 'events.db');
  copyFileSync(file, copy);
  const db = new Database(copy);
  const index = "select sql from sqlite_schema where name = 'events_by_stream'";
  const sql = db.prepareValue<[], string>(index).get() ?? '';
  db.exec('drop index events_by_stream');
  tamper(db);
  try {
    db.exec(sql);
  } catch {
    // What was put in cannot be indexed: the schema differs then, too.
  }
  db.close();
  return copy;
}

export async function verified(file: string, options: Omit<VerifyOptions, 'source'> = {}): Promise<Verification> {
  const source = openSqliteEventReader({ file, pollMs: 0 });
  try {
    return await verifyLog({ source, ...options });
  } finally {
    await source.close();
  }
}

/** As `audience export events` writes it; data and metadata as they are stored, whatever they are. */
export async function exported(file: string, folder = newFolder()): Promise<string> {
  const reader = openSqliteEventReader({ file, pollMs: 0 });
  const lines: string[] = [];
  for await (const events of reader.readEvents())
    for (const { position, stream, revision, id, type, data, metadata } of events) {
      const place = `"ordinal":${lines.length + 1},"position":${JSON.stringify(position)}`;
      const what = `"stream":${JSON.stringify(stream)},"revision":${revision},"event_id":${JSON.stringify(id)},"type":${JSON.stringify(type)}`;
      lines.push(`{${place},${what},"data":${data},"metadata":${metadata}}\n`);
    }
  await reader.close();
  const name = path.join(folder, 'export.ndjson');
  writeFileSync(name, lines.join(''));
  return name;
}

/**
 * Runs the stand-alone verifier in a thread, which takes a third of the time of a process. test/integrity/prove.test.ts runs it
 * in a process.
 */
export function runVerifier(...argv: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const thread = new Worker(verifier, { argv, stdout: true, stderr: true });
    let output = '';
    for (const stream of [thread.stdout, thread.stderr])
      stream.on('data', (text: Buffer) => (output += text.toString()));
    thread.on('exit', (code) => resolve({ code, output }));
  });
}
