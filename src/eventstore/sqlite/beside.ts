/** Whether SQLite can put its own files (-wal, -shm) beside a database: it makes them to read one in WAL mode. */
import { accessSync, constants, statfsSync } from 'node:fs';
import path from 'node:path';

/** The -shm has 32 KB. */
const needed = 64 * 1024;

export function hasRoomBeside(file: string): boolean {
  const folder = path.dirname(file);
  if (![file, folder].every(isWritable)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= needed;
}

function isWritable(name: string): boolean {
  try {
    accessSync(name, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
