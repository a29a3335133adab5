/** Transactional e-mail over HTTP: what is accepted, what a repeat answers, and that it arrives in the outbox. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  idOf,
  instant,
  logPosition,
  refusal,
  refusals,
  someAddress,
  someRequestId,
  strangerId,
  success,
  unique,
} from '../support/answers.js';
import { eventually, type Answer, type Overrides, type Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

interface Request {
  readonly from_email: string;
  readonly to_email: string;
  readonly subject: string;
  readonly mail_template: string;
}

const example = (changes: Partial<Request> = {}): Request => ({
  from_email: 'ledger@example.com',
  to_email: someAddress(),
  subject: unique('Hello'),
  mail_template: '<h1>Hello</h1><p>It is <b>spring</b>.</p>',
  ...changes,
});
const send = (body: object, headers: Overrides = {}): Promise<Answer> => service.post('/v1/email/send', body, headers);
const idIn = (answer: Answer): string => String(answer.headers.location).replace('/v1/email/', '');
const accepted = (body: object, answer: Answer): unknown => ({
  ...success('Email accepted for delivery!', body),
  email_id: idIn(answer),
});
const requests = async (requestId: string): Promise<unknown[]> =>
  (await service.events(requestId)).filter(({ type }) => type === 'EmailRequested');

/** The e-mail once it is sent, as GET shows it. */
const sent = (id: string): Promise<Answer> =>
  eventually(
    async () => {
      const answer = await service.get(`/v1/email/${id}`);
      return answer.field('state') === 'sent' ? answer : undefined;
    },
    { what: 'state sent' },
  );

/** The messages in the outbox that carry this id. */
async function delivered(id: string): Promise<Email[]> {
  const outbox = path.join(service.dataDir, 'outbox');
  const files = readdirSync(outbox).filter((name) => name.endsWith('.eml'));
  const emails = await Promise.all(files.map((name) => PostalMime.parse(readFileSync(path.join(outbox, name)))));
  return emails.filter(({ messageId }) => messageId?.includes(id));
}

describe('send', () => {
  test('echoes exactly the documented fields, names the e-mail, and stores it', async () => {
    const body = example();
    const requestId = someRequestId();
    const answer = await send({ ...body, bcc: 'eve@example.com', email_id: 'x' }, { 'x-request-id': requestId });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(accepted(body, answer));
    expect(idIn(answer)).toMatch(idOf('eml'));
    expect(answer.headers['x-position']).toMatch(logPosition);
    expect(answer.headers).not.toHaveProperty('idempotent-replayed');
    const [event] = await service.events(requestId);
    expect(event).toMatchObject({ type: 'EmailRequested', data: { email_id: idIn(answer), message: body } });
    expect(event?.stream).toMatch(/^email-[0-9a-f]{32}$/);
  });

  test('reaches the outbox, once, as it was asked for', async () => {
    const body = example({ from_email: 'Ada King <ada@ledger.example>', subject: unique('Grüße 😀') });
    const answer = await send(body);
    const id = idIn(answer);
    const state = await sent(id);
    expect(state.body).toEqual({
      statusCode: 200,
      status: 'Success',
      data: {
        email_id: id,
        state: 'sent',
        attempts: 1,
        requested_at: expect.stringMatching(instant) as unknown,
        sent_at: expect.stringMatching(instant) as unknown,
        next_attempt_at: null,
        last_error: null,
        bounced: null,
        complained: null,
      },
    });
    const emails = await delivered(id);
    expect(emails).toHaveLength(1);
    expect(emails[0]).toMatchObject({
      messageId: `<${id}@ledger.example>`,
      from: { address: 'ada@ledger.example', name: 'Ada King' },
      to: [{ address: body.to_email, name: '' }],
      subject: body.subject,
    });
    expect(emails[0]?.html?.trim()).toBe(body.mail_template);
    expect(emails[0]?.text?.toLowerCase()).toContain('hello');
    expect(emails[0]?.text).not.toContain('<p>');
    expect(emails[0]).not.toHaveProperty('bcc');
  });

  test('reaches somebody who unsubscribed', async () => {
    const list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
    const body = example();
    await service.post(`/v1/contacts/${list}/create`, { email: body.to_email, status: 'Unsubscribed' });
    const id = idIn(await send(body));
    await sent(id);
    expect(await delivered(id)).toHaveLength(1);
  });

  test('evaluates no template, and shows no address in its state', async () => {
    const body = example({ mail_template: '{{7*7}} ${7*7} <%= 7*7 %> {% raw %}\r\n\tEnd\n' });
    const answer = await send(body);
    expect(answer.body).toEqual(accepted(body, answer));
    const state = await sent(idIn(answer));
    expect(state.text).not.toContain('@');
    const [email] = await delivered(idIn(answer));
    expect(email?.html).toContain('{{7*7}} ${7*7} <%= 7*7 %> {% raw %}');
  });

  test('an unknown one is 404', async () => {
    for (const id of [strangerId('eml'), 'x', strangerId('con')])
      expect((await service.get(`/v1/email/${id}`)).body).toEqual(refusals.notFound);
  });
});

