/** Logs that went through restores, stops, changes of keys and missing folders: none of them is called altered, unless a mark or a record was forged. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { publicKeyOf } from '../../src/integrity/seal.js';
import { markRestored } from '../../src/recovery/restored-mark.js';
import { audience } from '../support/audience.js';
import { newFolder } from '../support/integrity-log.js';
import { addContacts, localKey, startLocally, urlOf } from '../support/local-service.js';
import {
  cutAfter,
  exchangeKey,
  newestSealFile,
  readSeals,
  sealKeyOf,
  sealsOf,
  stateOf,
  withoutSecret,
  withSecret,
  type Scene,
} from './attacks.js';
import { envOf, startOn, verify } from './scene.js';

function newScene(): Scene {
  const root = newFolder();
  const scene = { folder: path.join(root, 'data'), copies: path.join(root, 'seals') };
  mkdirSync(scene.copies);
  return scene;
}

/** Runs the service, adds contacts and stops it. */
async function run(scene: Scene, contacts = 1, env: NodeJS.ProcessEnv = {}): Promise<void> {
  const service = await startLocally(scene.folder, { ...envOf(scene), ...env });
  if (contacts > 0) await addContacts(scene.folder, contacts);
  await service.close();
}

/** Starts the service, which has to find nothing. Returns what it logs at level warn. */
async function startsWell(scene: Scene, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const start = await startOn(scene, env);
  expect(start).toMatchObject({ refused: '', altered: '' });
  return start.said;
}
async function verifiesWell(scene: Scene): Promise<string> {
  const { code, out, err } = await verify(scene);
  expect(code, out + err).toBe(0);
  return out;
}

async function backUp({ folder }: Scene): Promise<string> {
  const { code, out, err } = await audience(['--data-dir', folder, 'backup', path.join(folder, '..', 'backups')]);
  expect(code, err).toBe(0);
  return (JSON.parse(out) as { readonly folder: string }).folder;
}

/** Restores a backup in place of the folder, with its secret and keys, as an operator does. */
async function restore({ folder }: Scene, backup: string): Promise<void> {
  const old = `${folder}-${randomUUID()}`;
  renameSync(folder, old);
  mkdirSync(folder);
  for (const name of ['secret', 'api-keys.json', 'seal-key.pem'])
    if (existsSync(path.join(old, name))) cpSync(path.join(old, name), path.join(folder, name));
  const words = ['restore', backup, '--to', folder, '--without-newer-register'];
  expect(await audience(words, { env: { DATA_DIR: old } })).toMatchObject({ code: 0 });
}

const restoresIn = async (scene: Scene): Promise<readonly number[]> => {
  const { out } = await verify(scene, '--json');
  return (JSON.parse(out) as { restores: { count: number; isValid: boolean }[] }).restores.map(({ count, isValid }) => {
    expect(isValid).toBe(true);
    return count;
  });
};

/** A log with three backups, all of which begin with the same events. */
async function withBackups() {
  const scene = newScene();
  const backups: { readonly folder: string; readonly count: number }[] = [];
  for (let number = 0; number < 3; number += 1) {
    await run(scene, 3);
    backups.push({ folder: await backUp(scene), count: stateOf(scene.folder).count });
  }
  await run(scene, 3);
  const [first, second, third] = backups;
  if (first === undefined || second === undefined || third === undefined) throw new Error('a backup is missing');
  return { scene, first, second, third };
}

