/** A copy of the whole data folder from before an erasure, started elsewhere: what it shows, and the steps of docs/operations.md that mend it. */
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ok, someAddress, unique } from '../support/answers.js';
import { audience, type Ended } from '../support/audience.js';
import { eventually, freshFolder, startService, type Service } from '../support/service.js';
import { onServers } from '../support/stores.js';

const backup = freshFolder();
const second = freshFolder();
const register = 'register.ndjson';
let service: Service;
beforeAll(async () => {
  service = await startService({ env: { SEAL_DIR: second } });
});
afterAll(async () => {
  await service.close();
  for (const folder of [backup, second]) rmSync(folder, { recursive: true });
});

async function erase(email: string): Promise<void> {
  const asked = await service.post('/v1/privacy/erasures', { email });
  const location = String(asked.headers.location);
  await eventually(async () => ((await service.get(location)).field('status') === 'completed' ? true : undefined));
}
const status = (env: Readonly<Record<string, string>>, ...words: readonly string[]): Promise<Ended> =>
  audience(['--data-dir', backup, 'privacy', 'status', ...words], { env });

async function markRestored(): Promise<void> {
  const words = ['restore', '--in-place', '--register', path.join(second, register)];
  expect(await audience(['--data-dir', backup, ...words])).toMatchObject({ code: 0 });
}

test.skipIf(onServers)('the newest register, put in first, keeps the backup from showing who was erased', async () => {
  const list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
  const [early, late] = [someAddress(), someAddress()];
  for (const email of [early, late])
    await ok(service.post(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' }));
  await erase(early);
  await service.kill('SIGTERM');
  cpSync(service.dataDir, backup, { recursive: true });
  await service.start();
  await erase(late);
  await service.kill('SIGTERM');

  // The register travelled with the folder: nothing in it tells that it is old.
  const alone = await status({});
  expect(alone.code).toBe(0);
  expect(alone.err).toMatch(/register\.ndjson: 1 line\.\nThere is no second place for the register \(SEAL_DIR\)/);
  const beside = await status({ SEAL_DIR: second }, '--json');
  expect(beside.code).toBe(1);
  const { register: found, missing, erasures } = JSON.parse(beside.out) as Readonly<Record<string, unknown>>;
  // What the alarm of docs/privacy.md asks for.
  const completed = { at: expect.any(String) as unknown };
  expect(erasures).toMatchObject([
    { completed, requested_at: expect.any(String) as unknown, waits_for_scavenge: false },
  ]);
  const places = [
    { lines: 1, lacks: 1 },
    { file: path.join(second, register), lines: 2, lacks: 0 },
  ];
  expect(found).toMatchObject({ places });
  expect(missing).toMatchObject({ applied: [], reported: [{ type: 'ErasureRequested' }] });

  // The steps of the page.
  await markRestored();
  expect((await status({})).err).toContain('The log lacks 1 event of the register, which the next start brings back');
  const restored = await startService({ dataDir: backup });
  expect((await restored.get(`/v1/contacts?email=${late}`)).status).toBe(404);
  await eventually(() =>
    Promise.resolve(readFileSync(path.join(backup, 'events.db')).includes(late) ? undefined : true),
  );
  await restored.close();
});

test.skipIf(onServers)(
  'who was asked for again is somebody new before the first answer, behind however many others',
  async () => {
    await service.start();
    const list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
    const people = Array.from({ length: 8 }, someAddress);
    const before = new Map<string, string>();
    for (const email of people) {
      const contact = { email, status: 'Subscribed' };
      before.set(email, await service.make(`/v1/contacts/${list}/create`, contact, 'contact_id'));
      const mail = { from_email: 'ledger@example.com', to_email: email, subject: 'For you', mail_template: 'Hello' };
      await Promise.all(Array.from({ length: 3 }, () => ok(service.post('/v1/email/send', mail))));
    }
    await service.kill('SIGTERM');
    rmSync(backup, { recursive: true });
    cpSync(service.dataDir, backup, { recursive: true });
    await service.start();
    for (const email of people) expect((await service.post('/v1/privacy/erasures', { email })).status).toBe(202);
    await markRestored();

    const key = 'a-key-that-is-known-before-the-start';
    const address = path.join(backup, 'address');
    rmSync(address, { force: true });
    const starting = startService({ dataDir: backup, env: { API_KEYS: `test:${key}` } });
    const url = await eventually(() =>
      Promise.resolve(existsSync(address) ? readFileSync(address, 'utf8') : undefined),
    );
    const post = async (target: string, body: object): Promise<{ data: Readonly<Record<string, unknown>> }> => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const answer = await fetch(new URL(target, url), { method: 'POST', headers, body: JSON.stringify(body) });
      expect([200, 202]).toContain(answer.status);
      return (await answer.json()) as { data: Readonly<Record<string, unknown>> };
    };
    for (const email of people.toReversed()) {
      await post('/v1/privacy/erasures', { email });
      const { data } = await post(`/v1/contacts/${list}/upsertcontact`, { email, status: 'Subscribed' });
      expect(data['contact_id']).not.toBe(before.get(email));
    }
    await (await starting).close();
  },
);
