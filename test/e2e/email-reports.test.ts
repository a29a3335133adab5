/** Reports of bounces and complaints through HTTP and the command line: what they change, whom they stop mail to, and what nobody can forge. */
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { logPosition, ok, refusal, someAddress, unique } from '../support/answers.js';
import { audience, startAudience } from '../support/audience.js';
import { eventually, startService, type Answer, type Service } from '../support/service.js';
import { openSmtp, type SmtpStandIn } from '../support/smtp.js';
import { returnPathOf } from '../../src/events/return-path.js';
import { deriveStreamKeys } from '../../src/events/streams.js';
import { reportOf, type SomeReport } from '../bounces/some-reports.js';

const secret = 'a secret that the return paths of this test are made with';

let smtp: SmtpStandIn;
let on: Service;
beforeAll(async () => {
  smtp = await openSmtp(['accept']);
  on = await startService({
    env: {
      ...{ SMTP_URL: smtp.url, MAIL_RETURN_PATH: 'bounce@mail.example.com' },
      ...{ PUBLIC_URL: 'https://mail.example.com', SECRET: secret },
    },
  });
});
afterAll(async () => {
  await on.close();
  await smtp.close();
});

interface SentEmail {
  readonly id: string;
  readonly to: string;
  readonly returnPath: string;
}

async function sent(to = someAddress(), more: object = {}): Promise<SentEmail> {
  const message = { from_email: 'News <news@example.com>', to_email: to, subject: 'Hi', mail_template: '<p>Hi</p>' };
  const { headers } = await ok(on.post('/v1/email/send', { ...message, ...more }));
  const id = String(headers.location).replace('/v1/email/', '');
  await until(id, 'sent');
  const received = smtp.messages.find(({ bytes }) => bytes.includes(id));
  return { id, to, returnPath: received?.from ?? '' };
}
const until = (id: string, state: string): Promise<true> =>
  eventually(async () => (await on.get(`/v1/email/${id}`)).field('state') === state || undefined, { what: state });

const post = (raw: string | Buffer, headers: Record<string, string | undefined>): Promise<Answer> =>
  on.request('POST', '/v1/email/reports', { raw, headers: { 'content-type': 'message/rfc822', ...headers } });
const report = (name: SomeReport, { id, returnPath }: SentEmail, recipient = returnPath): Promise<Answer> =>
  post(reportOf(name, id), { 'x-envelope-to': recipient });
const taken = (outcome: string, email_id: string | null, verified: boolean): object => ({
  ...{ statusCode: 202, status: 'Success', message: 'Report taken!' },
  data: { outcome, email_id, verified },
});
const suppressedFor = async (email: string): Promise<unknown> =>
  ((await on.post('/v1/suppressions/search', { email })).body as { data: { active: unknown } }).data.active;
const emailOf = async ({ id }: SentEmail): Promise<Record<string, unknown>> =>
  ((await on.get(`/v1/email/${id}`)).body as { data: Record<string, unknown> }).data;
const eventsOf = async ({ id }: SentEmail) =>
  (await on.events()).filter(({ data }) => (data as { email_id?: string }).email_id === id);

test('a mailbox that is gone: first mail to it stops, then the bounce is recorded; again it does nothing', async () => {
  const email = await sent();
  const answer = await report('postfix-gone', email);
  expect(answer.body).toEqual(taken('bounced', email.id, true));
  expect(answer.headers['x-position']).toMatch(logPosition);
  const bounced = { at: expect.any(String) as string, verified: true, kind: 'hard', enhanced_code: '5.1.1' };
  expect(await emailOf(email)).toMatchObject({ state: 'sent', bounced, complained: null });
  expect(await suppressedFor(email.to)).toMatchObject([{ scope: 'all', reason: 'hard_bounce' }]);
  const events = await eventsOf(email);
  expect(events.slice(-2)).toMatchObject([
    { type: 'AddressSuppressed', data: { reason: 'hard_bounce', scope: 'all', person: { email: email.to } } },
    {
      type: 'EmailBounced',
      data: { verified: true, message: { diagnostic: expect.stringContaining('gone@') as string } },
    },
  ]);
  const count = await on.countEvents();
  expect((await report('postfix-gone', email)).body).toEqual(taken('known', email.id, true));
  // As other mail servers pass it on.
  const changed = `Received: from elsewhere\n${reportOf('postfix-gone', email.id)}`.replaceAll('\n', '\r\n');
  expect((await post(changed, { 'x-envelope-to': `<${email.returnPath.toUpperCase()}>` })).body).toEqual(
    taken('known', email.id, true),
  );
  expect(await on.countEvents()).toBe(count);
});

