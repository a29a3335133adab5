/** The embedded event store: appends go to a writer thread, reads are served here, one process at a time may write. */
import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { Database, isOpenHere, sqliteCode } from '../../sqlite/database.js';
import type { Observe } from '../../flow/observe.js';
import { StoreUnavailableError, WriterLockedError, type EventStore, type Position } from '../event-store.js';
import { emptyFrontier, type Frontier } from '../tree.js';
import { WriteQueue } from './append-queue.js';
import { takeLock } from './lock.js';
import { openSqliteEventReader, type SqliteLog } from './reader.js';

/** Reads stop at the last event that this process has written, or found when it opened the log. */
export interface SqliteEventStore extends EventStore, SqliteLog {
  /** The file of the log, as it was named when it was opened. */
  readonly file: string;
  /** Calls the listener with the new head after each transaction that added events, before its appends resolve. Returns a function that stops it. */
  onCommitted(listener: (position: Position) => void): () => void;
  /** Number of appends without an answer. */
  waiting(): number;
  /** The tree over the events that the log had when it was opened. */
  readonly opened: Frontier;
  /** Returns the tree over the committed events, after the writer has compared the end of the file with the events that it has appended. */
  frontier(): Promise<Frontier>;
  /** Number of committed events. */
  count(): number;
  /** Why the log is not trusted and appends are refused; undefined if nothing is known against it. */
  altered(): string | undefined;
  /** Refuses all appends from now on, because the log turned out to be altered. */
  refuse(message: string): void;
}

interface SqliteEventStoreOptions {
  readonly file: string;
  readonly clock: () => number;
  /** Called while no other process can write to the log, before the file is opened or created. Its errors are those of the opening. */
  readonly onLocked?: () => void;
  /** Called for faults that belong to no single append: a dead writer thread, a failed checkpoint. Must not throw. */
  readonly onFault?: (error: Error) => void;
  /** Reports each transaction of appends. */
  readonly observe?: Observe | undefined;
  /** Called once when the log turns out to have other events than this service has appended. Must not throw. */
  readonly onAltered?: (message: string) => void;
}

/**
 * @throws WriterLockedError another process, or another store in this one, writes to this log.
 * @throws StoreUnavailableError the file cannot be opened or is not a log of this service.
 */
export async function openSqliteEventStore(options: SqliteEventStoreOptions): Promise<SqliteEventStore> {
  const file = realFile(options.file);
  const lock = takeWriterLock(file);
  let writer: WriteQueue | undefined;
  try {
    options.onLocked?.();
    const queue = (writer = new WriteQueue({ ...options, file }));
    await queue.opened;
    const opened = queue.end ?? emptyFrontier;
    const count = (): number => queue.end?.count ?? 0;
    // Events that another program appends are not read.
    const reader = openSqliteEventReader({ file, pollMs: 0, until: count });
    queue.onCommitted(() => reader.wake());
    let closing: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      await queue.drain();
      await reader.close();
      await queue.close();
      lock.close();
    };
    return {
      ...reader,
      file: options.file,
      soleWriter: true,
      waiting: () => queue.waiting,
      isWritable: () => queue.isWritable,
      append: (stream, events, { expectedRevision }) => queue.append(stream, events, expectedRevision),
      redact: queue.redactions.redact,
      onCommitted: (listener) => queue.onCommitted(listener),
      opened,
      count,
      async frontier() {
        await queue.check();
        return queue.end ?? emptyFrontier;
      },
      altered: () => queue.altered,
      refuse: (message) => queue.refuse(message),
      close: () => (closing ??= close()),
    };
  } catch (error) {
    await writer?.close();
    lock.close();
    throw error;
  }
}

/** Takes the right to write. @throws WriterLockedError @throws StoreUnavailableError */
function takeWriterLock(file: string): { close(): void } {
  const name = lockFileOf(file);
  // A service goes on when its lock file is deleted, so a new lock file is made only if nobody else has the log open.
  if (!existsSync(name) && (isOpenHere(name) || isOpenElsewhere(file)))
    throw new WriterLockedError(
      `another process has the event log ${file} open, and its lock file ${name} was deleted. If that process is a service, stop it; if it only reads the log, wait until it ends`,
    );
  return takeLock(
    name,
    () =>
      new WriterLockedError(
        `another process writes to the event log ${file} (it holds ${name}): stop that process first`,
      ),
  );
}

/** How long to wait for short reads of other processes, in milliseconds. */
const openElsewhereMs = 500;

/**
 * Returns whether another process has the log open, for reading or writing. SQLite opens a connection in exclusive mode only
 * if no other connection exists. Returns false while this process itself has the log open, because SQLite then cannot tell.
 * A service is not affected, because it opens the log only after it has the lock.
 */
function isOpenElsewhere(file: string): boolean {
  if (!existsSync(file) || isOpenHere(file)) return false;
  let log: Database | undefined;
  try {
    log = new Database(file, { access: 'write', timeout: openElsewhereMs });
    log.pragma('locking_mode = EXCLUSIVE');
    log.prepare('select count(*) from sqlite_schema').get();
    return false;
  } catch (error) {
    // The writer reports all other faults when it opens the log.
    return sqliteCode(error) === 'SQLITE_BUSY';
  } finally {
    log?.close();
  }
}

const lockFileOf = (file: string): string => `${file.replace(/\.db$/, '')}.lock`;

/** Whether some process writes to this log, as far as can be seen. A copy has no writer, because the lock is not copied. */
export function hasWriter(file: string): boolean {
  let lock: Database | undefined;
  try {
    lock = new Database(lockFileOf(realFile(file)), { access: 'read', timeout: 0 });
    lock.prepare('select count(*) from sqlite_schema').get();
    return false;
  } catch (error) {
    return sqliteCode(error) === 'SQLITE_BUSY';
  } finally {
    lock?.close();
  }
}

/** Two names of one file must not be two locks. */
function realFile(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return path.join(realFolder(path.dirname(file)), path.basename(file));
  }
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch (error) {
    throw new StoreUnavailableError(`there is no folder ${folder} for the event log`, { cause: error });
  }
}
