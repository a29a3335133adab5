/** The history of one e-mail over HTTP: each event of it, what its recipient did because of it, and who may see what. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok, refusals, someAddress, strangerId, unique } from '../support/answers.js';
import { eventually, startService, type Answer, type Service } from '../support/service.js';
import { openSmtp, type SmtpStandIn } from '../support/smtp.js';
import { reportOf } from '../bounces/some-reports.js';

let smtp: SmtpStandIn;
let on: Service;
beforeAll(async () => {
  smtp = await openSmtp(['accept']);
  const env = {
    SMTP_URL: smtp.url,
    MAIL_RETURN_PATH: 'bounce@mail.example.com',
    PUBLIC_URL: 'https://mail.example.com',
  };
  on = await startService({ env: { ...env, MAIL_IN_DOUBT: 'hold' } });
});
afterAll(async () => {
  await on.close();
  await smtp.close();
});

const until = (id: string, state: string): Promise<true> =>
  eventually(async () => (await on.get(`/v1/email/${id}`)).field('state') === state || undefined, { what: state });

async function send(more: object): Promise<string> {
  const message = {
    from_email: 'news@example.com',
    to_email: someAddress(),
    subject: 'Hi',
    mail_template: '<p>Hi</p>',
  };
  const { headers } = await ok(on.post('/v1/email/send', { ...message, ...more }));
  return String(headers.location).replace('/v1/email/', '');
}

interface Item {
  readonly type: string;
  readonly summary: string;
  readonly contact_id: string | null;
  readonly email?: { readonly subject: string | null };
  readonly data: Readonly<Record<string, unknown>>;
}
const pathOf = (id: string): string => `/v1/audit/emails/${id}/history`;
const itemsOf = ({ body }: Answer): readonly Item[] => (body as { data: readonly Item[] }).data;
const keyWith = async (...scopes: string[]): Promise<{ readonly authorization: string }> => {
  const made = await on.post('/v1/keys', { name: unique('Desk'), scopes });
  return { authorization: `Bearer ${made.field('secret')}` };
};

test('a click and a bounce stand among the events of the e-mail, in words, and of no other e-mail', async () => {
  const list = await on.make('/v1/lists/create', { list_name: unique('News') }, 'list_id');
  const name = (await on.get(`/v1/lists/${list}`)).field('list_name');
  const to_email = someAddress();
  const contact = await on.make(`/v1/contacts/${list}/create`, { email: to_email, status: 'Subscribed' }, 'contact_id');
  const [id, other] = [await send({ to_email, list_id: list }), await send({ to_email, list_id: list })];
  await Promise.all([until(id, 'sent'), until(other, 'sent')]);
  const received = smtp.messages.find(({ bytes }) => bytes.includes(id));
  const token = /\/u\/([\w-]{100,})/.exec(received?.bytes.toString().replaceAll('\r\n ', '') ?? '')?.[1] ?? '';
  const click = await fetch(`${on.url()}/u/${token}`, {
    method: 'POST',
    body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
  });
  expect(click.status).toBe(200);
  const headers = { 'content-type': 'message/rfc822', 'x-envelope-to': received?.from ?? '' };
  const raw = reportOf('postfix-gone', id);
  expect((await on.request('POST', '/v1/email/reports', { raw, headers })).field('outcome')).toBe('bounced');

  const items = itemsOf(await on.get(pathOf(id)));
  expect(items.map(({ type, summary }) => [type, summary])).toEqual([
    ['EmailRequested', 'An e-mail was requested.'],
    ['EmailDispatchStarted', 'An attempt to send the e-mail began.'],
    ['EmailSent', 'The e-mail was sent.'],
    [
      'AddressSuppressed',
      `From then on, mail of the list "${name}" to the address is refused: the person does not want it, with the button in the e-mail.`,
    ],
    ['ContactUnsubscribed', expect.stringMatching(/^Unsubscribed from the list .* by the person, with the button in/)],
    ['AddressSuppressed', 'From then on, all mail to the address is refused: the mailbox does not exist.'],
    ['EmailBounced', 'The e-mail bounced (5.1.1): the mailbox does not exist.'],
  ]);
  expect(items[0]).toMatchObject({ contact_id: contact, email: { subject: 'Hi' } });
  expect(items[2]?.data).toMatchObject({ smtp_code: 250, message: { response: expect.any(String) as string } });
  expect(itemsOf(await on.get(pathOf(other))).map(({ type }) => type)).toEqual([
    'EmailRequested',
    'EmailDispatchStarted',
    'EmailSent',
  ]);
  const pages: string[] = [];
  for await (const { type } of on.client().all('getEmailHistory', { path: { email_id: id }, query: { limit: 2 } }))
    pages.push(type);
  expect(pages).toEqual(items.map(({ type }) => type));
  const looked = await on.get(`/v1/audit/access?contact=${contact}`);
  expect(looked.items()).toContainEqual(expect.objectContaining({ what: 'email' }));
});

test('a hold, a release and a cancellation of an e-mail to nobody who is a contact', async () => {
  smtp.behave('close after dot');
  const id = await send({});
  await until(id, 'held');
  await ok(on.post(`/v1/email/${id}/release`));
  await until(id, 'held');
  await ok(on.post(`/v1/email/${id}/cancel`));
  smtp.behave('accept');
  const items = itemsOf(await on.get(pathOf(id)));
  expect(items.map(({ type, contact_id }) => [type, contact_id])).toEqual(
    [
      ...['EmailRequested', 'EmailDispatchStarted', 'EmailInDoubt', 'EmailReleased'],
      ...['EmailDispatchStarted', 'EmailInDoubt', 'EmailCancelled'],
    ].map((type) => [type, null]),
  );
});

test('after an erasure nothing of the person is left in it, nor of what the mail server said', async () => {
  const list = await on.make('/v1/lists/create', { list_name: unique('News') }, 'list_id');
  const email = someAddress();
  const contact = await on.make(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' }, 'contact_id');
  const id = await send({ to_email: email, subject: 'Private' });
  await until(id, 'sent');
  const headers = { 'content-type': 'message/rfc822', 'x-envelope-to': smtp.messages.at(-1)?.from ?? '' };
  const report = { raw: reportOf('postfix-gone', id), headers };
  expect((await on.request('POST', '/v1/email/reports', report)).field('outcome')).toBe('bounced');
  const [local = ''] = email.split('@');
  const told = [local, 'Private'];
  const before = JSON.stringify((await on.get(pathOf(id))).body);
  for (const text of [...told, '"response"', '"diagnostic"']) expect(before).toContain(text);
  const erasure = (await on.post('/v1/privacy/erasures', { email })).field('erasure_id');
  const status = async () =>
    (await on.get(`/v1/privacy/erasures/${erasure}`)).field('status') === 'completed' || undefined;
  await eventually(status, { what: 'the erasure' });
  const { body } = await on.get(pathOf(id));
  const after = JSON.stringify(body);
  for (const text of [...told, '"response"', '"diagnostic"']) expect(after).not.toContain(text);
  expect((body as { data: readonly Item[] }).data.map(({ type, contact_id }) => [type, contact_id])).toEqual([
    ['EmailRequested', contact],
    ['EmailDispatchStarted', contact],
    ['EmailSent', contact],
    ['AddressSuppressed', contact],
    ['EmailBounced', contact],
    ['EmailErased', contact],
  ]);
});

test('a key sees of it what its scopes allow; no e-mail is 404, and what is no position is no cursor', async () => {
  const id = await send({});
  await until(id, 'sent');
  expect((await on.get(pathOf(id), await keyWith('email:read'))).status).toBe(403);
  const auditor = await keyWith('audit:read');
  const [requested] = itemsOf(await on.get(pathOf(id), auditor));
  expect(requested).toMatchObject({ email: { subject: null }, data: { message: expect.stringMatching(/^sha256:/) } });
  expect((await on.get(pathOf(strangerId('eml')))).body).toEqual(refusals.notFound);
  expect((await on.get(`${pathOf(id)}?cursor=x`)).status).toBe(400);
});
