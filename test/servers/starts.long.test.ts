/** Starts on servers: what is waited for, what is refused, and that each refusal says why and leaves everything as it was. */
import { rmSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { openEventStoreDb } from '../../src/eventstore/eventstoredb/event-store.js';
import { startStandIn, type StandIn, type StandInEvent } from '../eventstoredb/stand-in/stand-in.js';
import { noMongo, openTestDatabase, testMongoUrl, type TestDatabase } from '../support/mongodb.js';
import { freshFolder, runToExit, startService, type Overrides } from '../support/service.js';

const cleanups: (() => Promise<unknown> | undefined)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function eventStore(): Promise<StandIn> {
  const server = await startStandIn();
  cleanups.push(() => server.close());
  return server;
}
function folder(): string {
  const dataDir = freshFolder();
  cleanups.push(() => Promise.resolve(rmSync(dataDir, { recursive: true, force: true })));
  return dataDir;
}
const secret = 'a secret of starts, long enough for a start';
/** An address without a MongoDB, for starts that end before the views are opened. */
const noViews = 'mongodb://127.0.0.1:1/audience';
function newViews(): TestDatabase {
  const database = openTestDatabase(testMongoUrl ?? '');
  cleanups.push(() => database.close());
  return database;
}
const on = (server: Pick<StandIn, 'url'>, more: Overrides = {}): Overrides => ({
  EVENTSTORE_URL: server.url,
  // The default, for every data folder.
  EVENTSTORE_PREFIX: undefined,
  MONGODB_URL: noViews,
  SECRET: secret,
  ...more,
});

/** A start that is refused: its exit, with no word of what must stay secret. */
async function refused(dataDir: string, env: Overrides): Promise<string> {
  const { code, output } = await runToExit(dataDir, env, { timeout: 30_000 });
  expect(code).toBe(1);
  expect(output).toContain('cannot start');
  expect(output).not.toContain(secret);
  expect(output).not.toMatch(/\n\s+at /);
  return output;
}

async function closedPort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Writes events of one server to another, as a restored backup would hold them. */
async function restore(server: StandIn, events: readonly StandInEvent[]): Promise<void> {
  const prefix = 'audience_';
  const store = openEventStoreDb({ url: server.url, prefix });
  for (const { stream, revision, id, type, data, metadata } of events)
    await store.append(stream.slice(prefix.length), [{ id, type, data, metadata }], {
      expectedRevision: revision === 0n ? 'no_stream' : revision - 1n,
    });
  await store.close();
}

describe('an EventStoreDB', () => {
  test('that comes later is waited for, with a word about it', async () => {
    const server = await eventStore();
    await server.stop();
    let coming: Promise<unknown> | undefined;
    const onOutput = (text: string): void => {
      if (text.includes('waiting for the event store')) coming ??= server.start();
    };
    const service = await startService({ env: on(server, { MONGODB_URL: newViews().url }), onOutput });
    cleanups.push(() => service.close());
    await coming;
    expect((await service.get('/health/ready')).status).toBe(200);
  }, 40_000);

  test('that is not ready yet is waited for', async () => {
    const server = await eventStore();
    server.inject({ kind: 'any', type: 'not_ready', times: 3 });
    const service = await startService({ env: on(server, { MONGODB_URL: newViews().url }) });
    cleanups.push(() => service.close());
    expect((await service.get('/health/ready')).status).toBe(200);
  }, 40_000);

  test.each(['unauthenticated', 'access_denied'] as const)('that says %s ends the start', async (type) => {
    const server = await eventStore();
    server.inject({ kind: 'any', type });
    const output = await refused(folder(), on(server, { EVENTSTORE_URL: server.url.replace('//', '//ada:pa55word@') }));
    expect(output).toContain('EVENTSTORE_URL');
    expect(output).toContain('credentials');
    expect(output).not.toContain('pa55word');
  });

  test('whose address cannot be used ends the start', async () => {
    const output = await refused(folder(), on({ url: 'esdb://ada:pa55:word@127.0.0.1?colour=blue' }));
    expect(output).toContain('EVENTSTORE_URL');
    expect(output).not.toContain('pa55');
  });

  test('asks for a secret, and holds the service to it', async () => {
    const server = await eventStore();
    expect(await refused(folder(), on(server, { SECRET: undefined }))).toContain('SECRET is required');
    const env = on(server, { MONGODB_URL: newViews().url });
    const service = await startService({ env });
    cleanups.push(() => service.close());
    const events = server.events('audience_').length;
    const other = 'another secret, which is also long enough';
    const output = await refused(folder(), { ...env, SECRET: other });
    expect(output).toContain('SECRET is not the one that this event log was begun with');
    expect(output).not.toContain(other);
    expect(server.events('audience_')).toHaveLength(events);
  }, 40_000);

  test('with another secret beside its own views says that it is the secret, and accuses nobody', async () => {
    const [dataDir, server] = [folder(), await eventStore()];
    const env = on(server, { MONGODB_URL: newViews().url });
    const first = await startService({ dataDir, env });
    await first.make('/v1/lists/create', { list_name: 'News' }, 'list_id');
    await first.kill('SIGTERM');
    const output = await refused(dataDir, { ...env, SECRET: 'another secret, which is also long enough' });
    expect(output).toContain('SECRET is not the one that this event log was begun with');
    expect(output).not.toContain('altered');
  }, 40_000);

  test('that is empty, or holds another log, does not get views that were folded from one', async () => {
    const dataDir = folder();
    const views = { MONGODB_URL: newViews().url };
    const first = await startService({ dataDir, env: on(await eventStore(), views) });
    await first.make('/v1/lists/create', { list_name: 'News' }, 'list_id');
    await first.get('/v1/lists');
    await first.kill('SIGTERM');
    const empty = await eventStore();
    const output = await refused(dataDir, on(empty, views));
    expect(output).toContain('the log is empty, but the views were folded from one');
    expect(output).toContain('drop the MongoDB database of MONGODB_URL');
    // Nothing was written where the operator may not have meant to go.
    expect(empty.events('audience_')).toEqual([]);
    const other = await startService({ env: on(empty, { MONGODB_URL: newViews().url }) });
    await other.kill('SIGTERM');
    expect(await refused(dataDir, on(empty, views))).toContain('the views were folded from another log');
    await other.close();
  }, 40_000);

  test('that has lost the end of the log is refused, and taken again when the views are gone', async () => {
    const whole = await eventStore();
    const dataDir = folder();
    const database = newViews();
    const views = { MONGODB_URL: database.url };
    const service = await startService({ dataDir, env: on(whole, views) });
    await service.make('/v1/lists/create', { list_name: 'News' }, 'list_id');
    const events = whole.events('audience_');
    await service.make('/v1/lists/create', { list_name: 'Later' }, 'list_id');
    await service.get('/v1/lists');
    await service.kill('SIGTERM');
    const restored = await eventStore();
    await restore(restored, events);
    expect(await refused(dataDir, on(restored, views))).toMatch(
      /the log (ends at position \d+, before|has another event at) position \d+/,
    );
    await database.client.db().dropDatabase();
    const again = await startService({ dataDir, env: on(restored, views) });
    cleanups.push(() => again.close());
    expect((await again.get('/v1/lists')).items()).toMatchObject([{ list_name: 'News' }]);
  }, 60_000);
});

describe.skipIf(testMongoUrl === undefined)(`a MongoDB${testMongoUrl === undefined ? ` (${noMongo})` : ''}`, () => {
  test('whose views belong to another log ends the start and keeps them', async () => {
    const views = { MONGODB_URL: newViews().url };
    const first = await startService({ env: on(await eventStore(), views) });
    const list = await first.make('/v1/lists/create', { list_name: 'News' }, 'list_id');
    expect((await first.get(`/v1/lists/${list}`)).status).toBe(200);
    await first.kill('SIGTERM');
    const output = await refused(folder(), on(await eventStore(), views));
    expect(output).toContain('MONGODB_URL');
    await first.start();
    cleanups.push(() => first.close());
    expect((await first.get(`/v1/lists/${list}`)).status).toBe(200);
  }, 60_000);
});

describe('a MongoDB', () => {
  test('whose address cannot be used ends the start', async () => {
    const url = 'mongodb://ada:pa55word@127.0.0.1/audience?colour=blue';
    const output = await refused(folder(), on(await eventStore(), { MONGODB_URL: url }));
    expect(output).toContain('MONGODB_URL');
    expect(output).not.toContain('pa55word');
  });

  test('that is not there is waited for, with a word about it', async () => {
    const port = await closedPort();
    const { output } = await runToExit(
      folder(),
      on(await eventStore(), { MONGODB_URL: `mongodb://127.0.0.1:${port}/audience` }),
      { timeout: 9_000 },
    );
    expect(output).toContain('waiting for MongoDB');
  }, 20_000);
});
