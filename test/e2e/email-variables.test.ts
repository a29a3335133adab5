/** Variables of e-mails over HTTP: rendered when they go out, stored as sent, and refused before anything is written. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import PostalMime from 'postal-mime';
import { beforeAll, expect, test } from 'vitest';
import { someAddress, someRequestId, success, unique } from '../support/answers.js';
import { eventually, type Answer, type Overrides, type Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

const four = (changes: object = {}) => ({
  from_email: 'shop@example.com',
  to_email: someAddress(),
  subject: 'Order {{order.number}} of {{{name}}}',
  mail_template: '<p>Dear {{name}},</p>\n<ul>\n{{#items}}\n<li>{{title}}</li>\n{{/items}}\n</ul>',
  ...changes,
});
const variables = { name: 'R&D <b>', order: { number: 7 }, items: [{ title: 'Ünï' }, { title: '3 > 2' }] };
const send = (body: object, headers: Overrides = {}): Promise<Answer> => service.post('/v1/email/send', body, headers);

test('subject and template go out rendered, and are stored as sent', async () => {
  const requestId = someRequestId();
  const body = four();
  const answer = await send({ ...body, variables }, { 'x-request-id': requestId });
  expect(answer.body).toMatchObject(success('Email accepted for delivery!', body));
  const [event] = await service.events(requestId);
  expect(event?.data['message']).toEqual({ salt: expect.any(String) as unknown, ...body, variables });

  const location = String(answer.headers.location);
  await eventually(async () => ((await service.get(location)).field('state') === 'sent' ? true : undefined), {
    what: 'state sent',
  });
  const file = path.join(service.dataDir, 'outbox', `${location.replace('/v1/email/', '')}.eml`);
  const mail = await PostalMime.parse(readFileSync(file));
  expect(mail.subject).toBe('Order 7 of R&D <b>');
  const html = '<p>Dear R&amp;D &lt;b&gt;,</p>\n<ul>\n<li>Ünï</li>\n<li>3 &gt; 2</li>\n</ul>';
  expect(mail.html?.replaceAll('\r', '').trim()).toBe(html);
  expect(mail.text).toContain('Dear R&D <b>,');
});

test('an Idempotency-Key covers the variables', async () => {
  const key = { 'idempotency-key': unique('key').replaceAll(' ', '-') };
  const body = four({ subject: '{{name}}', mail_template: '{{name}}' });
  const first = await send({ ...body, variables: { name: 'Ada' } }, key);
  const repeat = await send({ ...body, variables: { name: 'Ada' } }, key);
  expect([repeat.headers.location, repeat.headers['idempotent-replayed']]).toEqual([first.headers.location, 'true']);
  for (const other of [{ ...body, variables: { name: 'Eve' } }, body])
    expect((await send(other, key)).status).toBe(422);
});

const nested = (levels: number): unknown => (levels === 0 ? 'x' : { a: nested(levels - 1) });

test.each<[object, string]>([
  [{ variables: 'x' }, 'variables must be an object'],
  [{ variables: ['x'] }, 'variables must be an object'],
  [{ variables: {} }, 'variables.order.number is required'],
  [{ variables: { ...variables, name: null } }, 'variables.name is required'],
  [{ variables: { ...variables, name: {} } }, 'variables.name must be a string, a number or a boolean'],
  [{ variables: { ...variables, name: 'a\nb' } }, 'subject contains invalid characters'],
  [{ variables: { ...variables, name: 'a\u0000b' } }, 'variables contains invalid characters'],
  [{ variables: { ...variables, x: ['\ud800'] } }, 'variables contains invalid characters'],
  [{ variables: { ...variables, '\u0007': 1 } }, 'variables contains invalid characters'],
  [{ variables: { ...variables, name: 'x'.repeat(900) } }, 'subject must be at most 900 bytes'],
  [{ variables: { ...variables, deep: nested(10) } }, 'variables must be at most 10 levels deep'],
  [{ variables: { ...variables, many: Array(10_000).fill(0) } }, 'variables must have at most 10000 values'],
  [
    { variables, mail_template: '{{> x}}' },
    'mail_template cannot be rendered: the tag at 1 is none of {{name}} {{{name}}} {{&name}} {{#name}} {{^name}} {{/name}} {{! comment}}',
  ],
  [{ variables, subject: '{{#x}}' }, 'subject cannot be rendered: Unclosed section "x"'],
  [{ variables, mail_template: '{{^name}}x{{/name}}' }, 'mail_template is required'],
])('refused: %j', async (changes, message) => {
  const requestId = someRequestId();
  const body = four();
  const answer = await send({ ...body, ...changes }, { 'x-request-id': requestId });
  const { variables: _, ...shown } = { variables: {}, ...body, ...changes };
  expect(answer.status).toBe(400);
  expect(answer.body).toEqual({ statusCode: 400, status: 'Error', type: 'validation_error', message, data: shown });
  expect(await service.events(requestId)).toEqual([]);
});

test.each([
  ['{"name":1e400}', 'variables contains a number that is too large'],
  ['{"__proto__":{"name":"Ada"}}', 'variables contains invalid characters'],
  ['{"items":[{"__proto__":1}]}', 'variables contains invalid characters'],
  [`{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'Request body must be at most 32 levels deep'],
  [`{"name":${'['.repeat(20)}${']'.repeat(20)}}`, 'variables must be at most 10 levels deep'],
])('refused before anything is made of it: %.30s', async (text, message) => {
  const raw = `${JSON.stringify(four()).slice(0, -1)},"variables":${text}}`;
  const headers = { 'content-type': 'application/json' };
  const answer = await service.request('POST', '/v1/email/send', { raw, headers });
  expect(answer.body).toMatchObject({ statusCode: 400, message });
});

test('names of the language itself are missing values', async () => {
  const answer = await send({ ...four({ subject: '{{constructor.name}}' }), variables: {} });
  expect(answer.body).toMatchObject({ statusCode: 400, message: 'variables.constructor.name is required' });
});

test('members of variables are no unknown fields', async () => {
  const answer = await send({ ...four(), variables }, { prefer: 'handling=strict' });
  expect([answer.status, answer.headers['preference-applied']]).toEqual([200, 'handling=strict']);
});

test('null is no variables', async () => {
  expect((await send({ ...four({ subject: '{{x}}' }), variables: null })).status).toBe(200);
});
