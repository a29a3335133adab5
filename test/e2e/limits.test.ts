/** What is just within the limits is taken as it is. */
import { beforeAll, describe, expect, test } from 'vitest';
import { someAddress, someRequestId, unique } from '../support/answers.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
let list: string;
beforeAll(async () => {
  service = await sharedService();
  list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
});

describe('profile fields', () => {
  test.each([
    ['firstName', 'x'.repeat(255)],
    ['lastName', '😀'.repeat(255)],
    ['city', 'Ÿ'.repeat(255)],
    ['state', '\u{10ffff}'],
    ['country', 'x'.repeat(255)],
    ['address', `${'x'.repeat(249)}\r\n${'x'.repeat(249)}`],
    ['address', 'One\nTwo'],
    ['phone', '1'.repeat(32)],
    ['phone', '123'],
    ['phone', '+1 (2) 3-4.5/6 x7'],
    ['zipcode', 'x'.repeat(32)],
    ['dateOfBirth', '1900-01-01'],
    ['dateOfBirth', '2024-02-29'],
    ['dateOfBirth', '2000-02-29'],
    ['dateOfBirth', new Date().toISOString().slice(0, 10)],
    ['firstName', '__proto__'],
    ['lastName', "'; drop table events; --"],
    ['city', '{"$gt":""}'],
  ])('%s as long or odd as it may be', async (field, value) => {
    const email = someAddress();
    const answer = await service.post(`/v1/contacts/${list}/create`, { email, status: 'Subscribed', [field]: value });
    expect(answer.body).toMatchObject({ statusCode: 200, data: { email } });
    expect((await service.get(`/v1/contacts?email=${email}`)).body).toMatchObject({ data: { [field]: value } });
  });
});

describe('e-mail addresses', () => {
  const run = unique('').trim();
  test.each([
    [`${`${run}.`.padEnd(63, 'a')}b@example.com`],
    [`${run}@${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.com`.padEnd(100, 'd')],
    [`${run}${'a'.repeat(20)}@${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(29)}`],
    [`o'brien+${run}@example.co.uk`],
    [`!#$%&'*+-/=?^_\`{|}~.${run}@example.com`],
    [`${run}@xn--bcher-kva.example`],
    [`${run}.1@1.example`],
  ])('%s', async (email) => {
    const requestId = someRequestId();
    const path = `/v1/contacts/${list}/create`;
    const answer = await service.post(path, { email, status: 'Subscribed' }, { 'x-request-id': requestId });
    expect(answer.body).toMatchObject({ statusCode: 200, data: { email } });
    expect((await service.events(requestId))[0]?.data).toMatchObject({ person: { email } });
    expect((await service.get(`/v1/contacts?email=${encodeURIComponent(email)}`)).field('email')).toBe(email);
  });
});

describe('bodies', () => {
  test.each([
    ['/v1/groups/create', { group_name: '' }, 256 * 1024],
    [
      '/v1/email/send',
      { from_email: 'a@example.com', to_email: 'b@example.com', subject: 's', mail_template: 't' },
      1024 * 1024,
    ],
  ])('%s takes a body of just its limit, and refuses one byte more', async (path, fields, limit) => {
    const text = (size: number): string => {
      const body = JSON.stringify({ ...fields, ...('group_name' in fields ? { group_name: unique('Big') } : {}) });
      return `${body.slice(0, -1)}${' '.repeat(size - Buffer.byteLength(body))}}`;
    };
    for (const [size, status] of [
      [limit, 200],
      [limit + 1, 413],
    ] as const) {
      const requestId = someRequestId();
      const headers = { 'x-request-id': requestId };
      expect((await service.request('POST', path, { raw: text(size), headers })).status).toBe(status);
      const caused = (await service.events(requestId)).filter(({ metadata }) => metadata['actor'] === 'test');
      expect(caused).toHaveLength(status === 200 ? 1 : 0);
    }
  });
});
