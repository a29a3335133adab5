/** `Idempotency-Key` on creates over HTTP: a lost answer is safe to repeat, and all other writes take the header without effect. */
import http from 'node:http';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { someAddress, someRequestId, unique } from '../support/answers.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';
import { startTcpProxy } from '../support/tcp-proxy.js';

let service: Service;
let list: string;
beforeAll(async () => {
  service = await sharedService();
  list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
});

const creates = [
  { kind: 'group', path: () => '/v1/groups/create', body: () => ({ group_name: unique('Group') }) },
  { kind: 'list', path: () => '/v1/lists/create', body: () => ({ list_name: unique('List') }) },
  { kind: 'tag', path: () => '/v1/tags/create', body: () => ({ tag_name: unique('Tag') }) },
  {
    kind: 'contact',
    path: () => `/v1/contacts/${list}/create`,
    body: () => ({
      email: someAddress(),
      status: 'subscribed',
      data: { firstName: 'Ada' },
      consent: { source: 'form' },
    }),
  },
] as const;

describe.each(creates)('a $kind', ({ kind, path, body }) => {
  const duplicate =
    kind === 'contact' ? 'Email already exist!' : `${kind[0]?.toUpperCase()}${kind.slice(1)} name already exist!`;

  test('whose answer was lost after the commit: the repeat gets it, and nothing is written', async () => {
    const sent = body();
    const key = someRequestId();
    const requestId = someRequestId();
    await expect(
      postAndLoseTheAnswer(path(), sent, { 'idempotency-key': key, 'x-request-id': requestId }),
    ).rejects.toThrow();
    const written = await service.events(requestId);
    expect(written.length).toBeGreaterThan(0);

    // By its id: the service is shared, and may be sending somebody's e-mail.
    const again = { 'x-request-id': someRequestId() };
    const repeat = await service.post(path(), sent, { 'idempotency-key': key, ...again });
    expect(repeat.status).toBe(200);
    expect(repeat.headers['idempotent-replayed']).toBe('true');
    expect(repeat.headers['x-position']).toBeDefined();
    expect(repeat.field(`${kind}_id`)).toBe(written[0]?.data[`${kind}_id`]);
    const without = await service.post(path(), sent, again);
    expect(without.body).toMatchObject({ statusCode: 400, type: 'duplicate', message: duplicate });
    expect(without.headers).not.toHaveProperty('idempotent-replayed');
    expect(await service.events(again['x-request-id'])).toEqual([]);
  });

  test('with the key of another input is refused; a bad key is, and nothing is written', async () => {
    const sent = body();
    const key = someRequestId();
    const first = await service.post(path(), sent, { 'idempotency-key': key });
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    const other = kind === 'contact' ? { ...sent, status: 'Unsubscribed' } : body();
    const refused = { 'x-request-id': someRequestId() };
    expect((await service.post(path(), other, { 'idempotency-key': key, ...refused })).body).toMatchObject({
      statusCode: 422,
      type: 'idempotency_conflict',
      message: 'Idempotency-Key was used with a different request',
    });
    for (const bad of ['', 'a b', 'ä', 'x'.repeat(256)])
      expect((await service.post(path(), body(), { 'idempotency-key': bad, ...refused })).body).toMatchObject({
        statusCode: 400,
        message: 'Idempotency-Key must be 1 to 255 visible ASCII characters',
      });
    expect(await service.events(refused['x-request-id'])).toEqual([]);
    // The same input in another spelling: unknown fields and the order of fields make no difference.
    const reordered = Object.fromEntries(Object.entries({ note: 1, ...sent }).reverse());
    expect(await service.post(path(), reordered, { 'idempotency-key': key })).toMatchObject({ text: first.text });
  });
});

/** Through a proxy that cuts the connection when the answer comes. */
async function postAndLoseTheAnswer(path: string, body: object, headers: Record<string, string>): Promise<unknown> {
  const { hostname: host, port } = new URL(service.url());
  const proxy = await startTcpProxy({ host, port: Number(port) });
  onTestFinished(() => proxy.close());
  const lost = proxy.loseReply((request) => request.includes('POST '));
  const sent = new Promise((resolve, reject) => {
    const given = { ...headers, authorization: `Bearer ${service.key}`, 'content-type': 'application/json' };
    const request = http.request({ port: proxy.port, path, method: 'POST', headers: given }, resolve);
    request.on('error', reject).end(JSON.stringify(body));
  });
  await Promise.all([lost, sent.catch(() => undefined)]);
  return await sent;
}

test('all other documented writes take the header, whatever it is, without effect', async () => {
  const email = someAddress();
  const headers = { 'idempotency-key': 'a b' };
  const base = `/v1/contacts/${list}`;
  const tag = await service.make('/v1/tags/create', { tag_name: unique('Tag') }, 'tag_id');
  const writes: [string, object?][] = [
    [`${base}/upsertcontact`, { email, status: 'Subscribed' }],
    [`${base}/updatestatus`, { contact_email: email, status: 'Unsubscribed' }],
    [`/v1/contacts/tags/${list}/add`, { contact_email: email, tag_name: ['VIP'] }],
    [`/v1/contacts/tags/${list}/remove`, { contact_email: email, tag_name: ['VIP'] }],
    [`/v1/tags/${tag}/update`, { tag_name: unique('Tag') }],
    [`/v1/tags/${tag}/delete`],
  ];
  for (const [path, body] of writes) {
    const answer = await service.post(path, body, headers);
    expect(answer.status, path).toBe(200);
    expect(answer.headers).not.toHaveProperty('idempotent-replayed');
  }
  // A second delete says what is so.
  expect((await service.post(`/v1/tags/${tag}/delete`, undefined, headers)).status).toBe(400);
});
