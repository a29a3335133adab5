// Measures the auditor's answers: node bench/audit.mjs [--rounds 5 --seconds 2 --events 1000]. Point in time against reading and decoding the same events in this process; a history page of 50 against GET list over HTTP.
import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { address, ask, key, median, newDataDir, spawnService } from './service.mjs';

const connections = 32;

if (process.send === undefined) await measure();
else process.on('message', (job) => load(job).then((perSecond) => process.send(perSecond)));

/** Requests a second, with one request in flight on each connection. */
async function load({ port, target, milliseconds }) {
  const request = `GET ${target} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const begun = performance.now();
  const counts = await Promise.all(
    Array.from({ length: connections }, () => connection(port, request, begun + milliseconds)),
  );
  return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - begun) / 1000);
}

function connection(port, request, ends) {
  return new Promise((resolve, reject) => {
    let count = 0;
    let socket;
    let missing = 0;
    const connect = () => {
      socket = net.connect(port, '127.0.0.1', () => socket.write(request));
      socket.setNoDelay(true);
      socket.on('error', reject);
      socket.on('data', read);
    };
    let closes = false;
    const read = (chunk) => {
      if (missing === 0) {
        const head = chunk.subarray(0, chunk.indexOf('\r\n\r\n') + 4).toString('latin1');
        if (!head.startsWith('HTTP/1.1 200')) return reject(new Error(chunk.toString()));
        closes = /^connection: close/im.test(head);
        missing = head.length + Number(/^content-length: (\d+)/im.exec(head)[1]);
      }
      missing -= chunk.length;
      if (missing > 0) return;
      count += 1;
      if (performance.now() >= ends) {
        socket.destroy();
        resolve(count);
      } else if (closes) {
        socket.destroy();
        connect();
      } else socket.write(request);
    };
    connect();
  });
}

async function measure() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      events: { type: 'string', default: '1000' },
    },
  });
  const here = path.dirname(fileURLToPath(import.meta.url));
  const dist = path.join(here, '..', 'dist');
  const dataDir = newDataDir();
  const service = spawnService(dataDir);
  const client = fork(fileURLToPath(import.meta.url));
  process.on('exit', () => {
    service.kill('SIGKILL');
    client.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });
  const base = await address(dataDir);

  const { list_id: list } = (await ask(base, '/v1/lists/create', { list_name: 'News' })).data;
  const email = 'ada@example.com';
  await ask(base, `/v1/contacts/${list}/create`, { email, status: 'Subscribed', firstName: 'Ada' });
  for (let event = 2; event < Number(values.events); event += 1)
    await ask(base, `/v1/contacts/${list}/updatestatus`, {
      contact_email: email,
      status: event % 2 === 0 ? 'Unsubscribed' : 'Subscribed',
    });
  const history = `/v1/audit/contacts/${email}/history`;
  const { data, next_cursor: cursor } = await ask(base, `${history}?limit=50`);
  const time = data[25].at;

  const { openSqliteEventReader } = await import(path.join(dist, 'eventstore', 'sqlite', 'reader.js'));
  const { createAudit } = await import(path.join(dist, 'audit', 'audit.js'));
  const { codec } = await import(path.join(dist, 'events', 'codec.js'));
  const reader = openSqliteEventReader({ file: path.join(dataDir, 'events.db') });
  const { createLogBasis } = await import(path.join(dist, 'integrity', 'log-basis.js'));
  const basis = createLogBasis({
    log: reader,
    ordinalAt: async (position) => (await reader.tree.ordinalsAt([position]))[0],
    newestSeal: async () => undefined,
  });
  const audit = createAudit({ reader, ...basis, clock: Date.now });
  const { stream } = data[0];
  const readAndDecode = async () => {
    for await (const page of reader.readStream(stream)) for (const stored of page) codec.decode(stored);
  };
  const pointInTime = () => audit.contactAt({ stream, time });

  const http = (target) =>
    new Promise((resolve) => {
      client.once('message', resolve);
      client.send({ port: Number(new URL(base).port), target, milliseconds: Number(values.seconds) * 1000 });
    });
  const rates = { readAndDecode: [], pointInTime: [], list: [], history: [], nextPage: [], at: [] };
  for (let round = 0; round < Number(values.rounds); round += 1) {
    rates.readAndDecode.push(await perSecond(readAndDecode, Number(values.seconds)));
    rates.pointInTime.push(await perSecond(pointInTime, Number(values.seconds)));
    rates.list.push(await http(`/v1/lists/${list}`));
    rates.history.push(await http(`${history}?limit=50`));
    rates.nextPage.push(await http(`${history}?limit=50&cursor=${cursor}`));
    rates.at.push(await http(`/v1/audit/contacts/${email}/at?time=${time}`));
  }
  const per = Object.fromEntries(Object.entries(rates).map(([name, all]) => [name, median(all)]));
  const ratio = (one, other) => (per[one] / per[other]).toFixed(2);
  const show = (number) => Math.round(number).toLocaleString('en');
  process.stdout.write(
    [
      `contact with ${values.events} events, medians of ${values.rounds} rounds, per second`,
      `read and decode its events            ${show(per.readAndDecode)}`,
      `point in time                         ${show(per.pointInTime)}   ${ratio('pointInTime', 'readAndDecode')} of reading and decoding (wanted 0.5)`,
      `HTTP: GET list                        ${show(per.list)}`,
      `HTTP: history, first page of 50       ${show(per.history)}   ${ratio('history', 'list')} of GET list (wanted 0.1)`,
      `HTTP: history, next page of 50        ${show(per.nextPage)}   ${ratio('nextPage', 'list')} of GET list (wanted 0.1)`,
      `HTTP: point in time                   ${show(per.at)}`,
      '',
    ].join('\n'),
  );
  process.exit();
}

async function perSecond(work, seconds) {
  const begun = performance.now();
  let count = 0;
  while (performance.now() - begun < seconds * 1000) {
    await work();
    count += 1;
  }
  return count / ((performance.now() - begun) / 1000);
}
