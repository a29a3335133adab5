/** Who looked: reads of auditors are events, written before the answer. */
import { Database } from '../../src/sqlite/database.js';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { instant, logPosition, refusal, someAddress, someRequestId, strangerId, unique } from '../support/answers.js';
import { audience } from '../support/audience.js';
import { startService, type Answer, type Service } from '../support/service.js';
import { onServers } from '../support/stores.js';

let service: Service;
let list: string;
let other: { readonly id: string; readonly secret: string };
beforeAll(async () => {
  service = await startService();
  list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
  const key = await service.post('/v1/keys', { name: 'Auditor', scopes: ['audit:read', 'contacts:read'] });
  other = { id: key.field('key_id'), secret: key.field('secret') };
});
afterAll(() => service.close());

async function someContact() {
  const email = someAddress();
  const id = await service.make(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' }, 'contact_id');
  return { email, id, path: `/v1/audit/contacts/${encodeURIComponent(email)}` };
}

const reads = async (query: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  (await service.get(`/v1/audit/access?${query}`)).items();
const readsOf = (email: string, more = '') => reads(`contact=${encodeURIComponent(email)}${more}`);

/** What the request wrote. */
async function written(method: string, target: string, headers: Record<string, string> = {}) {
  const requestId = someRequestId();
  const answer = await service.request(method, target, { headers: { 'x-request-id': requestId, ...headers } });
  return {
    answer,
    events: (await service.events(requestId)).map(({ type, stream, data }) => ({ type, stream, data })),
  };
}
const readIn = (data: object) => [
  { type: 'RecordRead', stream: expect.stringMatching(/^access-\d{4}-\d\d-\d\d$/) as string, data },
];

test('each read of a record is an event under the key of its stream, with actor, request and the times asked for', async () => {
  const { email, id, path: contact } = await someContact();
  const stream = (await service.get(`${contact}/history`)).items()[0]?.['stream'] as string;
  const subject = stream.slice('contact-'.length);
  const to = '2100-01-01T00:00:00.000Z';
  const asked = [
    {
      target: `${contact}/history?from=2026-01-01&to=${to}`,
      data: { what: 'history', from: '2026-01-01T00:00:00.000Z', to },
    },
    { target: `/v1/audit/contacts/${id}/at?time=${to}`, data: { what: 'at', to } },
    { target: `${contact}/report`, data: { what: 'report' } },
    { target: `/v1/audit/lists/${list}/at?time=${to}`, data: { subject: list, what: 'list', to } },
    { target: `/v1/audit/events?stream=${stream}&limit=1`, data: { what: 'feed' } },
    { target: '/v1/audit/events?stream=lists&limit=1', data: { subject: 'log', what: 'feed' } },
    { target: '/v1/audit/events?limit=1', data: { subject: 'log', what: 'feed' } },
    { target: '/v1/audit/events?format=ndjson&limit=1', data: { subject: 'log', what: 'feed' } },
  ];
  for (const { target, data } of asked) {
    const { answer, events } = await written('GET', target);
    expect(answer.status).toBe(200);
    expect(events, target).toEqual(readIn({ subject, ...data }));
  }
  const own = await readsOf(email);
  expect(own.map(({ what }) => what)).toEqual(['history', 'history', 'at', 'report', 'feed']);
  expect(own[2]).toEqual({
    at: expect.stringMatching(instant) as string,
    actor: 'test',
    request_id: expect.stringMatching(/^e2e\./) as string,
    what: 'at',
    subject,
    from: null,
    to,
    position: expect.stringMatching(logPosition) as string,
  });
  expect(await reads(`contact=${id}`)).toEqual(own);
});

test('two actors, pages and times', async () => {
  const { email, path: contact } = await someContact();
  const stranger = someAddress();
  const authorization = `Bearer ${other.secret}`;
  await Promise.all(Array.from({ length: 40 }, () => service.get(`${contact}/history`)));
  await service.get(`${contact}/history`, { authorization });
  // Nobody has this address. That it was asked for is known all the same.
  const { answer, events } = await written('GET', `/v1/audit/contacts/${stranger}/at?time=2026-01-01`, {
    authorization,
  });
  expect(answer.status).toBe(404);
  expect(events).toHaveLength(1);
  expect(await readsOf(stranger)).toMatchObject([{ what: 'at', actor: other.id }]);
  expect(await readsOf(email, '&actor=test')).toHaveLength(40);
  expect(await readsOf(email, `&actor=${other.id}`)).toHaveLength(1);
  expect(await reads(`actor=${other.id}`)).toHaveLength(2);
  expect(await readsOf(email, '&to=2020-01-01')).toEqual([]);
  expect(await readsOf(email, '&from=2100-01-01')).toEqual([]);
  const found: unknown[] = [];
  let cursor = '';
  do {
    const page = await service.get(`/v1/audit/access?contact=${email}&limit=25${cursor}`);
    found.push(...page.items());
    const next = (page.body as { next_cursor?: string }).next_cursor;
    cursor = next === undefined ? '' : `&cursor=${next}`;
  } while (cursor !== '');
  expect(found).toEqual(await readsOf(email, '&limit=200'));
  expect(found).toHaveLength(41);
  expect((await service.get('/v1/audit/access?cursor=abc')).body).toEqual(refusal('cursor is not valid', {}));
  expect((await service.get(`/v1/audit/access?contact=${strangerId('con')}`)).status).toBe(404);
});

test('a made-up cursor of long ago reads no day before the log, and stops nobody', async () => {
  const { path: contact } = await someContact();
  await service.get(`${contact}/history`);
  await service.get(`${contact}/history`);
  const whole = (await service.get('/v1/audit/access?limit=1')).body as { next_cursor: string };
  const scope = whole.next_cursor.slice(0, -'YYYY-MM-DD.0'.length);
  const begun = performance.now();
  const [old, live] = await Promise.all([
    service.get(`/v1/audit/access?limit=1&cursor=${scope}0001-01-01.0`),
    service.get('/health/live'),
  ]);
  expect(live.status).toBe(200);
  expect(old.body).toEqual(whole);
  expect(performance.now() - begun).toBeLessThan(3_000);
});

test('a HEAD tells by its status and length, and is a read as the GET is', async () => {
  const { email, path: contact } = await someContact();
  for (const target of [
    `${contact}/history`,
    `${contact}/at?time=2100-01-01`,
    `${contact}/report`,
    `/v1/audit/contacts/${someAddress()}/history`,
    `/v1/audit/lists/${list}/at?time=2100-01-01`,
    '/v1/audit/events',
    '/v1/audit/events?format=ndjson',
    `/v1/privacy/export?email=${encodeURIComponent(email)}`,
  ]) {
    const [head, get] = [await written('HEAD', target), await written('GET', target)];
    expect(head.events, target).toEqual(get.events);
    expect(head.events).toHaveLength(1);
    expect(head.answer.status).toBe(get.answer.status);
  }
});

test('what is refused or shows nobody is no read', async () => {
  const { email, id, path: contact } = await someContact();
  const narrow = await service.post('/v1/keys', { name: 'Reader', scopes: ['contacts:read'] });
  const before = await service.countEvents();
  const asked: readonly (readonly [string, string, Record<string, string>?])[] = [
    ['GET', `${contact}/history?from=never`],
    ['GET', `${contact}/history?cursor=abc`],
    ['GET', '/v1/audit/contacts/ada@/history'],
    ['GET', `/v1/audit/contacts/${strangerId('con')}/history`],
    ['GET', `/v1/audit/lists/${strangerId('lst')}/at?time=2026-01-01`],
    ['GET', '/v1/audit/events?after=99999999999999999999'],
    ['GET', `${contact}/history`, { authorization: 'Bearer wrong' }],
    ['GET', `${contact}/history`, { authorization: `Bearer ${narrow.field('secret')}` }],
    ['POST', `${contact}/history`],
    ['GET', '/v1/audit/access'],
    ['GET', `/v1/contacts?email=${email}`],
    ['GET', `/v1/contacts/${list}`],
    ['GET', `/v1/contacts/${list}/${id}`],
  ];
  for (const [method, target, headers = {}] of asked) await service.request(method, target, { headers });
  expect(await service.countEvents()).toBe(before);
});

test('a client that asks the feed again and again finds nothing of its own reads', async () => {
  const feed = (query: string): Promise<Answer> => service.get(`/v1/audit/events?${query}`);
  const { path: contact } = await someContact();
  await service.get(`${contact}/history`);
  const named = await feed('types=RecordRead&limit=200');
  expect(named.items().at(-1)).toMatchObject({ type: 'RecordRead', data: { what: 'history' } });
  const before = await service.countEvents();
  const { position } = named.items().at(-1) as { position: string };
  for (let round = 0; round < 3; round += 1)
    expect((await feed(`after=${position}`)).body).toMatchObject({ data: [], has_more: false });
  await feed('types=RecordRead&limit=200');
  expect(await service.countEvents()).toBe(before);
  expect((await feed('limit=200')).text).not.toContain('RecordRead');
  expect((await feed('format=ndjson')).text).not.toContain('RecordRead');
});

test('a connection that follows the feed is one read', async () => {
  const before = (await reads('limit=200')).length;
  const stop = new AbortController();
  const response = await fetch(`${service.url()}/v1/audit/events?follow=true&after=now`, {
    headers: { authorization: `Bearer ${service.key}` },
    signal: stop.signal,
  });
  const pieces = (response.body as ReadableStream<Uint8Array>).getReader();
  const { path: contact } = await someContact();
  let text = '';
  while (!text.includes('event: ContactSubscribed')) text += Buffer.from((await pieces.read()).value ?? []).toString();
  await service.get(`${contact}/history`);
  const { path: later } = await someContact();
  expect(later).not.toBe(contact);
  for (let rest = ''; !rest.includes('event: ContactSubscribed'); text += rest)
    rest += Buffer.from((await pieces.read()).value ?? []).toString();
  stop.abort();
  expect(text).not.toContain('RecordRead');
  expect((await reads('limit=200')).slice(before).map(({ what }) => what)).toEqual(['feed', 'history']);
});

test.skipIf(onServers)('the command line shows it, and says that its own reads are not recorded', async () => {
  const { email, id, path: contact } = await someContact();
  await service.get(`${contact}/history`);
  await service.get(`${contact}/report`, { authorization: `Bearer ${other.secret}` });
  const on = (...words: readonly string[]) => audience(['--data-dir', service.dataDir, 'audit', ...words]);
  const before = await service.countEvents();
  const shown = await on('access', '--contact', email, '--json');
  expect(shown).toMatchObject({ code: 0, err: '' });
  expect(
    shown.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual(await readsOf(email));
  const table = await on('access', '--contact', id, '--actor', other.id);
  expect(table.out).toMatch(/^TIME +BY +WHAT +SUBJECT +FROM +TO +REQUEST\n/);
  expect(table.out.trim().split('\n')).toHaveLength(2);
  expect((await on('access', '--contact', email, '--to', '2020-01-01')).out).toBe('No such read was recorded.\n');
  const history = await on('history', email, '--json');
  expect(history.err).toMatch(/^Not recorded: .*\n$/);
  expect(history.out).toMatch(/"recorded":false\}\n$/);
  for (const words of [
    ['at', email, '--time', '2100-01-01'],
    ['list', list, '--time', '2026-01-01'],
    ['events', '--limit', '1'],
  ])
    expect((await on(...words)).err).toContain('Not recorded: ');
  expect((await on('lists')).err).toBe('');
  expect(await service.countEvents()).toBe(before);
});

test.skipIf(onServers)('where it cannot be written nothing is shown: 503', async () => {
  const { email, path: contact } = await someContact();
  await service.get(`${contact}/history`);
  const before = await service.countEvents();
  const log = new Database(path.join(service.dataDir, 'events.db'));
  log.exec('BEGIN IMMEDIATE');
  try {
    const asked = ['history', 'at?time=2100-01-01', 'report'].map((what) => `${contact}/${what}`);
    const targets = [
      ...asked,
      `/v1/audit/lists/${list}/at?time=2100-01-01`,
      '/v1/audit/events',
      '/v1/audit/events?follow=true',
    ];
    for (const answer of await Promise.all(targets.map((target) => service.get(target)))) {
      expect(answer).toMatchObject({
        status: 503,
        body: { message: 'Service temporarily unavailable, please retry.' },
      });
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(answer.text).not.toContain(email);
    }
    expect((await service.get(`/v1/contacts?email=${email}`)).status).toBe(200);
    expect((await service.get('/v1/audit/access?limit=1')).status).toBe(200);
  } finally {
    log.exec('ROLLBACK');
    log.close();
  }
  expect(await service.countEvents()).toBe(before);
  expect((await service.get(`${contact}/history`)).status).toBe(200);
});

test('ACCESS_LOG=off turns it off; what was recorded is still shown', async () => {
  const { email, path: contact } = await someContact();
  await service.get(`${contact}/history`);
  await service.kill('SIGKILL');
  await service.start({ ACCESS_LOG: 'off' });
  expect((await service.get(`${contact}/history`)).status).toBe(200);
  expect(await readsOf(email)).toHaveLength(1);
});
