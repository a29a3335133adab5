/** E-mail through a real SMTP server: refusals by policy, certificates, what GET says of them, release and cancel. */
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { idOf, logPosition, refusals, someAddress, strangerId, success, unique } from '../support/answers.js';
import { audience, jsonLines } from '../support/audience.js';
import { eventually, startService, type Answer, type Service } from '../support/service.js';
import { openSmtp, startSmtp, type SmtpStandIn } from '../support/smtp.js';
import { storeVariables } from '../support/stores.js';

let smtp: SmtpStandIn;
let on: Service;
beforeAll(async () => {
  smtp = await openSmtp(['accept']);
  on = await startService({ env: { SMTP_URL: smtp.url, MAIL_IN_DOUBT: 'hold' } });
});
afterAll(async () => {
  await on.close();
  await smtp.close();
});
/** No e-mail of one test is sent in the next one. */
afterEach(async () => {
  for (const state of ['deferred', 'held'])
    for (const { email_id } of (await on.get(`/v1/email?state=${state}`)).items())
      await on.post(`/v1/email/${String(email_id)}/cancel`);
});

const messageTo = (to_email = someAddress()) => ({
  from_email: 'a@b.example',
  to_email,
  subject: 'Hi',
  mail_template: '<p>Hi</p>',
});
const idIn = (answer: Answer): string => String(answer.headers.location).replace('/v1/email/', '');
const send = async (to: Service): Promise<string> => idIn(await to.post('/v1/email/send', messageTo()));

const until = (from: Service, id: string, state: string): Promise<Answer> =>
  eventually(
    async () => {
      const answer = await from.get(`/v1/email/${id}`);
      // On servers the lease of a process that was killed has to run out first.
      return answer.status === 200 && answer.field('state') === state ? answer : undefined;
    },
    { what: `state ${state}` },
  );
const conflict = (done: string, why = ''): object => ({
  statusCode: 409,
  status: 'Error',
  message: `The email cannot be ${done}${why}`,
  type: 'conflict',
  data: {},
});

// Before the others: these two look at all e-mails there are.
test('the list pages by id and by state, and refuses what it does not know', async () => {
  smtp.behave('recipient 450');
  const ids = [await send(on), await send(on), await send(on)].sort();
  for (const id of ids) await until(on, id, 'deferred');
  const first = await on.get('/v1/email?limit=2&state=deferred');
  const { next_cursor } = first.body as { next_cursor: string };
  const rest = await on.get(`/v1/email?limit=2&state=deferred&cursor=${next_cursor}`);
  expect([...first.items(), ...rest.items()].map(({ email_id }) => email_id)).toEqual(ids);
  expect(rest.body).not.toHaveProperty('next_cursor');
  expect(Object.keys(first.items()[0] ?? {})).toEqual([
    'email_id',
    'state',
    'attempts',
    'requested_at',
    'sent_at',
    'next_attempt_at',
    'last_error',
    'bounced',
    'complained',
  ]);
  expect((await on.get('/v1/email')).items()).toHaveLength(3);
  for (const query of ['state=lost', 'states=held', 'state=held&state=sent', `cursor=${next_cursor}`])
    expect((await on.get(`/v1/email?${query}`)).status).toBe(400);
  expect(ids[0]).toMatch(idOf('eml'));
  for (const name of ['release', 'cancel']) {
    for (const id of [strangerId('eml'), 'x'])
      expect((await on.post(`/v1/email/${id}/${name}`)).body).toEqual(refusals.notFound);
    expect((await on.post(`/v1/email/${ids[0] ?? ''}/${name}`, { to: 'x' })).status).toBe(400);
    expect((await on.get(`/v1/email/${ids[0] ?? ''}/${name}`)).status).toBe(405);
  }
});