describe('limits', () => {
  test.each([
    ['a subject of 900 bytes', { subject: 'x'.repeat(900) }],
    ['a subject of 900 bytes in 450 characters', { subject: 'é'.repeat(450) }],
    ['a template of one byte', { mail_template: 'x' }],
    ['a template of 512 KiB', { mail_template: 'x'.repeat(512 * 1024) }],
    ['a template of 512 KiB in two-byte characters', { mail_template: 'é'.repeat(256 * 1024) }],
    ['a sender without a name', { from_email: 'ledger@example.com' }],
    ['a sender with a name', { from_email: 'The Ledger <ledger@example.com>' }],
    ['a sender with a name beyond ASCII', { from_email: 'Žofie Králová <ledger@example.com>' }],
  ])('takes %s', async (_what, changes) => {
    const body = example(changes);
    const answer = await send(body);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(accepted(body, answer));
    expect((await sent(idIn(answer))).field('state')).toBe('sent');
  });

  test('white space around an address counts: up to 1,024 bytes are taken, and stored as received', async () => {
    const body = example({ to_email: 'ada@example.com'.padEnd(1024), from_email: 'ada@example.com'.padStart(1024) });
    const answer = await send(body);
    expect(answer.body).toEqual(accepted(body, answer));
    for (const field of ['from_email', 'to_email']) {
      const longer = { ...body, [field]: 'ada@example.com'.padEnd(1025) };
      const requestId = someRequestId();
      const refused = await send(longer, { 'x-request-id': requestId });
      expect(refused.status).toBe(400);
      expect(refused.body).toEqual(refusal(`${field} must be at most 1024 bytes`, longer));
      expect(await requests(requestId)).toEqual([]);
    }
    const both = example({ to_email: `\u0000${'a'.repeat(1024)}` });
    expect((await send(both)).body).toEqual(refusal('to_email must be at most 1024 bytes', both));
    const asked = await service.get(`/v1/contacts?email=${'%20'.repeat(1024)}ada@example.com`);
    expect(asked.body).toEqual(refusal('email must be at most 1024 bytes', {}));
    const audited = await service.get(`/v1/audit/contacts/${'%20'.repeat(1024)}ada@example.com/history`);
    expect(audited.body).toEqual(refusal('contact must be at most 1024 bytes', {}));
  });

  test('refuses a template that is too large as it is encoded in the event', async () => {
    for (const mail_template of ['\n'.repeat(400 * 1024) + 'x', `${'"'.repeat(400 * 1024)}`]) {
      const requestId = someRequestId();
      const body = example({ mail_template });
      const answer = await send(body, { 'x-request-id': requestId });
      expect(answer.status).toBe(400);
      const { mail_template: _left, ...echo } = body;
      expect(answer.body).toEqual(
        refusal(expect.stringMatching(/^mail_template must be at most \d+ bytes$/) as string, echo),
      );
      expect(await requests(requestId)).toEqual([]);
    }
  });

  test('refuses a body of more than 1 MiB', async () => {
    const answer = await send(example({ mail_template: 'x'.repeat(1024 * 1024) }));
    expect(answer.status).toBe(413);
    expect(answer.body).toEqual(refusals.tooLarge);
  });
});

