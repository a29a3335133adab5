/** The process and its surroundings: where its output goes, signals, and when it says that it listens. */
import { spawn } from 'node:child_process';
import { constants, readSync, rmSync, writeSync } from 'node:fs';
import { once } from 'node:events';
import net from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { unique } from '../support/answers.js';
import { realTime } from '../support/real-time.js';
import { opened, pipe, requests } from './log-destinations.js';
import {
  eventually,
  freshFolder,
  runToExit,
  startService,
  type Service,
  type ServiceOptions,
} from '../support/service.js';
import { dropViews, onServers } from '../support/stores.js';

const running: Service[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const service of running.splice(0)) await service.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function started(options?: ServiceOptions): Promise<Service> {
  const service = await startService(options);
  running.push(service);
  return service;
}

function folder(): string {
  const fresh = freshFolder();
  folders.push(fresh);
  return fresh;
}

/** Until nothing more can be written without blocking. */
function fill(writer: number): void {
  const unblocked = opened(`/proc/self/fd/${writer}`, constants.O_WRONLY | constants.O_NONBLOCK);
  const whole = Buffer.alloc(4096, '\n');
  expect(() => {
    for (;;) writeSync(unblocked, whole);
  }).toThrow(/EAGAIN/);
}

function read(reader: number): string {
  const buffer = Buffer.alloc(1 << 20);
  try {
    return buffer.toString('utf8', 0, readSync(reader, buffer));
  } catch {
    return '';
  }
}

const newGroup = (service: Service): Promise<string> =>
  service.make('/v1/groups/create', { group_name: unique('Group') }, 'group_id');
const health = async (service: Service): Promise<unknown> => (await service.get('/health/ready')).body;
const dropped = async (service: Service): Promise<true | undefined> => {
  const text = JSON.stringify(await health(service));
  return /"log_lines":\{"dropped":[1-9]/.test(text) ? true : undefined;
};
const ended = { code: 0, signal: null };

test('a log destination that takes nothing stops neither the service nor its end: a pipe that nobody reads', async () => {
  const { reader, writer } = pipe();
  fill(writer);
  const service = await started({ stdout: writer });
  await requests(service, 1_500);
  await eventually(() => dropped(service), { what: 'a count of dropped lines' });
  // Read again: the log goes on, and says what is missing.
  let text = '';
  await eventually(() => Promise.resolve(/[1-9]\d* log lines were dropped/.test((text += read(reader))) || undefined));
  expect(text).toMatch(/"msg":"listening"/);
  fill(writer);
  expect(await service.kill('SIGTERM')).toMatchObject(ended);
});

describe('signals', () => {
  test('SIGTERM to npm stops the service that npm start runs', async ({ skip }) => {
    skip(onServers, 'the process is the same on servers');
    const env = { ...process.env, PORT: '0', DATA_DIR: folder(), LOG_LEVEL: 'info' };
    const npm = spawn('npm', ['start'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    npm.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    npm.stderr.resume();
    const said = (text: string) =>
      eventually(() => Promise.resolve(output.includes(text) || undefined), { what: text });
    await said('"msg":"listening"');
    npm.kill('SIGTERM');
    await said('"msg":"stopped"');
  });

  test('SIGTERM ends a start that waits for a server', async ({ skip }) => {
    skip(onServers, 'the server is absent in this test');
    const env = {
      EVENTSTORE_URL: 'esdb://127.0.0.1:9?tls=false',
      MONGODB_URL: 'mongodb://127.0.0.1:9/audience',
      SECRET: 'a secret that nobody uses, of 32 bytes and more',
    };
    const began = performance.now();
    const exit = await runToExit(folder(), env, { stopAt: 'waiting for the event store', timeout: 20_000 });
    expect(exit).toMatchObject(ended);
    expect(exit.output).toMatch(/stopping before the start is complete/);
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test('a second signal ends the service at once', async () => {
    const service = await started();
    // A request that never comes to its end holds the stop for ten seconds.
    const { hostname, port } = new URL(service.url());
    const socket = net.connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write('POST /v1/groups/create HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n');
    // Where the service has it, it asks for the body.
    await once(socket, 'data');
    process.kill(service.pid(), 'SIGTERM');
    await eventually(() => Promise.resolve(service.output().includes('"stopping"') || undefined));
    // Two signals within half a second are one: npm passes on what the terminal has sent already.
    await realTime(600);
    expect(await service.kill('SIGTERM')).toMatchObject({ code: 143, signal: null });
    socket.destroy();
  });
});

test('a service that says it listens is ready', async () => {
  const seen: Promise<number>[] = [];
  const service = await started({
    onOutput: (text) => {
      const [, address] = /"address":"([^"]+)","msg":"listening"/.exec(text) ?? [];
      if (address !== undefined)
        seen.push(
          fetch(`${address}/health/ready`).then(
            ({ status }) => status,
            () => 0,
          ),
        );
    },
  });
  for (let count = 0; count < 20; count += 1) await newGroup(service);
  await service.kill('SIGTERM');
  await dropViews(service.dataDir);
  seen.length = 0;
  await service.start();
  expect(await eventually(() => Promise.resolve(seen[0]), { what: 'a line that says listening' })).toBe(200);
});
