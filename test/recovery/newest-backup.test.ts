/** Which backup is the newest: what --keep leaves, and what a restore takes from a folder of backups. */
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { makeBackup } from '../../src/recovery/make-backup.js';
import { embeddedIn } from '../../src/stores/stores.js';
import { dataFolderAt } from '../../src/stores/data-folder.js';
import { audience } from '../support/audience.js';
import { alterManifest, backUp, newLogFolder, newRoot, restoreTo, type LogFolder } from '../support/backups.js';

const { root, remove } = newRoot();
let log: LogFolder;
let folder: string;
let number = 0;

beforeEach(async () => {
  number += 1;
  const own = path.join(root, String(number));
  folder = path.join(own, 'backups');
  log = await newLogFolder(path.join(own, 'data'));
});
afterAll(remove);

const backups = (): readonly string[] =>
  readdirSync(folder)
    .filter((name) => !name.startsWith('.'))
    .sort();
const includes = (text: string): string => expect.stringContaining(text) as string;
/** Renames a backup as if the clock had been far ahead, and returns its new path. */
function dateAhead(backup: string): string {
  const ahead = path.join(folder, '2999-01-01T00-00-00.000Z');
  renameSync(backup, ahead);
  return ahead;
}
const newest = async (): Promise<unknown> => {
  const { out, err } = await audience(['--data-dir', log.dataDir, 'backup', 'verify', folder]);
  expect(err).toBe('');
  return (JSON.parse(out) as { readonly folder: string }).folder;
};

test('--keep 1 does not remove the backup just made, though the clock was ahead once', async () => {
  const ahead = dateAhead((await backUp(log, folder)).folder);
  await log.grow({ groups: 1 });
  const made = await backUp(log, folder, '--keep', '1');
  expect(made.removed).toEqual([ahead]);
  expect(backups()).toEqual([path.basename(made.folder)]);
});

test('a restore takes the backup with the most events, whatever names and times say', async () => {
  const ahead = dateAhead((await backUp(log, folder)).folder);
  await log.grow({ groups: 1 });
  const { folder: made } = await backUp(log, folder);
  expect(await newest()).toBe(made);
  const restored = await restoreTo(path.join(folder, '..', 'restored'), [folder], { dataDir: log.dataDir });
  expect(JSON.parse(restored.out)).toMatchObject({ backup: made });
  expect(existsSync(ahead)).toBe(true);
});

test('a log that was restored is newer than one with more events', async () => {
  const before = path.join(folder, '..', 'before');
  cpSync(log.dataDir, before, { recursive: true });
  await log.grow({ groups: 5 });
  const long = dateAhead((await backUp(log, folder)).folder);
  rmSync(path.join(log.dataDir, 'events.db'));
  for (const end of ['-wal', '-shm']) rmSync(path.join(log.dataDir, `events.db${end}`), { force: true });
  cpSync(path.join(before, 'events.db'), path.join(log.dataDir, 'events.db'));
  await log.grow({ restores: 1 });
  const short = await backUp(log, folder);
  expect(await newest()).toBe(short.folder);
  await log.grow({ groups: 1 });
  expect((await backUp(log, folder, '--keep', '2')).removed).toEqual([long]);
});

test('a backup of a log that lost events is kept, and the backup that has these events is kept and named', async () => {
  const before = path.join(folder, '..', 'before');
  cpSync(log.dataDir, before, { recursive: true });
  await log.grow({ groups: 2 });
  const long = await backUp(log, folder);
  const made = await backUp({ ...log, dataDir: before }, folder, '--keep', '1');
  expect(made).toMatchObject({ removed: [], err: includes(`${long.folder} has more than the backup just made`) });
  expect(backups()).toHaveLength(2);
  const next = await backUp({ ...log, dataDir: before }, folder, '--keep', '1');
  expect(next.removed).toEqual([made.folder]);
  expect(existsSync(long.folder)).toBe(true);
});

