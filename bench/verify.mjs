/** Measures verifying an embedded log against a bare SHA-256 loop over the same bytes: `node bench/verify.mjs [events]`, after a build. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { verifyLog } from '../dist/audit/verify.js';
import { openSqliteEventReader } from '../dist/eventstore/sqlite-reader.js';
import { openSqliteEventStore } from '../dist/eventstore/sqlite.js';

const count = Number(process.argv[2] ?? 100_000);
const folder = mkdtempSync(path.join(tmpdir(), 'bench-verify-'));
const file = path.join(folder, 'events.db');

/** Half of the events create a contact, the others subscribe it. */
async function writeLog() {
  const store = await openSqliteEventStore({ file, clock: Date.now });
  for (let done = 0; done < count / 2; done += 2_000)
    await Promise.all(
      Array.from({ length: Math.min(2_000, count / 2 - done) }, (_, index) => {
        const [contact_id, at] = [randomUUID(), new Date(Date.UTC(2026, 0, 1) + done + index).toISOString()];
        const ids = { $correlationId: randomUUID(), $causationId: randomUUID(), request_id: randomUUID() };
        const person = {
          salt: randomBytes(16).toString('hex'),
          email: `${done + index}@example.com`,
          firstName: 'Ada',
        };
        const list = { contact_id, list_id: randomUUID(), list_name: 'News', previous_status: null };
        const events = [
          ['ContactCreated', { contact_id, person }],
          ['ContactSubscribed', list],
        ].map(([type, data]) => ({
          ...{ id: randomUUID(), type, data: JSON.stringify(data) },
          metadata: JSON.stringify({ at, ...ids, actor: 'default', schema: 1 }),
        }));
        return store.append(`contact-${randomBytes(16).toString('hex')}`, events, { expectedRevision: 'no_stream' });
      }),
    );
  await store.close();
}

const bytesOf = ({ stream, id, type, data, metadata }) => Buffer.from(stream + id + type + data + metadata);
const next = (previous, bytes) => createHash('sha256').update(previous).update(bytes).digest();

async function microseconds(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

try {
  await writeLog();
  const reader = openSqliteEventReader({ file, pollMs: 0 });
  const inMemory = [];
  for await (const batch of reader.readAll()) inMemory.push(...batch.map(bytesOf));
  const scenarios = {
    'bare loop over bytes in memory': () => {
      let link = Buffer.alloc(32);
      for (const bytes of inMemory) link = next(link, bytes);
    },
    'bare loop over the log': async () => {
      let link = Buffer.alloc(32);
      for await (const batch of reader.readAll()) for (const event of batch) link = next(link, bytesOf(event));
    },
    'verify, chain only': () => verifyLog({ source: reader, depth: 'chain' }),
    'verify, streams too': () => verifyLog({ source: reader }),
  };
  const best = {};
  for (let round = 0; round < 5; round += 1)
    for (const [name, work] of Object.entries(scenarios))
      best[name] = Math.min(best[name] ?? Infinity, await microseconds(work));
  const [memory, log] = Object.values(best);
  for (const [name, time] of Object.entries(best))
    console.log(
      `${name.padEnd(32)} ${time.toFixed(2)} µs an event, ${(log / time).toFixed(2)} × over the log, ${(memory / time).toFixed(2)} × in memory`,
    );
  await reader.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
