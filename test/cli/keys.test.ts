/** `audience keys`, against a service that runs, and without one. */
import { beforeAll, expect, test } from 'vitest';
import { secondsIn } from '../../src/cli/keys/keys.js';
import { audience, jsonLines, type Ended } from '../support/audience.js';
import { unique } from '../support/answers.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

const keys = (...words: readonly string[]): Promise<Ended> =>
  audience(['keys', ...words], { env: { DATA_DIR: service.dataDir, AUDIENCE_KEY: service.key } });
const status = async (secret: string): Promise<number> =>
  (await service.get('/v1/lists', { authorization: `Bearer ${secret.trim()}` })).status;

test('a key is created, listed, rotated and revoked', async () => {
  const name = unique('shop');
  const created = await keys('create', '--name', name, '--scopes', 'lists:read,tags:read', 'keys', '--expires', '90d');
  expect(created).toMatchObject({ code: 0, out: expect.stringMatching(/^aud_\w{38}\n$/) as unknown });
  const [, id = ''] = /(key_\w{26}) was created/.exec(created.err) ?? [];
  expect(created.err).not.toContain(created.out.trim());
  expect(await status(created.out)).toBe(200);

  const listed = jsonLines((await keys('list', '--json')).out).find((key) => key['key_id'] === id);
  expect(listed).toMatchObject({ name, state: 'active', scopes: ['lists:read', 'tags:read', 'keys'] });
  const days = (Date.parse(String(listed?.['expires_at'])) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(89.9);
  expect(days).toBeLessThanOrEqual(90);
  expect((await keys('list')).out).toMatch(new RegExp(`^key_id +name +state.*\n(?:.*\n)*${id} +${name} +active`));

  const rotated = await keys('rotate', id, '--overlap', '0', '--json');
  const secret = String(jsonLines(rotated.out)[0]?.['secret']);
  expect(rotated).toMatchObject({ code: 0, err: expect.stringContaining('The one before has ended') as unknown });
  expect([await status(created.out), await status(secret)]).toEqual([401, 200]);

  const stranger = 'key_01ARZ3NDEKTSV4RRFFQ69G5FAV';
  const revoked = await keys('revoke', stranger, id, '--reason', 'lost');
  expect(revoked).toMatchObject({ code: 1, out: `${id}: Key revoked successfully!\n` });
  expect(revoked.err).toContain(`${stranger}: There is no key of this id`);
  expect(await status(secret)).toBe(401);
});

test('what is wrong is said', async () => {
  for (const [words, code, message] of [
    [['create', '--name', 'a', '--scopes', 'lists:drop'], 1, 'scopes must contain only scopes: groups:read'],
    [['create', '--name', 'cli', '--scopes', 'keys'], 1, 'name must not be mailer, cli'],
    [['create', '--name', 'a', '--scopes', 'keys', '--expires', '90'], 2, '--expires must be a duration such as 90d'],
    [['create', '--name', 'a', '--scopes', 'keys', '--expires', '2030-01-01'], 2, '--expires must be a duration'],
    [['rotate', 'key_1', '--overlap', '31d'], 2, '--overlap must be a duration such as 24h or 30m of at most 30d'],
    [['rotate', 'key_1', '--overlap', 'long'], 2, '--overlap must be a duration such as 24h'],
    [['create', '--name', 'a', '--scopes', 'keys', '--expires', ''], 2, '--expires must be a duration'],
    [['rotate', 'key_1'], 1, 'There is no key of this id'],
  ] as const) {
    const ended = await keys(...words);
    expect(ended, words.join(' ')).toMatchObject({ code, out: '' });
    expect(ended.err).toContain(message);
  }
});

test('durations', () => {
  expect(['0', '10s', '30m', '24h', '90d'].map(secondsIn)).toEqual([0, 10, 1_800, 86_400, 7_776_000]);
  expect(['', '1', '1y', '-1d', '1.5h'].map(secondsIn)).toEqual(Array(5).fill(undefined));
});
