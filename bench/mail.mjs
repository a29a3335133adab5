// Measures how fast e-mails that wait are handed to a mail server on this machine, and what CPU time one costs, until its outcome is in the log:
// npm run bench:mail [-- --emails 5000 --round-trip 50 --no-pipelining --connections 10 --main dist/main.js]
import { fork, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = path.dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({
  allowNegative: true,
  options: {
    emails: { type: 'string', default: '5000' },
    'round-trip': { type: 'string', default: '0' },
    pipelining: { type: 'boolean', default: true },
    connections: { type: 'string', default: '10' },
    main: { type: 'string', default: path.join(here, '..', 'dist', 'main.js') },
  },
});
const wanted = Number(values.emails);
const key = 'bench-key-0123456789';
const dataDir = mkdtempSync(path.join(os.tmpdir(), 'audience-bench-'));
const wait = (delay) => new Promise((resolve) => setTimeout(resolve, delay));
const told = (child) => new Promise((resolve) => child.once('message', resolve));

const parameters = { roundTrip: Number(values['round-trip']), pipelining: values.pipelining, wanted };
const sink = fork(path.join(here, 'smtp-sink.mjs'), [JSON.stringify(parameters)]);
const { port } = await told(sink);
const service = spawn(process.execPath, [values.main], {
  env: {
    ...process.env,
    PORT: '0',
    DATA_DIR: dataDir,
    API_KEYS: `bench:${key}`,
    RATE_LIMIT: '0',
    RATE_LIMIT_EMAIL: '0',
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_CONNECTIONS: values.connections,
  },
  stdio: ['ignore', 'ignore', 'inherit'],
});
process.on('exit', () => {
  for (const child of [sink, service]) child.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

async function address() {
  for (;;) {
    try {
      const found = readFileSync(path.join(dataDir, 'address'), 'utf8').trim();
      if ((await fetch(`${found}/health/ready`)).ok) return found;
    } catch {
      // Not there yet.
    }
    await wait(10);
  }
}
const base = await address();
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };

async function ask(route, body) {
  const response = await fetch(`${base}${route}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`);
  return (await response.json()).data;
}

/** Milliseconds of CPU time that the service has used. */
function cpu() {
  const stat = readFileSync(`/proc/${service.pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

const paragraph = '<p>Your order has been <b>sent</b>; it should reach you on Thursday.</p>\n';
for (let from = 0; from < wanted; from += 50)
  await Promise.all(
    Array.from({ length: Math.min(50, wanted - from) }, (_, index) =>
      ask('/v1/email/send', {
        from_email: 'Shop <shop@example.org>',
        to_email: `person${from + index}@example.com`,
        subject: `Order ${from + index}`,
        mail_template: `<h1>Thank you</h1>\n${paragraph.repeat(10)}`,
      }),
    ),
  );
for (;;) {
  const { data } = await (await fetch(`${base}/health/ready`)).json();
  if (data.projections.lag_ms === 0) break;
  await wait(20);
}

const [begun, used] = [performance.now(), cpu()];
sink.send('open');
const { most, connections } = await told(sink);
const seconds = (performance.now() - begun) / 1000;
await wait(500);
const each = (cpu() - used) / wanted;
console.log(
  `${wanted} e-mails in ${seconds.toFixed(2)} s: ${Math.round(wanted / seconds)}/s, ${each.toFixed(2)} ms of CPU each; ${connections} connections, ${most} at a time`,
);
service.kill('SIGTERM');
await new Promise((resolve) => service.once('exit', resolve));
process.exit(0);