test('a release holds against a repeat of the report', async () => {
  const email = await sent();
  await report('exim-gone', email);
  await ok(on.post('/v1/suppressions/release', { email: email.to, scope: 'all', reason: 'mailbox_is_back' }));
  expect((await report('exim-gone', email)).body).toEqual(taken('known', email.id, true));
  expect(await suppressedFor(email.to)).toEqual([]);
});

test('stops mail to a mailbox that does not exist according to the words alone, and after no other refusal', async () => {
  const kinds = {
    'postfix-without-code': 'hard',
    'postfix-policy': 'policy',
    'exim-policy': 'policy',
    'postfix-full': 'full',
    'exim-unknown-here': 'other',
    'postfix-utf8': 'policy',
  } as const satisfies Partial<Record<SomeReport, string>>;
  for (const [name, kind] of Object.entries(kinds) as [keyof typeof kinds, string][]) {
    const email = await sent();
    expect((await report(name, email)).body).toEqual(taken('bounced', email.id, true));
    expect(await emailOf(email), name).toMatchObject({ bounced: { kind, verified: true } });
    expect(await suppressedFor(email.to), name).toHaveLength(kind === 'hard' ? 1 : 0);
  }
});

test('a block of the sender that the sending server calls 5.1.1 stops mail to nobody', async () => {
  const email = await sent();
  const blocked = reportOf('postfix-gone', email.id, email.returnPath).replace(
    /^Diagnostic-Code: [^]*?\n(?! )/m,
    'Diagnostic-Code: smtp; 550 5.7.1 blocked for policy\n',
  );
  expect(blocked).toContain('Status: 5.1.1');
  expect((await post(blocked, { 'x-envelope-to': email.returnPath })).body).toEqual(taken('bounced', email.id, true));
  expect(await emailOf(email)).toMatchObject({ bounced: { kind: 'policy', enhanced_code: '5.7.1' } });
  expect(await suppressedFor(email.to)).toEqual([]);
});

test('a report that knows only the id of the email is recorded, is not believed and stops nothing', async () => {
  const email = await sent();
  const stranger = { ...email, returnPath: 'bounce@mail.example.com' };
  expect((await report('postfix-gone', stranger)).body).toEqual(taken('unverified', email.id, false));
  expect(await emailOf(email)).toMatchObject({ bounced: { verified: false, enhanced_code: '5.1.1' } });
  expect((await report('abuse', stranger)).body).toEqual(taken('unverified', email.id, false));
  expect(await suppressedFor(email.to)).toEqual([]);
  // The genuine report is taken anyway.
  expect((await report('postfix-gone', email)).body).toEqual(taken('bounced', email.id, true));
  expect(await suppressedFor(email.to)).toMatchObject([{ reason: 'hard_bounce' }]);
});

test('a report to a return path without a valid MAC is ignored', async () => {
  const email = await sent();
  const events = await on.countEvents();
  for (const forged of [
    email.returnPath.replace(/\.[a-z2-7]{16}@/, '.aaaaaaaaaaaaaaaa@'),
    email.returnPath.replace('@', 'a@'),
    email.returnPath.replace(/\.[a-z2-7]{16}@/, '@'),
  ]) {
    expect((await report('postfix-gone', email, forged)).body).toEqual(taken('ignored', null, false));
    expect((await report('abuse', email, forged)).body).toEqual(taken('ignored', null, false));
  }
  expect(await on.countEvents()).toBe(events);
});

test('the return path of one e-mail says nothing about another', async () => {
  const [one, other] = [await sent(), await sent()];
  expect((await report('postfix-gone', { ...other, returnPath: one.returnPath })).body).toEqual(
    taken('bounced', one.id, true),
  );
  expect(await emailOf(other)).toMatchObject({ bounced: null });
});

