/** Small files that are whole or absent, also after a power cut, and readable by their owner only. */
import fs from 'node:fs';
import path from 'node:path';

const draftOf = (file: string): string => `${file}.${process.pid}.tmp`;

/** In place of a file that is there. @throws what the file system throws */
export function writeDurably(file: string, text: string): void {
  const draft = draftOf(file);
  fs.writeFileSync(draft, text, { mode: 0o600, flush: true });
  fs.chmodSync(draft, 0o600);
  fs.renameSync(draft, file);
  syncFolderOf(file);
}

/** Never over a file that is there: whether there was none. @throws what the file system throws */
export function createDurably(file: string, text: string): boolean {
  const draft = draftOf(file);
  // Of a process of the same id that was killed.
  fs.rmSync(draft, { force: true });
  try {
    fs.writeFileSync(draft, text, { flag: 'wx', mode: 0o600, flush: true });
    fs.linkSync(draft, file);
  } catch (error) {
    if (fs.existsSync(file)) return false;
    throw error;
  } finally {
    fs.rmSync(draft, { force: true });
  }
  syncFolderOf(file);
  return true;
}

/** After this the file's name is on the disk, too. @throws what the file system throws */
export function syncFolderOf(file: string): void {
  const folder = fs.openSync(path.dirname(file), 'r');
  try {
    fs.fsyncSync(folder);
  } finally {
    fs.closeSync(folder);
  }
}
