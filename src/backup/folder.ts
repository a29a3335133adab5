/** A folder of backups: one folder each, named after the time when it was made; what is half-made has another name, and goes with the next. */
import { existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { mkdtemp, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { syncFolderOf } from '../flow/durable-file.js';
import { takeLock } from '../eventstore/sqlite/lock.js';
import { CommandFailedError } from '../failures.js';
import { manifestIn, manifestName, type Manifest } from './manifest.js';

/** Times have colons, which some file systems have not. */
const nameForm = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/;
export const backupNameAt = (time: string): string => time.replaceAll(':', '-');

const lockName = '.lock';
const draftName = '.draft-';
const goneName = '.gone-';

interface FoundBackup {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Whole ones, the newest first. */
function backupsIn(folder: string): readonly FoundBackup[] {
  const names = readdirSync(folder).filter((name) => nameForm.test(name));
  return names
    .sort()
    .reverse()
    .flatMap((name) => {
      const manifest = manifestIn(path.join(folder, name));
      return manifest === undefined ? [] : [{ folder: path.join(folder, name), manifest }];
    });
}

/** A backup, or the newest one of a folder of backups. @throws CommandFailedError */
export function findBackup(folder: string): FoundBackup {
  if (!existsSync(folder)) throw notFound(`there is no folder ${folder}`);
  const own = manifestIn(folder);
  if (own !== undefined) return { folder, manifest: own };
  if (existsSync(path.join(folder, manifestName)))
    throw notFound(`${path.join(folder, manifestName)} cannot be read: it was altered, or is of a later version`);
  const [newest] = backupsIn(folder);
  if (newest === undefined) throw notFound(`${folder} holds no backup`);
  return newest;
}

const notFound = (message: string): CommandFailedError => new CommandFailedError(message, { type: 'no_backup' });

/** Makes the folder where it is missing. One backup at a time is made there. @throws CommandFailedError */
export async function whileLocked<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new CommandFailedError(`${folder} is not a folder.`, { type: 'not_a_folder' });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const taken = (): Error =>
    new CommandFailedError(`another backup is being made in ${folder}: it was left alone`, { type: 'backup_runs' });
  const lock = takeLock(path.join(folder, lockName), taken);
  try {
    return await work();
  } finally {
    lock.close();
  }
}

/** The work fills a folder; then that gets its name. Nothing is left of one that fails, nor of one that was killed before. */
export async function withBackupDraft(
  folder: string,
  name: string,
  work: (draft: string) => Promise<void>,
): Promise<string> {
  for (const left of readdirSync(folder).filter((one) => one.startsWith(draftName) || one.startsWith(goneName)))
    await rm(path.join(folder, left), { recursive: true, force: true });
  const draft = await mkdtemp(path.join(folder, draftName));
  const backup = path.join(folder, name);
  try {
    await work(draft);
    await syncTree(draft);
    await rename(draft, backup);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  syncFolderOf(backup);
  return backup;
}

/** Each file and each name is on the disk. */
async function syncTree(folder: string): Promise<void> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) await syncTree(file);
    else await sync(file);
  }
  await sync(folder);
}

async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r');
  await handle.sync().finally(() => handle.close());
}

/** Removes older backups of the same log: others are somebody else's. @returns their folders */
export async function removeOlder(folder: string, logId: string, keep: number): Promise<readonly string[]> {
  const older = backupsIn(folder)
    .filter(({ manifest }) => manifest.log_id === logId)
    .slice(keep)
    .map((one) => one.folder);
  for (const one of older) {
    // Half of a backup must not look like one.
    const gone = path.join(folder, goneName + path.basename(one));
    renameSync(one, gone);
    await rm(gone, { recursive: true, force: true });
  }
  return older;
}
