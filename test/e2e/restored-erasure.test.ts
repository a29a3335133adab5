/** Restores backups from before an erasure, and searches all bytes of all files for the erased person. */
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok, unique } from '../support/answers.js';
import { audience } from '../support/audience.js';
import { eventually, freshFolder, startService, type Service } from '../support/service.js';
import { onServers } from '../support/stores.js';
import { filesIn, searchFor } from './erasing/traces.js';
import { unmistakableTexts, type Person } from './erasing/unmistakable-people.js';

const root = freshFolder();
const [copies, backups, later] = ['copies', 'backups', 'later'].map((name) => path.join(root, name)) as [
  string,
  string,
  string,
];
const restoredDir = path.join(root, 'restored');
const texts = unmistakableTexts(unique('run'));
const people = texts.people(24);
/** People who are erased before the backup, after the backup, and after the restore. Each has events among the first of the log. */
const [before, after, rest] = [0, 1, 2].map((part) => people.filter((_, at) => at % 3 === part)) as [
  Person[],
  Person[],
  Person[],
];
let first: Service;
let restored: Service | undefined;

const running = (): Service => {
  if (restored === undefined) throw new Error('the restore failed');
  return restored;
};

/** Fills pages of the log unevenly, because profiles are short or several pages long, and change. */
async function addPerson(person: Person, list: string, size: number): Promise<void> {
  const long = (): string => Array.from({ length: size }, () => texts.text('plain')).join(' ');
  const profile = () => ({ firstName: texts.text('accented'), lastName: texts.text('plain'), address: long() });
  for (const path of ['create', 'upsertcontact']) {
    const told = profile();
    person.texts.push(told.firstName, told.lastName, ...told.address.split(' '));
    await ok(first.post(`/v1/contacts/${list}/${path}`, { ...told, email: person.email, status: 'Subscribed' }));
  }
}

async function erase(service: Service, some: readonly Person[]): Promise<void> {
  await Promise.all(
    some.map(async ({ email }) => {
      const asked = await service.post('/v1/privacy/erasures', { email });
      expect(asked.status).toBe(202);
      await completed(service, String(asked.headers.location));
    }),
  );
}
const completed = (service: Service, location: string): Promise<true> =>
  eventually(async () => {
    const answer = await service.get(location);
    return answer.status === 200 && answer.field('status') === 'completed' ? true : undefined;
  });

/** Returns where a text about one of these people is in a file of the folders, or in their files with this name. */
function remainsOf(some: readonly Person[], folders: readonly string[], name = ''): readonly string[] {
  const search = searchFor(some.flatMap(({ email, texts: told }) => [email, ...told]));
  return folders.flatMap((folder) => [...filesIn(folder)].filter((file) => file.name.endsWith(name)).flatMap(search));
}

describe.skipIf(onServers)('a restore of a backup from before an erasure', () => {
  beforeAll(async () => {
    mkdirSync(copies);
    first = await startService({ env: { SEAL_DIR: copies } });
    const list = await first.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
    for (const [at, person] of people.entries())
      await addPerson(person, list, [1, 12, 34][Math.floor(at / 3) % 3] ?? 0);
    await erase(first, before);
    expect(await audience(['--data-dir', first.dataDir, 'backup', backups, '--with-secrets'])).toMatchObject({
      code: 0,
    });
    await erase(first, after);
    await first.kill('SIGTERM');
    const register = path.join(copies, 'register.ndjson');
    const words = ['--data-dir', first.dataDir, 'restore', backups, '--with-secrets'];
    const answer = await audience([...words, '--to', restoredDir, '--register', register]);
    expect(answer, answer.err).toMatchObject({ code: 0 });
    restored = await startService({ dataDir: restoredDir, env: { SEAL_DIR: copies } });
  });
  afterAll(async () => {
    await restored?.close();
    await first.close();
    rmSync(root, { recursive: true });
  });

  test('a restore of a backup from before an erasure erases the person again in every file', async () => {
    expect(remainsOf(after, [backups])).not.toEqual([]);
    expect(remainsOf(people, [backups], 'register.ndjson')).toEqual([]);
    await eventually(async () => {
      const { body } = await ok(running().get('/v1/privacy/erasures?limit=200'));
      const { data } = body as { readonly data: readonly { readonly status: string }[] };
      return data.length === before.length + after.length && data.every(({ status }) => status === 'completed')
        ? true
        : undefined;
    });
    for (const { email } of after) {
      const found = await running().get(`/v1/contacts?email=${encodeURIComponent(email)}`);
      expect(found.status).toBe(404);
    }
    expect(await audience(['--data-dir', restoredDir, 'backup', later])).toMatchObject({ code: 0 });
    expect(remainsOf([...before, ...after], [first.dataDir, restoredDir, copies, later])).toEqual([]);
  });

  test('an erasure after a restore leaves nothing of the person in unused parts of pages', async () => {
    expect(remainsOf(rest, [restoredDir])).not.toEqual([]);
    await erase(running(), rest);
    expect(await audience(['--data-dir', restoredDir, 'backup', later, '--keep', '1'])).toMatchObject({ code: 0 });
    await running().kill('SIGTERM');
    expect(remainsOf(people, [restoredDir, copies, later])).toEqual([]);
  });
});
