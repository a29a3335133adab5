// Measures how fast e-mails that wait are handed to a mail server on this machine, and what CPU time one costs, until its outcome is in the log:
// npm run bench:mail [-- --emails 5000 --round-trip 50 --no-pipelining --connections 10 --main dist/main.js]
import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { address, ask, cpuIn, newDataDir, settle, spawnService, statOf, stopped, told, wait } from './service.mjs';

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
const dataDir = newDataDir();

const parameters = { roundTrip: Number(values['round-trip']), pipelining: values.pipelining, wanted };
const sink = fork(path.join(here, 'smtp-sink.mjs'), [JSON.stringify(parameters)]);
const { port } = await told(sink);
const env = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_CONNECTIONS: values.connections };
const service = spawnService(dataDir, { env, main: values.main });
process.on('exit', () => {
  for (const child of [sink, service]) child.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

const base = await address(dataDir);
/** Milliseconds of CPU time that the service has used. */
const cpu = () => cpuIn(statOf(service.pid)) / 1000;

const paragraph = '<p>Your order has been <b>sent</b>; it should reach you on Thursday.</p>\n';
for (let from = 0; from < wanted; from += 50)
  await Promise.all(
    Array.from({ length: Math.min(50, wanted - from) }, (_, index) =>
      ask(base, '/v1/email/send', {
        from_email: 'Shop <shop@example.org>',
        to_email: `person${from + index}@example.com`,
        subject: `Order ${from + index}`,
        mail_template: `<h1>Thank you</h1>\n${paragraph.repeat(10)}`,
      }),
    ),
  );
await settle(base);

const [begun, used] = [performance.now(), cpu()];
sink.send('open');
const { most, connections } = await told(sink);
const seconds = (performance.now() - begun) / 1000;
await wait(500);
const each = (cpu() - used) / wanted;
console.log(
  `${wanted} e-mails in ${seconds.toFixed(2)} s: ${Math.round(wanted / seconds)}/s, ${each.toFixed(2)} ms of CPU each; ${connections} connections, ${most} at a time`,
);
await stopped(service);
process.exit(0);