test('audience email lists, releases and cancels through the service; without one it lists from the log', async () => {
  smtp.behave('close after dot', 'close after dot', 'accept');
  // As the service was started: --data-dir would name the embedded stores.
  const env = { ...storeVariables(on.dataDir), DATA_DIR: on.dataDir, AUDIENCE_KEY: on.key };
  const run = (...words: readonly string[]) => audience(['email', ...words], { env });
  const first = await send(on);
  await until(on, first, 'held');
  const second = await send(on);
  await until(on, second, 'held');
  const listed = await run('list', '--state', 'held', '--json');
  expect(jsonLines(listed.out)).toEqual((await on.get('/v1/email?state=held')).items());
  expect(jsonLines((await run('list', '--json', '--limit', '1')).out)).toEqual(
    (await on.get('/v1/email?limit=1')).items(),
  );

  const released = await run('release', first);
  expect(released).toMatchObject({ code: 0, out: `${first}: Email released successfully!\n` });
  await until(on, first, 'sent');
  const cancelled = await run('cancel', strangerId('eml'), first, second);
  expect(cancelled).toMatchObject({ code: 1, out: `${second}: Email cancelled successfully!\n` });
  expect(cancelled.err).toContain('There is no e-mail of this id');
  expect(cancelled.err).toContain(`${first}: The email cannot be cancelled`);

  smtp.behave('close after dot', 'close after dot', 'recipient 550 5.2.2', 'accept');
  for (const state of ['held', 'held', 'failed']) await until(on, await send(on), state);
  expect(await run('release')).toMatchObject({ code: 2 });
  expect(await run('release', first, '--reason', 'timeout')).toMatchObject({ code: 2 });
  const none = await run('release', '--reason', 'auth_failed');
  expect(none).toMatchObject({ code: 1, err: expect.stringMatching(/Reasons that there are: connection_lost\.$/m) });
  const byReason = await run('release', '--reason', 'connection_lost');
  expect(byReason.out.match(/released successfully/g)).toHaveLength(2);
  expect((await run('release', '--reason', 'smtp_5xx', '--failed')).out.match(/released/g)).toHaveLength(1);
  for (const { email_id } of (await on.get('/v1/email')).items().slice(-3)) await until(on, String(email_id), 'sent');

  const known = (await on.get('/v1/email')).items();
  await on.kill('SIGTERM');
  expect(jsonLines((await run('list', '--json')).out)).toEqual(known);
  expect((await run('list', '--state', 'cancelled')).out).toMatch(new RegExp(`${second} +cancelled`));
  expect(await run('release', first)).toMatchObject({ code: 1, err: expect.stringMatching(/^No service runs/) });
  expect(await run('list', '--state', 'lost')).toMatchObject({ code: 2 });
  await on.start();
});

test('a 5.7.x refusal is deferred as policy, another 5xx fails; last_error has the codes and no text', async () => {
  smtp.behave('recipient 554 5.7.1', 'recipient 550 5.1.1');
  const first = await send(on);
  const deferred = await until(on, first, 'deferred');
  expect(deferred.field('last_error')).toBe('policy 554 5.7.1');
  const failed = await until(on, await send(on), 'failed');
  expect(failed.field('last_error')).toBe('smtp_5xx 550 5.1.1');
  expect(deferred.text + failed.text).not.toContain('example');
  const outcomes = (await on.events()).filter(({ type }) => ['EmailDeferred', 'EmailFailed'].includes(type));
  expect(outcomes.slice(-2).map(({ data }) => data['enhanced_code'])).toEqual(['5.7.1', '5.1.1']);
});

test('a relay with a certificate that nobody trusts is named by readiness and in the log, with what to do; clear text is warned of', async () => {
  const secure = await startSmtp(['accept'], { disabledCommands: [] });
  const other = await startService({ env: { SMTP_URL: secure.url } });
  onTestFinished(() => other.close());
  const deferred = await until(other, await send(other), 'deferred');
  expect(deferred.field('last_error')).toBe('tls');
  const advice = /"tls_code":"\w+".*certificate of the mail server.*NODE_EXTRA_CA_CERTS/;
  await eventually(() => Promise.resolve(advice.test(other.output()) || undefined), { what: 'advice' });
  const ready = await other.get('/health/ready');
  const refuses = { since: expect.stringMatching(/Z$/), reason: 'tls', tls_code: expect.stringMatching(/^\w+$/) };
  expect(ready).toMatchObject({ status: 200, body: { data: { mailer: { relay: { connections: 10, refuses } } } } });
  expect(other.output()).toMatch(/"type":"relay_refuses".*"reason":"tls".*takes no e-mail/);
  expect(secure.messages).toEqual([]);
  expect(other.output()).not.toContain('clear text');
  await other.close();
  const clear = await startService({ env: { SMTP_URL: `${secure.url}?requireTLS=false` } });
  onTestFinished(() => clear.close());
  const warning = 'SMTP_URL has requireTLS=false: e-mails may be sent in clear text';
  await eventually(() => Promise.resolve(clear.output().includes(warning) || undefined), { what: 'the warning' });
});

test('a held e-mail is released and sent; then it can be neither released nor cancelled', async () => {
  smtp.behave('close after dot', 'accept');
  const id = await send(on);
  await until(on, id, 'held');
  const held = await on.get('/v1/email?state=held');
  expect(held.items()).toMatchObject([{ email_id: id, state: 'held', last_error: 'connection_lost' }]);
  const released = await on.post(`/v1/email/${id}/release`);
  expect(released.status).toBe(200);
  expect(released.body).toEqual(success('Email released successfully!', { email_id: id, state: 'deferred' }));
  expect(released.headers['x-position']).toMatch(logPosition);
  await until(on, id, 'sent');
  expect(smtp.messages.map(({ accepted }) => accepted)).toEqual([false, true]);
  for (const [name, done] of [['release', 'released'] as const, ['cancel', 'cancelled'] as const]) {
    const refused = await on.post(`/v1/email/${id}/${name}`, {});
    expect(refused.status).toBe(409);
    expect(refused.body).toEqual(conflict(done));
  }
  expect((await on.get('/v1/email?state=held')).items()).toEqual([]);
});

