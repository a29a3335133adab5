/** Bulk uploads that take their time, clients that do not read, and 100,000 rows with every kind of dirt. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { newList } from '../support/answers.js';
import { audienceProcess } from '../support/audience.js';
import { realTime } from '../support/real-time.js';
import { eventually, freshFolder, startService, type Service } from '../support/service.js';

let service: Service;
let list: string;
beforeAll(async () => {
  service = await startService();
  list = await newList(service);
});
afterAll(() => service.close());

interface Upload {
  readonly socket: net.Socket;
  readonly closed: Promise<string>;
}

/** A request whose body is still to be sent. */
async function begin(
  target: string,
  { type, length }: { readonly type: string; readonly length: number },
): Promise<Upload> {
  const { hostname, port } = new URL(service.url());
  const socket = net.connect(Number(port), hostname);
  let text = '';
  socket.on('data', (piece: Buffer) => (text += piece.toString('utf8')));
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(text)));
  await new Promise((resolve) => socket.on('connect', resolve));
  socket.write(
    `POST ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${service.key}\r\n` +
      `Content-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`,
  );
  return { socket, closed };
}

const line = (number: number): string => `{"email":"slow${number}@x.example","status":"Subscribed"}\n`;

test('an upload that moves may take longer than other requests; one that stalls is cut after 30 seconds', async () => {
  const lines = Array.from({ length: 12 }, (_, number) => line(number));
  const bulk = { type: 'application/x-ndjson', length: Buffer.byteLength(lines.join('')) };
  const [slow, stalled, other] = await Promise.all([
    begin(`/v1/contacts/${list}/bulk`, bulk),
    begin(`/v1/contacts/${list}/bulk`, bulk),
    begin('/v1/lists/create', { type: 'application/json', length: 1_000 }),
  ]);
  const begun = Date.now();
  const stalls = stalled.closed.then((text) => ({ text, took: Date.now() - begun }));
  const cut = other.closed.then((text) => ({ text, took: Date.now() - begun }));
  for (const piece of lines) {
    slow.socket.write(piece);
    other.socket.write(' ');
    // The time that an upload takes is what is tested.
    await realTime(2_000);
  }
  const answer = await slow.closed;
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer.match(/"outcome":"created"/g)).toHaveLength(lines.length);
  expect(await cut).toMatchObject({ text: expect.stringMatching(/ 408 /) as unknown });
  expect((await cut).took).toBeLessThan(22_000);
  const { text, took } = await stalls;
  expect(text).toMatch(/^HTTP\/1\.1 408 /);
  expect(took).toBeGreaterThan(28_000);
  expect(took).toBeLessThan(50_000);
});

test('a bulk waits in line as long as four of its key are received', async () => {
  const target = `/v1/contacts/${list}/bulk`;
  const body = line(100);
  const upload = { type: 'application/x-ndjson', length: body.length };
  const four = await Promise.all(Array.from({ length: 4 }, () => begin(target, upload)));
  const fifth = await begin(target, upload);
  fifth.socket.write(body);
  // Longer than other requests wait in line.
  await realTime(7_000);
  for (const { socket } of four) socket.write(body);
  for (const { closed } of [...four, fifth]) expect(await closed).toMatch(/^HTTP\/1\.1 200 /);
});

test('a client that does not read is waited for and then cut; others are served', async () => {
  // Each line is answered with thirty times its length, 20 MB in all: more than the buffers of the system take.
  const body = '{}\n'.repeat(200_000);
  const { socket, closed } = await begin(`/v1/contacts/${list}/bulk?dry_run=true`, {
    type: 'application/x-ndjson',
    length: Buffer.byteLength(body),
  });
  socket.write(body);
  socket.pause();
  // Longer than the service waits for a client that does not read.
  await realTime(40_000);
  expect((await service.get(`/v1/contacts/${list}?limit=1`)).status).toBe(200);
  socket.resume();
  expect((await closed).split('\n').length).toBeLessThan(200_000);
});

