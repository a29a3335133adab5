/** Small files that are whole or absent, also after a power cut. Only their owner can read them, and that is the owner of their folder. */
import fs from 'node:fs';
import path from 'node:path';

const draftOf = (file: string): string => `${file}.${process.pid}.tmp`;
/** Milliseconds by which the clock of a file system may differ. */
const aheadMs = 60_000;
const draftEnd = /\.\d+\.tmp$/;

/** Replaces a file that exists. @throws what the file system throws */
export function writeDurably(file: string, text: string): void {
  const draft = writeDraft(file, text);
  try {
    fs.renameSync(draft, file);
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw error;
  }
  syncFolderOf(file);
}

/** Returns false, and changes nothing, if the file exists. @throws what the file system throws */
export function createDurably(file: string, text: string): boolean {
  try {
    fs.linkSync(writeDraft(file, text), file);
  } catch (error) {
    if (fs.existsSync(file)) return false;
    throw error;
  } finally {
    fs.rmSync(draftOf(file), { force: true });
  }
  syncFolderOf(file);
  return true;
}

/** Returns the name of the draft. A draft that fails is removed here and above, because it may hold a secret. */
function writeDraft(file: string, text: string): string {
  const draft = draftOf(file);
  // A process with the same id may have been killed before it renamed its draft.
  fs.rmSync(draft, { force: true });
  const descriptor = fs.openSync(draft, 'wx', 0o600);
  try {
    giveToFolderOwner(descriptor, draft);
    fs.fchmodSync(descriptor, 0o600);
    fs.writeFileSync(descriptor, text);
    fs.fsyncSync(descriptor);
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw error;
  } finally {
    fs.closeSync(descriptor);
  }
  return draft;
}

interface DraftsToRemove {
  /** Whether drafts of a file with this name are ours. */
  readonly isOurs: (name: string) => boolean;
  /** Milliseconds since 1970. Newer drafts may belong to a process that is still writing them. */
  readonly olderThan: number;
}

/** Removes the drafts that killed processes left in the folder. @throws what the file system throws */
export function removeDrafts(folder: string, { isOurs, olderThan }: DraftsToRemove): void {
  if (!fs.existsSync(folder)) return;
  const drafts = fs.readdirSync(folder).filter((name) => draftEnd.test(name) && isOurs(name.replace(draftEnd, '')));
  for (const draft of drafts.map((name) => path.join(folder, name))) {
    const stats = fs.lstatSync(draft, { throwIfNoEntry: false });
    // A draft that is dated ahead was written while the clock was ahead.
    const isOld = stats !== undefined && (stats.mtimeMs <= olderThan || stats.mtimeMs > Date.now() + aheadMs);
    if (isOld && stats.isFile()) fs.rmSync(draft, { force: true });
  }
}

/**
 * Makes an empty file for SQLite, which would make it with the rights of the umask. Does nothing if the file exists: closing
 * a descriptor of a file drops every POSIX lock that this process holds on it, SQLite's included.
 * @throws what the file system throws
 */
export function createPrivately(file: string): void {
  if (fs.existsSync(file)) return;
  let descriptor: number;
  try {
    descriptor = fs.openSync(file, 'wx', 0o600);
  } catch (error) {
    // Another process was first.
    if (fs.existsSync(file)) return;
    throw error;
  }
  try {
    giveToFolderOwner(descriptor, file);
  } finally {
    fs.closeSync(descriptor);
  }
  syncFolderOf(file);
}

/** Makes a folder inside the data folder, if it does not exist. @throws what the file system throws */
export function makeSubfolder(folder: string): void {
  if (fs.mkdirSync(folder, { recursive: true, mode: 0o700 }) === undefined) return;
  const owner = ownerForNew(folder);
  if (owner !== undefined) unlessRefused(() => fs.lchownSync(folder, owner.uid, owner.gid));
}

/**
 * Gives a new file to the owner of its folder, so that the service can read what a command of root has made.
 * Takes the descriptor, because the owner of the folder could put a link in place of the name.
 */
export function giveToFolderOwner(descriptor: number, file: string): void {
  const owner = ownerForNew(file);
  if (owner !== undefined) unlessRefused(() => fs.fchownSync(descriptor, owner.uid, owner.gid));
}

/** Some shares have no owners, and some give nothing to root. Their files are usable as they are. */
function unlessRefused(chown: () => void): void {
  try {
    chown();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EINVAL') throw error;
  }
}

/** Returns undefined if the folder belongs to this user, or this user cannot give files away. */
function ownerForNew(file: string): { readonly uid: number; readonly gid: number } | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  const { uid, gid } = fs.statSync(path.dirname(file));
  return uid === 0 ? undefined : { uid, gid };
}

/** Makes the name of the file durable. @throws what the file system throws */
export function syncFolderOf(file: string): void {
  const folder = fs.openSync(path.dirname(file), 'r');
  try {
    fs.fsyncSync(folder);
  } finally {
    fs.closeSync(folder);
  }
}