describe('Idempotency-Key', () => {
  const newKey = (): string => unique('order').replace(' ', '-');

  test('a repeat answers the first answer, says so, and sends nothing', async () => {
    const [body, key, requestId] = [example(), newKey(), someRequestId()];
    const first = await send(body, { 'idempotency-key': key });
    const repeat = await send({ ...body, note: 1 }, { 'idempotency-key': key, 'x-request-id': requestId });
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    expect(repeat.headers['idempotent-replayed']).toBe('true');
    expect(repeat.status).toBe(200);
    expect(repeat.body).toEqual(accepted(body, repeat));
    expect(repeat.headers.location).toBe(first.headers.location);
    expect(repeat.headers['x-position']).toMatch(logPosition);
    expect(await requests(requestId)).toEqual([]);
    await sent(idIn(first));
    expect((await send(body, { 'idempotency-key': key })).headers['idempotent-replayed']).toBe('true');
    expect(await delivered(idIn(first))).toHaveLength(1);
  });

  test.each([
    ['from_email', 'other@example.com'],
    ['to_email', 'other@example.com'],
    ['subject', 'Another'],
    ['mail_template', 'Another'],
  ])('with another %s is 422', async (field, value) => {
    const [body, key, requestId] = [example(), newKey(), someRequestId()];
    await send(body, { 'idempotency-key': key });
    const other = { ...body, [field]: value };
    const answer = await send(other, { 'idempotency-key': key, 'x-request-id': requestId });
    expect(answer.status).toBe(422);
    expect(answer.body).toEqual({
      statusCode: 422,
      status: 'Error',
      message: 'Idempotency-Key was used with a different request',
      data: other,
      type: 'idempotency_conflict',
    });
    expect(await requests(requestId)).toEqual([]);
  });

  test('one that was refused is not used up', async () => {
    const [body, key] = [example(), newKey()];
    const refused = await send({ ...body, subject: '' }, { 'idempotency-key': key });
    expect(refused.status).toBe(400);
    const answer = await send(body, { 'idempotency-key': key });
    expect(answer.status).toBe(200);
    expect(answer.headers).not.toHaveProperty('idempotent-replayed');
  });

  test.each([[''], ['x'.repeat(256)], ['two words'], ['tab\there'], ['é']])('a bad one is 400: %#', async (key) => {
    const [body, requestId] = [example(), someRequestId()];
    const answer = await send(body, { 'idempotency-key': key, 'x-request-id': requestId });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(refusal('Idempotency-Key must be 1 to 255 visible ASCII characters', body));
    expect(await requests(requestId)).toEqual([]);
  });

  test.each([['!'], [`~${'x'.repeat(242)}`]])('one of %s is fine', async (start) => {
    const key = start + (start.length > 200 ? newKey().slice(-12) : newKey());
    expect((await send(example(), { 'idempotency-key': key })).status).toBe(200);
  });

  test('32 at once are one e-mail', async () => {
    const [body, key] = [example(), newKey()];
    const answers = await Promise.all(Array.from({ length: 32 }, () => send(body, { 'idempotency-key': key })));
    expect(new Set(answers.map((answer) => `${answer.status} ${idIn(answer)}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
    expect(answers.filter((answer) => answer.headers['idempotent-replayed'] === undefined)).toHaveLength(1);
    const id = idIn(answers[0] ?? (await send(body)));
    const asked = (await service.events()).filter(
      ({ type, data }) => type === 'EmailRequested' && data['email_id'] === id,
    );
    expect(asked).toHaveLength(1);
    await sent(id);
    expect(await delivered(id)).toHaveLength(1);
  });

  test('is remembered after a kill', async () => {
    const [body, key] = [example(), newKey()];
    const first = await send(body, { 'idempotency-key': key });
    await service.kill('SIGKILL');
    await service.start();
    const repeat = await send(body, { 'idempotency-key': key });
    expect(repeat.headers['idempotent-replayed']).toBe('true');
    expect(repeat.headers.location).toBe(first.headers.location);
    expect((await send({ ...body, subject: 'x' }, { 'idempotency-key': key })).status).toBe(422);
  });
});
