/** A service that is killed at random moments leaves a log that starts, passes its check and verifies. */
import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { unique } from '../support/answers.js';
import { newFolder } from '../support/integrity-log.js';
import { usually } from '../support/amount.js';
import { realTime } from '../support/real-time.js';
import { eventually, startService, type Service } from '../support/service.js';
import { readSeals } from './attacks.js';
import { verify } from './scene.js';

const newGroup = (service: Service) => service.post('/v1/groups/create', { group_name: unique('Group') });

/** Waits until the check of the whole log has passed. */
const checked = (service: Service): Promise<string> =>
  eventually(async () => {
    const { body } = await service.get('/health/ready');
    return (body as { data: { integrity: { read_back_at: string | null } } }).data.integrity.read_back_at ?? undefined;
  });

test('kills at random moments, with orderly stops between them', async () => {
  const root = newFolder();
  const scene = { folder: path.join(root, 'data'), copies: path.join(root, 'seals') };
  mkdirSync(scene.folder);
  mkdirSync(scene.copies);
  const env = { SEAL_DIR: scene.copies, SEAL_EVERY: '1s' };
  const service = await startService({ dataDir: scene.folder, env });
  onTestFinished(() => service.close());
  for (let round = 0; round < usually(3, 20); round += 1) {
    const writing = Array.from({ length: 8 }, async () => {
      for (let count = 0; count < 100_000; count += 1)
        try {
          await newGroup(service);
        } catch {
          return;
        }
    });
    // Any moment will do, also one between two appends.
    await realTime(randomInt(1_500));
    await service.kill(round % 4 === 3 ? 'SIGTERM' : 'SIGKILL');
    await Promise.all(writing);
    const { code, out, err } = await verify(scene);
    expect(code, out + err).toBe(0);
    await service.start();
    if (round % 2 === 0) await checked(service);
  }
  await checked(service);
  expect((await newGroup(service)).status).toBe(200);
  expect(await service.kill('SIGTERM')).toMatchObject({ code: 0 });
  expect(service.output()).not.toContain('altered');
  const seals = readSeals(scene.copies);
  expect(seals.at(-1)).toMatchObject({ final: true });
  expect(seals.map(({ seq }) => seq)).toEqual(seals.map((_, at) => at + 1));
  expect(await verify(scene)).toMatchObject({ code: 0 });
});
