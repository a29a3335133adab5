/** List growth, tag use and e-mail outcomes over HTTP: one's own writes at once, deleted lists and tags, refusals. */
import { beforeAll, describe, expect, test } from 'vitest';
import { newList, refusal, refusals, someAddress, strangerId, unique } from '../support/answers.js';
import type { Answer, Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;

beforeAll(async () => {
  service = await sharedService();
});

const dayFromNow = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
/** Midnight may pass while a test runs. */
const around = (): string => `from=${dayFromNow(-1)}&to=${dayFromNow(1)}`;

interface TimeLine {
  readonly from: string;
  readonly to: string;
  readonly rows: readonly Readonly<Record<string, number | string>>[];
}

function timeLine({ status, body, text }: Answer): TimeLine & Readonly<Record<string, unknown>> {
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return (body as { data: TimeLine & Record<string, unknown> }).data;
}

/** The sums of all rows; of `total` and `in_use` the last one. */
function overall(answer: Answer): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const { from: _, to: __, ...counts } of timeLine(answer).rows)
    for (const [name, value] of Object.entries(counts))
      sums[name] = name === 'total' || name === 'in_use' ? Number(value) : (sums[name] ?? 0) + Number(value);
  return sums;
}

const growthOf = (list: string): Promise<Answer> => service.get(`/v1/analytics/lists/${list}/growth?${around()}`);

describe('growth of a list', () => {
  test('shows who joined, left and came back, as soon as that is answered', async () => {
    const list = await newList(service);
    const [ada, bob, eve] = [someAddress(), someAddress(), someAddress()];
    const setStatus = (email: string, status: string): Promise<Answer> =>
      service.post(`/v1/contacts/${list}/updatestatus`, { contact_email: email, status });
    expect(overall(await growthOf(list))).toMatchObject({ joined: 0, net: 0, total: 0 });
    await service.post(`/v1/contacts/${list}/create`, { email: ada, status: 'Subscribed' });
    expect(overall(await growthOf(list))).toMatchObject({ joined: 1, net: 1, total: 1 });
    await service.post(`/v1/contacts/${list}/create`, { email: bob, status: 'Subscribed' });
    await service.post(`/v1/contacts/${list}/create`, { email: eve, status: 'Unsubscribed' });
    await setStatus(ada, 'Unsubscribed');
    const left = { joined: 2, unsubscribed: 1, resubscribed: 0, erased: 0, left_with_list: 0, net: 1, total: 1 };
    expect(overall(await growthOf(list))).toEqual(left);
    await setStatus(ada, 'Subscribed');
    await setStatus(eve, 'Subscribed');
    const back = { joined: 3, unsubscribed: 1, resubscribed: 1, erased: 0, left_with_list: 0, net: 3, total: 3 };
    expect(overall(await growthOf(list))).toEqual(back);
    await service.post(`/v1/lists/${list}/delete`);
    const gone = timeLine(await growthOf(list));
    expect(gone['deleted_at']).toMatch(/Z$/);
    expect(gone.rows.at(-1)?.['total']).toBe(0);
    expect(overall(await growthOf(list))).toMatchObject({ joined: 3, left_with_list: 3, net: 0 });
  });

  test('begins with the list and ends today, in whole intervals', async () => {
    const name = unique('List');
    const { list_id: list } = (await service.client().createList({ body: { list_name: name } })).data;
    const before = dayFromNow(0);
    const all = timeLine(await service.get(`/v1/analytics/lists/${list}/growth`));
    expect(all).toMatchObject({ list_id: list, list_name: name, deleted_at: null, interval: 'day' });
    expect([before, dayFromNow(0)]).toContain(all.to);
    expect(all.rows.length).toBeLessThanOrEqual(2);
    const path = `/v1/analytics/lists/${list}/growth`;
    const weeks = timeLine(await service.get(`${path}?from=2026-01-01&to=2026-01-12T00:00:00Z&interval=week`));
    expect(weeks.rows.map(({ from, to }) => [from, to])).toEqual([
      ['2025-12-29', '2026-01-04'],
      ['2026-01-05', '2026-01-11'],
      ['2026-01-12', '2026-01-18'],
    ]);
    expect(weeks).toMatchObject({ from: '2025-12-29', to: '2026-01-18', interval: 'week' });
    const month = timeLine(await service.get(`${path}?from=2024-02-10&to=2024-02-11&interval=month`));
    expect(month.rows).toEqual([
      {
        from: '2024-02-01',
        to: '2024-02-29',
        joined: 0,
        unsubscribed: 0,
        resubscribed: 0,
        erased: 0,
        left_with_list: 0,
        net: 0,
        total: 0,
      },
    ]);
  });

  test.for([
    ['from=2026-13-01', 'from must be an ISO 8601 date, or a date and time with its zone'],
    ['from=2026-02-01&to=2026-01-01', 'from must not be after to'],
    ['interval=year', 'interval must be day, week or month'],
    ['intervall=week', 'Unknown query parameter intervall'],
    ['from=2000-01-01&to=2026-01-01', 'from and to must span at most 3700 intervals'],
  ])('refuses %s', async ([query, message]) => {
    const answer = await service.get(`/v1/analytics/lists/${await newList(service)}/growth?${query}`);
    expect(answer.body).toEqual(refusal(message ?? '', {}));
  });

  test('is 404 for a list that never was, and 401 without a key', async () => {
    const path = `/v1/analytics/lists/${strangerId('lst')}/growth`;
    expect((await service.get(path)).body).toEqual(refusals.notFound);
    expect((await service.get(`/v1/analytics/tags/${strangerId('tag')}/use`)).body).toEqual(refusals.notFound);
    expect((await service.get(path, { authorization: 'Bearer nobody' })).status).toBe(401);
    expect((await service.post(path)).status).toBe(405);
  });

  test('refuses an X-Min-Position that is none', async () => {
    const path = `/v1/analytics/lists/${await newList(service)}/growth`;
    for (const position of ['9'.repeat(40), 'x'])
      expect((await service.get(path, { 'x-min-position': position })).status).toBe(400);
  });
});

