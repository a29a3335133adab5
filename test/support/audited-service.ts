/** The whole API over HTTP in this process, on a log of its own and with a clock that the test sets. Views there are none, but for what a test puts in their place: contact ids are looked up in what was answered. */
import { mailerTimings } from '../../src/mailer/timings.js';
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createApp, type ApiOptions } from '../../src/api/app.js';
import { configuredKey, createAuthenticator, fullGrant } from '../../src/api/http/auth.js';
import { createRateLimiter } from '../../src/api/http/rate-limit.js';
import { createConnections } from '../../src/api/http/connections.js';
import { createServer } from '../../src/api/http/server.js';
import { createAudience } from '../../src/commands/audience.js';
import { contactDecider } from '../../src/commands/contact.js';
import type { Decider } from '../../src/commands/decider.js';
import { emailDecider } from '../../src/commands/email.js';
import { suppressionDecider } from '../../src/commands/suppressions.js';
import { groupDecider, listDecider, tagDecider } from '../../src/commands/catalogue.js';
import { createCommandHandler } from '../../src/commands/handle.js';
import type { DomainEvent } from '../../src/events/codec.js';
import { contactStream, deriveStreamKeys } from '../../src/events/streams.js';
import type { EventStore } from '../../src/eventstore/event-store.js';
import { createObserve } from '../../src/flow/observe.js';
import { createOwnWrites, type OwnWrites } from '../../src/projector/read-your-writes.js';
import type { AnalyticsQueries } from '../../src/projections/analytics-queries.js';
import type { Queries } from '../../src/projections/queries.js';
import { createLogBasis } from '../../src/integrity/log-basis.js';
import { emailsInLog } from './auditing.js';
import { openLog } from './event-log.js';

interface AuditedAnswer {
  readonly status: number;
  readonly data: unknown;
  readonly message?: string;
  readonly type?: string;
  readonly next_cursor?: string;
}

export interface AuditedService {
  readonly key: string;
  readonly store: EventStore;
  readonly url: string;
  readonly streamOf: (email: string) => string;
  /** Milliseconds since 1970, as every event from now on will have it. */
  setTime(milliseconds: number): void;
  /** The answer's JSON. `requestId` becomes the `request_id` of the events. */
  post(path: string, body: object, requestId?: string): Promise<{ readonly status: number; readonly data: unknown }>;
  /** The answer's JSON. */
  get(path: string, headers?: object): Promise<AuditedAnswer>;
  /** The answer's text. */
  text(path: string): Promise<string>;
  /** Whether it has closed a connection that came from this port. */
  hasClosed(port: number | undefined): boolean;
  close(): Promise<void>;
}

const key = 'a-key-of-the-tests';
const never = (): never => {
  throw new Error('the auditor asks no view');
};

const uncounted = async (): Promise<undefined> => undefined;

/** What a test has in place of views and of a log. */
interface Instead {
  readonly queries?: Partial<Queries>;
  /** Default: the views show everything at once. */
  readonly ownWrites?: OwnWrites;
  /** Milliseconds. */
  readonly stallTimeout?: number;
  /** Default: one in a file of its own. */
  readonly store?: EventStore;
  /** Other parts of the API. Most of them throw by default. */
  readonly parts?: Partial<ApiOptions>;
}

export const auditedSecret = 'a secret of the tests, long enough to be one';

