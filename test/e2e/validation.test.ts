/** Every row of the contract's table of messages that is about a field, on every endpoint that it applies to. None of these writes an event. */
import { beforeAll, describe, expect, test } from 'vitest';
import { refusal } from '../support/answers.js';
import { createWorld, titleOf, writing, type Endpoint, type Field, type World } from '../support/endpoints.js';
import { expectNothingWritten } from './nothing-written.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
let world: World;

beforeAll(async () => {
  service = await sharedService();
  world = await createWorld(service);
});
expectNothingWritten(() => service);

const bodyOf = (endpoint: Endpoint): Record<string, unknown> => endpoint.body?.(world) ?? {};

/** Sends the body as JSON text, so that lone surrogates travel as escapes, and expects exactly this refusal with the body as its echo. */
async function refused(endpoint: Endpoint, body: Record<string, unknown>, message: string): Promise<void> {
  const answer = await service.request(endpoint.method, endpoint.path(world), { body });
  const label = `${titleOf(endpoint)} ${JSON.stringify(body).slice(0, 200)}`;
  expect(answer.status, label).toBe(400);
  expect(answer.body, label).toEqual(refusal(message, echoOf(body)));
}

/** Fields over 8 KiB are left out of an echo; the ones here are far above or far below. */
const echoOf = (body: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => JSON.stringify(value).length < 7_000));

const wrongTypes = (kind: Field['kind']): readonly unknown[] =>
  kind === 'names' ? ['a text', 7, true, { 0: 'a' }] : [7, true, ['a text'], { a: 'text' }, ['a', 'b'], 0, false];

const invisible = [
  'ad\u200dä@example.com',
  'ada\u200b@example.com',
  'ada@example.com\u2060',
  'ada\u00a0king@example.com',
];
const badAddresses = [
  'ada@192.0.2.1',
  'ada@example.123',
  'plain',
  '@example.com',
  'ada@',
  'ada@localhost',
  'ada@@example.com',
  'ada@exa mple.com',
  'ada king@example.com',
  '.ada@example.com',
  'ada.@example.com',
  'a..da@example.com',
  'ada@-example.com',
  'ada@example-.com',
  'ada@.example.com',
  'ada@example..com',
  'ada@ex_ample.com',
  'ada@ex€mple.com',
  '"ada king"@example.com',
  'ada@[127.0.0.1]',
  'a@example.com,b@example.com',
  'a@example.com;b@example.com',
  'Ada <ada@example.com', //
  '<ada@example.com>, <bob@example.com>',
  'mailto:ada@example.com@example.com',
  `${'a'.repeat(65)}@example.com`,
  `ada@${'a'.repeat(64)}.com`,
  `ada@${`${'a'.repeat(60)}.`.repeat(4)}example.com`,
  `${'a'.repeat(1_012)}@example.com`,
];