describe('a restore', () => {
  test('a restore of one backup twice is recorded each time, and excuses all seals of what it removed', async () => {
    const { scene, second } = await withBackups();
    await restore(scene, second.folder);
    expect(await startsWell(scene)).toContain('a seal covers events that a restore removed');
    await run(scene, 2);
    await restore(scene, second.folder);
    await startsWell(scene);
    await run(scene, 20);
    await startsWell(scene);
    expect(await verifiesWell(scene)).toContain('is excused');
    expect(await restoresIn(scene)).toEqual([second.count, second.count]);
  });

  test('a restore of an older backup after that of a newer one, and of the newest after both, accuses no seal', async () => {
    const { scene, first, second, third } = await withBackups();
    for (const { folder } of [second, first, third]) {
      await restore(scene, folder);
      await run(scene, 1);
      await startsWell(scene);
      await verifiesWell(scene);
    }
    expect(new Set(await restoresIn(scene))).toEqual(new Set([third.count]));
    // A backup of a restored log, after yet another restore.
    const later = await backUp(scene);
    await restore(scene, first.folder);
    await run(scene, 1);
    await restore(scene, later);
    await startsWell(scene);
    await run(scene, 30);
    await startsWell(scene);
    await verifiesWell(scene);
  });

  test('a restore of a backup that was made during a restart starts, though its newest seal is final and covers fewer events', async () => {
    const scene = newScene();
    await run(scene, 2);
    const seals = path.join(scene.folder, '..', 'seals-at-the-stop');
    cpSync(sealsOf(scene.folder), seals, { recursive: true });
    const service = await startLocally(scene.folder, envOf(scene));
    await addContacts(scene.folder, 2);
    // A backup copies the seals first.
    const now = path.join(scene.folder, '..', 'seals-now');
    renameSync(sealsOf(scene.folder), now);
    renameSync(seals, sealsOf(scene.folder));
    const backup = await backUp(scene);
    cpSync(now, sealsOf(scene.folder), { recursive: true });
    await service.close();
    await restore(scene, backup);
    const lost = { ...scene, copies: path.join(scene.folder, '..', 'new-copies') };
    mkdirSync(lost.copies);
    expect(readSeals(sealsOf(scene.folder)).at(-1)).toMatchObject({ final: true });
    await startsWell(lost);
    await startsWell(lost);
    await verifiesWell(lost);
  });

  test('a restore is not started while SEAL_DIR cannot be read, because it has to be recorded with the newest seal', async () => {
    const { scene, first } = await withBackups();
    await restore(scene, first.folder);
    renameSync(scene.copies, `${scene.copies}-away`);
    expect((await startOn(scene)).refused).toContain('The first start after a restore needs the newest seal');
    renameSync(`${scene.copies}-away`, scene.copies);
    await startsWell(scene);
    await verifiesWell(scene);
  });

  test('a restore is not started without the key of its seals, so that naming the key later accuses no seal', async () => {
    const { scene, first } = await withBackups();
    await restore(scene, first.folder);
    await run(scene, 1);
    const before = publicKeyOf(sealKeyOf(scene.folder));
    // As many restores as the newest seal counts, so a record without that seal would not excuse it.
    await restore(scene, await backUp(scene));
    rmSync(path.join(scene.folder, 'seal-key.pem'));
    const found = stateOf(scene.folder);
    expect((await startOn(scene)).refused).toContain('seal-key.pem is missing, but there are seals of this log');
    const key = path.join(scene.folder, '..', 'new-key.pem');
    writeFileSync(key, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
    expect((await startOn(scene, { SEAL_KEY: key })).refused).toContain('needs the newest seal');
    expect(stateOf(scene.folder)).toEqual(found);
    // The check after each start compares all seals.
    for (let start = 0; start < 2; start += 1) await startsWell(scene, { SEAL_KEYS_BEFORE: before });
  });

  test('a restore is not recorded before its first start, which audit verify says', async () => {
    const { scene, first } = await withBackups();
    await restore(scene, first.folder);
    const { code, out, err } = await verify(scene);
    expect(code, out).toBe(1);
    expect(err).toContain('no start has recorded that yet');
    await run(scene, 0);
    expect(await verify(scene)).toMatchObject({ code: 0, err: '' });
  });

  test('a restored log takes no commands that append before its first start', async () => {
    const { scene, first } = await withBackups();
    await restore(scene, first.folder);
    const words = ['--data-dir', scene.folder, 'privacy', 'reapply'];
    const refused = await audience(words, { env: { SEAL_DIR: scene.copies } });
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('Start the service once') as string });
    await startsWell(scene);
  });

  test('a restore leaves a log that starts if the first start was killed after it had recorded the restore', async () => {
    const { scene, second } = await withBackups();
    await restore(scene, second.folder);
    const mark = path.join(scene.folder, 'restored.json');
    const text = readFileSync(mark);
    await run(scene, 0);
    writeFileSync(mark, text);
    await startsWell(scene);
    expect(await restoresIn(scene)).toEqual([second.count]);
  });
});