test('a complaint ends the subscription and all mail', async () => {
  const to = someAddress();
  const list_id = await on.make('/v1/lists/create', { list_name: unique('News') }, 'list_id');
  await ok(on.post(`/v1/contacts/${list_id}/create`, { email: to, status: 'Subscribed' }));
  const email = await sent(to, { list_id });
  const complaint = reportOf('abuse', email.id, email.returnPath);
  expect((await post(complaint, { 'x-envelope-to': 'abuse@mail.example.com' })).body).toEqual(
    taken('complained', email.id, true),
  );
  expect(await emailOf(email)).toMatchObject({ complained: { verified: true }, bounced: null });
  expect(await suppressedFor(to)).toMatchObject([
    { scope: 'all', reason: 'complaint' },
    { scope: list_id, reason: 'unsubscribe' },
  ]);
  const written = (await on.events()).filter(({ type }) => type !== 'RecordRead').slice(-4);
  expect(written.map(({ type }) => type)).toEqual([
    'AddressSuppressed',
    'AddressSuppressed',
    'ContactUnsubscribed',
    'EmailComplained',
  ]);
  expect(written[2]).toMatchObject({ data: { by: { kind: 'complaint', email_id: email.id } } });
});

test('a bounce changes no status in a list', async () => {
  const to = someAddress();
  const list_id = await on.make('/v1/lists/create', { list_name: unique('News') }, 'list_id');
  await ok(on.post(`/v1/contacts/${list_id}/create`, { email: to, status: 'Subscribed' }));
  await report('postfix-gone', await sent(to, { list_id }));
  const contact = await on.get(`/v1/contacts?email=${to}`);
  expect((contact.body as { data: { subscriptions: unknown } }).data.subscriptions).toMatchObject([
    { status: 'Subscribed' },
  ]);
});

test('a report whose HTML takes minutes to render is taken at once', async () => {
  const email = await sent();
  const text = reportOf('postfix-gone', email.id);
  const [boundary = ''] = /^--80E38C7841F.*$/m.exec(text) ?? [];
  const html = `${boundary}\nContent-Type: text/html\n\n<a ${'href=x'.repeat(3_000)}\n\n`;
  const [answer, other] = await Promise.all([
    post(text.replace(boundary, html + boundary), { 'x-envelope-to': email.returnPath }),
    on.get('/v1/email'),
  ]);
  expect(answer.body).toEqual(taken('bounced', email.id, true));
  expect(other.status).toBe(200);
});

test('a waiting email ends with its verified bounce, and not with an unverified one', async () => {
  smtp.behave('recipient 450 4.2.0 later');
  const to = someAddress();
  const { headers } = await ok(
    on.post('/v1/email/send', { from_email: 'a@example.com', to_email: to, subject: 's', mail_template: 't' }),
  );
  const id = String(headers.location).replace('/v1/email/', '');
  await until(id, 'deferred');
  smtp.behave('accept');
  const returnPath = returnPathOf(id, 'bounce@mail.example.com', deriveStreamKeys(secret).returnPathMac);
  const email = { id, to, returnPath };
  for (const name of ['postfix-policy', 'abuse'] as const)
    expect((await report(name, email, 'bounce@mail.example.com')).body).toEqual(taken('unverified', id, false));
  expect(await emailOf(email)).toMatchObject({ state: 'deferred', bounced: { verified: false } });
  expect((await report('postfix-policy', email)).body).toEqual(taken('bounced', id, true));
  expect(await emailOf(email)).toMatchObject({ state: 'cancelled', bounced: { kind: 'policy', verified: true } });
  expect((await on.post(`/v1/email/${id}/release`)).status).toBe(409);
});

test('no such mailbox at RCPT: the e-mail fails, and no further one is taken for the address', async () => {
  smtp.behave('recipient 550 5.1.1 User unknown', 'accept');
  const to = someAddress();
  const message = { from_email: 'a@example.com', to_email: to, subject: 's', mail_template: 't' };
  const { headers } = await ok(on.post('/v1/email/send', message));
  await until(String(headers.location).replace('/v1/email/', ''), 'failed');
  smtp.behave('accept');
  expect(await suppressedFor(to)).toMatchObject([{ scope: 'all', reason: 'hard_bounce' }]);
  expect((await on.post('/v1/email/send', message)).status).toBe(409);
});

