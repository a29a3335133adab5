/** Measures the CPU time of verifying an embedded log beyond reading it: `node bench/verify.mjs [events] [rounds]`, after a build. */
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { openSqliteEventReader } from '../dist/eventstore/sqlite/reader.js';
import { openSqliteEventStore } from '../dist/eventstore/sqlite/event-store.js';
import { verifyLog } from '../dist/integrity/verify.js';
import { median } from './service.mjs';

const count = Number(process.argv[2] ?? 1_000_000);
const rounds = Number(process.argv[3] ?? 3);
/** Seconds of CPU time beyond reading that a million events may take. */
const most = 2;

/** Half of the events create a contact, the others subscribe it. */
async function writeLog(file) {
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
        const metadata = JSON.stringify({ at, ...ids, actor: 'default', schema: 1 });
        const events = [
          ['ContactCreated', { contact_id, person }],
          ['ContactSubscribed', list],
        ].map(([type, data]) => ({ id: randomUUID(), type, data: JSON.stringify(data), metadata }));
        return store.append(`contact-${randomBytes(16).toString('hex')}`, events, { expectedRevision: 'no_stream' });
      }),
    );
  await store.close();
}

/** Returns seconds of CPU time and of wall time. */
async function measure(work) {
  globalThis.gc?.();
  const before = process.cpuUsage();
  const startedAt = performance.now();
  await work();
  const wall = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1e6, wall };
}

const folder = mkdtempSync(path.join(tmpdir(), 'bench-verify-'));
try {
  const file = path.join(folder, 'events.db');
  await writeLog(file);
  const reader = openSqliteEventReader({ file, pollMs: 0 });
  const demandIntact = ({ intact, difference }) => {
    if (!intact) throw new Error(difference.message);
  };
  const scenarios = {
    'reading alone': async () => {
      for await (const _ of reader.readEvents());
    },
    'check of the streams by SQLite alone': () => reader.storeFault(),
    'verifyLog without that check': async () =>
      demandIntact(await verifyLog({ source: { readEvents: reader.readEvents, tree: reader.tree } })),
    verifyLog: async () => demandIntact(await verifyLog({ source: reader })),
  };
  const figures = Object.fromEntries(Object.keys(scenarios).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const [name, work] of Object.entries(scenarios)) figures[name].push(await measure(work));
  await reader.close();
  const of = (name, what) => median(figures[name].map((one) => one[what]));
  console.log(`${count.toLocaleString('en')} events, medians of ${rounds} rounds, ${availableParallelism()} cores`);
  for (const name of Object.keys(scenarios))
    console.log(
      `${name.padEnd(34)} ${of(name, 'cpu').toFixed(2)} s of CPU, ${of(name, 'wall').toFixed(2)} s by the clock`,
    );
  const beyond = ((of('verifyLog', 'cpu') - of('reading alone', 'cpu')) * 1e6) / count;
  console.log(
    `${beyond <= most ? 'ok   ' : 'SHORT'} ${beyond.toFixed(2)} s of CPU beyond reading a million events (at most ${most})`,
  );
  process.exitCode = beyond <= most ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
