/** Opens the event log for commands that only read: beside a running service, from a folder that cannot be written to, from a server. */
import { accessSync, constants, existsSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StoreUnavailableError, type EventReader } from '../eventstore/event-store.js';
import { openSqliteEventReader } from '../eventstore/sqlite/reader.js';
import type { StoreAddresses } from './command-line.js';
import { CommandFailedError } from '../transfer/failures.js';

export interface ReadingOptions {
  readonly signal: AbortSignal;
  /** Something that the operator should know. */
  readonly onNotice: (notice: string) => void;
}

/** @throws CommandFailedError @throws StoreUnavailableError */
export async function openLogForReading(
  address: StoreAddresses['events'],
  { signal, onNotice }: ReadingOptions,
): Promise<EventReader> {
  switch (address.kind) {
    case 'embedded':
      return openFile(address.file, onNotice);
    case 'eventstoredb':
      return openServer(address, signal);
    default:
      return address satisfies never;
  }
}

async function openFile(file: string, onNotice: (notice: string) => void): Promise<EventReader> {
  try {
    return openSqliteEventReader({ file });
  } catch (error) {
    if (!existsSync(file) || isWritable(path.dirname(file))) throw error;
    return await openCopy(file, onNotice);
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * SQLite reads a log in WAL mode only where it can put its own files beside it, unless the service's are there still. So
 * what cannot be written to is copied, for as long as it is read.
 */
async function openCopy(file: string, onNotice: (notice: string) => void): Promise<EventReader> {
  const folder = await mkdtemp(path.join(tmpdir(), 'audience-log-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    onNotice(`${path.dirname(file)} cannot be written to, which SQLite needs: reading a copy of the log in ${folder}.`);
    const copy = path.join(folder, path.basename(file));
    for (const end of ['', '-wal']) {
      if (!existsSync(file + end)) continue;
      await copyFile(file + end, copy + end, constants.COPYFILE_FICLONE);
      await chmod(copy + end, 0o600);
    }
    const reader = openSqliteEventReader({ file: copy });
    return {
      ...reader,
      async close() {
        await reader.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreUnavailableError(`the event log ${file} cannot be read, nor can a copy: ${reason}`, {
      cause: error,
    });
  }
}

/** A server that does not answer is not waited for: its address is probably wrong. */
async function openServer(
  address: Extract<StoreAddresses['events'], { kind: 'eventstoredb' }>,
  signal: AbortSignal,
): Promise<EventReader> {
  const { openEventStoreDb } = await import('../eventstore/eventstoredb/event-store.js');
  const store = openEventStoreDb(address);
  try {
    const check = await store.check();
    signal.throwIfAborted();
    if (check.status === 'ready') return store;
    throw new CommandFailedError(`EventStoreDB (EVENTSTORE_URL) cannot be used: ${check.reason}`, {
      type: 'unavailable',
    });
  } catch (error) {
    await store.close();
    throw error;
  }
}
