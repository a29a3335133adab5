/** Starts that are refused: with another secret than that of the log, and with views that are not of the log. */
import { cpSync, existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { shown, unique } from '../support/answers.js';
import { freshFolder, runToExit, startService, type Service, type ServiceOptions } from '../support/service.js';
import { dropViews, onServers } from '../support/stores.js';

const running: Service[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const service of running.splice(0)) await service.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function started(options?: ServiceOptions): Promise<Service> {
  const service = await startService(options);
  running.push(service);
  return service;
}

function folder(): string {
  const fresh = freshFolder();
  folders.push(fresh);
  return fresh;
}

const newGroup = (service: Service, name = unique('Group')): Promise<string> =>
  service.make('/v1/groups/create', { group_name: name }, 'group_id');
const groups = async (service: Service): Promise<unknown[]> => [...(await service.get('/v1/groups')).items()];

test('a log refuses another secret, and takes the old one again', async () => {
  const secrets = ['the first secret, of more than 32 bytes', 'another secret, of more than 32 bytes too'];
  const service = await started({ env: { SECRET: secrets[0] } });
  const name = unique('Group');
  const id = await newGroup(service, name);
  await service.kill('SIGTERM');
  for (const SECRET of [secrets[1], undefined]) {
    const exit = await runToExit(service.dataDir, { SECRET });
    expect(exit.signal).toBeNull();
    expect(exit.code).not.toBe(0);
    expect(exit.output).toMatch(/\bSECRET\b/);
    for (const secret of secrets) expect(exit.output).not.toContain(secret);
  }
  await service.start();
  expect((await service.get(`/v1/groups/${id}`)).body).toEqual(shown({ group_id: id, group_name: name }));
});

describe('views that were folded from what the log does not hold stop the start', () => {
  const copy = (from: string, to: string, file: string): void => {
    for (const suffix of ['', '-wal', '-shm']) {
      rmSync(path.join(to, file + suffix), { force: true });
      if (existsSync(path.join(from, file + suffix)))
        cpSync(path.join(from, file + suffix), path.join(to, file + suffix));
    }
  };
  /** The operator is told what to do, and does it. */
  async function refusedUntilViewsAreGone(service: Service, reason: RegExp): Promise<void> {
    const log = await service.events();
    const exit = await runToExit(service.dataDir, { API_KEYS: `test:${service.key}` });
    expect(exit).toMatchObject({ code: 1, signal: null });
    expect(exit.output).toMatch(reason);
    expect(exit.output).toMatch(/delete views\.db/);
    expect(exit.output).not.toMatch(/\n\s+at /);
    expect(await service.events()).toEqual(log);
    await dropViews(service.dataDir);
    await service.start();
  }

  test(
    'those of another log, and those of a log that was put back to an earlier day',
    { timeout: 60_000 },
    async ({ skip }) => {
      skip(
        onServers,
        'for views on a server there is a test of its own; a log there is put back with the whole server',
      );
      const [service, other] = [await started(), await started()];
      for (const one of [service, other]) await newGroup(one);
      const before = await groups(service);
      expect(await groups(other)).not.toEqual(before);
      for (const one of [service, other]) await one.kill('SIGTERM');
      copy(other.dataDir, service.dataDir, 'views.db');
      const backup = folder();
      copy(service.dataDir, backup, 'events.db');
      await refusedUntilViewsAreGone(service, /from another log/);
      expect(await groups(service)).toEqual(before);

      await newGroup(service);
      expect(await groups(service)).toHaveLength(2);
      await service.kill('SIGTERM');
      copy(backup, service.dataDir, 'events.db');
      // A seal would tell first that the log was put back.
      rmSync(path.join(service.dataDir, 'seals'), { recursive: true });
      await refusedUntilViewsAreGone(service, /restored or shortened.*audience restore --in-place/s);
      expect(await groups(service)).toEqual(before);
      await newGroup(service);
      expect(await groups(service)).toHaveLength(2);
    },
  );
});
