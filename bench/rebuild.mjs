// Measures how fast views are built from the first event: node bench/rebuild.mjs [--events 100000 --contacts 40000 --rounds 3]. Reading and decoding the same events alone against building the contact views, each in a process of its own, in turns. A large log: --events 1000000 --contacts 400000 --rounds 1.
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from './service.mjs';

const dist = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'dist');
const load = (file) => import(path.join(dist, file));

if (process.send === undefined) await measure();
else process.once('message', (job) => work(job).then((result) => process.send(result, () => process.exit())));

async function work({ task, folder }) {
  const { openSqliteEventReader } = await load('eventstore/sqlite/reader.js');
  const reader = openSqliteEventReader({ file: path.join(folder, 'events.db') });
  const begun = performance.now();
  const cpu = process.cpuUsage();
  const documents = await (task === 'read' ? readAndDecode(reader) : build(reader, folder));
  const { user, system } = process.cpuUsage(cpu);
  return {
    seconds: (performance.now() - begun) / 1000,
    cpu: (user + system) / 1e6,
    megabytes: process.resourceUsage().maxRSS / 1024,
    documents,
  };
}

async function readAndDecode(reader) {
  const { codec } = await load('events/codec.js');
  for await (const events of reader.readAll()) for (const stored of events) codec.decode(stored);
  return 0;
}

async function build(reader, folder) {
  const { openSqliteReadModels } = await load('readmodels/sqlite/read-models.js');
  const { bulkBuild } = await load('rebuild/bulk-build.js');
  const { contacts } = await load('projections/contacts.js');
  const { memberships } = await load('projections/memberships.js');
  const file = path.join(folder, `views-${randomUUID()}.db`);
  const readModels = openSqliteReadModels({ file });
  await bulkBuild({
    reader,
    readModels,
    projections: [contacts, memberships],
    name: 'rebuild',
    from: null,
    until: await reader.head(),
    park: false,
    check: () => undefined,
    signal: new AbortController().signal,
    onProgress: () => undefined,
  });
  await readModels.close();
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
}

async function measure() {
  const { values } = parseArgs({
    options: {
      events: { type: 'string', default: '100000' },
      contacts: { type: 'string', default: '40000' },
      rounds: { type: 'string', default: '3' },
    },
  });
  const events = Number(values.events);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'audience-bench-rebuild-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  process.on('SIGINT', () => process.exit(130));
  await makeLog(path.join(folder, 'events.db'), { events, contacts: Number(values.contacts) });

  const results = { read: [], build: [] };
  for (let round = 0; round < Number(values.rounds); round += 1)
    for (const task of ['read', 'build']) results[task].push(await run({ task, folder }));
  const rate = (task) => events / median(results[task].map(({ seconds }) => seconds));
  const busy = (task) => events / median(results[task].map(({ cpu }) => cpu));
  const memory = (task) => Math.max(...results[task].map(({ megabytes }) => megabytes));
  const show = (number) => Math.round(number).toLocaleString('en');
  const figures = (task) =>
    `${show(rate(task))} events/s, ${show(busy(task))} a second of CPU, at most ${show(memory(task))} MB`;
  const ratio = (of) => of('build') / of('read');
  const holds = ratio(rate) >= 0.15;
  process.stdout.write(
    [
      `${show(events)} events of ${show(Number(values.contacts))} contacts, medians of ${values.rounds} rounds`,
      `reading and decoding alone   ${figures('read')}`,
      `building the contact views   ${figures('build')}`,
      `${holds ? 'ok   ' : 'SHORT'} building is ${ratio(rate).toFixed(2)} × reading and decoding, ${ratio(busy).toFixed(2)} × by CPU (wanted 0.15, aim 0.3 and 100,000 events/s)`,
      '',
    ].join('\n'),
  );
  process.exit(holds ? 0 : 1);
}

function run(job) {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url));
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`${job.task} ended with ${code}`)));
    child.send(job);
  });
}

/** Every contact is created and subscribed; what is left are changes of contacts at random. */
async function makeLog(file, { events, contacts }) {
  const { openSqliteEventStore } = await load('eventstore/sqlite/event-store.js');
  const { createUlidSource } = await load('stores/ids.js');
  const store = await openSqliteEventStore({ file, clock: Date.now });
  const newUlid = createUlidSource(Date.now);
  const waiting = new Set();
  const revisions = new Map();
  const metadata = () =>
    JSON.stringify({
      at: new Date().toISOString(),
      $correlationId: randomUUID(),
      $causationId: randomUUID(),
      request_id: randomUUID(),
      actor: 'bench',
      schema: 1,
    });
  const append = async (stream, ...facts) => {
    const stored = facts.map(([type, data]) => ({ id: randomUUID(), type, data: JSON.stringify(data), metadata: '' }));
    const common = metadata();
    const revision = revisions.get(stream);
    revisions.set(stream, (revision ?? -1) + stored.length);
    const done = store.append(
      stream,
      stored.map((event) => ({ ...event, metadata: common })),
      { expectedRevision: revision === undefined ? 'no_stream' : BigInt(revision) },
    );
    waiting.add(done);
    void done.then(() => waiting.delete(done));
    if (waiting.size >= 2_000) await Promise.all(waiting);
  };
  const salt = '000102030405060708090a0b0c0d0e0f';
  const list = { list_id: newUlid(), list_name: 'Newsletter' };
  const tag = { tag_id: newUlid(), tag_name: 'VIP' };
  await append('service', ['ServiceInitialised', { log_id: newUlid(), secret_fingerprint: 'bench' }]);
  const people = [];
  let count = 1;
  const changes = [
    (id) => ['ContactProfileChanged', { contact_id: id, person: { salt, city: `City ${count}` } }],
    (id) => ['TagsAttached', { contact_id: id, list_id: list.list_id, tags: [tag] }],
    (id) => ['ContactUnsubscribed', { contact_id: id, ...list, previous_status: 'Subscribed' }],
  ];
  while (count < events) {
    // Creations are spread over the whole log.
    const isNew = people.length * events <= count * contacts && people.length < contacts;
    if (isNew) {
      const number = people.length;
      const id = newUlid();
      const stream = `contact-${randomUUID().replaceAll('-', '')}`;
      people.push({ id, stream });
      const person = {
        salt,
        email: `person.${number}@example.com`,
        firstName: 'Ada',
        lastName: `Lovelace ${number}`,
        city: 'London',
        country: 'United Kingdom',
      };
      await append(
        stream,
        ['ContactCreated', { contact_id: id, person }],
        ['ContactSubscribed', { contact_id: id, ...list, previous_status: null }],
      );
      count += 2;
    } else {
      const { id, stream } = people[Math.floor(Math.random() * people.length)];
      await append(stream, changes[count % changes.length](id));
      count += 1;
    }
  }
  await Promise.all(waiting);
  await store.close();
}
