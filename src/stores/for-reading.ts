/** Opens the files of log and views for commands that only read and leave no trace, even beside a running service or in a read-only folder. */
import { constants, existsSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StoreUnavailableError } from '../eventstore/event-store.js';
import { hasRoomBeside } from '../eventstore/sqlite/beside.js';

export type OnNotice = (notice: string) => void;

type Open<Reader> = (options: { readonly file: string; readonly removesWal?: boolean }) => Reader;

/**
 * SQLite reads a file in WAL mode only with two files of its own beside it (-wal, -shm). A service has them open, or one
 * that was killed has left them: then they are used. Else they are there for as long as the file is read, which needs
 * write permission and room for them; without these a copy is read.
 */
export async function openFileForReading<Reader extends { close(): Promise<void> }>(
  file: string,
  open: Open<Reader>,
  onNotice: OnNotice,
): Promise<Reader> {
  if (!existsSync(file) || ['-wal', '-shm'].every((end) => existsSync(file + end))) return open({ file });
  if (existsSync(`${file}-wal`) || !hasRoomBeside(file)) return await openCopy(file, open, onNotice);
  return open({ file, removesWal: true });
}

async function openCopy<Reader extends { close(): Promise<void> }>(
  file: string,
  open: Open<Reader>,
  onNotice: OnNotice,
): Promise<Reader> {
  const folder = await mkdtemp(path.join(tmpdir(), 'audience-copy-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    onNotice(
      `${path.dirname(file)} cannot be written to, or not without leaving a trace: reading a copy in ${folder}.`,
    );
    const copy = path.join(folder, path.basename(file));
    for (const end of ['', '-wal']) {
      if (!existsSync(file + end)) continue;
      await copyFile(file + end, copy + end, constants.COPYFILE_FICLONE);
      await chmod(copy + end, 0o600);
    }
    const reader = open({ file: copy });
    return { ...reader, close: () => reader.close().then(remove) };
  } catch (error) {
    await remove();
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreUnavailableError(`${file} cannot be read, nor can a copy: ${reason}`, { cause: error });
  }
}