test('what is about nothing, or says nothing, is taken, counted and not kept', async () => {
  const counts = async (): Promise<Record<string, number>> =>
    ((await on.get('/health/ready')).body as { data: { email_reports: Record<string, number> } }).data.email_reports;
  const [before, events] = [await counts(), await on.countEvents()];
  const stranger = { id: 'eml_01ARZ3NDEKTSV4RRFFQ69G5FAV', to: '', returnPath: 'bounce@mail.example.com' };
  expect((await report('postfix-gone', stranger)).body).toEqual(taken('unmatched', null, false));
  expect((await report('abuse', stranger)).body).toEqual(taken('unmatched', null, false));
  for (const text of ['Subject: I am on holiday\n\nuntil Monday', '\u0000'])
    expect((await post(text, { 'x-envelope-to': 'bounce@mail.example.com' })).body).toEqual(
      taken('ignored', null, false),
    );
  const email = await sent();
  const delayed = reportOf('postfix-gone', email.id).replace('Action: failed', 'Action: delayed');
  expect((await post(delayed, { 'x-envelope-to': email.returnPath })).body).toEqual(taken('ignored', null, false));
  const after = await counts();
  expect([after['unmatched']! - before['unmatched']!, after['ignored']! - before['ignored']!]).toEqual([2, 3]);
  // The e-mail's own three.
  expect(await on.countEvents()).toBe(events + 3);
  expect(on.output()).not.toContain('I am on holiday');
});

test('what is refused', async () => {
  const to = { 'x-envelope-to': 'bounce@mail.example.com' };
  expect((await post('Subject: x\n\n', {})).body).toEqual(refusal('X-Envelope-To is required', {}));
  expect(await post('Subject: x\n\n', { ...to, 'content-type': 'application/json' })).toMatchObject({
    status: 415,
    body: { message: 'Content-Type must be message/rfc822', type: 'unsupported_media_type' },
  });
  expect((await post(Buffer.alloc(1024 * 1024), to)).status).toBe(202);
  expect((await post(Buffer.alloc(1024 * 1024 + 1), to)).status).toBe(413);
  expect((await on.get('/v1/email/reports')).status).toBe(405);
  const made = await ok(on.post('/v1/keys', { name: unique('mta'), scopes: ['reports'] }));
  const key = (made.body as { data: { secret: string } }).data.secret;
  const other = await ok(on.post('/v1/keys', { name: unique('no'), scopes: ['email:write'] }));
  const otherKey = (other.body as { data: { secret: string } }).data.secret;
  const mail = 'Subject: x\n\n';
  expect((await post(mail, { ...to, authorization: `Bearer ${key}` })).status).toBe(202);
  expect((await post(mail, { ...to, authorization: `Bearer ${otherKey}` })).status).toBe(403);
  expect((await post(mail, { ...to, authorization: undefined })).status).toBe(401);
});

test('a report without a body is refused, because a pipe that delivers nothing must not look like a success', async () => {
  const to = { 'x-envelope-to': 'bounce@mail.example.com' };
  expect((await post('', to)).body).toEqual(refusal('Request body is required', {}));
  expect((await on.request('POST', '/v1/email/reports', { headers: to })).body).toEqual(
    refusal('Request body is required', {}),
  );
});

test('an erased person: nothing that a late report says is kept', async () => {
  const email = await sent();
  await report('postfix-policy', email);
  const erasure = await on.post('/v1/privacy/erasures', { email: email.to });
  await eventually(
    async () => (await on.get(String(erasure.headers.location))).field('status') === 'completed' || undefined,
    { what: 'the erasure' },
  );
  const [before] = (await eventsOf(email)).filter(({ type }) => type === 'EmailBounced');
  expect((before?.data as { message: unknown }).message).toMatch(/^sha256:/);
  expect((await report('postfix-gone', email)).body).toEqual(taken('bounced', email.id, true));
  const [suppressed, bounced] = (await eventsOf(email)).slice(-2);
  expect(suppressed).toMatchObject({ type: 'AddressSuppressed', data: { reason: 'hard_bounce' } });
  expect(suppressed?.data).not.toHaveProperty('person');
  expect(bounced).toMatchObject({ type: 'EmailBounced' });
  expect(bounced?.data).not.toHaveProperty('message');
  expect(await suppressedFor(email.to)).toMatchObject([{ reason: 'hard_bounce' }]);
});

