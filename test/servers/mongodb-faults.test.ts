/** The service on a MongoDB that fails on command: what the API answers, that nothing is lost or doubled, and that it recovers by itself. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openMongoReadModels } from '../../src/readmodels/mongodb/read-models.js';
import { openEventStoreDb } from '../../src/eventstore/eventstoredb/event-store.js';
import { documentsOf, freshFold } from '../support/fresh-fold.js';
import { behindProxy, noMongo, testMongoUrl } from '../support/mongodb.js';
import { eventually, startService, type Answer, type Service } from '../support/service.js';
import { standInPrefix, startStandInServers } from '../support/stand-in-servers.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';

const behind = testMongoUrl === undefined ? undefined : behindProxy(testMongoUrl);
const reason = testMongoUrl === undefined ? noMongo : 'its address has to be expanded by DNS, a proxy cannot stand in';

describe.skipIf(behind === undefined)(`a MongoDB that fails${behind === undefined ? ` (${reason})` : ''}`, () => {
  let servers: Awaited<ReturnType<typeof startStandInServers>>;
  let proxy: TcpProxy;
  let service: Service;
  let list: string;
  let number = 0;
  const someAddress = (): string => `ada${(number += 1)}@example.com`;

  beforeAll(async () => {
    servers = await startStandInServers(testMongoUrl ?? '');
    const own = behindProxy(servers.database.url);
    if (own === undefined) throw new Error(reason);
    proxy = await startTcpProxy(own.target);
    service = await startService({ env: { ...servers.env, MONGODB_URL: own.through(proxy.port) } });
    list = await service.make('/v1/lists/create', { list_name: 'News' }, 'list_id');
    await service.get(`/v1/lists/${list}`);
  }, 60_000);
  afterAll(async () => {
    await proxy.heal();
    await service.close();
    await proxy.close();
    await servers.close();
  }, 60_000);
  beforeEach(() => proxy.heal());

  const create = (email: string): Promise<Answer> =>
    service.post(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' });
  const show = (email: string): Promise<Answer> => service.get(`/v1/contacts?email=${email}`);

  /** All views are what a fresh fold of the log gives. */
  async function expectTrueViews(): Promise<void> {
    const log = openEventStoreDb({ url: servers.server.url, prefix: standInPrefix });
    const views = openMongoReadModels({ url: servers.database.url });
    try {
      const head = await log.head();
      await eventually(async () => ((await views.checkpoint('views'))?.position ?? '') >= head || undefined, {
        within: 30_000,
        what: 'the head in the views',
      });
      expect(await documentsOf(views)).toEqual(await freshFold(log));
    } finally {
      await views.close();
      await log.close();
    }
  }

  const ready = (): Promise<true> =>
    eventually(async () => ((await service.get('/health/ready')).status === 200 ? true : undefined), {
      within: 30_000,
      what: 'readiness',
    });

  const faults = {
    'hangs in both directions': () => Promise.resolve(proxy.hang('both')),
    'takes requests and answers nothing': () => Promise.resolve(proxy.hang('replies')),
    'is gone': () => proxy.refuse(),
  };

  test.each(Object.entries(faults))(
    '%s: writes are taken, reads answer 503 in bounded time, and all is shown afterwards',
    async (_, begin) => {
      const before = someAddress();
      expect((await create(before)).status).toBe(200);
      expect((await show(before)).status).toBe(200);
      await begin();
      const email = someAddress();
      const asked = performance.now();
      // Writes need the log alone.
      expect((await create(email)).status).toBe(200);
      for (const answer of await Promise.all([show(email), show(before)])) {
        expect(answer.status).toBe(503);
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      }
      expect(performance.now() - asked).toBeLessThan(20_000);
      await eventually(async () => ((await service.get('/health/ready')).status === 503 ? true : undefined));
      await proxy.heal();
      await ready();
      for (const address of [email, before])
        expect((await show(address)).body).toMatchObject({ data: { email: address } });
      await expectTrueViews();
    },
    90_000,
  );

  test('connections that break under load, and replies that are lost, lose and double nothing', async () => {
    const promised: string[] = [];
    let isOver = false;
    const clients = Array.from({ length: 16 }, async () => {
      while (!isOver) {
        const email = someAddress();
        const answer = await create(email);
        expect([200, 503]).toContain(answer.status);
        if (answer.status !== 200) continue;
        promised.push(email);
        const seen = await show(email);
        // What was answered 200 is shown, or not answered; never older data.
        expect([200, 503]).toContain(seen.status);
      }
    });
    for (let round = 1; round <= 10; round += 1) {
      const enough = promised.length + 20;
      await eventually(() => Promise.resolve(promised.length >= enough || undefined), { within: 30_000 });
      if (round % 2 === 0) proxy.reset();
      else await proxy.loseReply((request) => request.includes(round % 4 === 1 ? 'update' : 'insert'));
    }
    isOver = true;
    await Promise.all(clients);
    await ready();
    for (const email of promised.slice(-40)) expect((await show(email)).body).toMatchObject({ data: { email } });
    await expectTrueViews();
  }, 90_000);
});