export async function startAuditedService(instead: Instead = {}): Promise<AuditedService> {
  const { queries: given = {} } = instead;
  const store = instead.store ?? (await openLog()).store;
  let time = Date.UTC(2026, 0, 1);
  let count = 0;
  const keys = deriveStreamKeys(auditedSecret);
  const sources = { now: () => time, newEventId: () => randomUUID(), newSalt: () => randomUUID().replaceAll('-', '') };
  const handlerOf = <State, Command, Event extends DomainEvent>(decider: Decider<State, Command, Event>) =>
    createCommandHandler({
      store,
      decider,
      sources,
      cacheSize: 1_000,
      random: Math.random,
      sleep: async () => undefined,
    });
  const audience = createAudience({
    groups: handlerOf(groupDecider),
    lists: handlerOf(listDecider),
    tags: handlerOf(tagDecider),
    contacts: handlerOf(contactDecider),
    emails: handlerOf(emailDecider),
    suppressions: handlerOf(suppressionDecider),
    keys,
    newId: (prefix) => `${prefix}_${String((count += 1)).padStart(26, '0')}`,
    newSalt: sources.newSalt,
    isToBeErased: () => Promise.resolve(false),
    checkRecipient: () => Promise.resolve({ status: 'wanted' }),
    hasPublicUrl: false,
  });
  const get = (own: object, name: string): unknown => Reflect.get(own, name) ?? never;
  const hints = { emailsTo: emailsInLog(store).to, settleEmails: async () => undefined, lacksEmails: () => false };
  const queries: Queries = new Proxy<Queries>({ ...hints, ...given } as Queries, { get });
  const unlimited = createRateLimiter('default', 0, () => 0);
  const grant = fullGrant(configuredKey(`test:${key}`));
  const find = (hash: string) => (hash === grant.hash.toString('hex') ? grant : undefined);
  const authenticate = createAuthenticator({ find, clock: Date.now });
  const app = createApp({
    audience,
    queries,
    suppressed: {
      isNobody: () => true,
      refusesNothing: () => true,
      note: () => undefined,
      isAnybody: async () => false,
      of: never,
    },
    analytics: new Proxy({} as AnalyticsQueries, { get: () => never }),
    ownWrites: instead.ownWrites ?? createOwnWrites({ projections: [], head: '', now: () => 0 }),
    events: store,
    readMetrics: never,
    confirmClock: never,
    trustedNow: () => time,
    pauses: mailerTimings,
    ...createLogBasis({ log: store, ordinalAt: uncounted, newestSeal: uncounted }),
    proofs: {
      ...{ prove: never, proveEvent: never, placeOf: never, sealStates: never },
      tree: { ordinalsAt: async (positions) => positions.map(() => undefined) },
      pageSeals: () => ({ holding: [], failing: undefined, demandInTree: async () => Infinity }),
    },
    keys: { newId: never, newSecret: never, change: never, all: never, lastUse: never },
    rebuilds: { request: never, status: never },
    erasures: { request: never, all: never },
    reports: { take: never },
    views: never,
    readiness: async () => ({ ready: true, parts: {} }),
    prove: never,
    streamOf: (email) => contactStream(keys.contactKey(email)),
    version: '0',
    clock: () => time,
    authenticate,
    limits: { api: unlimited, email: unlimited, anonymous: unlimited, failures: unlimited },
    observe: createObserve([]),
    newUuid: randomUUID,
    now: () => performance.now(),
    stopping: new AbortController().signal,
    ...instead.parts,
  });
  const { stallTimeout } = instead;
  const { server } = createServer(app, {
    connections: createConnections(stallTimeout === undefined ? {} : { stallTimeout }),
  });
  server.maxRequestsPerSocket = 0;
  const closed = new Set<number | undefined>();
  server.on('connection', (socket) => {
    const { remotePort } = socket;
    socket.once('close', () => closed.add(remotePort));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
  const close = async (): Promise<void> => {
    agent.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);

  const send = (method: string, path: string, sent: { headers?: object; body?: string } = {}) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}`, ...sent.headers };
      const request = http.request({ port, agent, method, path, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') });
        });
      });
      request.on('error', reject);
      request.end(sent.body);
    });

  return {
    key,
    store,
    hasClosed: (port) => closed.has(port),
    url: `http://127.0.0.1:${port}`,
    streamOf: (email) => contactStream(keys.contactKey(email)),
    setTime(milliseconds) {
      time = milliseconds;
    },
    async post(path, body, requestId = randomUUID()) {
      const headers = { 'content-type': 'application/json', 'x-request-id': requestId };
      const answer = await send('POST', path, { headers, body: JSON.stringify(body) });
      return { ...(JSON.parse(answer.text) as { data: unknown }), status: answer.status };
    },
    async get(path, headers = {}) {
      const answer = await send('GET', path, { headers });
      return { ...(JSON.parse(answer.text) as { data: unknown }), status: answer.status };
    },
    text: async (path) => (await send('GET', path)).text,
    close,
  };
}
