/** 20,000 requests made from the API document, to a service as it runs: no fault, no answer that is not described, and no success of a request that the document forbids. */
import fc from 'fast-check';
import http from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { checkAnswer } from '../support/api-description.js';
import { compileRequest, isText, isTolerated, whyForbidden } from '../support/described-requests.js';
import { readOperations, type Operation } from './fuzzing/operations.js';
import { requestsTo, type FuzzedRequest, type Known } from './fuzzing/requests.js';
import { isObject } from './fuzzing/json-arbitraries.js';
import { startService } from '../support/service.js';

const amount = Number(process.env['FUZZ_REQUESTS'] ?? 20_000);
const seed = Number(process.env['FUZZ_SEED'] ?? Date.now() % 1_000_000_007);
const inFlight = 6;

interface ReceivedAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** Of a stream the beginning, in whole lines. */
  readonly text: string;
}

/** Operations that need what cannot be had by requests alone: an e-mail that is held. */
const neverDone = new Set(['releaseEmail', 'cancelEmail']);

/** What the answers so far have named. */
function createKnown(key: string): Known & { learn(answer: ReceivedAnswer): void; forget(target: string): void } {
  const pools = new Map<string, string[]>([['key', [key]]]);
  const add = (name: string, text: string): void => {
    const pool = pools.get(name) ?? [];
    pools.set(name, pool.length < 200 ? [...pool, text] : [...pool.slice(1), text]);
  };
  const aliases: Readonly<Record<string, readonly string[]>> = {
    contact: ['contact_id', 'email'],
    'x-min-position': ['position'],
    'last-event-id': ['position'],
  };
  function gather(value: unknown, depth: number): void {
    if (Array.isArray(value)) for (const item of value.slice(0, 3)) gather(item, depth);
    if (!isObject(value) || depth > 4) return;
    for (const [name, inner] of Object.entries(value))
      if (typeof inner === 'string' && /(?:_id|^id|^email|cursor|^name)$/.test(name))
        add(name === 'next_cursor' ? 'cursor' : name, inner);
      else gather(inner, depth + 1);
  }
  return {
    pick(name, number) {
      const names = aliases[name] ?? [name];
      const pool = pools.get(names[number % names.length] ?? name) ?? [];
      return pool[number % pool.length];
    },
    forget(target) {
      for (const [name, pool] of pools)
        pools.set(
          name,
          pool.filter((text) => !target.includes(text)),
        );
    },
    learn({ status, headers, text }) {
      const position = headers['x-position'];
      if (typeof position === 'string') add('position', position);
      const location = /eml_\w+$/.exec(headers.location ?? '')?.[0];
      if (location !== undefined) add('email_id', location);
      if (status === 200 && headers['content-type']?.startsWith('application/json') === true && text !== '')
        gather(JSON.parse(text), 0);
    },
  };
}

const isEnd = ({ id }: Operation): boolean => /^(?:delete|revoke)/.test(id);

const maxBytes = 256 * 1024;
const streamMs = 300;

function send(
  url: string,
  agent: http.Agent,
  { method, target, headers, payload }: FuzzedRequest,
): Promise<ReceivedAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const length = payload === undefined ? {} : { 'content-length': payload.length };
    const outgoing = http.request(
      { hostname, port, agent, method, path: target, headers: { ...length, ...headers }, timeout: 30_000 },
      (incoming) => {
        const chunks: Buffer[] = [];
        let size = 0;
        const finish = (isCut: boolean): void => {
          clearTimeout(timer);
          const text = Buffer.concat(chunks).toString('utf8');
          const whole = isCut ? text.slice(0, text.lastIndexOf('\n') + 1) : text;
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text: whole });
          if (isCut) outgoing.destroy();
        };
        const isStream = !(incoming.headers['content-type'] ?? '').startsWith('application/json');
        const timer = isStream ? setTimeout(() => finish(true), streamMs) : undefined;
        incoming.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          size += chunk.length;
          if (isStream && size > maxBytes) finish(true);
        });
        incoming.on('end', () => finish(false));
        incoming.on('error', reject);
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer within 30 s')));
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}

