/** Mail to the subscribers of a list over HTTP: who gets it, in which order it is refused, what it carries, and what a refusal stops that was asked for before. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { instant, ok, refusal, someAddress, someRequestId, strangerId, success, unique } from '../support/answers.js';
import { usually } from '../support/amount.js';
import { realTime } from '../support/real-time.js';
import { openSmtp } from '../support/smtp.js';
import { eventually, startService, type Answer, type Overrides, type Service } from '../support/service.js';

const PUBLIC_URL = 'https://mail.example.com/letters';
const nobody = 'smtp://127.0.0.1:1';

let service: Service;
const running: (() => unknown)[] = [];
beforeAll(async () => {
  service = await startService({ env: { PUBLIC_URL } });
  return () => service.close();
});
afterEach(async () => {
  for (const close of running.splice(0).reverse()) await close();
});
async function started(env: Overrides): Promise<Service> {
  const other = await startService({ env });
  running.push(() => other.close());
  return other;
}

const content = { from_email: 'news@example.com', subject: 'News', mail_template: '<p>News</p>' };
const newList = (on = service, name = unique('News')): Promise<string> =>
  on.make('/v1/lists/create', { list_name: name }, 'list_id');
const send = (body: object, { on = service, headers = {} }: { on?: Service; headers?: Overrides } = {}) =>
  on.post('/v1/email/send', { ...content, ...body }, headers);
const idIn = ({ headers }: Answer): string => String(headers.location).replace('/v1/email/', '');
const suppress = (body: object, on = service): Promise<Answer> => ok(on.post('/v1/suppressions', body));
const unsubscribe = (list: string, email: string, on = service): Promise<Answer> =>
  ok(on.post(`/v1/contacts/${list}/updatestatus`, { contact_email: email, status: 'Unsubscribed' }));
async function subscriber(list: string, on = service): Promise<string> {
  const email = someAddress();
  await ok(on.post(`/v1/contacts/${list}/upsertcontact`, { email, status: 'Subscribed' }));
  return email;
}
const inState = (id: string, state: string, on = service): Promise<true> =>
  eventually(async () => ((await on.get(`/v1/email/${id}`)).field('state') === state ? true : undefined), {
    what: state,
  });
async function delivered(id: string): Promise<Email> {
  await inState(id, 'sent');
  return await PostalMime.parse(readFileSync(path.join(service.dataDir, 'outbox', `${id}.eml`)));
}
const echoOf = (body: object): object => {
  const { list_id: _, variables: __, ...shown } = { list_id: '', variables: {}, ...content, ...body };
  return shown;
};
const unwanted = (body: object, why: object): object => ({
  ...refusal('The recipient does not want this email', { ...echoOf(body), ...why }, 'suppressed'),
  statusCode: 409,
});

describe('an e-mail to a subscriber', () => {
  test('is stored with its list and no link, and goes out with both', async () => {
    const name = unique('Grüße "an" alle');
    const list = await newList(service, name);
    const requestId = someRequestId();
    const body = {
      to_email: await subscriber(list),
      list_id: list,
      mail_template: '<p>{{name}} <a href="{{unsubscribe_url}}">Unsubscribe</a></p>',
      variables: { name: 'Ada' },
    };
    const answer = await send(body, { headers: { 'x-request-id': requestId } });
    expect(answer.body).toEqual({
      ...success('Email accepted for delivery!', echoOf(body)),
      email_id: idIn(answer),
    });
    const [event] = await service.events(requestId);
    expect(event?.data).toMatchObject({ list_id: list, list_name: name });
    expect(JSON.stringify(event)).not.toContain('/u/');

    const email = await delivered(idIn(answer));
    const field = (key: string) => email.headers.find((header) => header.key === key)?.value;
    const link = /^<(https:\/\/mail\.example\.com\/letters\/u\/[\w-]{100,})>$/.exec(
      field('list-unsubscribe') ?? '',
    )?.[1];
    expect(link).toBeDefined();
    expect(field('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    expect(field('list-id')).toContain(`<${list}.mail.example.com>`);
    expect(email.html?.trim()).toBe(`<p>Ada <a href="${link}">Unsubscribe</a></p>`);
    expect(email.text?.replace(/\s+/g, ' ')).toContain(`Unsubscribe ${link}`);
  });

  test('without variables its template is not evaluated', async () => {
    const list = await newList();
    const mail_template = '<p>{{unsubscribe_url}}</p>';
    const answer = await send({ to_email: await subscriber(list), list_id: list, mail_template });
    expect((await delivered(idIn(answer))).html).toContain(mail_template);
  });

  test('the link may stand in the template alone', async () => {
    const list = await newList();
    const body = {
      to_email: await subscriber(list),
      list_id: list,
      mail_template: '{{unsubscribe_url}}',
      variables: {},
    };
    expect((await send(body)).status).toBe(200);
  });

  test.each<[object, string]>([
    [
      { variables: { unsubscribe_url: 'x' } },
      'variables.unsubscribe_url is made by the service, so it must not be given',
    ],
    [{ variables: {}, subject: '{{unsubscribe_url}}' }, 'variables.unsubscribe_url is required'],
    [{ list_id: 7 }, 'list_id must be a string'],
    [{ list_id: 'lst\u0000' }, 'list_id contains invalid characters'],
  ])('refused: %j', async (changes, message) => {
    const list = await newList();
    const body = { to_email: await subscriber(list), list_id: list, ...changes };
    expect((await send(body)).body).toEqual(refusal(message, echoOf(body)));
  });

  test('with null it is for nobody in a list; without a list the caller may name a variable as they like', async () => {
    const body = { to_email: someAddress(), list_id: null, mail_template: '{{unsubscribe_url}}' };
    expect((await send({ ...body, variables: { unsubscribe_url: 'x' } })).status).toBe(200);
    expect((await send({ ...body, variables: {} })).body).toMatchObject({
      message: 'variables.unsubscribe_url is required',
    });
  });
});

describe('the order of answers', () => {
  test('list, contact in that list, wanted: and nothing is written', async () => {
    const [list, other] = [await newList(), await newList()];
    const to_email = await subscriber(other);
    const requestId = someRequestId();
    const ask = (body: object) => send(body, { headers: { 'x-request-id': requestId } });
    for (const list_id of [strangerId('lst'), '', 'all'])
      expect((await ask({ to_email, list_id })).body).toMatchObject({
        statusCode: 400,
        message: 'Please provide valid list id!',
        type: 'unknown_id',
      });
    await suppress({ email: to_email, reason: 'manual' });
    for (const address of [to_email, someAddress()])
      expect((await ask({ to_email: address, list_id: list })).body).toMatchObject({
        statusCode: 400,
        message: 'Please provide valid contact email!',
        type: 'not_in_list',
      });
    const body = { to_email, list_id: other };
    const since = expect.stringMatching(instant) as unknown;
    expect((await ask(body)).body).toEqual(unwanted(body, { reason: 'manual', since }));
    expect(await service.events(requestId)).toEqual([]);
  });

  test('who is not Subscribed there is told since when', async () => {
    const list = await newList();
    const to_email = await subscriber(list);
    await unsubscribe(list, to_email);
    const changed = (await service.events()).find(
      ({ type, data }) => type === 'ContactUnsubscribed' && data['list_id'] === list,
    );
    const body = { to_email, list_id: list };
    const { at } = changed?.metadata as { at: string };
    expect((await send(body)).body).toEqual(unwanted(body, { reason: 'unsubscribed', since: at }));
    // A newsletter that was unsubscribed from blocks no other mail.
    expect((await send({ to_email })).status).toBe(200);
  });

  test('a refusal outlives Subscribed, and ends with its release', async () => {
    const list = await newList();
    const to_email = await subscriber(list);
    const body = { to_email, list_id: list };
    await suppress({ email: to_email, reason: 'unsubscribe', scope: list });
    await ok(service.post(`/v1/contacts/${list}/upsertcontact`, { email: to_email, status: 'Subscribed' }));
    expect((await send(body)).body).toMatchObject({
      statusCode: 409,
      type: 'suppressed',
      data: { reason: 'unsubscribe' },
    });
    expect((await send({ to_email })).status).toBe(200);
    await ok(service.post('/v1/suppressions/release', { email: to_email, scope: list, reason: 'asked_by_phone' }));
    expect((await send(body)).status).toBe(200);
  });

  test.each([
    ['hard_bounce', 409, "The recipient's mailbox does not exist"],
    ['repeated_bounces', 409, "The recipient's mail server keeps refusing"],
    ['complaint', 409, 'The recipient does not want this email'],
    ['manual', 409, 'The recipient does not want this email'],
    ['unsubscribe', 200, 'Email accepted for delivery!'],
  ])('without a list, after %s of all mail: %i', async (reason, status, message) => {
    const to_email = someAddress();
    await suppress({ email: to_email, reason });
    const answer = await send({ to_email: to_email.toUpperCase() });
    expect(answer.body).toMatchObject({ statusCode: status, message });
  });

  test('a repeat by Idempotency-Key comes first, and the key covers the list', async () => {
    const list = await newList();
    const to_email = await subscriber(list);
    const headers = { 'idempotency-key': unique('key').replaceAll(' ', '-') };
    const first = await send({ to_email, list_id: list }, { headers });
    await suppress({ email: to_email, reason: 'complaint' });
    await ok(service.post(`/v1/lists/${list}/delete`));
    const repeat = await send({ to_email, list_id: list }, { headers });
    expect([repeat.status, repeat.headers.location, repeat.headers['idempotent-replayed']]).toEqual([
      200,
      first.headers.location,
      'true',
    ]);
    for (const other of [{ to_email }, { to_email, list_id: await newList() }, { to_email, list_id: 'none' }])
      expect((await send(other, { headers })).status).toBe(422);
    // One that was refused is not used up.
    const later = { 'idempotency-key': unique('key').replaceAll(' ', '-') };
    expect((await send({ to_email }, { headers: later })).status).toBe(409);
    expect((await send({ to_email: someAddress() }, { headers: later })).status).toBe(200);
  });
});

test('without PUBLIC_URL such an e-mail is refused last, and every other one is taken', async () => {
  const on = await started({});
  const list = await newList(on);
  const to_email = await subscriber(list, on);
  const body = { to_email, list_id: list };
  const refused = refusal('PUBLIC_URL is not configured', echoOf(body), 'not_configured');
  expect((await send(body, { on })).body).toEqual({ ...refused, statusCode: 409 });
  expect((await send({ ...body, mail_template: '{{unsubscribe_url}}', variables: {} }, { on })).status).toBe(409);
  expect((await send({ to_email }, { on })).status).toBe(200);
  await unsubscribe(list, to_email, on);
  expect((await send(body, { on })).body).toMatchObject({ type: 'suppressed' });
});

test('what was asked for before a refusal is cancelled once it is due, and the history tells why', async () => {
  const on = await started({ PUBLIC_URL, SMTP_URL: nobody });
  const list = await newList(on);
  const ended = await newList(on);
  const [one, two, three, left] = [
    await subscriber(list, on),
    await subscriber(list, on),
    await subscriber(ended, on),
    await subscriber(list, on),
  ];
  const ask = async (to_email: string, list_id = list): Promise<string> =>
    idIn(await ok(send({ to_email, list_id }, { on })));
  const linked = { mail_template: '<p>{{unsubscribe_url}}</p>', variables: {} };
  const last = idIn(await ok(send({ to_email: left, list_id: list, ...linked }, { on })));
  const ids = [await ask(one), await ask(two), await ask(three, ended), last];
  await suppress({ email: one, reason: 'unsubscribe', scope: list }, on);
  await unsubscribe(list, two, on);
  await ok(on.post(`/v1/lists/${ended}/delete`));
  const relay = await openSmtp(['accept']);
  running.push(() => relay.close());
  await on.kill('SIGTERM');
  await on.start({ SMTP_URL: relay.url });
  for (const id of ids.slice(0, 3)) await inState(id, 'cancelled', on);
  await inState(ids[3] ?? '', 'sent', on);
  expect(relay.messages.map(({ to }) => to)).toEqual([[left]]);
  const reasons = (await on.events())
    .filter(({ type }) => type === 'EmailCancelled')
    .map(({ data }) => [data['email_id'], data['reason']]);
  expect(new Map(reasons as [string, string][])).toEqual(
    new Map([
      [ids[0], 'suppressed'],
      [ids[1], 'unsubscribed'],
      [ids[2], 'list_deleted'],
    ]),
  );
  const history = await on.get(`/v1/audit/contacts/${one}/history`);
  expect(history.items().map(({ summary }) => summary)).toContain(
    'The e-mail was cancelled: its recipient refuses such e-mails.',
  );
  const exported = await on.get(`/v1/privacy/export?email=${left}`);
  expect(exported.body).toMatchObject({
    data: { emails: [{ sent_as: { body: '<p>[link to unsubscribe]</p>' } }] },
  });
});

test('refusals race with e-mails that are on their way: none arrives five seconds after the answer', async () => {
  const relay = await openSmtp(['accept']);
  running.push(() => relay.close());
  const on = await started({ PUBLIC_URL, SMTP_URL: relay.url });
  const list = await newList(on);
  const answered = new Map<string, number>();
  const arrived = new Map<string, number>();
  let seen = 0;
  const watch = setInterval(() => {
    for (const { to } of relay.messages.slice(seen)) arrived.set(String(to[0]), Date.now());
    seen = relay.messages.length;
  }, 5);
  running.push(() => clearInterval(watch));
  const round = async (at: number): Promise<void> => {
    const to_email = await subscriber(list, on);
    const id = idIn(await ok(send({ to_email, list_id: list }, { on })));
    await realTime(Math.random() * 40);
    await (at % 2 === 0
      ? suppress({ email: to_email, reason: 'unsubscribe', scope: list }, on)
      : unsubscribe(list, to_email, on));
    answered.set(to_email, Date.now());
    expect((await send({ to_email, list_id: list }, { on })).status).toBe(409);
    await eventually(async () =>
      ['sent', 'cancelled'].includes((await on.get(`/v1/email/${id}`)).field('state')) ? true : undefined,
    );
  };
  const rounds = usually(40, 400);
  for (let done = 0; done < rounds; done += 10) await Promise.all(Array.from({ length: 10 }, (_, at) => round(at)));
  await eventually(() => Promise.resolve(arrived.size === relay.messages.length || undefined));
  for (const [to_email, at] of arrived) expect(at - (answered.get(to_email) ?? 0)).toBeLessThan(5_000);
});
