/** The file of the embedded event log: how writer and readers open it, and how positions are written. */
import { existsSync } from 'node:fs';
import { Database, sqliteMessage, type DatabaseOptions } from '../../sqlite/database.js';
import { openTwice } from '../../sqlite/reopening.js';
import { createPrivately, syncFile } from '../../flow/durable-file.js';
import { logStart, StoreUnavailableError, type Position } from '../event-store.js';
import { createSchema, isBlank, refuseForeign } from './format.js';

/** 16 MB, in KiB. */
const cacheSize = 'cache_size = -16000';

/** Opens the log for writing, and creates it if it does not exist. Only the holder of the writer lock may call this. */
export function openForWriting(file: string): Database {
  create(file);
  flushWal(file);
  return opened(file, { timeout: 2_000, access: 'write' }, (db) => {
    db.pragma(cacheSize);
    const fresh = isBlank(db);
    if (!fresh) refuseForeign(db, file);
    db.pragma('journal_mode = WAL');
    // Never rely on the default: SQLite can be built so that a WAL commit is not fsynced unless this is said.
    db.pragma('synchronous = FULL');
    db.pragma('fullfsync = ON');
    // The writer checkpoints by itself, after it has answered.
    db.pragma('wal_autocheckpoint = 0');
    db.pragma(`journal_size_limit = ${64 * 1024 * 1024}`);
    // Every append is consistent by construction; checking the reference costs a look-up per event.
    db.pragma('foreign_keys = OFF');
    if (fresh) createSchema(db);
  });
}

/**
 * Opens the log for reading, also while another thread or process writes to it.
 * @param access `write`: SQLite's own files beside it are removed when the last reader closes
 */
export function openForReading(file: string, access: 'read' | 'write' | 'frozen' = 'read'): Database {
  if (!existsSync(file)) throw new StoreUnavailableError(`there is no event log at ${file}`);
  return opened(file, { timeout: 2_000, access }, (db) => {
    db.pragma(cacheSize);
    db.pragma('query_only = ON');
    refuseForeign(db, file);
  });
}

export const formatPosition = (position: number): Position =>
  position === 0 ? logStart : String(position).padStart(20, '0');

/** The number behind a position; undefined when it is not a position of an embedded log. */
export function parsePosition(position: Position): number | undefined {
  if (position === logStart) return 0;
  return /^\d{20}$/.test(position) ? Number(position) : undefined;
}

/** What a failed read means at the port. */
export function fileUnavailable(error: unknown, doing: string): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  return new StoreUnavailableError(`${doing}: ${sqliteMessage(error)}`, { cause: error });
}

const opened = (file: string, options: DatabaseOptions, prepare: (db: Database) => void): Database =>
  openTwice(() => openOnce(file, options, prepare));

function openOnce(file: string, options: DatabaseOptions, prepare: (db: Database) => void): Database {
  let db: Database | undefined;
  try {
    db = new Database(file, options);
    prepare(db);
    return db;
  } catch (error) {
    db?.close();
    throw fileUnavailable(error, `the event log ${file} cannot be opened`);
  }
}

/**
 * Flushes the WAL of a killed process. A commit that the kill interrupted may be complete but not flushed. SQLite reads such a
 * commit like any other, so a seal or an answer could rest on events that a power cut then removes. SQLite never locks the WAL.
 */
function flushWal(file: string): void {
  try {
    syncFile(`${file}-wal`);
  } catch (error) {
    throw fileUnavailable(error, `the event log ${file} cannot be flushed`);
  }
}

function create(file: string): void {
  try {
    createPrivately(file);
  } catch (error) {
    throw fileUnavailable(error, `the event log ${file} cannot be created`);
  }
}
