/** A service whose clock is set while it runs. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { deriveStreamKeys, deriveUnsubscribeKey } from '../../src/events/streams.js';
import { createUnsubscribeTokens } from '../../src/events/unsubscribe-token.js';
import { ok, unique } from '../support/answers.js';
import { audience } from '../support/audience.js';
import { eventually, startService, type Service } from '../support/service.js';
import { createShiftedClock } from '../support/shifted-clock.js';

const day = 86_400_000;
const secret = 'a secret of these tests, long enough for a key';
const shifted = createShiftedClock();
const { set } = shifted;

let service: Service;
beforeAll(async () => {
  service = await startService({ env: { ...shifted.env, SECRET: secret } });
});
afterAll(async () => {
  await service.close();
  shifted.remove();
});

afterEach(() => set(0));

async function clock(): Promise<unknown> {
  const { body } = await service.get('/health/ready');
  return (body as { readonly data: { readonly clock: unknown } }).data.clock;
}

const run = (...words: readonly string[]) =>
  audience(words, { env: { DATA_DIR: service.dataDir, AUDIENCE_URL: service.url(), AUDIENCE_KEY: service.key } });

async function keyUntil(expires_at: number): Promise<{ readonly id: string; readonly status: () => Promise<number> }> {
  const body = { name: unique('Key'), scopes: ['lists:read'], expires_at: new Date(expires_at).toISOString() };
  const answer = await ok(service.post('/v1/keys', body));
  const headers = { authorization: `Bearer ${answer.field('secret')}` };
  const status = async (): Promise<number> => (await service.get('/v1/keys/self', headers)).status;
  return { id: answer.field('key_id'), status };
}

const expired = async (): Promise<readonly unknown[]> =>
  (await service.events()).filter(({ type }) => type === 'ApiKeyExpired').map(({ data }) => data);

test('a clock that is ahead for a while is not trusted, and no key ends for good', async () => {
  expect(await clock()).toEqual({ trusted: true });
  const key = await keyUntil(Date.now() + day);
  expect(await key.status()).toBe(200);

  set(365 * day);
  expect(await clock()).toMatchObject({ trusted: false, reason: 'ahead' });
  expect(await key.status()).toBe(401);
  // On servers, leases lapse with the jump and are soon taken again.
  const doctor = await eventually(async () => {
    const ended = await run('doctor');
    return ended.out.includes('more than a day ahead of the last time that was known to be right') ? ended : undefined;
  });
  expect(doctor.out).toContain('audience clock confirm');

  set(0);
  expect(await clock()).toMatchObject({ trusted: false, reason: 'jumped' });
  expect(await key.status()).toBe(200);
  expect(await expired()).toEqual([]);
});

test('a link to all lists does not expire while the clock is not trusted', async () => {
  const listId = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
  const person = { email: 'ada@example.com', status: 'Subscribed' };
  const contactId = await service.make(`/v1/contacts/${listId}/upsertcontact`, person, 'contact_id');
  const contactKey = deriveStreamKeys(secret).contactKey(person.email);
  const tokens = createUnsubscribeTokens(deriveUnsubscribeKey(secret));
  const emailId = 'eml_01KQPH1RM0W7X9YABCDEFGHJKM';
  const link = tokens.makeForLists({ emailId, contactKey, contactId, until: Date.now() + 1_800_000 });
  const status = async (): Promise<number> => (await fetch(`${service.url()}/u/${link}`)).status;
  set(day);
  expect(await clock()).toMatchObject({ trusted: false });
  expect(await status()).toBe(200);
  await run('clock', 'confirm');
  expect(await status()).toBe(410);
  set(0);
  expect(await clock()).toMatchObject({ trusted: false, reason: 'jumped' });
});

test('audience clock confirm trusts the clock at once', async () => {
  const { out, code } = await run('clock', 'confirm');
  expect(code).toBe(0);
  expect(out).toMatch(/^The clock of the service is trusted\. It shows \S+Z\.\n$/);
  expect(await clock()).toEqual({ trusted: true });
});

test('a key that has expired stays closed when the clock is set back', async () => {
  const key = await keyUntil(Date.now() + 3_000);
  await eventually(async () => ((await expired()).length > 0 ? true : undefined), { what: 'the end of the key' });
  expect(await expired()).toEqual([{ key_id: key.id }]);
  set(-day);
  expect(await key.status()).toBe(401);
  set(0);
});

test('what is written while the clock is set back is dated by the time that has passed', async () => {
  await run('clock', 'confirm');
  set(-730 * day);
  const began = Date.now();
  const list_id = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
  const created = (await service.events()).find(({ data }) => data['list_id'] === list_id);
  const at = Date.parse(String(created?.metadata['at']));
  expect(at).toBeGreaterThan(began - 60_000);
  expect(at).toBeLessThan(Date.now() + 60_000);
});

test('only a key with the scope clock may confirm the clock', async () => {
  const answer = await ok(service.post('/v1/keys', { name: unique('Key'), scopes: ['metrics'] }));
  const headers = { authorization: `Bearer ${answer.field('secret')}` };
  expect((await service.post('/v1/clock/confirm', {}, headers)).status).toBe(403);
});