test('a failed e-mail is released and sent, and then counts as no longer failed', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const outcomes = async () => {
    const found = await on.get(`/v1/analytics/emails/outcomes?from=${today}&interval=month`);
    return (found.body as { data: { rows: Record<string, number>[] } }).data.rows[0] ?? {};
  };
  const before = await outcomes();
  smtp.behave('recipient 550 Not now', 'accept');
  const message = messageTo();
  const key = { 'idempotency-key': 'failed-once' };
  const id = idIn(await on.post('/v1/email/send', message, key));
  await until(on, id, 'failed');
  const repeated = await on.post('/v1/email/send', message, key);
  expect(repeated.headers['idempotent-replayed']).toBe('true');
  const released = await on.post(`/v1/email/${id}/release`);
  expect(released.body).toEqual(success('Email released successfully!', { email_id: id, state: 'deferred' }));
  expect((await until(on, id, 'sent')).body).toMatchObject({ data: { attempts: 2 } });
  expect(smtp.messages).toHaveLength(1);
  const after = await outcomes();
  const change = (name: string): number => (after[name] ?? 0) - (before[name] ?? 0);
  expect({ failed: change('failed'), reopened: change('reopened'), sent: change('sent') }).toEqual({
    failed: 1,
    reopened: 1,
    sent: 1,
  });
  expect((await on.post(`/v1/email/${id}/release`)).body).toEqual(conflict('released'));
});

test('a failed e-mail that is erased with its recipient is not released', async () => {
  smtp.behave('recipient 550 5.1.1');
  const message = messageTo();
  const id = idIn(await on.post('/v1/email/send', message));
  await until(on, id, 'failed');
  const asked = await on.post('/v1/privacy/erasures', { email: message.to_email });
  const erasure = String(asked.field('erasure_id'));
  await eventually(
    async () => (await on.get(`/v1/privacy/erasures/${erasure}`)).field('status') === 'completed' || undefined,
    { what: 'the erasure' },
  );
  const refused = await on.post(`/v1/email/${id}/release`);
  expect(refused.status).toBe(409);
  expect(refused.body).toEqual(conflict('released', ': what it said is erased'));
});

test('a cancelled e-mail is never sent, and stays cancelled', async () => {
  smtp.behave('recipient 450', 'accept');
  const id = await send(on);
  await until(on, id, 'deferred');
  const cancelled = await on.post(`/v1/email/${id}/cancel`);
  expect(cancelled.body).toEqual(success('Email cancelled successfully!', { email_id: id, state: 'cancelled' }));
  const last = (await on.events()).at(-1);
  expect(last).toMatchObject({ type: 'EmailCancelled', data: { email_id: id, reason: 'requested_by_client' } });
  expect((await on.get(`/v1/email/${id}`)).body).toMatchObject({
    data: { state: 'cancelled', next_attempt_at: null, last_error: 'smtp_4xx 450' },
  });
  expect((await on.post(`/v1/email/${id}/cancel`)).body).toEqual(conflict('cancelled'));
  expect((await on.post(`/v1/email/${id}/release`)).body).toEqual(conflict('released'));
  // What is due is sent in the order in which it is due: had the first one been sent, it would stand before this one.
  await until(on, await send(on), 'sent');
  await on.kill('SIGKILL');
  await on.start();
  await until(on, await send(on), 'sent');
  expect((await on.get(`/v1/email/${id}`)).field('state')).toBe('cancelled');
  expect(smtp.messages).toHaveLength(2);
});

test('an Idempotency-Key is taken where it does nothing: clients may add it to each write', async () => {
  smtp.behave('accept');
  const id = await send(on);
  await until(on, id, 'sent');
  const key = { 'idempotency-key': 'once' };
  for (const path of [`/v1/email/${id}/release`, `/v1/email/${id}/cancel`])
    expect((await on.post(path, {}, key)).body, path).toMatchObject({ statusCode: 409, type: 'conflict' });
  expect((await on.post('/v1/projections/lists/rebuild', { dry_run: true }, key)).status).toBe(200);
  expect((await on.get(`/v1/email/${id}`)).field('state')).toBe('sent');
  expect((await on.post('/v1/lists/create', { list_name: unique('News') }, key)).status).toBe(200);
});

test('of cancelling and claiming at once one wins: what was cancelled is not sent, what is sent was not cancelled', async () => {
  smtp.behave('accept');
  const ends = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const id = await send(on);
      const { status } = await on.post(`/v1/email/${id}/cancel`);
      await until(on, id, status === 200 ? 'cancelled' : 'sent');
      return status;
    }),
  );
  expect(new Set([...ends, 200, 409])).toEqual(new Set([200, 409]));
  expect(smtp.messages).toHaveLength(ends.filter((status) => status === 409).length);
});
