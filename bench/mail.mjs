// Measures emails from the first request until the mail server on this machine has the last message, in turn with Express, PostgreSQL and nodemailer's pool.
// Both sides hold 100,000 contacts; the recipients are spread over them. The CPU time of an email includes recording its outcome.
// npm run bench:mail [-- --emails 5000 --rounds 3 --contacts 100000 --round-trip 50 --no-pipelining --connections 10 --main dist/main.js]
import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
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
  settle,
  spawnService,
  stopped,
  told,
  wait,
} from './service.mjs';

const here = import.meta.dirname;
const { values } = parseArgs({
  allowNegative: true,
  options: {
    emails: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '3' },
    contacts: { type: 'string', default: '100000' },
    'round-trip': { type: 'string', default: '0' },
    pipelining: { type: 'boolean', default: true },
    connections: { type: 'string', default: '10' },
    main: { type: 'string', default: path.join(here, '..', 'dist', 'main.js') },
  },
});
const [wanted, rounds, contacts] = [values.emails, values.rounds, values.contacts].map(Number);
const dataDir = newDataDir();

const parameters = { roundTrip: Number(values['round-trip']), pipelining: values.pipelining, wanted };
const sink = fork(path.join(here, 'smtp-sink.mjs'), [JSON.stringify(parameters)]);
const { port: smtpPort } = await told(sink);
const load = fork(path.join(here, 'load.mjs'));
const env = { SMTP_URL: `smtp://127.0.0.1:${smtpPort}`, MAIL_CONNECTIONS: values.connections };
const service = spawnService(dataDir, { env, main: values.main });
process.on('exit', () => {
  for (const child of [sink, load, service]) child.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});
process.on('SIGINT', () => process.exit(130));

const base = await address(dataDir);
const port = Number(new URL(base).port);
const { list_id: listId } = (await ask(base, '/v1/lists/create', { list_name: 'Bench' })).data;
await seed(load, { port, listId, contacts });
const crud = await startCrud({ smtpPort, smtpConnections: values.connections });
await crud?.seed(load, contacts);
if (crud === undefined)
  console.log('skip  Express with PostgreSQL: PostgreSQL is not installed in /usr/lib/postgresql');
console.log(`${number(contacts)} contacts in place, ${rounds} rounds of ${number(wanted)} emails`);

const emails = Array.from({ length: contacts }, (_, index) => knownEmail(index));
const cpuOfAll = (processes) => processes.reduce((sum, process) => sum + cpuOf(process), 0);

/** Sends `wanted` emails. Returns seconds until the last answer and until the last message, and milliseconds of CPU time of each. */
async function measure({ port, processes }, run) {
  const cpu = cpuOfAll(processes);
  const begun = performance.now();
  const lastMessage = told(sink).then((sunk) => ({ ...sunk, seconds: (performance.now() - begun) / 1000 }));
  load.send({
    port,
    scenario: 'send',
    parameters: { key, emails, run, start: run * wanted },
    connections: 64,
    requests: wanted,
  });
  const answered = await told(load);
  if (answered.failures > 0) throw new Error(`${answered.failures} emails were refused, the first: ${answered.sample}`);
  const sunk = await lastMessage;
  // Outcomes are recorded and folded after the last message.
  await wait(1_000);
  await settle(base);
  return { ...sunk, answered: answered.seconds, p99: answered.p99, cpu: (cpuOfAll(processes) - cpu) / 1000 / wanted };
}

const sides = [
  { name: 'this service', target: { port, processes: [service] }, results: [] },
  ...(crud === undefined ? [] : [{ name: 'Express with PostgreSQL', target: crud, results: [] }]),
];
for (let round = 0; round < rounds + 1; round += 1)
  for (const { target, results } of sides) {
    const result = await measure(target, round);
    // The first round warms both up.
    if (round > 0) results.push(result);
  }

const medianOf = (results, field) => median(results.map((result) => result[field]));
for (const { name, results } of sides) {
  const [seconds, answered, cpu, p99] = ['seconds', 'answered', 'cpu', 'p99'].map((field) => medianOf(results, field));
  console.log(
    `${name.padEnd(24)} ${seconds.toFixed(2)} s until the last message (${number(wanted / seconds)}/s), ${answered.toFixed(2)} s until the last answer (p99 ${p99.toFixed(1)} ms), ${cpu.toFixed(2)} ms of CPU each`,
  );
}
if (crud !== undefined) {
  const ratios = sides[1].results.map(({ seconds }, index) => seconds / sides[0].results[index].seconds);
  console.log(
    `ratio ${median(ratios).toFixed(2)} (${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}): above 1, this service is faster`,
  );
}
const { most, connections } = sides[0].results.at(-1);
console.log(`${connections} connections in all, ${most} at a time`);
await crud?.stop();
await stopped(service);
process.exit(0);