describe('a forged mark of a restore', () => {
  const forgeries = {
    'without a MAC': (scene: Scene) => {
      mark(scene, withSecret);
      const file = path.join(scene.folder, 'restored.json');
      const { mac: _, ...unsigned } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
      writeFileSync(file, JSON.stringify(unsigned));
    },
    'with a MAC under another secret': (scene: Scene) => mark(scene, withoutSecret),
  };
  function mark({ folder }: Scene, keyOf: typeof withSecret): void {
    const { count, root } = stateOf(folder);
    const [seal] = readSeals(sealsOf(folder));
    markRestored(folder, { event_id: randomUUID(), log_id: seal?.log_id ?? '', count, root }, keyOf(folder));
  }

  test.each(Object.entries(forgeries))('%s does not pass a shortened log off as a restore', async (_, forge) => {
    const scene = newScene();
    await run(scene, 3);
    const { count } = stateOf(scene.folder);
    await run(scene, 3);
    cutAfter(count)(scene);
    forge(scene);
    const before = stateOf(scene.folder);
    for (const copies of [scene.copies, newFolder()])
      expect((await startOn({ ...scene, copies })).refused).toMatch(
        /restored\.json (cannot be read|was not written by)/,
      );
    expect(stateOf(scene.folder)).toEqual(before);
    rmSync(path.join(scene.folder, 'restored.json'));
    expect((await startOn(scene)).refused).toContain('was shortened');
  });

  test('a forged mark of a restore that was written for other events of the log is refused', async () => {
    const scene = newScene();
    await run(scene, 3);
    mark(scene, withSecret);
    const { count } = stateOf(scene.folder);
    cutAfter(count - 2)(scene);
    expect((await startOn(scene)).refused).toContain('is of another log than the log in this folder');
  });

  test('a forged mark of a restore does not make a new log in place of a removed one', async () => {
    const scene = newScene();
    await run(scene, 3);
    mark(scene, withSecret);
    writeFileSync(path.join(scene.folder, 'events.db'), '');
    rmSync(sealsOf(scene.folder), { recursive: true });
    expect((await startOn(scene)).refused).toContain('the event log is empty, but restored.json says');
  });
});