test('--keep keeps the backup just made if another one has as many events', async () => {
  const first = dateAhead((await backUp(log, folder, '--with-secrets')).folder);
  const second = await backUp(log, folder, '--keep', '1');
  expect(second.removed).toEqual([first]);
  expect(backups()).toEqual([path.basename(second.folder)]);
});

test('a backup gets another name if the clock shows the same time again', async () => {
  const options = {
    ...{ log: embeddedIn(dataFolderAt(log.dataDir)), folder },
    ...{ places: { dataDir: log.dataDir, seals: { copies: undefined } }, keep: undefined, withSecrets: false },
    ...{ secrets: [], version: '0', signal: new AbortController().signal, clock: () => 0, onProgress: () => undefined },
    ...{ sealKeys: new Set<string>(), onNotice: () => undefined },
  };
  await makeBackup(options);
  await makeBackup(options);
  expect(backups()).toEqual(['1970-01-01T00-00-00.000Z', '1970-01-01T00-00-00.000Z-2']);
});

test('a folder with backups of two logs is refused with both names', async () => {
  const other = await newLogFolder(path.join(folder, '..', 'other'));
  await backUp(other, folder);
  const refused = await audience(['--data-dir', log.dataDir, 'backup', folder, '--keep', '1']);
  expect(refused).toMatchObject({ code: 1, err: includes(other.logId) });
  expect(refused.err).toContain(log.logId);
  expect(backups()).toHaveLength(1);
  const { folder: elsewhere } = await backUp(log, path.join(folder, '..', 'elsewhere'));
  cpSync(elsewhere, path.join(folder, 'moved-here'), { recursive: true });
  const to = path.join(folder, '..', 'restored');
  const restored = await restoreTo(to, [folder], { dataDir: log.dataDir });
  expect(restored).toMatchObject({ code: 1, err: includes(other.logId) });
  expect(restored.err).toContain(log.logId);
  expect(existsSync(to)).toBe(false);
  expect(await restoreTo(to, [path.join(folder, 'moved-here')], { dataDir: log.dataDir })).toMatchObject({ code: 0 });
});

test('folders that are not complete backups are ignored and never removed, except the remains of a killed backup', async () => {
  const whole = await backUp(log, folder);
  const half = path.join(folder, '2999-01-01T00-00-00.000Z');
  cpSync(whole.folder, half, { recursive: true });
  rmSync(path.join(half, 'manifest.json'));
  const damaged = path.join(folder, '2998-01-01T00-00-00.000Z');
  cpSync(whole.folder, damaged, { recursive: true });
  writeFileSync(path.join(damaged, 'manifest.json'), '{');
  mkdirSync(path.join(folder, 'photos'));
  for (const name of ['.draft-abc', '.gone-abc']) cpSync(whole.folder, path.join(folder, name), { recursive: true });
  await log.grow({ groups: 1 });
  const made = await backUp(log, folder, '--keep', '1');
  expect(made).toMatchObject({ removed: [whole.folder], err: includes(`Not removed: ${damaged}`) });
  expect(readdirSync(folder).sort()).toEqual(
    ['.lock', path.basename(made.folder), path.basename(damaged), path.basename(half), 'photos'].sort(),
  );
  const { out, err } = await audience(['--data-dir', log.dataDir, 'backup', 'verify', folder]);
  expect(JSON.parse(out)).toMatchObject({ folder: made.folder });
  expect(err).toContain(`Left out: ${damaged}`);
});

test('planted backups do not push out good ones', async () => {
  const good = await backUp(log, folder);
  const planted = path.join(folder, 'planted');
  cpSync(good.folder, planted, { recursive: true });
  alterManifest(planted, (manifest) => Object.assign(manifest, { restores: 1_000 }));
  const made = await backUp(log, folder, '--keep', '2');
  expect(made).toMatchObject({ removed: [], err: includes(`Not removed: ${planted} has no valid MAC`) });
  expect(backups()).toHaveLength(3);
  const restored = await restoreTo(path.join(folder, '..', 'restored'), [folder], { dataDir: log.dataDir });
  expect(restored).toMatchObject({ code: 1, err: includes(planted) });
});
