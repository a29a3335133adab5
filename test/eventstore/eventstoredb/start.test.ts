/** How the EventStoreDB adapter meets a server that is not there, not it, or not as configured; and that it gives no credentials away. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer, createServer as createHttp2Server } from 'node:http2';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AppendInDoubtError, StoreUnavailableError } from '../../../src/eventstore/event-store.js';
import { EventStoreUrlError } from '../../../src/eventstore/eventstoredb/url.js';
import { openEventStoreDb } from '../../../src/eventstore/eventstoredb/event-store.js';
import { makeCertificate } from '../../support/certificates.js';
import { said } from '../../support/event-log.js';

const noStream = { expectedRevision: 'no_stream' } as const;
const timings = { appendMs: 300, silenceMs: 300 };

function open(url: string) {
  const store = openEventStoreDb({ url, prefix: 'test-start-', timings });
  onTestFinished(() => store.close());
  return store;
}

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A port where every connection meets this. */
const portThat = (greets: (socket: Socket) => void): Promise<number> =>
  listening(
    createServer((socket) => {
      socket.on('error', () => undefined);
      onTestFinished(() => void socket.destroy());
      greets(socket);
    }),
  );

async function closedPort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

describe('a server that is not there', () => {
  it('is unreachable; nothing was written, and reads are unavailable', async () => {
    const store = open(`esdb://admin:sesame@127.0.0.1:${await closedPort()}?tls=false`);
    const check = await store.check();
    expect(check).toMatchObject({ status: 'unreachable', reason: expect.stringContaining('ECONNREFUSED') });
    expect(JSON.stringify(check)).not.toContain('sesame');
    await expect(store.append('s', [said()], noStream)).rejects.toThrow(StoreUnavailableError);
    await expect(store.head()).rejects.toThrow(StoreUnavailableError);
    expect(store.isWritable()).toBe(false);
  });

  it('is unreachable for a cluster, too, whose nodes are searched for', async () => {
    const port = await closedPort();
    const store = open(
      `esdb://127.0.0.1:${port},127.0.0.1:${port}?tls=false&maxDiscoverAttempts=1&discoveryInterval=10`,
    );
    expect(await store.check()).toMatchObject({ status: 'unreachable' });
    await expect(store.append('s', [said()], noStream)).rejects.toThrow(StoreUnavailableError);
  });

  it('that takes longer to be searched for than an append may take: nothing was written', async () => {
    const port = await closedPort();
    const store = open(`esdb+discover://127.0.0.1:${port}?tls=false&maxDiscoverAttempts=5&discoveryInterval=200`);
    const began = performance.now();
    await expect(store.append('s', [said()], noStream)).rejects.toThrow(StoreUnavailableError);
    expect(performance.now() - began).toBeLessThan(800);
  });

  it('that takes connections and says nothing leaves an append in doubt and a read unavailable, each in its time', async () => {
    const store = open(`esdb://127.0.0.1:${await portThat(() => undefined)}?tls=false`);
    const began = performance.now();
    await expect(store.append('s', [said()], noStream)).rejects.toThrow(AppendInDoubtError);
    await expect(store.head()).rejects.toThrow(StoreUnavailableError);
    expect(await store.check()).toMatchObject({ status: 'unreachable' });
    expect(performance.now() - began).toBeLessThan(2_000);
  });

  it('ends a subscription with an error, and closing does not wait for it', async () => {
    const store = open(`esdb://127.0.0.1:${await closedPort()}?tls=false`);
    const messages = store.subscribe({ after: 'now', signal: new AbortController().signal })[Symbol.asyncIterator]();
    await expect(messages.next()).rejects.toThrow(StoreUnavailableError);
    await store.close();
    await store.close();
  });
});

describe('a server that will not do', () => {
  it('because it speaks no TLS where TLS is expected is said to be so', async () => {
    const port = await portThat((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await open(`esdb://127.0.0.1:${port}`).check()).toMatchObject({
      status: 'tls',
      reason: expect.stringContaining('is tls=false missing?'),
    });
  });

  it('is told apart, too, where the client searches a cluster for its leader and says nothing', async () => {
    const port = await portThat((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const store = open(`esdb+discover://admin:sesame@127.0.0.1:${port}?maxDiscoverAttempts=1`);
    expect(await store.check()).toMatchObject({ status: 'tls' });
  });

  it.for([
    ['is spoken to over TLS by its IP address', '127.0.0.1', 'foreign'],
    ['is not, where its certificate is for another address', '127.0.0.2', 'tls'],
  ] as const)('%s', async ([, address, status]) => {
    const certificate = makeCertificate({ name: address });
    const port = await listening(
      createSecureServer(certificate, (_request, response) => response.writeHead(404).end()),
    );
    const folder = mkdtempSync(path.join(os.tmpdir(), 'audience-ca-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(path.join(folder, 'ca.crt'), certificate.cert);
    const store = open(`esdb://127.0.0.1:${port}?tlsCAFile=${path.join(folder, 'ca.crt')}`);
    expect(await store.check()).toMatchObject({ status });
  });

  it('because it is something else is said to be foreign', async () => {
    const port = await listening(createHttp2Server((_request, response) => response.writeHead(404).end()));
    const store = open(`esdb://127.0.0.1:${port}?tls=false`);
    expect(await store.check()).toMatchObject({ status: 'foreign' });
    await expect(store.append('s', [said()], noStream)).rejects.toThrow(StoreUnavailableError);
  });
});

describe('a URL', () => {
  const usable = [
    'esdb://127.0.0.1:2113?tls=false',
    'esdb+discover://admin:p%40ss%3Aword@events.example.com:2113?nodePreference=leader&keepAliveInterval=10000',
    'esdb://a.example.com,b.example.com:2114,c.example.com?tls=true&throw-on-append-failure=true',
  ];
  for (const url of usable) it(`${url} is taken`, () => void open(url));

  const password = `sesame-${randomUUID()}`;
  const unusable = {
    'of another scheme': `mongodb://admin:${password}@h`,
    'without a host': `esdb://admin:${password}@`,
    'with a port that is no number': `esdb://admin:${password}@h:port`,
    'with an unknown option': `esdb://admin:${password}@h?tlss=true`,
    'with a value that an option does not have': `esdb://admin:${password}@h?tls=maybe`,
    'with a switch that the client ignores': `esdb://admin:${password}@h?tlsVerifyCert=false`,
    'with a certificate that is not there': `esdb://admin:${password}@h?tlsCAFile=/none.crt`,
    'with an @ in the password': `esdb://admin:${password}@more@h`,
    'with a colon in the password': `esdb://admin:x:${password}@h`,
    'with a bad escape': `esdb://admin:%zz${password}@h`,
  };
  for (const [what, url] of Object.entries(unusable))
    it(`${what} is refused, and nothing of it is shown`, () => {
      const written = [vi.spyOn(console, 'warn'), vi.spyOn(process.stderr, 'write'), vi.spyOn(process.stdout, 'write')];
      onTestFinished(() => written.forEach((spy) => spy.mockRestore()));
      let thrown: unknown;
      try {
        open(url);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(EventStoreUrlError);
      expect(thrown instanceof Error && [thrown.message, thrown.stack, thrown.cause].join()).not.toContain('sesame');
      for (const spy of written) expect(spy).not.toHaveBeenCalled();
    });
});
