/** The service on an EventStoreDB that fails on command: what the API answers, that nothing is lost or doubled, and that it recovers by itself. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { StandIn } from '../eventstoredb/stand-in/stand-in.js';
import type { Fault } from '../eventstoredb/stand-in/faults.js';
import { noMongo, testMongoUrl } from '../support/mongodb.js';
import { eventually, startService, type Answer, type Service } from '../support/service.js';
import { standInPrefix as prefix, startStandInServers } from '../support/stand-in-servers.js';

let servers: Awaited<ReturnType<typeof startStandInServers>> | undefined;
let server: StandIn;
let service: Service;
let list: string;
let number = 0;
const someAddress = (): string => `ada${(number += 1)}@example.com`;

beforeAll(async () => {
  if (testMongoUrl === undefined) return;
  servers = await startStandInServers(testMongoUrl);
  server = servers.server;
  service = await startService({ env: servers.env });
  list = await service.make('/v1/lists/create', { list_name: 'News' }, 'list_id');
}, 60_000);
afterAll(async () => {
  if (servers === undefined) return;
  await service.close();
  await servers.close();
});
beforeEach(({ skip }) => {
  skip(servers === undefined, noMongo);
  server.clear();
});

const create = (email: string): Promise<Answer> =>
  service.post(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' });

const ready = (): Promise<true> =>
  eventually(async () => ((await service.get('/health/ready')).status === 200 ? true : undefined), {
    within: 20_000,
    what: 'readiness',
  });

interface Person {
  readonly person: { readonly email?: string };
}
/** How often the log says that this address became a contact. */
const timesCreated = (email: string): number =>
  server
    .events(prefix)
    .filter(({ type, data }) => type === 'ContactCreated' && (JSON.parse(data) as Person).person.email === email)
    .length;

function expectWholeStreams(): void {
  const next = new Map<string, bigint>();
  const ids = new Set<string>();
  for (const { stream, revision, id } of server.events(prefix)) {
    expect(revision).toBe(next.get(stream) ?? 0n);
    next.set(stream, revision + 1n);
    expect(ids.has(id), `${id} twice`).toBe(false);
    ids.add(id);
  }
}

/** 200, or a 503 that says when to come again. */
function expectHonest(answer: Answer): void {
  expect([200, 503]).toContain(answer.status);
  if (answer.status === 503) expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
}

/** Whoever follows the log may still wait for an answer that never comes; until it asks again, a read says 503. */
const shown = (email: string): Promise<Answer> =>
  eventually(async () => {
    const answer = await service.get(`/v1/contacts?email=${email}`);
    expectHonest(answer);
    return answer.status === 200 ? answer : undefined;
  });

/** After the fault the same request is answered as ever, and what it asks for is there once, whatever was said before. */
async function expectOnce(email: string, first: Answer): Promise<void> {
  expectHonest(first);
  const again = await eventually(async () => {
    const answer = await create(email);
    return answer.status === 503 ? undefined : answer;
  });
  expect(again.status).toBe(first.status === 200 || timesCreated(email) === 1 ? again.status : 200);
  expect([200, 400]).toContain(again.status);
  if (first.status === 200) expect(again.status).toBe(400);
  expect(timesCreated(email)).toBe(1);
  await ready();
  const seen = await shown(email);
  expect(seen.body).toMatchObject({ data: { email, subscriptions: [{ list_id: list, status: 'Subscribed' }] } });
  expectWholeStreams();
}

const isContact = (stream: string): boolean => stream.includes('contact-');

describe('an append that meets a fault once is done once, and answered 200', () => {
  const faults: readonly Omit<Fault, 'kind'>[] = [
    { type: 'reset' },
    { type: 'reset', written: true },
    { type: 'lost_reply' },
    { type: 'hang' },
    { type: 'hang', written: true },
    { type: 'not_leader' },
  ];
  test.each(faults)(
    '%o',
    async (fault) => {
      const email = someAddress();
      const injected = server.inject({ kind: 'append', match: isContact, times: 1, ...fault });
      const answer = await create(email);
      expect(injected.hits).toBe(1);
      expect(answer.status).toBe(200);
      await expectOnce(email, answer);
    },
    30_000,
  );
});

