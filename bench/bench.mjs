// Measures the service in one run, side by side, against a bare Express echo and against Express with PostgreSQL:
// npm run bench [-- --rounds 5 --seconds 3 --contacts 100000 --only create,getList,getContact,getPage,mixed,postgres,fold,audit,verify,rebuild,servers].
// Both sides hold the same 100,000 contacts before the first measurement, and reads and updates are spread over all of them.
// Ratios of medians; a round counts only while the projection lag stays under a second. The CPU time of a request is that of all threads until the views show it;
// of Express with PostgreSQL that of Node and of all of PostgreSQL's processes.
import { fork, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { seed, startCrud } from './rival.mjs';
import { knownEmail } from './scenarios.mjs';
import {
  address,
  ask,
  cpuOf,
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
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    contacts: { type: 'string', default: '100000' },
    only: { type: 'string', default: '' },
  },
});
const rounds = Number(values.rounds);
const milliseconds = Number(values.seconds) * 1000;
const only = values.only === '' ? undefined : values.only.split(',');
const connections = 64;
const dataDir = newDataDir();

const echo = fork(path.join(here, 'echo.mjs'));
const { port: echoPort } = await told(echo);
const load = fork(path.join(here, 'load.mjs'));
const isWanted = (name) => only === undefined || only.includes(name);

/** Starts Express with PostgreSQL. Undefined if PostgreSQL is not installed or not wanted. */
const crud = isWanted('postgres') ? await startCrud() : undefined;

const begun = performance.now();
const startService = () => spawnService(dataDir);
let service = startService();
const stopAll = () => {
  for (const child of [echo, load, service]) child.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
};
process.on('exit', stopAll);
process.on('SIGINT', () => process.exit(130));

let base = await address(dataDir);
const readyAfter = performance.now() - begun;
const servicePort = Number(new URL(base).port);

const call = async (route, body, at = base) => (await ask(at, route, body)).data;

function fire(port, scenario, parameters) {
  load.send({ port, scenario, parameters, connections, milliseconds });
  return told(load);
}

const cpuOfAll = (processes) => processes.reduce((sum, process) => sum + cpuOf(process), 0);

async function measure({ port, processes }, scenario, parameters) {
  const before = BigInt(await settle(base));
  const cpu = cpuOfAll(processes);
  let worstLag = 0;
  let running = true;
  const watch = (async () => {
    while (running) {
      worstLag = Math.max(worstLag, (await projections(base)).lag_ms);
      await wait(250);
    }
  })();
  const result = await fire(port, scenario, parameters);
  const folded = BigInt((await projections(base)).position) - before;
  running = false;
  await watch;
  await settle(base);
  const cpuEach = (cpuOfAll(processes) - cpu) / result.requests;
  if (result.failures > 0) throw new Error(`${scenario}: ${result.failures} failures, the first: ${result.sample}`);
  return {
    ...result,
    rate: result.requests / result.seconds,
    folded: Number(folded) / result.seconds,
    worstLag,
    cpuEach,
  };
}

const idleMemory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))[1]) / 1024;

await wait(1000);
console.log(
  `ready after ${Math.round(readyAfter)} ms, idle memory ${Math.round(idleMemory())} MB, ${connections} connections, ${rounds} rounds of ${milliseconds / 1000} s`,
);

const { list_id: listId } = await call('/v1/lists/create', { list_name: 'Bench' });
const tags = Array.from({ length: 200 }, (_, index) => `tag ${index}`);
const emails = Array.from({ length: Number(values.contacts) }, (_, index) => knownEmail(index));
const ids = await seed(load, { port: servicePort, listId, contacts: emails.length });
const crudIds = crud === undefined ? [] : await crud.seed(load, emails.length);
await settle(base);
console.log(`${number(emails.length)} contacts in place`);
const long = Array.from({ length: 64 }, (_, index) => `long${index}@example.com`);
for (const email of long) await call(`/v1/contacts/${listId}/create`, { email, status: 'Subscribed' });
for (let index = 0; index < tags.length; index += 100)
  await call(`/v1/contacts/tags/${listId}/add`, {
    tag_name: tags.slice(index, index + 100),
    contact_email: emails.at(-1),
  });
// Contacts with 1,000 events.
for (let index = 0; index < 1000 && ['upsert', 'updateStatus', 'tagsAdd'].some(isWanted); index += 1)
  await Promise.all(
    long.map((email) =>
      call(`/v1/contacts/${listId}/upsertcontact`, { email, status: 'Subscribed', firstName: `Ann ${index}` }),
    ),
  );

if (crud === undefined && isWanted('postgres'))
  console.log('skip  Express with PostgreSQL: no PostgreSQL is installed in /usr/lib/postgresql');
const scenarios = [
  { name: 'create contact', scenario: 'create', wanted: 0.3 },
  { name: 'GET list', scenario: 'getList', wanted: 0.9 },
  { name: 'contact by id', scenario: 'getContact', wanted: 0.6 },
  { name: 'page of 50 contacts', scenario: 'getPage', wanted: 0.07 },
  // Of interest are its reads: what they pay for the writes beside them.
  { name: 'half create, half by id', scenario: 'mixed', wanted: 0 },
  // The reads first: PostgreSQL cleans up behind many creates for a while, at the cost of both. And before contacts get tags, which it does not have.
  { name: 'contact by id', scenario: 'getContact', against: 'postgres', wanted: 1.25 },
  { name: 'create contact', scenario: 'create', against: 'postgres', wanted: 1.25 },
  { name: 'half create, half by id', scenario: 'mixed', against: 'postgres', wanted: 1 },
  { name: 'upsert', scenario: 'upsert', emails, wanted: 0.35 },
  { name: 'updatestatus', scenario: 'updateStatus', emails, wanted: 0.35 },
  { name: 'tags add and remove', scenario: 'tagsAdd', emails, wanted: 0.3 },
  { name: 'upsert, 1,000 events', scenario: 'upsert', emails: long, wanted: 0.35 },
  { name: 'updatestatus, 1,000 events', scenario: 'updateStatus', emails: long, wanted: 0.35 },
  { name: 'tags, 1,000 events', scenario: 'tagsAdd', emails: long, wanted: 0.35 },
].filter(({ scenario, against }) => (against === 'postgres' ? crud !== undefined : isWanted(scenario)));

