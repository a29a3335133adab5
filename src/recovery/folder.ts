/** Manages a folder of backups. Each backup is a folder that is named after the time, but neither names nor times decide which backup is the newest. An incomplete backup has a hidden name, and the next backup removes it. */
import { existsSync, lstatSync, readdirSync, renameSync, statSync } from 'node:fs';
import { mkdtemp, open, rename, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { giveToFolderOwner, makeSubfolder, syncFolderOf } from '../flow/durable-file.js';
import { takeLock } from '../eventstore/sqlite/lock.js';
import { CommandFailedError } from '../failures.js';
import type { SecretAtHand } from '../stores/secret-of-log.js';
import { contentOf, macState, readManifest, type Manifest } from './manifest.js';

/** Returns the name of a backup. It has no colons, because some file systems do not allow them. */
const backupNameAt = (time: string): string => time.replaceAll(':', '-');

const lockName = '.lock';
const draftName = '.draft-';
const goneName = '.gone-';

export interface FoundBackup {
  readonly folder: string;
  readonly manifest: Manifest;
}

interface BackupList {
  /** The newest first. */
  readonly backups: readonly FoundBackup[];
  /** Why other folders with a manifest are left out. */
  readonly unusable: readonly string[];
}

function listBackups(folder: string): BackupList {
  const backups: FoundBackup[] = [];
  const unusable: string[] = [];
  // A link to a backup is not a second backup.
  const entries = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith('.'),
  );
  for (const entry of entries) {
    const backup = path.join(folder, entry.name);
    try {
      const manifest = readManifest(backup);
      if (manifest !== undefined) backups.push({ folder: backup, manifest });
    } catch (error) {
      unusable.push(error instanceof Error ? error.message : String(error));
    }
  }
  return { backups: backups.sort((one, other) => compareByAge(one.manifest, other.manifest)), unusable };
}

/**
 * Compares two manifests of one log. Returns a negative number if the first is newer: it has more restores, or as many
 * restores and more events. Between equals the more complete one is first, and finally the text of the manifests decides.
 */
function compareByAge(one: Manifest, other: Manifest): number {
  const more = [
    other.restores - one.restores,
    other.count - one.count,
    other.register.entries - one.register.entries,
    other.files.length - one.files.length,
  ].find((difference) => difference !== 0);
  return more ?? (contentOf(one) < contentOf(other) ? -1 : 1);
}

/** Finds a backup, or the newest one in a folder of backups. @throws CommandFailedError */
export function findBackup(folder: string, onNotice: (notice: string) => void): FoundBackup {
  if (!existsSync(folder)) throw notFound(`There is no folder ${folder}.`);
  if (!statSync(folder).isDirectory()) throw notFound(`${folder} is not a folder.`);
  const own = readManifest(folder);
  if (own !== undefined) return { folder, manifest: own };
  const { backups, unusable } = listBackups(folder);
  for (const one of unusable) onNotice(`Left out: ${one}`);
  demandOneLog(folder, backups);
  const [newest] = backups;
  if (newest === undefined) throw notFound(`${folder} holds no backup.`);
  return newest;
}

const notFound = (message: string): CommandFailedError => new CommandFailedError(message, { type: 'no_backup' });

/** Checks that the folder has no backup of another log. @throws CommandFailedError if it has one */
export function demandRoomFor(folder: string, logId: string): void {
  const { backups } = listBackups(folder);
  const stranger = backups.find(({ manifest }) => manifest.log_id !== logId);
  if (stranger !== undefined)
    throw otherLog(
      `${folder} holds a backup of another log: ${stranger.manifest.log_id} (${stranger.folder}), and this log is ${logId}. Give each log a folder of its own.`,
    );
}

/** Checks that all backups are of one log. @throws CommandFailedError if they are not */
function demandOneLog(folder: string, backups: readonly FoundBackup[]): void {
  const byLog = new Map(backups.map((backup) => [backup.manifest.log_id, backup.folder]));
  if (byLog.size < 2) return;
  const logs = [...byLog].map(([logId, backup]) => `${logId} (${backup})`).join(' and ');
  throw otherLog(
    `${folder} holds backups of more than one log: ${logs}. Name one backup, or move the backups of each log into a folder of their own.`,
  );
}

const otherLog = (message: string): CommandFailedError => new CommandFailedError(message, { type: 'other_log' });

/** Runs the work under a lock, because one backup at a time is made in a folder. Creates the folder if it is missing. @throws CommandFailedError */
export async function whileLocked<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new CommandFailedError(`${folder} is not a folder.`, { type: 'not_a_folder' });
  makeSubfolder(folder);
  const taken = (): Error =>
    new CommandFailedError(`Another backup is being made in ${folder}. Wait until it ends, and try again.`, {
      type: 'backup_runs',
    });
  const lock = takeLock(path.join(folder, lockName), taken);
  try {
    return await work();
  } finally {
    lock.close();
  }
}