test('a stop ends a bulk soon: the lines that are not saved are answered as unavailable', async () => {
  const stopped = await startService();
  onTestFinished(() => stopped.close());
  const to = await newList(stopped);
  const count = 50_000;
  let text = '';
  const answer = await fetch(`${stopped.url()}/v1/contacts/${to}/bulk`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stopped.key}`, 'content-type': 'application/x-ndjson' },
    body: Array.from({ length: count }, (_, number) => line(number)).join(''),
  });
  const begun = Date.now();
  const exit = stopped.kill('SIGTERM');
  for await (const piece of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) text += piece;
  expect((await exit).code).toBe(0);
  expect(Date.now() - begun).toBeLessThan(6_000);
  const outcomes = text
    .split('\n')
    .slice(0, -1)
    .map((one) => (JSON.parse(one) as { outcome: string }).outcome);
  expect(outcomes).toHaveLength(count);
  expect(outcomes.lastIndexOf('created')).toBe(outcomes.indexOf('unavailable') - 1);
});

describe('100,000 rows with every kind of dirt', () => {
  /** Row, and what is to become of it. */
  function dirty(number: number): readonly [row: string, isGood: boolean] {
    const email = `dirt${number}@x.example`;
    switch (number % 20) {
      case 1:
        return [`"${email}",Subscribed,"King, ""the"" one",VIP;press`, true];
      case 2:
        return [`${email},subscribed,"two\r\nlines",`, true];
      case 3:
        return [`  ${email}  ,UNSUBSCRIBED, spaces ,`, true];
      case 4:
        return [`nobody,Subscribed,X,`, false];
      case 5:
        return [`${email},Maybe,X,`, false];
      case 6:
        return [`${email},Subscribed`, false];
      case 7:
        return [`${email},Subscribed,X,,,surplus`, false];
      case 8:
        return [`${email},Subscribed,"X"y,`, false];
      case 9:
        return [`${email},Subscribed,${number % 10_000 === 9 ? 'x'.repeat(1024 * 1024) : 'x'.repeat(600)},`, false];
      case 10:
        return [`${email},Subscribed,bell\u0007,`, false];
      case 11:
        return [`dirt${number + 5}@x.example,Subscribed,Again,`, true];
      default:
        return [`${email},Subscribed,Zoë,`, true];
    }
  }

  test.each([
    ['utf-8', 100_000, (text: string) => Buffer.from(`\ufeff${text}`)],
    ['latin1', 10_000, (text: string) => Buffer.from(text, 'latin1')],
  ] as const)('in %s: each of %i is imported or reported, and nothing crashes', async (encoding, count, encode) => {
    const folder = freshFolder();
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const to = await newList(service);
    const rows = Array.from({ length: count }, (_, number) => dirty(number));
    const ends = ['\r\n', '\n', '\r\n\r\n'];
    const text = ['Email,Status,Address,Tags', ...rows.map(([row]) => row)]
      .map((row, index) => `${row}${ends[index % ends.length]}`)
      .join('');
    const file = path.join(folder, 'dirt.csv');
    writeFileSync(file, encode(text));
    const words = [
      'import',
      'contacts',
      file,
      '--list',
      to,
      '--json',
      '--encoding',
      encoding,
      '--map',
      'Tags=tag_name',
    ];
    const { code, out, err } = await audienceProcess(words, {
      env: { AUDIENCE_URL: service.url(), AUDIENCE_KEY: service.key },
    });
    const bad = rows.filter(([, isGood]) => !isGood).length;
    expect({ code, err: err.replaceAll(/^(importing|Through).*$/gm, '').trim() }).toEqual({ code: 1, err: '' });
    expect(JSON.parse(out)).toMatchObject({ rows: count, rejected: bad });
    const one = await service.get('/v1/contacts?email=dirt1@x.example');
    expect(one.body).toMatchObject({ data: { address: 'King, "the" one' } });
  });

  test('a service that is killed and started again in the middle: nothing is lost, and it goes on by itself', async () => {
    const folder = freshFolder();
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const to = await newList(service);
    const file = path.join(folder, 'clean.csv');
    const emails = Array.from({ length: 20_000 }, (_, number) => `kill${number}@x.example`);
    writeFileSync(file, `email,status\n${emails.map((email) => `${email},Subscribed\n`).join('')}`);
    const port = new URL(service.url()).port;
    const done = audienceProcess(['import', 'contacts', file, '--list', to, '--json'], {
      env: { AUDIENCE_URL: service.url(), AUDIENCE_KEY: service.key },
    });
    await eventually(async () => (existsSync(`${file}.import`) ? true : undefined));
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      await service.kill(signal);
      await service.start({ PORT: port });
      await realTime(1_000);
    }
    const { code, out, err } = await done;
    expect({ code, err }).toMatchObject({ code: 0 });
    const { created, unchanged } = JSON.parse(out) as { created: number; unchanged: number };
    expect(created + unchanged).toBe(20_000);
    const createdEvents = (await service.events()).filter(
      ({ type, data }) => type === 'ContactSubscribed' && data['list_id'] === to,
    );
    expect(createdEvents).toHaveLength(20_000);
  });
});