test('history, feed and the days tell of them', async () => {
  const to = someAddress();
  const list_id = await on.make('/v1/lists/create', { list_name: unique('News') }, 'list_id');
  const contact_id = await on.make(`/v1/contacts/${list_id}/create`, { email: to, status: 'Subscribed' }, 'contact_id');
  const email = await sent(to);
  await report('postfix-gone', email);
  await report('abuse', email);
  const history = await on.get(`/v1/audit/contacts/${contact_id}/history`);
  expect(history.items().map(({ type }) => type)).toEqual(expect.arrayContaining(['EmailBounced', 'EmailComplained']));
  const feed = await on.get('/v1/audit/events?types=EmailBounced,EmailComplained&limit=200');
  expect(feed.items().length).toBeGreaterThan(1);
  const exported = await on.get(`/v1/privacy/export?email=${to}`, { accept: 'application/json' });
  expect(exported.text).toContain('The e-mail bounced (5.1.1): the mailbox does not exist.');
  expect(exported.text).toContain('550-5.1.1 <gone@example.net>: Recipient address rejected');
  const outcomes = await on.get('/v1/analytics/emails/outcomes?interval=month');
  expect(outcomes.text).toMatch(/"bounced":[1-9]\d*,"complained":[1-9]/);
});

test('the command reads standard input, and has the mail server try again whatever goes wrong', async () => {
  const email = await sent();
  const stdin = reportOf('postfix-gone', email.id);
  const words = ['email', 'report', email.returnPath];
  const env = { AUDIENCE_URL: on.url(), AUDIENCE_KEY: on.key };
  const notice = `Through the service at ${on.url()}.\n`;
  expect(await audience(words, { env, stdin })).toEqual({ code: 0, out: `bounced ${email.id}\n`, err: notice });
  expect(await audience([...words, '--json'], { env, stdin })).toMatchObject({
    code: 0,
    out: `{"outcome":"known","email_id":"${email.id}","verified":true}\n`,
  });
  // Of a long one its beginning is enough.
  const long = stdin + 'x'.repeat(3 * 1024 * 1024);
  expect(await audience(words, { env, stdin: long })).toMatchObject({ code: 0, out: `known ${email.id}\n` });
  expect(await audience(['email', 'report', 'jürgen@example.com'], { env, stdin })).toMatchObject({ code: 0 });
  for (const changed of [
    { ...env, AUDIENCE_KEY: 'no-key-of-this-service' },
    { ...env, AUDIENCE_KEY: '' },
    { ...env, AUDIENCE_URL: 'http://127.0.0.1:1' },
    { ...env, AUDIENCE_URL: 'nowhere' },
    { ...env, SECRET: 'short' },
  ])
    expect(await audience(words, { env: changed, stdin })).toMatchObject({ code: 75, out: '' });
  expect(await audience(['--bogus', ...words], { env, stdin })).toMatchObject({ code: 75 });
  for (const wrong of [[], [' '], ['two@example.com', 'at-once@example.com'], ['-begins-with-a-dash@example.com']])
    expect(await audience(['email', 'report', ...wrong], { env, stdin })).toMatchObject({ code: 75 });
  const cwd = mkdtempSync(path.join(tmpdir(), 'report-'));
  mkdirSync(path.join(cwd, '.env'));
  expect(await startAudience(words, { env: { AUDIENCE_URL: on.url() }, cwd, stdin }).ended).toMatchObject({ code: 75 });
  rmSync(path.join(cwd, '.env'), { recursive: true });
  if (process.geteuid?.() === 0) {
    writeFileSync(path.join(cwd, '.env'), '');
    chownSync(path.join(cwd, '.env'), 65_534, 65_534);
    expect(await startAudience(words, { env, cwd, stdin }).ended).toMatchObject({ code: 75 });
  }
  rmSync(cwd, { recursive: true });
});
