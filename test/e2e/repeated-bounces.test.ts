/** An address whose mail server keeps refusing, through HTTP and the command line, over several days. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok, someAddress, unique } from '../support/answers.js';
import { audience } from '../support/audience.js';
import { eventually, startService, type Answer, type Service } from '../support/service.js';
import { createShiftedClock } from '../support/shifted-clock.js';

const day = 86_400_000;
const clock = createShiftedClock();
let service: Service;
beforeAll(async () => {
  service = await startService({ env: clock.env });
});
afterAll(async () => {
  await service.close();
  clock.remove();
});

const messageTo = (to_email: string) => ({
  ...{ from_email: 'News <news@example.com>', to_email },
  ...{ subject: 'Hi', mail_template: '<p>Hi</p>' },
});

/** Sends an email to the outbox, and returns its id and its header X-Audience-Email. */
async function sent(to: string): Promise<{ readonly id: string; readonly proof: string }> {
  const { headers } = await ok(service.post('/v1/email/send', messageTo(to)));
  const id = String(headers.location).replace('/v1/email/', '');
  const isSent = async () => (await service.get(`/v1/email/${id}`)).field('state') === 'sent' || undefined;
  await eventually(isSent, { what: 'the email in the outbox' });
  const text = readFileSync(path.join(service.dataDir, 'outbox', `${id}.eml`), 'latin1');
  return { id, proof: /^X-Audience-Email: (\S+)\r$/m.exec(text)?.[1] ?? 'none' };
}

/** Reports that a server gave up on the email without a clear reason. */
const bounce = (proof: string, status = '5.3.0'): Promise<Answer> =>
  service.request('POST', '/v1/email/reports', {
    raw: `Content-Type: multipart/report; boundary="b"

--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.net

Final-Recipient: rfc822; someone@example.net
Action: failed
Status: ${status}

--b
Content-Type: text/rfc822-headers

X-Audience-Email: ${proof}

--b--
`,
    headers: { 'content-type': 'message/rfc822', 'x-envelope-to': 'news@example.com' },
  });

/** Sends an email on a day, counted from now, and reports it. */
async function bounceOn(days: number, to: string): Promise<string> {
  clock.set(days * day);
  const { id, proof } = await sent(to);
  expect((await bounce(proof)).field('outcome')).toBe('bounced');
  return id;
}

const found = async (email: string) =>
  (
    (await ok(service.post('/v1/suppressions/search', { email }))).body as {
      data: { active: object[]; history: object[] };
    }
  ).data;

test('three unclear bounces on three days stop mail, and a release lets it go out again', async () => {
  const to = someAddress();
  const emails = [await bounceOn(0, to), await bounceOn(0, to), await bounceOn(1, to)];
  expect((await found(to)).active).toEqual([]);
  const last = await bounceOn(2, to);
  const { active, history } = await found(to);
  expect(active).toMatchObject([{ scope: 'all', reason: 'repeated_bounces', email_id: last }]);
  expect(history).toMatchObject([
    ...[...emails, last].map((email_id) => ({ type: 'BounceCounted', scope: null, reason: 'unclear', email_id })),
    { type: 'AddressSuppressed', scope: 'all', reason: 'repeated_bounces', email_id: last },
  ]);
  const refused = await service.post('/v1/email/send', messageTo(to));
  expect(refused.status).toBe(409);
  expect(refused.body).toMatchObject({
    ...{ message: "The recipient's mail server keeps refusing", type: 'suppressed' },
    data: { reason: 'repeated_bounces', since: expect.any(String) as string },
  });
  expect((await ok(service.get('/v1/suppressions?reason=repeated_bounces'))).items()).toMatchObject([{ email: to }]);
  const list = ['--data-dir', service.dataDir, 'suppressions', 'list', '--reason', 'repeated_bounces'];
  const listed = await audience(list, { env: { AUDIENCE_URL: service.url(), AUDIENCE_KEY: service.key } });
  expect(listed.out).toContain(to);
  const told = (await ok(service.get(`/v1/audit/emails/${last}/history`))).text;
  expect(told).toContain(
    "The recipient's mail server permanently refused the email without a clear reason: this counts toward stopping mail to the address.",
  );
  expect(told).toContain(
    "From then on, all mail to the address is refused: the recipient's mail server keeps refusing.",
  );

  await ok(service.post('/v1/suppressions/release', { email: to, scope: 'all', reason: 'server_is_fixed' }));
  await bounceOn(3, to);
  expect((await found(to)).active).toEqual([]);
  clock.set(0);
});

test('a person who was erased and comes back begins without the bounces from before', async () => {
  const to = someAddress();
  clock.set(0);
  const list = await service.make('/v1/lists/create', { list_name: unique('News') }, 'list_id');
  await ok(service.post(`/v1/contacts/${list}/create`, { email: to, status: 'Subscribed' }));
  await bounceOn(0, to);
  const late = await sent(to);
  await bounceOn(1, to);
  const { headers } = await service.post('/v1/privacy/erasures', { email: to });
  const isErased = async () =>
    (await service.get(String(headers.location))).field('status') === 'completed' || undefined;
  await eventually(isErased, { what: 'the erasure' });
  expect((await found(to)).history.at(-1)).toMatchObject({ type: 'SuppressionErased' });
  await ok(service.post(`/v1/contacts/${list}/create`, { email: to, status: 'Subscribed' }));
  // A report about an email of the life before does not count either.
  const count = (await found(to)).history.length;
  expect((await bounce(late.proof)).field('outcome')).toBe('bounced');
  expect((await found(to)).history).toHaveLength(count);
  await bounceOn(2, to);
  await bounceOn(3, to);
  expect((await found(to)).active).toEqual([]);
  await bounceOn(4, to);
  expect((await found(to)).active).toMatchObject([{ reason: 'repeated_bounces' }]);
  clock.set(0);
});

test('mail stops after as many days as BOUNCE_THRESHOLD says', async () => {
  await service.kill('SIGTERM');
  await service.start({ BOUNCE_THRESHOLD: '1' });
  const to = someAddress();
  await bounceOn(0, to);
  expect((await found(to)).active).toMatchObject([{ reason: 'repeated_bounces' }]);
});
