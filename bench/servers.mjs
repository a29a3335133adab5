// Measures the service on EventStoreDB and MongoDB against EventStoreDB's client alone, in one run, side by side.
// TEST_EVENTSTORE_URL=… TEST_MONGODB_URL=… npm run bench -- --only servers [--rounds 5 --seconds 3]
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MongoClient } from 'mongodb';
import { logStart } from '../dist/eventstore/event-store.js';
import { openEventStoreDb } from '../dist/eventstore/eventstoredb/event-store.js';
import {
  address,
  ask,
  key,
  median,
  newDataDir,
  number,
  projections,
  settle,
  spawnService,
  stopped,
  told,
  wait,
} from './service.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '3' } },
});
const rounds = Number(values.rounds);
const milliseconds = Number(values.seconds) * 1000;
const writers = 64;
const run = randomUUID().slice(0, 8);
const eventStore = process.env.TEST_EVENTSTORE_URL;
const prefix = `bench-${run}-`;
const mongo = new URL(process.env.TEST_MONGODB_URL);
mongo.pathname = `/audience_bench_${run}`;
const dataDir = newDataDir();

const startService = (more = {}) =>
  spawnService(dataDir, {
    env: {
      LOG_LEVEL: 'error',
      SECRET: 'bench-secret-bench-secret-bench-secret',
      EVENTSTORE_URL: eventStore,
      EVENTSTORE_PREFIX: prefix,
      MONGODB_URL: mongo.href,
      ...more,
    },
  });

// Loaded apart, so that they fold nothing of the bare appends.
const bare = fork(path.join(here, 'bare-appends.mjs'), [eventStore, `bare-${run}-`]);
await told(bare);
const load = fork(path.join(here, 'load.mjs'));
let service = startService();
process.on('exit', () => {
  for (const child of [bare, load, service]) child.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});
process.on('SIGINT', () => process.exit(130));

let base = await address(dataDir);

const { list_id: listId } = (await ask(base, '/v1/lists/create', { list_name: 'Bench' })).data;

async function measureService(round) {
  await settle(base);
  let worstLag = 0;
  let running = true;
  const watch = (async () => {
    while (running) {
      worstLag = Math.max(worstLag, (await projections(base)).lag_ms);
      await wait(250);
    }
  })();
  load.send({
    port: Number(new URL(base).port),
    scenario: 'create',
    parameters: { key, listId, run: `${run}-${round}` },
    connections: writers,
    milliseconds,
  });
  const result = await told(load);
  running = false;
  await watch;
  if (result.failures > 0) throw new Error(`${result.failures} failures, the first: ${result.sample}`);
  return { ...result, rate: result.requests / result.seconds, worstLag };
}

/** For so long, and unmeasured. */
async function createContacts(run, milliseconds) {
  const parameters = { key, listId, run: `${run}-more` };
  load.send({ port: Number(new URL(base).port), scenario: 'create', parameters, connections: writers, milliseconds });
  await told(load);
}

async function measureBare() {
  bare.send({ writers, milliseconds });
  const result = await told(bare);
  return { ...result, rate: result.appends / result.seconds };
}

console.log(`on servers: ${writers} writers, ${rounds} rounds of ${milliseconds / 1000} s`);
let isShort = false;
const yardsticks = [];
const own = [];
// On servers it takes longer until everything is warm: three processes compile what is used often.
const warmUps = 3;
for (let round = 0; round < warmUps + rounds; round += 1) {
  const yardstick = await measureBare();
  const measured = await measureService(round);
  if (round >= warmUps) yardsticks.push(yardstick) && own.push(measured);
}
const ratio = median(own.map(({ rate }) => rate)) / median(yardsticks.map(({ rate }) => rate));
const lag = Math.max(...own.map(({ worstLag }) => worstLag));
report(
  ratio >= 0.5 && lag < 1000,
  `create contact on servers   ${ratio.toFixed(2)} × bare appends (wanted 0.5): ${number(median(own.map(({ rate }) => rate)))} against ${number(median(yardsticks.map(({ rate }) => rate)))} a second, p50 ${median(own.map(({ p50 }) => p50)).toFixed(1)} against ${median(yardsticks.map(({ p50 }) => p50)).toFixed(1)} ms, p99 ${median(own.map(({ p99 }) => p99)).toFixed(1)} against ${median(yardsticks.map(({ p99 }) => p99)).toFixed(1)} ms, lag at most ${lag} ms`,
);

// The views are taken away, and the service folds the whole log again. The log has so many events that the start of a thread counts little.
await createContacts(run, 40_000);
await settle(base);
const client = new MongoClient(mongo.href);
const rebuilds = [];
const reads = { client: [], adapter: [] };
for (let round = 0; round < 3; round += 1) {
  await stopped(service);
  await client.db().dropDatabase();
  const ours = await readBy('adapter');
  reads.adapter.push(ours.events / ours.seconds);
  const theirs = await readBy('client');
  reads.client.push(theirs.events / theirs.seconds);
  rmSync(path.join(dataDir, 'address'));
  service = startService();
  // The clock runs from the moment that the service listens; what had been folded by then does not count.
  while (!existsSync(path.join(dataDir, 'address'))) await wait(2);
  const listening = readFileSync(path.join(dataDir, 'address'), 'utf8').trim();
  const from = (await (await fetch(`${listening}/health/ready`)).json()).data.projections.position;
  const begun = performance.now();
  base = await address(dataDir);
  const seconds = (performance.now() - begun) / 1000;
  rebuilds.push((ours.events - (await countUpTo(from))) / seconds);
}
const [byClient, byAdapter] = [reads.client, reads.adapter].map((rates) => median(rebuilds) / median(rates));
report(
  true,
  `rebuild into MongoDB       ${number(median(rebuilds))} events/s, ${byClient.toFixed(2)} × reading and decoding by the client alone (${number(median(reads.client))}), ${byAdapter.toFixed(2)} × by the adapter (${number(median(reads.adapter))})`,
);

function readBy(who) {
  return told(fork(path.join(here, 'bare-reads.mjs'), [eventStore, prefix, who]));
}

/** What was folded before the clock ran. */
async function countUpTo(position) {
  if (position === '') return 0;
  const store = openEventStoreDb({ url: eventStore, prefix });
  let count = 0;
  for await (const events of store.readAll({ after: logStart })) {
    count += events.filter((event) => event.position <= position).length;
    if (events.at(-1).position > position) break;
  }
  await store.close();
  return count;
}

function report(holds, line) {
  isShort ||= !holds;
  console.log(`${holds ? 'ok   ' : 'SHORT'} ${line}`);
}

// Nothing is left behind.
await stopped(service);
await client.db().dropDatabase();
await client.close();
const { deleteStreams } = await import('./delete-streams.mjs');
for (const each of [prefix, `bare-${run}-`]) await deleteStreams(eventStore, each);
process.exit(isShort ? 1 : 0);