test('use of a tag: attached, detached, gone with a list and with the tag', async () => {
  const [list, other] = [await newList(service), await newList(service)];
  const tagName = unique('Tag');
  const { tag_id: tag } = (await service.client().createTag({ body: { tag_name: tagName } })).data;
  const email = someAddress();
  const inUse = async () => overall(await service.get(`/v1/analytics/tags/${tag}/use?${around()}`));
  for (const id of [list, other])
    await service.post(`/v1/contacts/${id}/upsertcontact`, { email, status: 'Subscribed', tag_name: [tagName] });
  expect(await inUse()).toMatchObject({ attached: 2, detached: 0, in_use: 2 });
  await service.post(`/v1/contacts/tags/${list}/remove`, { tag_name: [tagName], contact_email: email });
  expect(await inUse()).toMatchObject({ attached: 2, detached: 1, in_use: 1 });
  await service.post(`/v1/lists/${other}/delete`);
  expect(await inUse()).toMatchObject({ left_with_list: 1, in_use: 0 });
  await service.post(`/v1/contacts/tags/${list}/add`, { tag_name: [tagName], contact_email: email });
  await service.post(`/v1/tags/${tag}/delete`);
  expect(await inUse()).toEqual({
    attached: 3,
    detached: 1,
    erased: 0,
    left_with_list: 1,
    left_with_tag: 1,
    net: 0,
    in_use: 0,
  });
});

test('all lists and tags with their counts, page by page, as soon as something is answered', async () => {
  const [list, other] = [await newList(service), await newList(service)];
  const tagName = unique('Tag');
  const { tag_id: tag } = (await service.client().createTag({ body: { tag_name: tagName } })).data;
  const [ada, bob] = [someAddress(), someAddress()];
  const client = service.client();
  const counts = async () => {
    const found: { readonly [id: string]: number } = {};
    for await (const { list_id, subscribed } of client.all('listListCounts', { query: { limit: 2 } }))
      Object.assign(found, { [list_id]: subscribed });
    for await (const { tag_id, in_use } of client.all('listTagCounts', { query: { limit: 2 } }))
      Object.assign(found, { [tag_id]: in_use });
    return [list, other, tag].map((id) => found[id]);
  };
  expect(await counts()).toEqual([0, 0, 0]);
  for (const email of [ada, bob])
    await service.post(`/v1/contacts/${list}/upsertcontact`, { email, status: 'Subscribed', tag_name: [tagName] });
  await service.post(`/v1/contacts/${other}/upsertcontact`, {
    email: ada,
    status: 'Unsubscribed',
    tag_name: [tagName],
  });
  expect(await counts()).toEqual([2, 0, 3]);
  await service.post(`/v1/contacts/${list}/updatestatus`, { contact_email: ada, status: 'Unsubscribed' });
  await service.post(`/v1/contacts/${other}/updatestatus`, { contact_email: ada, status: 'Subscribed' });
  expect(await counts()).toEqual([1, 1, 3]);
  await service.post(`/v1/lists/${list}/delete`);
  expect(await counts()).toEqual([undefined, 1, 1]);
  await service.post(`/v1/tags/${tag}/delete`);
  expect(await counts()).toEqual([undefined, 1, undefined]);
});

test('counts need the scope of analysts', async () => {
  const made = await service.post('/v1/keys', { name: unique('Desk'), scopes: ['lists:read', 'tags:read'] });
  const authorization = `Bearer ${made.field('secret')}`;
  for (const what of ['lists', 'tags'])
    expect((await service.get(`/v1/analytics/${what}`, { authorization })).status).toBe(403);
  expect((await service.get('/v1/analytics/lists?status=Subscribed')).status).toBe(400);
});

test('outcomes of e-mail tell what was requested, and no address', async () => {
  const mail = { from_email: 'ledger@example.com', to_email: someAddress(), subject: 'Hello', mail_template: 'Hello' };
  const path = `/v1/analytics/emails/outcomes?${around()}`;
  const before = overall(await service.get(path));
  await service.post('/v1/email/send', mail);
  const answer = await service.get(path);
  expect(overall(answer)['requested']).toBe((before['requested'] ?? 0) + 1);
  expect(answer.text).not.toContain('@');
});
