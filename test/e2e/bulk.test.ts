/** Contacts in bulk over HTTP: a line is an upsert, a bad line spoils nothing. */
import http from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { newList, refusal, refusals, someAddress, someRequestId, strangerId, unique } from '../support/answers.js';
import type { Answer, Overrides, Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
let list: string;
beforeAll(async () => {
  service = await sharedService();
  list = await newList(service);
});

const post = (lines: string | Buffer, query = '', headers: Overrides = {}, listId = list): Promise<Answer> =>
  service.request('POST', `/v1/contacts/${listId}/bulk${query}`, {
    raw: lines,
    headers: { 'content-type': 'application/x-ndjson', ...headers },
  });

const results = ({ status, headers, text }: Answer): readonly Readonly<Record<string, unknown>>[] => {
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('application/x-ndjson');
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
};
const bulk = async (contacts: readonly unknown[], query = '') =>
  results(await post(contacts.map((contact) => JSON.stringify(contact)).join('\n'), query));
const byEmail = (email: string): Promise<Answer> => service.get(`/v1/contacts?email=${encodeURIComponent(email)}`);
const subscribed = (email: string, more: object = {}) => ({ email, status: 'Subscribed', ...more });

test('each line is an upsert: created, updated, unchanged, in order, with id and status; reads show them at once', async () => {
  const [ada, bob] = [someAddress(), someAddress()];
  const requestId = someRequestId();
  const lines = [
    subscribed(ada, { firstName: 'Ada', tag_name: [unique('VIP')], consent: { source: 'form' } }),
    subscribed(bob, { data: { city: 'London' } }),
    subscribed(ada, { firstName: 'Ada' }),
    { email: ada.toUpperCase(), status: 'unsubscribed', lastName: 'King' },
  ];
  const answered = results(
    await post(lines.map((line) => JSON.stringify(line)).join('\r\n'), '', { 'x-request-id': requestId }),
  );
  expect(answered.map(({ line, outcome, status }) => [line, outcome, status])).toEqual([
    [1, 'created', 'Subscribed'],
    [2, 'created', 'Subscribed'],
    [3, 'unchanged', 'Subscribed'],
    [4, 'updated', 'Unsubscribed'],
  ]);
  const contact = (await byEmail(ada)).body;
  expect(contact).toMatchObject({
    data: {
      contact_id: answered[0]?.['contact_id'],
      firstName: 'Ada',
      lastName: 'King',
      subscriptions: [{ status: 'Unsubscribed' }],
    },
  });
  expect(answered[3]?.['contact_id']).toBe(answered[0]?.['contact_id']);
  const events = await service.events(requestId);
  expect(new Set(events.map(({ metadata }) => metadata['$correlationId'])).size).toBe(1);
  expect(events.at(-1)?.position).toBe(answered[3]?.['position']);
});

test('a bad line is refused in the words of the contract, and spoils nothing; blank lines count and have no answer', async () => {
  const good = someAddress();
  const bad = (line: string): Buffer => Buffer.from(`${line}\n`);
  const body = Buffer.concat([
    bad('{"email":'),
    bad('[]'),
    bad(''),
    bad('  \t\r'),
    Buffer.from('{"email":"\xff"}\n', 'latin1'),
    bad(JSON.stringify(subscribed('nobody'))),
    bad(JSON.stringify({ email: good })),
    bad(JSON.stringify(subscribed(good, { firstname: 'Ada' }))),
    bad(JSON.stringify(subscribed(good, { address: 'x'.repeat(300_000) }))),
    bad(JSON.stringify(subscribed(good))),
  ]);
  const refused = (type: string, message: string) => ['refused', { type, message }];
  const invalid = refused('invalid_json', 'Request body must be a JSON object');
  const encoding = refused('invalid_json', 'Request body must be encoded in UTF-8');
  expect(
    results(await post(body)).map(({ line, outcome, error }) => [line, outcome, error].slice(0, error ? 3 : 2)),
  ).toEqual([
    [1, ...invalid],
    [2, ...invalid],
    [5, ...encoding],
    [6, ...refused('validation_error', 'email must be a valid email address')],
    [7, ...refused('validation_error', 'status is required')],
    [8, ...refused('validation_error', 'Unknown field firstname. Did you mean firstName?')],
    [9, ...refused('too_large', 'Request body is too large')],
    [10, 'created'],
  ]);
});

test('a byte order mark at the start of the body is skipped, and one before a later line is refused', async () => {
  const line = (): string => `\ufeff${JSON.stringify(subscribed(someAddress()))}\n`;
  const answered = results(await post(Buffer.from(line() + line())));
  expect(answered.map(({ outcome }) => outcome)).toEqual(['created', 'refused']);
});

test('resubscribe=false: who has unsubscribed stays so; without it the line decides', async () => {
  const email = someAddress();
  const outcome = async (line: object, query = '') => {
    const [{ outcome: came, status } = {}] = await bulk([line], query);
    return [came, status];
  };
  expect(await outcome({ email, status: 'Unsubscribed' })).toEqual(['created', 'Unsubscribed']);
  expect(await outcome(subscribed(email, { city: 'Bern' }), '?resubscribe=false')).toEqual(['updated', 'Unsubscribed']);
  expect(await outcome(subscribed(email), '?resubscribe=false')).toEqual(['unchanged', 'Unsubscribed']);
  expect(await outcome(subscribed(email), '?resubscribe=true')).toEqual(['updated', 'Subscribed']);
});

test('dry_run=true: every line is checked, and nothing is written', async () => {
  const before = await service.countEvents();
  const checked = await bulk(
    [subscribed(someAddress(), { tag_name: [unique('VIP')] }), { email: 'x' }],
    '?dry_run=true',
  );
  expect(checked).toMatchObject([
    { line: 1, outcome: 'valid' },
    { line: 2, outcome: 'refused', error: { message: 'status is required' } },
  ]);
  expect(await service.countEvents()).toBe(before);
});

test('slow uploads of one key do not keep others from saving; its own bulks wait for each other', async () => {
  const { data } = (await service.post('/v1/keys', { name: unique('Import'), scopes: ['contacts:write'] })).body as {
    data: { secret: string };
  };
  const authorization = `Bearer ${data.secret}`;
  const slow = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const headers = { authorization, expect: '100-continue', 'content-type': 'application/x-ndjson' };
      const options = { method: 'POST', headers: { ...headers, 'content-length': 1_000 }, agent: false };
      const request = http.request(`${service.url()}/v1/contacts/${list}/bulk`, options);
      request.on('error', () => undefined);
      await new Promise((resolve) => request.once('continue', resolve).flushHeaders());
      return request;
    }),
  );
  const several = await Promise.all(Array.from({ length: 8 }, () => bulk([subscribed(someAddress())])));
  expect(several.flat().map(({ outcome }) => outcome)).toEqual(several.map(() => 'created'));
  for (const request of slow) request.destroy();
  expect(results(await post(JSON.stringify(subscribed(someAddress())), '', { authorization }))).toHaveLength(1);
});

