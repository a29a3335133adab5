/** The typed client: against a real service, and against a server that fails as networks and services do. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AudienceError, ConnectionError, createClient, type AudienceClient } from '../../client/client.js';
import { someAddress, someRequestId, unique } from '../support/answers.js';
import { createDocument } from '../../src/api/openapi/document.js';
import { apiResources } from '../support/api-description.js';
import { document } from '../support/markdown.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

test('its types are those of the document: else run npm run generate:client', () => {
  const bare = createDocument({ resources: apiResources, examples: {}, version: '0' });
  const digest = createHash('sha256').update(JSON.stringify(bare)).digest('hex');
  expect(document('client/api.ts').split('\n', 1)[0]).toContain(digest);
});

async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('against a service', () => {
  let service: Service;
  let client: AudienceClient;

  beforeAll(async () => {
    service = await sharedService();
    client = createClient({ baseUrl: service.url(), apiKey: service.key });
  });

  test('answers as the service does', async () => {
    const list_name = unique('List');
    const { data } = await client.createList({ body: { list_name } });
    expect(data.list_name).toBe(list_name);
    const email = someAddress();
    const path = { list_id: data.list_id };
    const saved = await client.createContact({ path, body: { email, status: 'Subscribed' } });
    const { data: found } = await client.findContact({ query: { email } });
    expect(found.subscriptions).toMatchObject([{ list_id: data.list_id, status: 'Subscribed', tags: [] }]);
    expect(found.contact_id).toBe(saved.data.contact_id);
    // Browsers get a page.
    const report = await client.getContactReport({ path: { contact: email } });
    expect(report.data.question.contact).toBe(email);
    expect((await client.deleteList({ path })).message).toBe('List deleted successfully!');
  });

  test('throws what the service refuses, with its type and request id', async () => {
    const requestId = someRequestId();
    const refused = client.getContact({
      path: { list_id: 'lst_x', contact_id: 'con_x' },
      header: { 'X-Request-Id': requestId },
    });
    const error = await refused.catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(AudienceError);
    expect(error).toMatchObject({ statusCode: 404, type: 'not_found', message: 'Resource not found', requestId });
  });

  test('makes a key for a create, and repeats it with the same', async () => {
    let lost = 0;
    const losing = createClient({
      baseUrl: service.url(),
      apiKey: service.key,
      fetch: async (request) => {
        const answer = await fetch(request);
        if (lost++ === 0) throw new TypeError('the answer was lost');
        return answer;
      },
    });
    const { data } = await losing.createGroup({ body: { group_name: unique('Group') } });
    expect(data.group_id).toMatch(/^grp_/);
    expect(lost).toBe(2);
  });

  test('a bulk, the events and all pages, piece by piece', async () => {
    const { list_id } = (await client.createList({ body: { list_name: unique('List') } })).data;
    const start = (await collected(client.events({ types: 'ListCreated' }))).at(-1)?.position ?? '';
    const people = Array.from({ length: 501 }, () => ({ email: someAddress(), status: 'Subscribed' as const }));
    const answers = await collected(client.bulk([...people, { email: 'x', status: 'Subscribed' }], { list_id }));
    expect(answers.map(({ line }) => line)).toEqual(Array.from({ length: 502 }, (_, index) => index + 1));
    expect(answers.at(-1)).toMatchObject({ outcome: 'refused', error: { type: 'validation_error' } });
    const saved = answers.flatMap((answer) => (answer.outcome === 'created' ? [answer.contact_id] : []));
    const members = await collected(client.all('listContacts', { path: { list_id }, query: { limit: 200 } }));
    expect(members.map(({ contact_id }) => contact_id).sort()).toEqual(saved.sort());
    const events = await collected(client.events({ after: start, types: 'ContactCreated', limit: 200, list_id }));
    expect(events.every(({ position }) => position > start)).toBe(true);
    const nowhere = client.bulk(people, { list_id: 'lst_x' });
    await expect(collected(nowhere)).rejects.toMatchObject({ statusCode: 404, type: 'not_found' });
  });

  test('lines come through the client below', async () => {
    const { data } = await client.http.GET('/v1/audit/events', {
      params: { query: { format: 'ndjson', limit: 1 } },
      parseAs: 'text',
    });
    expect(JSON.parse(data ?? '')).toMatchObject({ type: 'ServiceInitialised' });
  });
});

describe('against a server that fails', () => {
  type Failing = (request: IncomingMessage, response: ServerResponse) => void;
  const requests: IncomingMessage[] = [];
  let failing: Failing[] = [];
  const envelope = (statusCode: number, more: object = {}): string =>
    JSON.stringify({ statusCode, status: statusCode === 200 ? 'Success' : 'Error', message: 'm', ...more });
  const answer =
    (status: number, headers: Record<string, string> = {}): Failing =>
    (_, response) => {
      const type = status === 429 ? 'rate_limited' : 'unavailable';
      response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(envelope(status, status === 200 ? { data: {} } : { type }));
    };
  const cut: Failing = (request) => request.socket.destroy();
  const server = createServer((request, response) => {
    requests.push(request);
    request.resume();
    request.on('end', () => (failing.shift() ?? answer(200))(request, response));
  });
  let client: AudienceClient;
  let baseUrl: string;

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    client = createClient({ baseUrl, apiKey: 'k' });
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  /** How many requests a call made, how long it took, and what it gave. */
  async function tried(call: () => Promise<unknown>, faults: readonly Failing[]) {
    requests.length = 0;
    failing = [...faults];
    const started = performance.now();
    const outcome = await call().catch((fault: unknown) => fault);
    return { outcome, count: requests.length, took: performance.now() - started };
  }

  const body = { list_name: 'News' };
  const release = () => client.releaseEmail({ path: { email_id: 'eml_x' } });

  test('waits as long as it is asked to', async () => {
    const { outcome, count, took } = await tried(() => client.listTags(), [answer(503, { 'retry-after': '1' })]);
    expect(outcome).toMatchObject({ statusCode: 200 });
    expect(count).toBe(2);
    expect(took).toBeGreaterThanOrEqual(1_000);
  });

  test('repeats a create with one key, made or given', async () => {
    await tried(() => client.createList({ body }), [cut, answer(503)]);
    const keys = requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    await tried(() => client.createList({ body, header: { 'Idempotency-Key': 'mine' } }), [cut]);
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine']);
    // This once took the place of the key that is made, and the create was repeated without one.
    await tried(() => client.createList({ body, header: { 'Idempotency-Key': undefined } as object }), [cut]);
    expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).has(undefined)).toBe(false);
  });

  test('repeats what could do harm after 429 only', async () => {
    expect(await tried(release, [answer(429)])).toMatchObject({ count: 2, outcome: { statusCode: 200 } });
    expect(await tried(release, [answer(503)])).toMatchObject({ count: 1, outcome: { statusCode: 503 } });
    const { outcome, count } = await tried(release, [cut]);
    expect(outcome).toBeInstanceOf(ConnectionError);
    expect(count).toBe(1);
  });

  test('gives up: after its repeats, and where the wait would be too long', async () => {
    const hasty = createClient({ baseUrl, apiKey: 'k', retries: 1, maxWait: 5_000 });
    expect(await tried(() => hasty.listTags(), [cut, cut, cut])).toMatchObject({ count: 2 });
    const long = await tried(() => hasty.listTags(), [answer(429, { 'retry-after': '60' })]);
    expect(long).toMatchObject({ count: 1, outcome: { type: 'rate_limited', retryAfter: 60 } });
  });

  test('ends by its signal while it waits', async () => {
    const abort = new AbortController();
    const call = () => client.listTags({ signal: abort.signal });
    const ended = tried(call, [
      (request, response) => {
        answer(503, { 'retry-after': '30' })(request, response);
        response.once('close', () => abort.abort(new Error('enough')));
      },
    ]);
    expect(await ended).toMatchObject({ count: 1, outcome: { message: 'enough' } });
  });

  test('tells what is no answer of the service', async () => {
    const { outcome } = await tried(
      () => client.listTags(),
      [(_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')],
    );
    expect(outcome).toMatchObject({ name: 'AudienceError', statusCode: 502, type: 'unknown' });
  });
});

test.each([
  [{ baseUrl: '127.0.0.1:3000', apiKey: 'k' }, 'baseUrl must be the address of a service: https://…'],
  [{ baseUrl: '', apiKey: 'k' }, 'baseUrl must be the address of a service: https://…'],
  [{ baseUrl: 'http://127.0.0.1:3000', apiKey: '' }, 'apiKey must be an API key, without blanks'],
  [{ baseUrl: 'http://127.0.0.1:3000', apiKey: 'k\n' }, 'apiKey must be an API key, without blanks'],
])('%j is refused at once', (options, message) => {
  expect(() => createClient(options)).toThrow(new TypeError(message));
});
