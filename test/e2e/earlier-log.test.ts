/** A folder of the version before, with `events.db` of format 5: this version starts on it, answers as that one did, goes on, and proves all of it. */
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Database } from '../../src/sqlite/database.js';
import { ok, someAddress } from '../support/answers.js';
import { audience } from '../support/audience.js';
import { earlierFolder, earlierLog } from '../support/earlier-log.js';
import { eventually, startService, type Service } from '../support/service.js';
import { onServers } from '../support/stores.js';

const { answers, count, head, list_id, secret } = earlierLog;

async function answersOf(service: Service): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const target of Object.keys(answers)) found[target] = (await ok(service.get(target))).body;
  return found;
}

async function verification(folder: string): Promise<Record<string, unknown>> {
  const { code, out, err } = await audience(['audit', 'verify', '--json', '--data-dir', folder], {
    env: { SECRET: secret },
  });
  expect(code, err).toBe(0);
  return JSON.parse(out) as Record<string, unknown>;
}

test.skipIf(onServers)('is served as it was, through kills, and its people can be erased', async () => {
  const dataDir = earlierFolder();
  expect(await verification(dataDir)).toMatchObject({ intact: true, count, head, sealed_head: { checked: true } });
  const service = await startService({ dataDir, env: { SECRET: secret, ACCESS_LOG: 'off', SEAL_EVERY: '0' } });
  onTestFinished(() => service.close());
  // A later version may say more.
  expect(await answersOf(service)).toMatchObject(answers);

  const person = { email: someAddress(), status: 'Subscribed' };
  const added = await service.make(`/v1/contacts/${list_id}/create`, person, 'contact_id');
  await service.kill('SIGKILL');
  await service.start();
  expect((await ok(service.get(`/v1/contacts/${list_id}/${added}`))).body).toMatchObject({
    data: { email: person.email },
  });
  for (const email of ['person1@example.com', person.email]) {
    const erasure = (await service.post('/v1/privacy/erasures', { email })).field('erasure_id');
    await eventually(
      async () => (await service.get(`/v1/privacy/erasures/${erasure}`)).text.includes('"completed"') || undefined,
      { what: 'the end of the erasure' },
    );
  }
  await service.kill('SIGTERM');
  const db = new Database(path.join(dataDir, 'events.db'), { access: 'read' });
  onTestFinished(() => db.close());
  expect(db.pragma('user_version')).toBe(6);
  expect(
    db.prepareValue("select count(*) from log where data like '%person1@%' or data like ?").get(`%${person.email}%`),
  ).toBe(0);
  expect(await verification(dataDir)).toMatchObject({ intact: true, redacted: 4, sealed_head: { checked: true } });
});
