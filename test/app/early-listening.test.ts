/** The service listens before its stores are open: what it answers while it waits, and how the wait ends. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { startService, type Service } from '../../src/app/start-service.js';
import { readConfig } from '../../src/stores/config.js';
import { audience } from '../support/audience.js';
import { noMongo, openTestDatabase, testMongoUrl } from '../support/mongodb.js';
import { startStandIn, type StandIn } from '../eventstoredb/stand-in/stand-in.js';

const cleanups: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Start {
  /** Resolves with the address when the port is open. */
  readonly address: Promise<string>;
  readonly service: Promise<Service>;
  readonly stop: AbortController;
  readonly folder: string;
}

/** Starts a service in this process. */
function begin(env: NodeJS.ProcessEnv): Start {
  const folder = mkdtempSync(path.join(tmpdir(), 'audience-early-'));
  const opened = Promise.withResolvers<string>();
  const logger = pino(
    { level: 'debug' },
    {
      write(line: string) {
        const { address, msg } = JSON.parse(line) as { readonly address?: string; readonly msg: string };
        if (address !== undefined && msg.startsWith('starting')) opened.resolve(address);
      },
    },
  );
  const lines = { write: () => true, dropped: () => 0 } as unknown as Parameters<typeof startService>[1]['lines'];
  const config = readConfig({ DATA_DIR: folder, PORT: '0', SECRET: 'a secret of early starts, 32 bytes', ...env });
  const stop = new AbortController();
  const service = startService(config, { logger, lines }, stop.signal);
  service.catch(opened.reject);
  opened.promise.catch(() => undefined);
  cleanups.push(async () => {
    stop.abort('the test is over');
    await service.then((started) => started.close()).catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  });
  return { address: opened.promise, service, stop, folder };
}

/** An address without a MongoDB, for starts that end before the views are opened. */
const noViews = 'mongodb://127.0.0.1:1/audience';

/** An event store that does not run yet. */
async function absentEventStore(): Promise<StandIn> {
  const server = await startStandIn();
  cleanups.push(() => server.close());
  await server.stop();
  return server;
}

test('a service that waits for its event store is alive, not ready, and refuses all other requests', async () => {
  const server = await absentEventStore();
  const { address } = begin({
    EVENTSTORE_URL: server.url,
    MONGODB_URL: noViews,
    API_KEYS: 'shop:a-key-of-early-starts',
  });
  const url = await address;
  const ask = (target: string, init: RequestInit = {}): Promise<Response> => fetch(url + target, init);
  const live = await ask('/health/live');
  expect([live.status, await live.json()]).toEqual([
    200,
    { statusCode: 200, status: 'Success', data: { alive: true } },
  ]);
  const ready = async () => {
    const answer = await ask('/health/ready');
    return { status: answer.status, body: (await answer.json()) as object };
  };
  await expect.poll(ready).toMatchObject({
    status: 503,
    body: { data: { starting: { waiting_for: 'event_store', reason: 'unreachable' } } },
  });
  const key = { authorization: 'Bearer a-key-of-early-starts', 'content-type': 'application/json' };
  for (const [target, init] of [
    ['/v1/groups', { headers: key }],
    ['/v1/groups/create', { headers: key, method: 'POST', body: '{"group_name":"Early"}' }],
    ['/v1/contacts/%zz/create', { headers: key, method: 'POST', body: '{}' }],
    ['/metrics', { headers: key }],
    ['/health/identity', {}],
    ['/openapi.json', {}],
    ['/console', {}],
    ['/no/such/path', {}],
  ] as const) {
    const answer = await ask(target, init);
    expect([target, answer.status, answer.headers.get('retry-after')]).toEqual([target, 503, '1']);
    expect(answer.headers.get('x-request-id')).not.toBeNull();
    expect(await answer.json()).toEqual({
      statusCode: 503,
      status: 'Error',
      message: 'Service temporarily unavailable, please retry.',
      type: 'unavailable',
      data: {},
    });
  }
  expect((await ask('/health/live', { method: 'HEAD' })).status).toBe(200);
  expect((await ask('/health/live', { method: 'POST' })).status).toBe(405);
});

test('a service that waits for its event store answers requests when the store is available', async ({ skip }) => {
  if (testMongoUrl === undefined) return skip(noMongo);
  const server = await absentEventStore();
  const database = openTestDatabase(testMongoUrl);
  cleanups.push(() => database.close());
  const { address, service } = begin({
    EVENTSTORE_URL: server.url,
    MONGODB_URL: database.url,
    API_KEYS: 'shop:a-key-of-early-starts',
  });
  const url = await address;
  await server.start();
  await service;
  await expect.poll(async () => (await fetch(`${url}/health/ready`)).status, { timeout: 20_000 }).toBe(200);
  const headers = { authorization: 'Bearer a-key-of-early-starts', 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: '{"group_name":"Early"}' };
  expect((await fetch(`${url}/v1/groups/create`, init)).status).toBe(200);
});

test('the doctor says what a starting service waits for', async () => {
  const server = await absentEventStore();
  const { address } = begin({ EVENTSTORE_URL: server.url, MONGODB_URL: noViews });
  const url = await address;
  const folder = mkdtempSync(path.join(tmpdir(), 'audience-early-'));
  cleanups.push(() => Promise.resolve(rmSync(folder, { recursive: true })));
  const finding = async (): Promise<unknown> => {
    const { out } = await audience(['doctor', '--json'], { env: { DATA_DIR: folder, AUDIENCE_URL: url } });
    const { findings } = JSON.parse(out) as { readonly findings: readonly { readonly name: string }[] };
    return findings.find(({ name }) => name === 'service');
  };
  await expect.poll(finding, { timeout: 20_000 }).toMatchObject({
    level: 'red',
    finding: `the service at ${url} is starting: its event log is not open yet (unreachable)`,
  });
});

test('a stop ends a start that waits, and closes the port', async () => {
  const server = await absentEventStore();
  const { address, service, stop } = begin({ EVENTSTORE_URL: server.url, MONGODB_URL: noViews });
  const url = await address;
  expect((await fetch(`${url}/health/live`)).status).toBe(200);
  stop.abort(new Error('stopped'));
  await expect(service).rejects.toThrow('stopped');
  await expect(fetch(`${url}/health/live`)).rejects.toThrow();
});

test('a port in use ends the start before the log is opened', async () => {
  const other = net.createServer().listen(0, '127.0.0.1');
  cleanups.push(async () => {
    other.close();
    await once(other, 'close');
  });
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const { service, folder } = begin({ PORT: String(port) });
  await expect(service).rejects.toMatchObject({ code: 'EADDRINUSE' });
  expect(readdirSync(folder)).not.toContain('events.db');
});

test('an embedded service answers health checks from the address that it announced first', async () => {
  const { address, service } = begin({});
  const url = await address;
  await service;
  expect((await fetch(`${url}/health/live`)).status).toBe(200);
  await expect.poll(async () => (await fetch(`${url}/health/ready`)).status, { timeout: 20_000 }).toBe(200);
});