describe('while appends fail, writes answer 503 in bounded time, and go on afterwards', () => {
  const faults: readonly Omit<Fault, 'kind'>[] = [
    { type: 'hang' },
    { type: 'reset' },
    { type: 'lost_reply' },
    { type: 'not_ready' },
    { type: 'too_busy' },
    { type: 'shut_down' },
    { type: 'not_leader' },
    { type: 'unauthenticated' },
    { type: 'access_denied' },
  ];
  test.each(faults)(
    '%o',
    async (fault) => {
      const email = someAddress();
      const injected = server.inject({ kind: 'append', ...fault });
      const begun = performance.now();
      const answer = await create(email);
      expect(performance.now() - begun).toBeLessThan(12_000);
      expect(injected.hits).toBeGreaterThan(0);
      // What was written and told by a repeat is as good as an answer.
      if (fault.type !== 'lost_reply' && fault.written !== true) expect(answer.status).toBe(503);
      // Reads of what the views hold go on.
      expect((await service.get(`/v1/lists/${list}`)).status).toBe(200);
      server.clear();
      await expectOnce(email, answer);
    },
    60_000,
  );
});

describe('reads of the log that fail', () => {
  const faults: readonly Fault[] = [
    { kind: 'read', type: 'hang' },
    { kind: 'read', type: 'reset' },
    { kind: 'read', type: 'not_ready' },
    { kind: 'read', type: 'not_leader' },
    { kind: 'read', type: 'hang', afterEvents: 1 },
    { kind: 'read', type: 'reset', afterEvents: 1 },
    { kind: 'any', type: 'shut_down' },
    { kind: 'any', type: 'unauthenticated' },
  ];
  test.each(faults)(
    '%o: 503 and no readiness where it matters, then all is shown',
    async (fault) => {
      const email = someAddress();
      expect((await create(email)).status).toBe(200);
      const injected = server.inject(fault);
      // Whether the address is known must be asked of the log.
      const answer = await service.post(`/v1/contacts/${list}/updatestatus`, {
        contact_email: email,
        status: 'Unsubscribed',
      });
      expect(injected.hits).toBeGreaterThan(0);
      expectHonest(answer);
      // A read that stops half-way may first give its reader what it asked for; then it takes until the next one.
      await eventually(async () => ((await service.get('/health/ready')).status === 503 ? true : undefined), {
        within: 20_000,
        what: 'readiness to be withdrawn',
      });
      expect((await service.get('/health/live')).status).toBe(200);
      server.clear();
      await ready();
      const again = await service.post(`/v1/contacts/${list}/updatestatus`, {
        contact_email: email,
        status: 'Unsubscribed',
      });
      expect(again.status).toBe(200);
      const seen = await service.get(`/v1/contacts?email=${email}`);
      expect(seen.body).toMatchObject({ data: { subscriptions: [{ status: 'Unsubscribed' }] } });
      expectWholeStreams();
    },
    60_000,
  );
});

/** 16 clients that create contacts until told to stop, and note what was promised. */
function writing(): { readonly promised: string[]; refused(): number; stop(): Promise<void> } {
  const promised: string[] = [];
  let refused = 0;
  let isOver = false;
  const clients = Array.from({ length: 16 }, async () => {
    while (!isOver) {
      const email = someAddress();
      const answer = await create(email);
      expectHonest(answer);
      if (answer.status === 200) promised.push(email);
      else refused += 1;
    }
  });
  return {
    promised,
    refused: () => refused,
    async stop() {
      isOver = true;
      await Promise.all(clients);
    },
  };
}

async function expectAllShown(emails: readonly string[]): Promise<void> {
  await ready();
  for (const email of emails) expect(timesCreated(email)).toBe(1);
  for (const email of emails.slice(-50)) {
    const seen = await shown(email);
    expect(seen.body).toMatchObject({ data: { email } });
  }
  expectWholeStreams();
}

test('a live subscription that is dropped again and again under load costs nothing', async () => {
  const injected = server.inject({ kind: 'subscribe', type: 'drop', afterEvents: 5 });
  server.resetConnections();
  const clients = writing();
  await eventually(() => Promise.resolve(clients.promised.length > 500 || undefined), { within: 30_000 });
  await clients.stop();
  expect(injected.hits).toBeGreaterThan(0);
  await expectAllShown(clients.promised);
}, 60_000);

test.each(['written', 'dropped'] as const)(
  'a restart of the server under load, with what hung %s, loses and doubles nothing',
  async (hanging) => {
    const clients = writing();
    await eventually(() => Promise.resolve(clients.promised.length > 200 || undefined), { within: 30_000 });
    server.inject({ kind: 'append', type: 'hang', times: 8 });
    await server.stop({ hanging });
    await eventually(() => Promise.resolve(clients.refused() > 16 || undefined), { within: 30_000 });
    await server.start();
    const before = clients.promised.length;
    await eventually(() => Promise.resolve(clients.promised.length > before + 100 || undefined), { within: 30_000 });
    await clients.stop();
    await expectAllShown(clients.promised);
  },
  90_000,
);
