/** Bodies that are no JSON object, too large or of another media type; the order of the checks; what a refusal echoes. None of these writes an event. */
import { beforeAll, describe, expect, test } from 'vitest';
import { usually } from '../support/amount.js';
import { refusal, refusals, someAddress, strangerId, success, unauthorized } from '../support/answers.js';
import { createWorld, endpoints, titleOf, writing, type World } from '../support/endpoints.js';
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

const titled = writing.map((endpoint) => [titleOf(endpoint), endpoint] as const);

describe.each(titled)('%s', (_title, endpoint) => {
  const path = (): string => endpoint.path(world);

  test('refuses what is no JSON object', async () => {
    for (const raw of [
      ...['{', '{"a":1', '{"a":}', "{'a':1}", '{"a":1,}', 'group_name=Spring', 'undefined', 'NaN', '{} {}', '\u0000'],
      ...['null', 'true', '7', '"text"', '[]', '[{}]', '{"a":"\\ud8"}', '{"a":"\n"}', '[[[['.repeat(5_000)],
      Buffer.from('{}\ufeff', 'utf8'),
      Buffer.from('\ufeff\ufeff{}', 'utf8'),
    ]) {
      const answer = await service.request('POST', path(), { raw });
      expect(answer.status, String(raw).slice(0, 40)).toBe(400);
      expect(answer.body).toEqual(refusals.json);
    }
  });

  test('refuses a body that is not UTF-8 and names the encoding', async () => {
    for (const raw of [
      Buffer.from('{"group_name":"Müller","email":"é@example.com"}', 'latin1'),
      Buffer.from('{}', 'utf16le'),
      Buffer.from('\ufeff{}', 'utf16le'),
      Buffer.concat([Buffer.from('{"group_name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
      Buffer.concat([Buffer.from('{"list_name":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
      Buffer.concat([Buffer.from('{"tag_name":"'), Buffer.from([0xc0, 0x80]), Buffer.from('"}')]),
    ]) {
      const answer = await service.request('POST', path(), { raw });
      expect(answer.status, String(raw).slice(0, 40)).toBe(400);
      expect(answer.body).toEqual(refusals.encoding);
    }
  });

  test('refuses a body that is too large, announced or not', async () => {
    const mebibytes = endpoint.number === 1 ? 10 : usually(2, 10);
    const huge = JSON.stringify({ ...endpoint.body?.(world), padding: 'x'.repeat(mebibytes * 1024 * 1024) });
    const answer = await service.request('POST', path(), { raw: huge });
    expect(answer.status).toBe(413);
    expect(answer.body).toEqual(refusals.tooLarge);
    const chunked = await service.request('POST', path(), {
      raw: huge.slice(0, 2 * 1024 * 1024),
      headers: { 'transfer-encoding': 'chunked' },
    });
    expect(chunked.body).toEqual(refusals.tooLarge);
  });

  test('refuses another media type, and a body in another coding', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'json',
      'application/xml',
    ])
      for (const raw of ['{', JSON.stringify(endpoint.body?.(world))]) {
        const answer = await service.request('POST', path(), { raw, headers: { 'content-type': type } });
        expect(answer.status, type).toBe(415);
        expect(answer.body).toEqual(refusals.mediaType);
      }
    for (const [headers, message] of [
      [{ 'content-encoding': 'gzip' }, 'Compressed bodies are not supported'],
      [{ 'content-type': 'application/json; charset=iso-8859-1' }, 'charset must be utf-8'],
    ] as const)
      expect((await service.request('POST', path(), { raw: '{}', headers })).body).toEqual({
        ...refusals.mediaType,
        message,
      });
  });

  test('answers 401 before anything about the body, with the documented echo', async () => {
    const headers = { authorization: 'Bearer wrong' };
    const body = endpoint.body?.(world) ?? {};
    const echo = endpoint.number === 16 ? unauthorized() : unauthorized(body);
    const answer = await service.request('POST', path(), { body: { ...body, secret: 'x' }, headers });
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual(echo);
    const nothing = endpoint.number === 16 ? unauthorized() : unauthorized({});
    for (const raw of ['{', '[]', '{}', '', JSON.stringify({ ...body, padding: 'x'.repeat(9_000) })])
      expect((await service.request('POST', path(), { raw, headers })).body, raw.slice(0, 20)).toEqual(nothing);
    const huge = await service.request('POST', path(), { raw: JSON.stringify(body).padEnd(3 * 1024 * 1024), headers });
    expect(huge.body).toEqual(nothing);
  });

  test('checks fields before ids, and ids before uniqueness', async () => {
    const { strangerPath, unknownMessage } = endpoint;
    if (strangerPath === undefined || unknownMessage === undefined) return;
    const first = endpoint.fields[0]?.name ?? '';
    const missing = await service.post(strangerPath, {});
    expect(missing.body).toEqual(refusal(`${first} is required`, {}));
    const malformed = { ...endpoint.body?.(world), [first]: 7 };
    expect((await service.post(strangerPath, malformed)).body).toMatchObject({ type: 'validation_error' });
    // The contact of the world exists, and so would be a duplicate.
    const body = { ...endpoint.body?.(world), ...(endpoint.number === 12 ? { email: world.email } : {}) };
    const unknown = await service.post(strangerPath, { ...body, secret: 'x' });
    expect(unknown.status).toBe(400);
    expect(unknown.body).toEqual(refusal(unknownMessage, body, 'unknown_id'));
  });
});

describe('endpoints without a body', () => {
  test.each(
    endpoints.filter(({ fields }) => fields.length === 0).map((endpoint) => [titleOf(endpoint), endpoint] as const),
  )('%s: 401 and an unknown id echo nothing', async (_title, endpoint) => {
    const headers = { authorization: undefined };
    const wanted = endpoint.path(world);
    const answer = await service.request(endpoint.method, wanted, { headers });
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual(unauthorized({}));
    const stranger = endpoint.strangerPath ?? '';
    expect((await service.request(endpoint.method, stranger, { headers })).body).toEqual(unauthorized({}));
    expect((await service.request(endpoint.method, stranger)).body).toEqual(
      refusal(endpoint.unknownMessage ?? '', {}, 'unknown_id'),
    );
  });
});

describe('how a body is read', () => {
  const path = '/v1/groups/create';
  // A refusal shows how the body was read, and writes nothing.
  const read = (raw: string, contentType: string | undefined): Promise<unknown> =>
    service.request('POST', path, { raw, headers: { 'content-type': contentType } }).then(({ body }) => body);

  test.each([
    undefined,
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'APPLICATION/JSON',
  ])('Content-Type %s is read as JSON', async (contentType) => {
    expect(await read('{"group_name":7}', contentType)).toEqual(
      refusal('group_name must be a string', { group_name: 7 }),
    );
  });

  test('of duplicate keys the last wins', async () => {
    expect(await read('{"group_name":"first","group_name":7}', undefined)).toMatchObject({ data: { group_name: 7 } });
  });

  test('white space around it is fine, no body is an empty object', async () => {
    expect(await read('\r\n\t {"group_name":7} \n', undefined)).toMatchObject({ data: { group_name: 7 } });
    const none = await service.request('POST', path);
    expect(none.body).toEqual(refusal('group_name is required', {}));
  });

  test('a body that is nested too deeply, or has too many members, is refused', async () => {
    const deep = `{"unknown":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)},"group_name":"x"}`;
    const large = JSON.stringify({ group_name: 'x', ...Array(20_000).fill(0) });
    for (const [raw, message] of [
      [deep, 'Request body must be at most 32 levels deep'],
      [large, 'Request body must have at most 20000 values'],
    ] as const)
      expect((await service.request('POST', path, { raw })).body).toEqual(refusal(message, {}));
  });
});

describe('what a refusal echoes', () => {
  const create = (body: object): Promise<unknown> =>
    service.post(`/v1/contacts/${world.list}/create`, body).then((answer) => answer.body);

  test('documented fields only, flat and nested, as received', async () => {
    const known = { email: ' Bad ', status: 'subscribed', firstName: 'Ada', zipcode: null, data: { city: 'Paris' } };
    const more = { nickname: 'x', password: 'y', data: { city: 'Paris', nickname: 'z', data: { city: 'w' } } };
    expect(await create({ ...known, ...more })).toEqual(refusal('email must be a valid email address', known));
  });

  test.each([['a text'], [7], [true], [[{ city: 'Paris' }]]])(
    'a field of the wrong type, also data: %j',
    async (data) => {
      const body = { email: someAddress(), status: 'Subscribed', data };
      expect(await create(body)).toEqual(refusal('data must be an object', body));
    },
  );

  test('a prototype key is neither followed nor echoed', async () => {
    const raw = `{"email":"bad","status":"Subscribed","__proto__":{"firstName":"x"},"data":{"__proto__":{"city":"y"},"constructor":1}}`;
    const answer = await service.request('POST', `/v1/contacts/${world.list}/create`, { raw });
    expect(answer.body).toEqual(
      refusal('email must be a valid email address', { email: 'bad', status: 'Subscribed', data: {} }),
    );
    expect(answer.text).not.toMatch(/__proto__|constructor/);
  });

  test('nothing over 8 KiB', async () => {
    const body = { email: someAddress(), status: 'Subscribed' };
    const answer = await create({ ...body, address: 'x'.repeat(8_300) });
    expect(answer).toEqual(refusal('address must be at most 500 characters', body));
    const path = `/v1/contacts/tags/${world.list}/add`;
    const many = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(200, 'x'));
    const labelled = await service.post(path, { tag_name: many, contact_email: strangerId('con') });
    expect(labelled.body).toEqual(
      refusal('contact_email must be a valid email address', { contact_email: strangerId('con') }),
    );
  });

  test('nothing of the kind on success', async () => {
    const answer = await service.post(`/v1/contacts/${world.list}/upsertcontact`, {
      email: world.email,
      status: 'Subscribed',
      nickname: 'x',
    });
    const contact_id = answer.field('contact_id');
    expect(answer.body).toEqual(
      success('Contact saved successfully!', { contact_id, email: world.email, status: 'Subscribed' }),
    );
  });
});
