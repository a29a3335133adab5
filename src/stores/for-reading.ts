/** Opens log and views for commands that only read and leave no trace: beside a running service, from a folder that cannot be written to, from a server. */
import { constants, existsSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StoreUnavailableError, type EventReader } from '../eventstore/event-store.js';
import { hasRoomBeside } from '../eventstore/sqlite/beside.js';
import { openSqliteEventReader } from '../eventstore/sqlite/reader.js';
import type { ReadModelReader } from '../readmodels/read-models.js';
import { openSqliteReadModels, openSqliteViews } from '../readmodels/sqlite/read-models.js';
import { CommandFailedError } from '../failures.js';
import { ServerRefusedError } from './await-server.js';
import { openEventStore, openReadModels, type LogAddress, type StoreSettings } from './stores.js';

type OnNotice = (notice: string) => void;

/** @throws CommandFailedError @throws StoreUnavailableError */
export async function openLogForReading(
  address: LogAddress,
  { signal, onNotice }: { readonly signal: AbortSignal; readonly onNotice: OnNotice },
): Promise<EventReader> {
  if (address.kind === 'embedded') return await openFile(address.file, openSqliteEventReader, onNotice);
  try {
    // A server that does not answer is not waited for: its address is probably wrong.
    return await openEventStore(address, { waitsFor: [], signal });
  } catch (error) {
    if (!(error instanceof ServerRefusedError)) throw error;
    throw new CommandFailedError(`EventStoreDB (EVENTSTORE_URL) cannot be used: ${error.reason}`, {
      type: 'unavailable',
    });
  }
}

/** Where there are no views, none are created: they read as empty. @throws ReadModelsUnavailableError */
export async function openViewsForReading(
  address: StoreSettings['views'],
  onNotice: OnNotice,
): Promise<ReadModelReader> {
  if (address.kind === 'mongodb') return await openReadModels(address);
  if (!existsSync(address.file)) return openSqliteReadModels({ file: ':memory:' });
  return await openFile(address.file, openSqliteViews, onNotice);
}

type Open<Reader> = (options: { readonly file: string; readonly removesWal?: boolean }) => Reader;

/**
 * SQLite reads a file in WAL mode only with two files of its own beside it (-wal, -shm). A service has them open, or one
 * that was killed has left them: then they are used. Else they are there for as long as the file is read, which needs
 * write permission and room for them; without these a copy is read.
 */
async function openFile<Reader extends { close(): Promise<void> }>(
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
