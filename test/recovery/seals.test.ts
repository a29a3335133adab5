import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { sealKeysAtHand } from '../../src/integrity/seal-store.js';
import { makeBackup } from '../../src/recovery/make-backup.js';
import { verifyBackup } from '../../src/recovery/verify-backup.js';
import { generateKeyPairSync } from 'node:crypto';
import { createSeal } from '../../src/integrity/seal.js';
import { keepSeal } from '../../src/integrity/seal-store.js';
import { embeddedIn } from '../../src/stores/stores.js';
import { dataFolderAt } from '../../src/stores/data-folder.js';
import { newLogFolder, newRoot, type LogFolder } from '../support/backups.js';

const { root, remove } = newRoot();
afterAll(remove);
let log: LogFolder;
let own: string;
let number = 0;
beforeEach(async () => {
  number += 1;
  own = path.join(root, String(number));
  log = await newLogFolder(path.join(own, 'data'));
});

const { signal } = new AbortController();
const notices: string[] = [];
const make = async (knowsSecret = true): Promise<string> => {
  const { dataDir, secret } = log;
  const seals = { copies: undefined, key: undefined };
  const { folder } = await makeBackup({
    log: embeddedIn(dataFolderAt(dataDir)),
    ...{ places: { dataDir, seals }, folder: path.join(own, 'backups'), keep: undefined },
    ...{ secrets: knowsSecret ? [{ secret, source: 'SECRET' }] : [], version: '0', withSecrets: false },
    ...{ signal, clock: Date.now, onProgress: () => undefined, onNotice: (notice) => void notices.push(notice) },
    sealKeys: sealKeysAtHand({ dataDir, seals }, { onNotice: () => undefined }),
  });
  return folder;
};
const verify = (folder: string, knowsSecret = true) =>
  verifyBackup(folder, {
    ...{ secrets: knowsSecret ? [{ secret: log.secret, source: 'SECRET' }] : [], acceptsUnsigned: true, signal },
    onNotice: (notice) => void notices.push(notice),
    onVerified: () => undefined,
  });

/** Puts the log back as it was, as an older copy of `events.db`. */
async function putBack(change: () => Promise<unknown>): Promise<void> {
  const file = path.join(log.dataDir, 'events.db');
  cpSync(file, path.join(own, 'before.db'));
  await change();
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
  renameSync(path.join(own, 'before.db'), file);
}

test('a backup has the root of its log, and its seals match', async () => {
  await log.grow({ groups: 300 });
  await log.seal();
  await log.grow({ groups: 2 });
  const folder = await make();
  const { manifest, mac, seals } = await verify(folder);
  expect(manifest).toMatchObject({ format: 'audience-ledger-backup/4', count: 303, restores: 0, seals: 1 });
  expect(manifest.root).toMatch(/^[0-9a-f]{64}$/);
  expect(manifest).not.toHaveProperty('head');
  expect({ mac, seals }).toEqual({ mac: 'valid', seals: { match: 1, excused: 0 } });
});

describe('no backup is made of a log', () => {
  test('no backup is made of a log that lost the end that was sealed', async () => {
    await log.grow({ groups: 2 });
    await putBack(async () => {
      await log.grow({ groups: 3 });
      await log.seal();
    });
    await expect(make()).rejects.toThrow('The log in');
    expect(readdirSync(path.join(own, 'backups'))).toEqual(['.lock']);
  });

  test('no backup is made of a log whose sealed events were replaced', async () => {
    await putBack(async () => {
      await log.grow({ groups: 3 });
      await log.seal();
    });
    await log.grow({ groups: 5 });
    await expect(make()).rejects.toThrow('are not those that were sealed');
  });

  test('no backup is made of a log whose record of a restore was forged without the secret', async () => {
    await putBack(async () => {
      await log.grow({ groups: 3 });
      await log.seal();
    });
    const forger = await newLogFolder(path.join(own, 'forger'));
    const [file, forged] = [log, forger].map(({ dataDir }) => path.join(dataDir, 'events.db'));
    cpSync(file ?? '', forged ?? '');
    await forger.grow({ restores: 1 });
    cpSync(forged ?? '', file ?? '');
    await expect(make()).rejects.toThrow('was not recorded with the secret of this log');
  });
});

describe('a seal of events that a restore removed', () => {
  beforeEach(async () => {
    await log.grow({ groups: 2 });
    await putBack(async () => {
      await log.grow({ groups: 3 });
      await log.seal();
    });
    await log.grow({ restores: 1, groups: 9 });
  });

  test('a seal of events that a restore removed is excused', async () => {
    expect((await verify(await make())).seals).toEqual({ match: 0, excused: 1 });
  });

  test('a seal of events that a restore removed is excused without the secret as well, so that a backup can be made without it', async () => {
    expect((await verify(await make(false), false)).seals).toEqual({ match: 0, excused: 1 });
  });
});

test('a backup with an altered seal is corrupt', async () => {
  const seal = await log.seal();
  const folder = await make();
  const file = path.join(folder, 'seals', path.basename(seal));
  writeFileSync(file, readFileSync(file, 'utf8').replace('"final": false', '"final": true '));
  await expect(verify(folder)).rejects.toThrow('is corrupt: its SHA-256 does not match');
});

test('seals of another log and files that are no seals are kept and not compared', async () => {
  await log.seal({ log_id: 'another-log', count: 7 });
  writeFileSync(path.join(log.dataDir, 'seals', '2026-01-01T00-00-00.000Z.json'), '{}\n');
  const folder = await make();
  notices.length = 0;
  expect((await verify(folder)).seals).toEqual({ match: 0, excused: 0 });
  expect(readdirSync(path.join(folder, 'seals'))).toHaveLength(2);
  expect(notices).toEqual([expect.stringContaining('Ignored the seal')]);
});

test('a backup of an earlier format is refused by name', async () => {
  const folder = await make();
  const file = path.join(folder, 'manifest.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace('audience-ledger-backup/4', 'audience-ledger-backup/2'));
  await expect(verify(folder)).rejects.toThrow(
    'its format is "audience-ledger-backup/2", and this version reads audience-ledger-backup/4 only. Restore this backup with the version that made it',
  );
});

test('a seal that is signed with a key of somebody else neither stops a backup nor counts in it', async () => {
  await log.grow({ groups: 2 });
  await log.seal();
  const key = generateKeyPairSync('ed25519').privateKey;
  const state = { log_id: log.logId, seq: 9, restores: 7, count: 1_000, root: 'ab'.repeat(32), final: true };
  keepSeal(log.dataDir, createSeal(state, key, Date.now()));
  const { seals, manifest } = await verify(await make());
  expect({ seals, kept: manifest.seals }).toEqual({ seals: { match: 1, excused: 0 }, kept: 2 });
  expect(notices.join()).toContain('signed with a key that does not count');
});
