/** Unknown fields: ignored by the seventeen endpoints, refused where the client prefers it, and always on own endpoints. */
import { beforeAll, describe, expect, test } from 'vitest';
import { refusal, someAddress } from '../support/answers.js';
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

    const ignored = await service.post(path, { ...body, [`${known}x`]: 1 });
    expect(ignored.status).toBe(200);
    expect(ignored.headers['preference-applied']).toBeUndefined();
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
    [{ data: { firstname: 'Ada' } }, 'Unknown field data.firstname. Did you mean data.firstName?'],
    [{ consent: { sorce: 'form' } }, 'Unknown field consent.sorce. Did you mean consent.source?'],
    [{ data: { consent: { quelle: 'form' } } }, 'Unknown field data.consent.quelle'],
    [{ tag_name: ['Gold'] }, 'Unknown field tag_name'],
    [{ 'first name': 1 }, 'Unknown field first name. Did you mean firstName?'],
    [{ 'prénom\n': 1 }, 'Unknown field prénom\\n'],
    [{ ['x'.repeat(1_000)]: 1 }, `Unknown field ${'x'.repeat(64)}`],
    [{ ['__proto__x']: 1 }, 'Unknown field __proto__x'],
  ])('%j is refused', async (body, message) => {
    expect((await create(body)).body).toMatchObject({ statusCode: 400, message, type: 'validation_error' });
    expect((await create(body, {})).status).toBe(200);
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