test('sending a batch again is safe, and counts as one request; so does an empty one', async () => {
  const contacts = Array.from({ length: 500 }, () => subscribed(someAddress(), { firstName: 'Ada' }));
  const first = await bulk(contacts);
  const events = await service.countEvents();
  const again = await bulk(contacts);
  expect(again.map(({ contact_id }) => contact_id)).toEqual(first.map(({ contact_id }) => contact_id));
  expect(new Set(again.map(({ outcome }) => outcome))).toEqual(new Set(['unchanged']));
  expect(await service.countEvents()).toBe(events);
  expect((await post('')).text).toBe('');
});

test('each name of lines is taken, and an Idempotency-Key without effect', async () => {
  const line = JSON.stringify(subscribed(someAddress()));
  for (const type of ['application/ndjson', 'application/jsonl; charset=utf-8'])
    expect((await post(line, '?dry_run=true', { 'content-type': type, 'idempotency-key': 'x' })).status).toBe(200);
});

test.each(['contacts', 'suppressions'])('10 MB of tiny lines are refused quickly: bulk of %s', async (of) => {
  const before = await service.countEvents();
  const good = JSON.stringify(
    of === 'contacts' ? subscribed(someAddress()) : { email: someAddress(), reason: 'manual' },
  );
  const raw = `${good}\n${'{}\n'.repeat(3_400_000)}`;
  const path = of === 'contacts' ? `/v1/contacts/${list}/bulk` : '/v1/suppressions';
  const begun = performance.now();
  const answer = await service.request('POST', path, { raw, headers: { 'content-type': 'application/x-ndjson' } });
  expect(answer.body).toEqual(refusals.tooLarge);
  expect(performance.now() - begun).toBeLessThan(2_000);
  expect(await service.countEvents()).toBe(before);
});

describe('what is refused as a whole writes nothing', () => {
  test('unknown list, media type, size, parameters', async () => {
    const before = await service.countEvents();
    const line = JSON.stringify(subscribed(someAddress()));
    expect((await post(line, '', {}, strangerId('lst'))).body).toEqual(refusals.notFound);
    expect((await post(line, '', { 'content-type': 'application/json' })).body).toEqual({
      ...refusals.mediaType,
      message: 'Content-Type must be application/x-ndjson',
    });
    expect((await post(' '.repeat(10 * 1024 * 1024 + 1))).body).toEqual(refusals.tooLarge);
    expect((await post(line, '?dry_run=yes')).body).toEqual(refusal('dry_run must be true or false', {}));
    expect((await post(line, '?dryrun=true')).body).toEqual(refusal('Unknown query parameter dryrun', {}));
    expect((await post(line, '', { 'content-encoding': 'gzip' })).body).toEqual({
      ...refusals.mediaType,
      message: 'Compressed bodies are not supported',
    });
    expect(await service.countEvents()).toBe(before);
  });
});
