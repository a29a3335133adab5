/** Unknown fields: ignored and named by the documented endpoints, refused where the client prefers it, and always on own endpoints. */
import { beforeAll, describe, expect, test } from 'vitest';
import { refusal, someAddress, unique } from '../support/answers.js';
import { createWorld, titleOf, writing, type World } from '../support/endpoints.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

const strict = { prefer: 'handling=strict' };

let service: Service;
let world: World;

beforeAll(async () => {
  service = await sharedService();
  world = await createWorld(service);
});

describe.each(writing.map((endpoint) => [titleOf(endpoint), endpoint] as const))('%s', (_title, endpoint) => {
  test('ignores an unknown field, and refuses it where the client prefers that', async () => {
    const body = endpoint.body?.(world) ?? {};
    const [known = ''] = Object.keys(body);
    const path = endpoint.path(world);
    const refused = await service.post(path, { ...body, [`${known}x`]: 1 }, strict);
    const message = `Unknown field ${known}x. Did you mean ${known}?`;
    expect(refused.body).toEqual(refusal(message, body));
    expect(refused.headers['preference-applied']).toBe('handling=strict');
    const far = await service.post(path, { ...body, something_else: 1 }, strict);
    expect(far.body).toEqual(refusal('Unknown field something_else', body));
    expect(far.headers['x-ignored-fields']).toBeUndefined();

    const ignored = await service.post(path, { ...body, [`${known}x`]: 1 });
    expect(ignored.status).toBe(200);
    expect(ignored.headers['preference-applied']).toBeUndefined();
    expect(ignored.headers['x-ignored-fields']).toBe(`${known}x`);
  });

  test('names a missing field before an unknown one, and an unknown one before a wrong one', async () => {
    const body = endpoint.body?.(world) ?? {};
    const [first = '', ...others] = endpoint.fields.filter(({ required }) => required).map(({ name }) => name);
    const { [first]: _left, ...without } = body;
    const path = endpoint.path(world);
    expect((await service.post(path, { ...without, else: 1 }, strict)).body).toMatchObject({
      message: `${first} is required`,
    });
    const wrong = { ...body, [others[0] ?? first]: 7, else: 1 };
    expect((await service.post(path, wrong, strict)).body).toMatchObject({ message: 'Unknown field else' });
  });
});

describe('the header X-Ignored-Fields', () => {
  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`x${at}`, at]));
  const named = async (body: object): Promise<unknown> =>
    (await service.post(`/v1/contacts/${world.list}/upsertcontact`, body)).headers['x-ignored-fields'];
  const known = (): object => ({ email: world.email, status: 'Subscribed' });

  test('has at most ten names and the number of the others', async () => {
    const ten = 'x0, x1, x2, x3, x4, x5, x6, x7, x8, x9';
    expect(await named({ ...known(), ...fields(10) })).toBe(ten);
    expect(await named({ ...known(), ...fields(12) })).toBe(`${ten}, +2`);
    expect(await named({ 'a,b': 1, é: 1, '': 1, ...known(), ...fields(1) })).toBe('x0, +3');
    expect(await named({ ...known(), ['y'.repeat(64)]: 1, ['y'.repeat(65)]: 1 })).toBe(`${'y'.repeat(64)}, +1`);
  });

  test('is absent if every field is known, and is on a refusal too', async () => {
    expect(await named({ ...known(), firstName: 'Ada' })).toBeUndefined();
    expect(await named({ e_mail: world.email, status: 'Subscribed' })).toBe('e_mail');
  });

  test('names the attachments of an email', async () => {
    const email = { from_email: 'a@example.com', to_email: someAddress(), subject: 'Hello', mail_template: 'Hello' };
    const answer = await service.post('/v1/email/send', {
      ...email,
      attachments: [{ name: 'x' }],
      reply_to: 'b',
      cc: [],
    });
    expect([answer.status, answer.headers['x-ignored-fields']]).toEqual([200, 'attachments, reply_to, cc']);
  });

  test('names the fields of a deletion without fields', async () => {
    const { data } = await service.client().createGroup({ body: { group_name: unique('Group') } });
    const answer = await service.post(`/v1/groups/${data.group_id}/delete`, { force: true });
    expect([answer.status, answer.headers['x-ignored-fields']]).toEqual([200, 'force']);
  });
});

describe('a contact', () => {
  const create = (body: object, headers: Readonly<Record<string, string>> = strict) =>
    service.post(`/v1/contacts/${world.list}/create`, { email: someAddress(), status: 'Subscribed', ...body }, headers);

  test('knows message, data and consent', async () => {
    const body = { message: 'done', data: { firstName: 'Ada' }, consent: { source: 'form' } };
    const answer = await create(body);
    expect(answer.status).toBe(200);
    expect(answer.headers['preference-applied']).toBe('handling=strict');
  });

  test.each([
    [{ data: { firstname: 'Ada' } }, 'Unknown field data.firstname. Did you mean data.firstName?', 'data.firstname'],
    [{ consent: { sorce: 'form' } }, 'Unknown field consent.sorce. Did you mean consent.source?', 'consent.sorce'],
    [{ data: { consent: { quelle: 'form' } } }, 'Unknown field data.consent.quelle', 'data.consent.quelle'],
    [{ tag_name: ['Gold'] }, 'Unknown field tag_name', 'tag_name'],
    [{ 'first name': 1 }, 'Unknown field first name. Did you mean firstName?', '+1'],
    [{ 'prénom\n': 1 }, 'Unknown field prénom\\n', '+1'],
    [{ ['x'.repeat(1_000)]: 1 }, `Unknown field ${'x'.repeat(64)}`, '+1'],
    [{ ['__proto__x']: 1 }, 'Unknown field __proto__x', '__proto__x'],
  ])('%j is refused if the client prefers that, and otherwise ignored and named', async (body, message, named) => {
    expect((await create(body)).body).toMatchObject({ statusCode: 400, message, type: 'validation_error' });
    const ignored = await create(body, {});
    expect([ignored.status, ignored.headers['x-ignored-fields']]).toEqual([200, named]);
  });

  test.each([
    ['return=minimal, handling=strict', 400],
    ['HANDLING = "Strict"; x=1', 400],
    ['handling=lenient', 200],
    ['handling=lenient, handling=strict', 200],
    ['strict', 200],
    ['', 200],
  ])('Prefer: %s', async (prefer, status) => {
    expect((await create({ unknown: 1 }, { prefer })).status).toBe(status);
  });
});

test('own endpoints are always strict', async () => {
  const answer = await service.post('/v1/projections/lists/rebuild', { dryrun: true });
  expect(answer.body).toMatchObject({ statusCode: 400, message: 'Unknown field dryrun. Did you mean dry_run?' });
  expect(answer.headers['preference-applied']).toBeUndefined();
});
