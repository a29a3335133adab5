/** Refused mail against everything else that happens to the same address at the same time: the refusal holds, once. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { usually } from '../support/amount.js';
import { ok } from '../support/answers.js';
import { audience } from '../support/audience.js';
import { eventually, startService, type Answer, type Service } from '../support/service.js';
import { onServers } from '../support/stores.js';

let service: Service;
let list = '';
beforeAll(async () => {
  service = await startService();
  list = await service.make('/v1/lists/create', { list_name: 'News' }, 'list_id');
});
afterAll(() => service.close());

const rounds = usually(8, 500);
const suppress = (email: string): Promise<Answer> =>
  service.post('/v1/suppressions', { email, reason: 'unsubscribe', scope: list });
const upsert = (email: string, status = 'Subscribed'): Promise<Answer> =>
  service.post(`/v1/contacts/${list}/upsertcontact`, { email, status });
const bulk = (path: string, lines: readonly object[]): Promise<Answer> =>
  service.request('POST', path, {
    raw: lines.map((line) => JSON.stringify(line)).join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  });
const search = async (email: string) =>
  (await ok(service.post('/v1/suppressions/search', { email }))).body as {
    data: { active: Record<string, unknown>[]; history: Record<string, unknown>[] };
  };
const suppressedIn = async (email: string): Promise<unknown> => {
  const { body } = await ok(service.get(`/v1/contacts?email=${email}`));
  return (body as { data: { subscriptions: { suppressed?: unknown }[] } }).data.subscriptions[0]?.suppressed;
};

test('an upsert, an import and a second suppression of the same address leave it suppressed, once', async () => {
  const emails = Array.from({ length: rounds }, (_, round) => `both-${round}@races.example`);
  await Promise.all([
    ...emails.flatMap((email) => [suppress(email), upsert(email), suppress(email.toUpperCase())]),
    bulk(
      `/v1/contacts/${list}/bulk`,
      emails.map((email) => ({ email, status: 'Subscribed', firstName: 'Ada' })),
    ),
    bulk(
      '/v1/suppressions',
      emails.map((email) => ({ email, reason: 'unsubscribe', scope: list })),
    ),
  ]);
  for (const email of emails) {
    const { active, history } = (await search(email)).data;
    expect(active).toMatchObject([{ reason: 'unsubscribe', scope: list }]);
    expect(history).toHaveLength(1);
    expect(await suppressedIn(email)).toMatchObject({ reason: 'unsubscribe' });
  }
});

test('a suppression beside an erasure of the same person holds; what it said is gone, or is that of somebody new', async () => {
  const emails = Array.from({ length: rounds }, (_, round) => `gone-${round}@races.example`);
  await Promise.all(emails.map((email) => upsert(email)));
  const answered = await Promise.all(
    emails.map(async (email) => {
      const [erasure] = await Promise.all([
        service.post('/v1/privacy/erasures', { email }),
        suppress(email),
        upsert(email, 'Unsubscribed'),
      ]);
      return String(erasure.headers.location);
    }),
  );
  for (const location of answered)
    await eventually(async () =>
      (await ok(service.get(location))).field('status') === 'completed' ? true : undefined,
    );
  for (const email of emails) {
    const { active, history } = (await search(email)).data;
    expect(active).toMatchObject([{ reason: 'unsubscribe', scope: list }]);
    expect(history.filter(({ type }) => type === 'AddressSuppressed')).toHaveLength(1);
    expect((await upsert(email)).status).toBe(200);
    expect(await suppressedIn(email)).toMatchObject({ reason: 'unsubscribe' });
  }
  // Another erasure takes what the first has left to somebody new.
  const again = await Promise.all(emails.map((email) => service.post('/v1/privacy/erasures', { email })));
  for (const { headers } of again)
    await eventually(async () =>
      (await ok(service.get(String(headers.location)))).field('status') === 'completed' ? true : undefined,
    );
  const listed = (await ok(service.get(`/v1/suppressions?limit=200`))).text;
  expect(emails.filter((email) => listed.includes(email))).toEqual([]);
  if (!onServers) expect(await audience(['--data-dir', service.dataDir, 'audit', 'verify'])).toMatchObject({ code: 0 });
});
