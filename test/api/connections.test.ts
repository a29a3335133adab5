/** Connections whose clients do not read: how much memory they may occupy, and when they are cut. */
import { existsSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createConnections, type Connections } from '../../src/api/http/connections.js';
import { makeCertificate } from '../support/certificates.js';

type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void;

interface Options {
  readonly stallTimeout?: number;
  readonly mostBytes?: number;
  readonly certificate?: { readonly cert: string; readonly key: string };
}

interface Running {
  readonly connections: Connections;
  readonly port: number;
  /** The server's ends of the connections, in the order of their arrival. */
  readonly sockets: readonly net.Socket[];
  /** How many answers the server began. */
  readonly begun: () => number;
}

async function serve(answer: Answer, { certificate, ...options }: Options = {}): Promise<Running> {
  const connections = createConnections(options);
  let begun = 0;
  class Counted extends http.ServerResponse {
    constructor(...given: ConstructorParameters<typeof http.ServerResponse>) {
      super(...given);
      begun += 1;
    }
  }
  const server =
    certificate === undefined
      ? http.createServer({ requireHostHeader: false, ServerResponse: Counted })
      : https.createServer(certificate);
  server.maxRequestsPerSocket = 1_000;
  connections.serve(server, answer);
  const sockets: net.Socket[] = [];
  server.on(certificate === undefined ? 'connection' : 'secureConnection', (socket: net.Socket) =>
    sockets.push(socket),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { connections, sockets, begun: () => begun, port: (server.address() as AddressInfo).port };
}

function connect({ port }: Running, isSecure = false): net.Socket {
  const socket = isSecure
    ? tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : net.connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  return socket;
}

const request = (path: string, headers = 'Host: x\r\n'): string => `GET ${path} HTTP/1.1\r\n${headers}\r\n`;
const megabyte = 'x'.repeat(1024 * 1024);

/** Everything that a connection receives until it is closed. */
async function received(socket: net.Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString('latin1')));
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

test.each([
  ['HTTP', false],
  ['HTTPS', true],
])(
  'a client that sends requests and reads no answer is not read any further and then cut, over %s',
  async (_, isSecure) => {
    const certificate = isSecure ? makeCertificate() : undefined;
    const running = await serve((_request, response) => response.end(megabyte), {
      stallTimeout: 300,
      ...(certificate && { certificate }),
    });
    const socket = connect(running, isSecure).pause();
    const sending = setInterval(() => socket.write(request('/').repeat(100)), 1);
    onTestFinished(() => clearInterval(sending));
    await vi.waitUntil(() => running.connections.status().bytesWaiting > megabyte.length / 2, 5_000);
    const { bytesWaiting } = running.connections.status();
    expect(bytesWaiting).toBeLessThan(2 * megabyte.length);
    const read = running.sockets[0]?.bytesRead ?? 0;
    await vi.waitUntil(() => running.connections.status().cut.stalled === 1, 5_000);
    // One more read may have been under way.
    expect((running.sockets[0]?.bytesRead ?? 0) - read).toBeLessThanOrEqual(64 * 1024);
    expect(running.connections.status()).toMatchObject({ open: 0, bytesWaiting: 0 });
  },
);

// Other systems do not show what a client has acknowledged.
test.skipIf(!existsSync('/proc/self/net/tcp'))(
  'a client that reads a little now and then is not cut, though no write ends within the time-out',
  async () => {
    const stallTimeout = 300;
    const running = await serve((_request, response) => response.end(megabyte.repeat(6)), { stallTimeout });
    const socket = connect(running);
    socket.write(request('/'));
    const started = performance.now();
    let size = 0;
    socket.on('data', (chunk) => {
      size += chunk.length;
      socket.pause();
      setTimeout(() => socket.resume(), 20);
    });
    await vi.waitUntil(() => size > 6 * megabyte.length || socket.destroyed, 20_000);
    expect(size).toBeGreaterThan(6 * megabyte.length);
    expect(performance.now() - started).toBeGreaterThan(3 * stallTimeout);
    expect(running.connections.status().cut.stalled).toBe(0);
  },
);

test('a client that waits for an answer is not cut, however long the answer takes', async () => {
  let finish: (() => void) | undefined;
  const running = await serve(
    ({ url }, response) => {
      if (url === '/slow') finish = () => response.end('slow');
      else response.setHeader('Connection', 'close').end('quick');
    },
    { stallTimeout: 50 },
  );
  const socket = connect(running);
  const text = received(socket);
  socket.write(request('/slow') + request('/'));
  const begun = performance.now();
  await vi.waitUntil(() => performance.now() - begun > 250, 5_000);
  finish?.();
  expect(await text).toMatch(/slow[^]*quick$/);
});

test('when too many bytes wait in all, the connections that made no progress for longest are cut', async () => {
  const running = await serve((_request, response) => response.end(megabyte.repeat(8)), {
    stallTimeout: 60_000,
    mostBytes: 20 * megabyte.length,
  });
  const { connections } = running;
  for (let waiting = 1; waiting <= 3; waiting += 1) {
    const socket = connect(running).pause();
    socket.write(request('/'));
    const before = 8 * megabyte.length * (waiting - 1);
    if (waiting < 3) await vi.waitUntil(() => connections.status().bytesWaiting > before, 5_000);
  }
  await vi.waitUntil(() => connections.status().cut.bytes_waiting > 0, 5_000);
  expect(running.sockets.map(({ destroyed }) => destroyed)).toEqual([true, true, false]);
});

test('a flood of requests ahead of an answer takes no more memory than the bound of all connections', async () => {
  const mostBytes = 4 * megabyte.length;
  let answered = 0;
  const running = await serve(() => (answered += 1), { stallTimeout: 60_000, mostBytes });
  const { connections } = running;
  for (let count = 0; count < 30; count += 1) connect(running).write(request('/').repeat(5_000));
  await vi.waitUntil(() => answered === 30, 10_000);
  expect(connections.status().bytesWaiting).toBeLessThanOrEqual(mostBytes);
  expect(connections.status().cut.bytes_waiting).toBeGreaterThan(0);
});

test('a hundred requests sent ahead wait, and the last of them ends the connection', async () => {
  let answered = 0;
  const running = await serve((_request, response) => response.end(`answer ${(answered += 1)}.`));
  const socket = connect(running);
  const text = received(socket);
  socket.write(request('/').repeat(2_000));
  const answers = [...(await text).matchAll(/answer (\d+)\./g)].map(([, number]) => Number(number));
  expect(answers).toEqual(Array.from({ length: 101 }, (_, index) => index + 1));
  expect(answered).toBe(101);
  // Further requests of the same read are dropped at once and take no memory.
  expect(running.begun()).toBe(101);
  expect((await text).match(/Connection: close/g)).toHaveLength(1);
});

test('requests that Node refuses itself wait in turn too', async () => {
  let finish: (() => void) | undefined;
  const running = await serve((_request, response) => (finish = () => response.end('slow')), { stallTimeout: 60_000 });
  const { connections } = running;
  const socket = connect(running);
  const text = received(socket);
  socket.write(request('/') + request('/', 'Host: x\r\nExpect: much\r\n') + request('/', ''));
  await vi.waitUntil(() => connections.status().bytesWaiting === 2 * 4 * 1024, 5_000);
  finish?.();
  expect((await text).match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 417', 'HTTP/1.1 400']);
});