const targets = {
  own: { port: servicePort, processes: [service] },
  echo: { port: echoPort, processes: [echo] },
  postgres: crud,
};
let run = Date.now();
const medianOf = (results, field) => median(results.map((result) => result[field]));
const results = [];
let isShort = false;
for (const { name, scenario, emails: contacts, wanted, against = 'echo' } of scenarios) {
  const own = [];
  const other = [];
  // Goes on from round to round, so that each request finds something to change.
  let start = 0;
  for (let round = 0; round < rounds + 1; round += 1) {
    run += 1;
    const parameters = { key, listId, emails: contacts, ids, tags, run, start };
    const yardstick =
      against === 'echo'
        ? await measure(targets.echo, 'echo', parameters)
        : await measure(targets.postgres, scenario, { ...parameters, listId: 'bench', ids: crudIds });
    const measured = await measure(targets.own, scenario, parameters);
    start += measured.requests;
    // The first round warms both up.
    if (round > 0) other.push(yardstick) && own.push(measured);
  }
  const [rate, otherRate] = [medianOf(own, 'rate'), medianOf(other, 'rate')];
  const [cpu, otherCpu] = [medianOf(own, 'cpuEach'), medianOf(other, 'cpuEach')];
  const ratio = rate / otherRate;
  const lag = Math.max(...own.map(({ worstLag }) => worstLag));
  const holds = ratio >= wanted && lag < 1000;
  isShort ||= !holds;
  const reads = scenario === 'mixed' ? `, p99 of the reads ${medianOf(own, 'readP99').toFixed(1)} ms` : '';
  results.push({ name, against, ratio, wanted, rate, otherRate, cpu, otherCpu, holds, p99: medianOf(own, 'p99') });
  console.log(
    `${holds ? 'ok   ' : 'SHORT'} ${name.padEnd(27)} ${ratio.toFixed(2)} × ${against} (wanted ${wanted.toFixed(1)}): ${number(rate)} against ${number(otherRate)} requests/s, ${number(cpu)} against ${number(otherCpu)} µs of CPU each, p50 ${medianOf(own, 'p50').toFixed(1)} ms, p99 ${medianOf(own, 'p99').toFixed(1)} ms${reads}, folded ${number(medianOf(own, 'folded'))} events/s, lag at most ${lag} ms`,
  );
}
await crud?.stop();

// The views are taken away, and the service folds the whole log anew, as it does live: batches into tables with all their indexes.
if (isWanted('fold')) {
  const events = Number((await projections(base)).position);
  await stopped(service);
  for (const suffix of ['', '-wal', '-shm']) rmSync(path.join(dataDir, `views.db${suffix}`), { force: true });
  rmSync(path.join(dataDir, 'address'));
  service = startService();
  while (!existsSync(path.join(dataDir, 'address'))) await wait(5);
  const started = performance.now();
  base = await address(dataDir);
  const rate = events / ((performance.now() - started) / 1000);
  const holds = rate >= 25_000;
  isShort ||= !holds;
  console.log(
    `${holds ? 'ok   ' : 'SHORT'} folding into the views       ${number(rate)} events/s (wanted 25,000): ${number(events)} events from an empty views.db until caught up`,
  );
}

// What is measured against yardsticks of its own, each in a script that can be run by itself.
stopAll();
const missing = ['TEST_EVENTSTORE_URL', 'TEST_MONGODB_URL'].filter((name) => !process.env[name]);
const timing = ['--rounds', values.rounds, '--seconds', values.seconds];
const parts = [
  { name: 'audit', script: 'audit.mjs', args: timing },
  { name: 'verify', script: 'verify.mjs', args: [] },
  { name: 'rebuild', script: 'rebuild.mjs', args: ['--rounds', values.rounds] },
  { name: 'servers', script: 'servers.mjs', args: timing, needs: missing },
].filter(({ name }) => isWanted(name));
for (const { name, script, args, needs = [] } of parts) {
  if (needs.length > 0) {
    console.log(`skip  ${name}: ${needs.join(' and ')} not set`);
    continue;
  }
  const part = spawn(process.execPath, [path.join(here, script), ...args], { stdio: 'inherit' });
  const code = await new Promise((resolve) => part.once('exit', resolve));
  isShort ||= code !== 0;
}

console.log(
  `\n${'what'.padEnd(28)}${'against'.padEnd(10)}  ratio  wanted      own/s    other/s  own µs  other µs   p99 ms`,
);
for (const { name, against, ratio, wanted, rate, otherRate, cpu, otherCpu, p99, holds } of results)
  console.log(
    `${name.padEnd(28)}${against.padEnd(10)}${ratio.toFixed(2).padStart(7)}${wanted.toFixed(1).padStart(8)}${number(rate).padStart(11)}${number(otherRate).padStart(11)}${number(cpu).padStart(8)}${number(otherCpu).padStart(10)}${p99.toFixed(1).padStart(9)}${holds ? '' : '  SHORT'}`,
  );
process.exit(isShort ? 1 : 0);