/** Lets the work fill a draft folder, then renames the folder after the time. Removes the draft if the work fails, and drafts that killed processes left. */
export async function withBackupDraft<Result>(
  folder: string,
  time: string,
  work: (draft: string) => Promise<Result>,
): Promise<{ readonly backup: string; readonly result: Result }> {
  const isLeft = (name: string): boolean => name.startsWith(draftName) || name.startsWith(goneName);
  for (const left of readdirSync(folder).filter(isLeft)) await removeHidden(path.join(folder, left));
  const draft = await mkdtemp(path.join(folder, draftName));
  try {
    const result = await work(draft);
    await syncTree(draft);
    const backup = freeName(path.join(folder, backupNameAt(time)));
    await rename(draft, backup);
    syncFolderOf(backup);
    return { backup, result };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/**
 * Removes a folder with a hidden name. Flushes that name first, because the process that renamed the folder may have been killed
 * before it did so, and after a power cut a partly removed backup would then be there under the name of a complete one.
 */
async function removeHidden(folder: string): Promise<void> {
  syncFolderOf(folder);
  await rm(folder, { recursive: true, force: true });
  syncFolderOf(folder);
}

/** Returns the wanted name, or the name with a number if it is taken, because the clock may show the same time twice. */
function freeName(wanted: string): string {
  const isTaken = (name: string): boolean => lstatSync(name, { throwIfNoEntry: false }) !== undefined;
  let name = wanted;
  for (let number = 2; isTaken(name); number += 1) name = `${wanted}-${number}`;
  return name;
}

/** Flushes each file and each name to the disk, and gives them to the owner of the folder of backups. */
async function syncTree(folder: string): Promise<void> {
  await withHandle(folder, (handle) => Promise.resolve(giveToFolderOwner(handle.fd, folder)));
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) await syncTree(file);
    else
      await withHandle(file, async (handle) => {
        giveToFolderOwner(handle.fd, file);
        await handle.sync();
      });
  }
  await withHandle(folder, (handle) => handle.sync());
}

async function withHandle(file: string, work: (handle: FileHandle) => Promise<void>): Promise<void> {
  const handle = await open(file, 'r');
  await work(handle).finally(() => handle.close());
}

interface Removal {
  readonly folder: string;
  /** The backup that was just made. It is never removed. */
  readonly made: FoundBackup;
  readonly keep: number;
  /** Secrets of this log. */
  readonly secrets: readonly Pick<SecretAtHand, 'secret'>[];
}

interface Removed {
  /** Folders of the backups that were removed. */
  readonly removed: readonly string[];
  /** Facts about other folders there, for the operator. */
  readonly notices: readonly string[];
}

/**
 * Keeps the newest backups and removes older ones. Does not count or remove folders that cannot be read, or that have no valid
 * MAC although the secret is known, because an attacker may have put them there to push out good backups.
 */
export async function removeOlder({ folder, made, keep, secrets }: Removal): Promise<Removed> {
  const { backups, unusable } = listBackups(folder);
  const others = backups.filter((one) => one.folder !== made.folder);
  const isTrusted = ({ manifest }: FoundBackup): boolean =>
    ['valid', 'not_checked'].includes(macState(manifest, secrets));
  const newer = others.filter((one) => isTrusted(one) && isNewer(one.manifest, made.manifest));
  const older = others.filter((one) => isTrusted(one) && !isNewer(one.manifest, made.manifest));
  const surplus = [...newer, made, ...older].slice(keep).filter((one) => one !== made);
  for (const one of surplus) {
    const gone = path.join(folder, goneName + path.basename(one.folder));
    renameSync(one.folder, gone);
    await removeHidden(gone);
  }
  return {
    removed: surplus.map((one) => one.folder),
    notices: [
      ...newer
        .slice(0, 1)
        .map(
          ({ folder: other, manifest }) =>
            `${other} has more than the backup just made (${manifest.restores} restores and ${manifest.count} events, not ${made.manifest.restores} and ${made.manifest.count}), so a restore from ${folder} takes that one.`,
        ),
      ...unusable.map((why) => `Not removed: ${why}`),
      ...others
        .filter((one) => !isTrusted(one))
        .map((one) => `Not removed: ${one.folder} has no valid MAC under the secret of this log.`),
    ],
  };
}

/** Returns whether a backup is newer than the one just made. A backup with the same counts is older. */
const isNewer = (one: Manifest, made: Manifest): boolean =>
  one.restores > made.restores || (one.restores === made.restores && one.count > made.count);
