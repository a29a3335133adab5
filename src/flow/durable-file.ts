/** Small files that are complete or absent, even after a power cut. Each belongs to the owner of its folder, and only that user can read it. */
import fs from 'node:fs';
import path from 'node:path';

const draftOf = (file: string): string => `${file}.${process.pid}.tmp`;
/** How far the clock of a file system may be ahead, in milliseconds. */
const aheadMs = 60_000;
const draftEnd = /\.\d+\.tmp$/;

/** Writes a file, and replaces it if it exists. @throws what the file system throws */
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

/** Creates a file. Returns false and changes nothing if the file exists. @throws what the file system throws */
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

/** Writes a draft and returns its name. Drafts that fail are removed here and by the callers, because a draft may hold a secret. */
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
  /** Returns whether this service writes drafts of a file with this name. */
  readonly isOurs: (name: string) => boolean;
  /** Milliseconds since 1970. Newer drafts stay, because another process may still be writing them. */
  readonly olderThan: number;
}

/** Removes the drafts that killed processes left in the folder. @throws what the file system throws */
export function removeDrafts(folder: string, { isOurs, olderThan }: DraftsToRemove): void {
  if (!fs.existsSync(folder)) return;
  const drafts = fs.readdirSync(folder).filter((name) => draftEnd.test(name) && isOurs(name.replace(draftEnd, '')));
  for (const draft of drafts.map((name) => path.join(folder, name))) {
    const stats = fs.lstatSync(draft, { throwIfNoEntry: false });
    // A draft with a time in the future was written while the clock was ahead.
    const isOld = stats !== undefined && (stats.mtimeMs <= olderThan || stats.mtimeMs > Date.now() + aheadMs);
    if (isOld && stats.isFile()) fs.rmSync(draft, { force: true });
  }
}

/**
 * Creates an empty file for SQLite, because SQLite itself would create it with the rights of the umask. Does not open a file
 * that exists, because closing its descriptor would drop every POSIX lock of this process on it, including those of SQLite.
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

/** Creates a folder, durably, inside another one unless it exists, and gives it to the owner of that one. @throws what the file system throws */
export function makeSubfolder(folder: string): void {
  if (makeFolder(folder) === undefined) return;
  const owner = ownerForNew(folder);
  if (owner !== undefined) unlessRefused(() => fs.lchownSync(folder, owner.uid, owner.gid));
}

/**
 * Creates a folder, and those above it that are missing, for this user alone. Their names are durable, because otherwise a
 * power cut could remove a folder together with files in it that were flushed. Returns the topmost folder that was created,
 * or undefined if the folder exists. @throws what the file system throws
 */
export function makeFolder(folder: string): string | undefined {
  const first = fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return undefined;
  const top = path.resolve(first);
  for (let made = path.resolve(folder); ; made = path.dirname(made)) {
    syncParent(made);
    if (made === top || made === path.dirname(made)) return first;
  }
}

/** A folder that this user may write to but not read cannot be flushed. */
function syncParent(folder: string): void {
  try {
    syncFolderOf(folder);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EACCES')) throw error;
  }
}

/**
 * Gives a new file to the owner of its folder, so that the service can read files that root created with a command.
 * Takes the descriptor, because the owner of the folder could replace the name with a link.
 */
export function giveToFolderOwner(descriptor: number, file: string): void {
  const owner = ownerForNew(file);
  if (owner !== undefined) unlessRefused(() => fs.fchownSync(descriptor, owner.uid, owner.gid));
}

/** Ignores that a network share does not support owners or refuses to change them, because its files are usable as they are. */
function unlessRefused(chown: () => void): void {
  try {
    chown();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EINVAL') throw error;
  }
}

/** Returns the owner for a new file, or undefined if this user is not root or the folder belongs to root. */
function ownerForNew(file: string): { readonly uid: number; readonly gid: number } | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  const { uid, gid } = fs.statSync(path.dirname(file));
  return uid === 0 ? undefined : { uid, gid };
}

/** Makes the content of a file durable that another process may have written without flushing it. Does nothing if the file does not exist. @throws what the file system throws */
export function syncFile(file: string): void {
  if (!fs.existsSync(file)) return;
  const descriptor = fs.openSync(file, 'r+');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
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