const shown = ({ method, target, headers, payload }: FuzzedRequest): string =>
  `${method} ${target.slice(0, 200)} ${JSON.stringify({ ...headers, authorization: headers['authorization']?.slice(0, 8) })} ${payload?.toString('utf8', 0, 300) ?? ''}`;

function faultOf(
  { method, target, payload }: FuzzedRequest,
  answer: ReceivedAnswer,
  operation: Operation,
): string | undefined {
  try {
    checkAnswer({ method, target, ...answer });
    if (answer.status >= 500) return `status ${answer.status}`;
    return method === operation.method && answer.status < 300 ? forbiddenBody(operation, payload) : undefined;
  } catch (error) {
    return String(error).replace(target, '…').slice(0, 1_000);
  }
}

const validators = new Map<Operation, ReturnType<typeof compileRequest>>();

/** Returns why the document forbids the body of a request that succeeded. */
function forbiddenBody(operation: Operation, payload: Buffer | undefined): string | undefined {
  const { body } = operation;
  if (body === undefined) return undefined;
  const text = (payload ?? '').toString('utf8');
  if (text.trim() === '') return body.required ? 'it succeeded without a body' : undefined;
  if (body.type !== 'application/json') return undefined;
  const validate = validators.get(operation) ?? compileRequest(body.schema);
  validators.set(operation, validate);
  const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
  if (validate(value) || isTolerated(value) || !isText(value)) return undefined;
  return `it succeeded, although ${whyForbidden(validate)}`;
}

test(`${amount} requests, seed ${seed}`, async () => {
  const service = await startService({ env: { LOG_LEVEL: 'error' } });
  onTestFinished(() => service.close());
  const { operations, resolve } = readOperations((await service.get('/openapi.json')).body);
  const known = createKnown(service.key);
  const ends = operations.filter(isEnd).length;
  const each = 5 * Math.ceil(amount / (5 * (operations.length - ends) + ends));
  const made = operations.map((operation, index) => ({
    operation,
    // What is deleted at once is of no use to the others.
    requests: fc.sample(requestsTo(operation, resolve), {
      numRuns: isEnd(operation) ? each / 5 : each,
      seed: seed + index,
    }),
  }));
  const done = new Map<Operation, Set<number>>();
  const failures: string[] = [];
  const agent = new http.Agent({ keepAlive: true, maxSockets: inFlight });

  async function one(operation: Operation, request: FuzzedRequest): Promise<void> {
    const answer = await send(service.url(), agent, request).catch((error: unknown) => String(error));
    if (typeof answer === 'string') {
      failures.push(`${answer}: ${shown(request)}`);
      return;
    }
    known.learn(answer);
    if (isEnd(operation) && answer.status === 200) known.forget(request.target);
    done.set(operation, (done.get(operation) ?? new Set()).add(answer.status));
    const fault = faultOf(request, answer, operation);
    if (fault !== undefined)
      failures.push(`${operation.id}: ${fault}\n  ${shown(request)}\n  → ${answer.text.slice(0, 300)}`);
  }

  // Round by round through all operations, so that what some create is there for the others.
  const queue = Array.from({ length: each }, (_, round) =>
    made.flatMap(({ operation, requests }) =>
      requests[round] === undefined ? [] : [{ operation, make: requests[round] }],
    ),
  ).flat();
  const next = queue[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (const { operation, make } of next) await one(operation, make(known));
    }),
  );
  agent.destroy();
  expect(failures.slice(0, 30)).toEqual([]);
  const succeeded = (operation: Operation): boolean =>
    [200, 202].some((status) => done.get(operation)?.has(status) === true);
  const others = operations.filter((operation) => !neverDone.has(operation.id) && !succeeded(operation));
  expect(others.map(({ id }) => id)).toEqual([]);
  expect((await service.get('/health/ready')).status).toBe(200);
});