describe.each(writing.map((endpoint) => [titleOf(endpoint), endpoint] as const))('%s', (_title, endpoint) => {
  const needed = endpoint.fields.filter(({ required }) => required);

  test('names the first required field that is missing, in documented order', async () => {
    await refused(endpoint, {}, `${needed[0]?.name ?? ''} is required`);
    const body: Record<string, unknown> = {};
    for (const [index, { name }] of needed.entries()) {
      await refused(endpoint, body, `${name} is required`);
      body[name] = bodyOf(endpoint)[name];
      const next = needed[index + 1];
      // A field that is missing is named before one that is there and wrong.
      if (next !== undefined) await refused(endpoint, { ...body, [name]: 7 }, `${next.name} is required`);
    }
  });

  test.each(needed.map((field) => [field.name, field.kind] as const))('%s is required', async (name, kind) => {
    const { [name]: _left, ...rest } = bodyOf(endpoint);
    await refused(endpoint, rest, `${name} is required`);
    for (const nothing of [null, ...(kind === 'names' ? [[]] : ['', ' ', ' \t\r\n ', '\u00a0\u2003'])])
      await refused(endpoint, { ...rest, [name]: nothing }, `${name} is required`);
  });

  test('knows no field by way of a prototype', async () => {
    const name = needed[0]?.name ?? '';
    for (const key of ['__proto__', 'constructor', 'prototype', 'toString']) {
      const text = JSON.stringify(bodyOf(endpoint));
      const answer = await service.request('POST', endpoint.path(world), { raw: `{"${key}":${text}}` });
      expect(answer.body, key).toEqual(refusal(`${name} is required`, {}));
    }
  });

  test.each(endpoint.fields.map((field) => [field.name, field] as const))('%s of a wrong type', async (name, field) => {
    const article = field.kind === 'names' ? 'an array' : 'a string';
    for (const value of wrongTypes(field.kind))
      await refused(endpoint, { ...bodyOf(endpoint), [name]: value }, `${name} must be ${article}`);
    if (field.kind === 'names')
      for (const value of [[7], ['a', null], ['a', ['b']], ['a', {}], [true]])
        await refused(endpoint, { ...bodyOf(endpoint), [name]: value }, 'tag_name must contain only strings');
  });

  test.each(endpoint.fields.map((field) => [field.name, field] as const))(
    '%s with characters that it must not have',
    async (name, { kind }) => {
      const valid = bodyOf(endpoint)[name];
      const base = kind === 'names' || typeof valid !== 'string' ? '19' : valid;
      const bad = ['\u0000', '\u0001', '\u001f', '\u007f', '\u0085', '\u009f', '\ud800', '\udfff', '\ude00\ud83d'];
      if (kind !== 'template') bad.push('\t');
      if (kind !== 'template' && name !== 'address') bad.push('\n', '\r', '\r\nBcc: eve@example.com\r\n');
      for (const character of bad) {
        const value = base.slice(0, 1) + character + base.slice(1);
        const given = kind === 'names' ? ['fine', value] : value;
        await refused(endpoint, { ...bodyOf(endpoint), [name]: given }, `${name} contains invalid characters`);
      }
    },
  );

  test.each(endpoint.fields.map((field) => [field.name, field] as const))(
    '%s too long or malformed',
    async (name, field) => {
      const wrong = async (value: unknown, message: string): Promise<void> =>
        await refused(endpoint, { ...bodyOf(endpoint), [name]: value }, message);
      switch (field.kind) {
        case 'name':
          for (const long of ['x'.repeat(256), '😀'.repeat(256), 'x'.repeat(9_000)])
            await wrong(long, `${name} must be at most 255 characters`);
          return;
        case 'names':
          await wrong(['fine', 'x'.repeat(256)], 'tag_name must be at most 255 characters');
          await wrong(
            Array.from({ length: 101 }, (_, index) => `t${index}`),
            'tag_name must have at most 100 names',
          );
          return;
        case 'status':
          for (const value of ['Gone', 'Subscribe', 'Subscribed.', 'Ｓubscribed', 'ſubscribed', 'x'.repeat(9_000)])
            await wrong(value, 'status must be Subscribed or Unsubscribed');
          return;
        case 'email':
          await wrong(' '.repeat(1_013) + 'ada@lace.com', `${name} must be at most 1024 bytes`);
          for (const value of [...badAddresses, 'Ada <ada@example.com>', '<ada@example.com>'])
            await wrong(value, `${name} must be a valid email address`);
          for (const value of invisible)
            await wrong(value, `${name} must be a valid email address: it contains an invisible character`);
          return;
        case 'sender':
          await wrong(`Ada <ada@lace.com>${'\u3000'.repeat(336)}`, `${name} must be at most 1024 bytes`);
          for (const value of [...invisible, `Ada <${invisible[0]}>`])
            await wrong(value, `${name} must be a valid email address: it contains an invisible character`);
          for (const value of [
            ...badAddresses,
            'A\u200b <ada@localhost>',
            'Ada <>',
            'Ada <ada@example.com> King',
            'A <a@b.cc>, B <b@b.cc>',
          ])
            await wrong(value, `${name} must be a valid email address`);
          return;
        case 'subject':
          for (const long of ['x'.repeat(901), 'é'.repeat(451), '😀'.repeat(226)])
            await wrong(long, 'subject must be at most 900 bytes');
          return;
        case 'template':
          for (const long of ['x'.repeat(512 * 1024 + 1), 'é'.repeat(256 * 1024 + 1)])
            await wrong(long, 'mail_template must be at most 524288 bytes');
          return;
        case 'text':
          await wrongText(endpoint, field);
      }
    },
  );
});

/** An optional profile field, flat and nested in `data`. */
async function wrongText(endpoint: Endpoint, { name, most = 0 }: Field): Promise<void> {
  const date = 'dateOfBirth must be a valid YYYY-MM-DD date';
  const phone = 'phone must be a valid phone number';
  const cases: (readonly [unknown, string])[] = [];
  if (name === 'dateOfBirth')
    for (const value of [
      ...['1899-12-31', '2023-02-29', '1900-02-29', '2000-13-01', '2000-00-10', '2000-01-32', '2000-04-31'],
      ...['2000-1-1', '20000101', '2000-01-01T00:00:00Z', '01-01-2000', '2000/01/01', 'yesterday', '+002000-01-01'],
      new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10),
    ])
      cases.push([value, date]);
  else cases.push([(name === 'phone' ? '1' : 'x').repeat(most + 1), `${name} must be at most ${most} characters`]);
  if (name === 'phone')
    for (const value of ['12', 'call me', '+44 20 7946 0958 ext', '+-().', '１２３', '123#', '123;45'])
      cases.push([value, phone]);
  if (name !== 'phone' && name !== 'dateOfBirth')
    cases.push(['😀'.repeat(most + 1), `${name} must be at most ${most} characters`]);
  for (const [value, message] of cases) {
    await refused(endpoint, { ...bodyOf(endpoint), [name]: value }, message);
    await refused(endpoint, { ...bodyOf(endpoint), data: { [name]: value } }, message);
  }
  await refused(endpoint, { ...bodyOf(endpoint), data: { [name]: 7 } }, `${name} must be a string`);
}