describe('an unaltered log', () => {
  test('an unaltered log starts and stops many times, with periodic seals or without', async () => {
    const scene = newScene();
    for (const every of ['0', '1h', '0', '1h', '0']) await run(scene, every === '0' ? 0 : 1, { SEAL_EVERY: every });
    const seals = readSeals(scene.copies);
    expect(seals.map(({ seq }) => seq)).toEqual(seals.map((_, at) => at + 1));
    expect(seals.at(-1)).toMatchObject({ final: true, count: stateOf(scene.folder).count });
    expect(await startsWell(scene)).toBe('');
    await verifiesWell(scene);
  });

  test('an unaltered log starts with another key, and the seals of the key before still count if SEAL_KEYS_BEFORE names it', async () => {
    const scene = newScene();
    await run(scene, 2);
    const before = publicKeyOf(sealKeyOf(scene.folder));
    const sealsBefore = readSeals(sealsOf(scene.folder)).length;
    const key = path.join(scene.folder, '..', 'key.pem');
    writeFileSync(key, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const env = { SEAL_KEY: key, SEAL_KEYS_BEFORE: before };
    expect(await startsWell(scene, env)).toBe('');
    await run(scene, 2, env);
    const older = { ...scene, folder: `${scene.folder}-older` };
    cpSync(scene.folder, older.folder, { recursive: true });
    // Without SEAL_KEYS_BEFORE the older seals are ignored, which is logged.
    const said = await startsWell(scene, { SEAL_KEY: key });
    expect(said).toContain('seals are ignored');
    expect(said).toContain(`"seals":${sealsBefore},`);
    cutAfter(3)(older);
    expect((await startOn(older, env)).refused).toContain('was shortened');
  });

  test('an unaltered log starts with a key that was exchanged, and then compares no older seal', async () => {
    const scene = newScene();
    await run(scene, 2);
    exchangeKey(scene);
    expect(await startsWell(scene)).toContain('seals are ignored');
    await run(scene, 2);
    expect(await startsWell(scene)).toContain('seals are ignored');
  });

  test('an unaltered log starts without a readable SEAL_DIR, which is logged, and copies the seals when SEAL_DIR is back', async () => {
    const scene = newScene();
    await run(scene, 2);
    renameSync(scene.copies, `${scene.copies}-away`);
    expect(await startsWell(scene)).toContain('SEAL_DIR cannot be read');
    writeFileSync(scene.copies, 'not a folder');
    expect(await startsWell(scene)).toContain('SEAL_DIR cannot be read');
    rmSync(scene.copies);
    renameSync(`${scene.copies}-away`, scene.copies);
    expect(await startsWell(scene)).toBe('');
    expect(readSeals(scene.copies)).toEqual(readSeals(sealsOf(scene.folder)));
  });

  test('an unaltered log starts though the newest copy in SEAL_DIR was cut off by a crash', async () => {
    const scene = newScene();
    await run(scene, 2);
    const file = newestSealFile(scene.copies);
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, 100));
    expect(await startsWell(scene)).toContain('seals are ignored');
    expect(await startsWell(scene)).toBe('');
  });

  test('an unaltered log starts after commands that appended to it between two runs', async () => {
    const scene = newScene();
    const service = await startLocally(scene.folder, envOf(scene));
    const [email = ''] = await addContacts(scene.folder, 2);
    await service.close();
    const { count } = stateOf(scene.folder);
    // A register of this log with an erasure that the log lacks.
    const other = { folder: `${scene.folder}-other`, copies: newFolder() };
    cpSync(scene.folder, other.folder, { recursive: true });
    const erasing = await startLocally(other.folder, envOf(other));
    const answer = await fetch(urlOf(other.folder, '/v1/privacy/erasures'), {
      method: 'POST',
      headers: { authorization: `Bearer ${localKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ email }),
    });
    expect(answer.status).toBe(202);
    await erasing.close();
    cpSync(path.join(other.folder, 'register.ndjson'), path.join(scene.folder, 'register.ndjson'));
    const { data } = (await answer.json()) as { readonly data: { readonly erasure_id: string } };
    const words = ['--data-dir', scene.folder, 'privacy', 'reapply', '--erasure', data.erasure_id];
    for (const says of ['Brought back: 1 event', `The log has ${data.erasure_id} already`])
      expect((await audience(words, { env: { SEAL_DIR: scene.copies } })).out).toContain(says);
    expect(stateOf(scene.folder).count).toBe(count + 1);
    expect(readSeals(scene.copies).at(-1)).toMatchObject({ final: true, count: count + 1 });
    expect(await startsWell(scene)).toBe('');
    expect(stateOf(scene.folder).count).toBeGreaterThan(count + 1);
    await verifiesWell(scene);
  });

  test('an unaltered log seals no event that came after a kill before the check has passed', async () => {
    const scene = newScene();
    await run(scene, 2);
    rmSync(newestSealFile(scene.copies));
    rmSync(newestSealFile(sealsOf(scene.folder)));
    await startsWell(scene);
    expect(readSeals(scene.copies).at(-1)).toMatchObject({ final: true, count: stateOf(scene.folder).count });
  });
});
