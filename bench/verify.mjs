/** Measures verifying an embedded log against a bare SHA-256 loop over the same bytes, by the clock: `node bench/verify.mjs [events]`, after a build. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { verifyLog } from '../dist/evidence/verify.js';
import { openSqliteEventReader } from '../dist/eventstore/sqlite/reader.js';
import { openSqliteEventStore } from '../dist/eventstore/sqlite/event-store.js';
import { median } from './service.mjs';

const count = Number(process.argv[2] ?? 400_000);
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

const sha256 = (bytes) => createHash('sha256').update(bytes).digest();
const field = (text) => `${Buffer.byteLength(text)}:${text},`;

/** The bytes of an event that docs/evidence.md has hashed: those of `person` by themselves, and all others behind a zero byte. */
function bytesOf({ stream, revision, id, type, data, metadata }, ordinal) {
  const from = data.indexOf('{"salt"');
  const person = from < 0 ? '' : data.slice(from, data.indexOf('}', from) + 1);
  const told = person === '' ? data : data.replace(person, `"sha256:${sha256(person).toString('hex')}"`);
  const fields = [String(ordinal), stream, String(revision), id, type, told, metadata].map(field).join('');
  return { person: person === '' ? undefined : Buffer.from(person), fields: Buffer.from(`\0${fields}`) };
}

function hashed(link, { person, fields }) {
  if (person !== undefined) sha256(person);
  return createHash('sha256').update(link).update(sha256(fields)).digest();
}

/** Of each round, in turns, by the clock and in CPU time. */
async function measured(work) {
  const before = process.cpuUsage();
  const begun = performance.now();
  await work();
  const wall = ((performance.now() - begun) * 1_000) / count;
  const { user, system } = process.cpuUsage(before);
  return { wall, cpu: (user + system) / count };
}

try {
  await writeLog();
  const reader = openSqliteEventReader({ file, pollMs: 0 });
  const inMemory = [];
  for await (const batch of reader.readAll())
    for (const event of batch) inMemory.push(bytesOf(event, inMemory.length + 1));
  // The same bytes indeed: their hashes are the log's own links.
  const head = inMemory.reduce(hashed, Buffer.alloc(32));
  if (head.toString('hex') !== reader.chainHead().head)
    throw new Error('the yardstick hashes other bytes than the chain');
  const scenarios = {
    'bare loop over bytes in memory': () => {
      let link = Buffer.alloc(32);
      for (const bytes of inMemory) link = hashed(link, bytes);
      return link;
    },
    'bare loop over the log': async () => {
      let link = Buffer.alloc(32);
      let ordinal = 0;
      for await (const batch of reader.readAll())
        for (const event of batch) link = hashed(link, bytesOf(event, (ordinal += 1)));
    },
    'verify --quick, chain only': () => verifyLog({ source: reader, depth: 'chain' }),
    'verify, streams too': () => verifyLog({ source: reader }),
  };
  const rounds = Object.fromEntries(Object.keys(scenarios).map((name) => [name, []]));
  for (let round = 0; round < 5; round += 1)
    for (const [name, work] of Object.entries(scenarios)) rounds[name].push(await measured(work));
  const of = (name, what) => median(rounds[name].map((one) => one[what]));
  const [memory, log] = Object.keys(scenarios).map((name) => of(name, 'wall'));
  console.log(`verifying ${count.toLocaleString('en')} events, medians of 5 rounds, ${availableParallelism()} cores`);
  for (const name of Object.keys(scenarios))
    console.log(
      `${name.padEnd(32)} ${of(name, 'wall').toFixed(2)} µs an event (CPU ${of(name, 'cpu').toFixed(2)}), ${(memory / of(name, 'wall')).toFixed(2)} × over bytes in memory, ${(log / of(name, 'wall')).toFixed(2)} × over the log`,
    );
  const ratio = memory / of('verify, streams too', 'wall');
  console.log(`${ratio >= 0.3 ? 'ok   ' : 'SHORT'} verify is ${ratio.toFixed(2)} × a bare SHA-256 loop (wanted 0.3)`);
  process.exitCode = ratio >= 0.3 ? 0 : 1;
  await reader.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
