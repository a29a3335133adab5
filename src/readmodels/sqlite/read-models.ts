/** Read models embedded in one SQLite file: documents, indexes, checkpoints and records, each commit one transaction. */
import { existsSync, rmSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { createPrivately } from '../../flow/durable-file.js';
import { closeAllOf, Database, sqliteCode, sqliteMessage } from '../../sqlite/database.js';
import {
  ReadModelsUnavailableError,
  ViewDamagedError,
  longestLeaseMs,
  type Commit,
  type Document,
  type ReadModelReader,
  type ReadModels,
  type StoredDocument,
  type View,
  type WantedDocuments,
} from '../read-models.js';
import { storageName } from '../find-plan.js';
import {
  advanceCheckpoint,
  checkpointsTable,
  deleteCheckpoint,
  demandCheckpoints,
  selectCheckpoint,
} from './checkpoints.js';
import { createFinder } from './find.js';
import { createGuard, damageMark, isDamage, type Guard, type OnDamage } from './guard.js';
import { demandRecords, recordsTable, selectRecord, upsertRecord } from './records.js';
import { dropTables, scrubView } from './scrub.js';
import { createSearch } from './search.js';
import { createTables, hasTable, openTable, type ViewTable } from './tables.js';

export interface SqliteReadModelsOptions {
  readonly file: string;
  /** Readers never write; they may open the file before the writer has made its views. */
  readonly readOnly?: boolean;
  readonly now?: () => number;
  /** Milliseconds that a write waits while another connection writes; the thread waits with it. Readers never wait. */
  readonly busyTimeout?: number;
  readonly onDamage?: OnDamage | undefined;
}

/** Of a thread that others wait for. */
const defaultBusyTimeout = 2_000;
/** In KiB. A writer reads each document first: a page that is not cached costs as much as the rest of the change. */
const writersCache = 'cache_size = -32000';
const readersCache = 'cache_size = -16000';

/** Opens the file, and opens it again when it was replaced by `discardViews`. @throws ReadModelsUnavailableError when the file cannot be opened. */
export function openSqliteReadModels(options: SqliteReadModelsOptions & { readonly readOnly: true }): ReadModelReader;
export function openSqliteReadModels(options: SqliteReadModelsOptions): ReadModels;
export function openSqliteReadModels(options: SqliteReadModelsOptions): ReadModels {
  const { file, readOnly = false, now, busyTimeout = defaultBusyTimeout, onDamage = () => undefined } = options;
  const guarded = createGuard({ onDamage, markFile: damageMark(file) });
  const open = (): Database => guarded(() => openFile(file, { readOnly, busyTimeout }));
  return readModelsIn(open, { guarded, now });
}

/**
 * For commands that only read: a file that is there, as it is, leaving no trace of it.
 * @param options `removesWal`: SQLite's own files beside it are removed when the last reader closes; needs write permission.
 * @throws ReadModelsUnavailableError when there is none, or it cannot be opened.
 */
export function openSqliteViews(options: { readonly file: string; readonly removesWal?: boolean }): ReadModelReader {
  const { file, removesWal = false } = options;
  const guarded = createGuard({ onDamage: () => undefined });
  const open = (): Database => {
    const db = new Database(file, { access: removesWal ? 'write' : 'read', timeout: defaultBusyTimeout });
    try {
      db.pragma(readersCache);
      db.pragma('query_only = ON');
      if (db.pragma('user_version') !== format)
        throw new ReadModelsUnavailableError(`${otherVersion}; start the service, which builds it again`);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  };
  return readModelsIn(() => guarded(open), { guarded });
}

interface OpenReadModels {
  readonly guarded: Guard;
  readonly now?: (() => number) | undefined;
}

/** A connection, and what belongs to it. */
function createSession(db: Database) {
  return {
    db,
    find: createFinder(db),
    search: createSearch(db),
    schemaVersion: db.prepareValue<[], number>('PRAGMA schema_version'),
    tables: new WeakMap<View, ViewTable>(),
    schema: undefined as number | undefined,
  };
}

function readModelsIn(openDatabase: () => Database, { guarded: guard, now = Date.now }: OpenReadModels): ReadModels {
  const fail = (error: unknown): never =>
    guard(() => {
      throw error;
    });
  let isClosed = false;
  let session = createSession(openDatabase());

  /** The file may have been replaced since. */
  const current = (): typeof session => {
    if (!session.db.isOpen && !isClosed) session = createSession(openDatabase());
    return session;
  };
  const open = (): Database => current().db;

  /** SQLite reports a read error as corruption, so damage counts only if the file, opened again, is damaged as well. */
  const guarded: Guard = (action, view) =>
    guard(() => {
      try {
        return action();
      } catch (error) {
        if (!isDamage(error) || isClosed) throw error;
        session.db.close();
        return action();
      }
    }, view);

  const table = (view: View): ViewTable => {
    const { db, tables } = current();
    let found = tables.get(view);
    if (found === undefined) tables.set(view, (found = openTable(db, view)));
    return found;
  };

  const readAll = <D, T>(
    view: View,
    ids: readonly string[],
    take: (found: StoredDocument<D | null>) => T | undefined,
  ): Map<string, T> => {
    return guarded(() => {
      const found = new Map<string, T>();
      for (const row of table(view).readMany<D>(ids)) {
        const taken = take(row);
        if (taken !== undefined) found.set(row.id, taken);
      }
      return found;
    }, view);
  };

  const commitAll = (commit: Commit): void => {
    // Another connection may have made a bare view whole: from then on its side tables are written, too.
    const opened = current();
    const schema = opened.schemaVersion.get();
    if (schema !== opened.schema) opened.tables = new WeakMap();
    opened.schema = schema;
    advanceCheckpoint(opened.db, commit.checkpoint);
    for (const write of commit.writes) table(write.view).write(write);
  };

  /** Making and dropping the indexes of a large view may block this thread for longer than a lease is valid: its renewal comes first. */
  const overdue = (): Promise<void> => pause(1);

  return {
    get: async <D>(view: View, id: string) => {
      const found = guarded(() => table(view).read<D>(id), view);
      return found === undefined ? undefined : living(found);
    },
    getMany: async <D>(view: View, ids: readonly string[]) => readAll(view, ids, living<D>),
    getEach: async <D>(wanted: readonly WantedDocuments[]) =>
      wanted.map(({ view, ids }) => readAll(view, ids, living<D>)),
    find: async (view, query) => guarded(() => current().find(view, query), view),
    search: async (view, query) => guarded(() => current().search(view, query), view),
    checkpoint: async (name) => guarded(() => selectCheckpoint(open(), name)?.checkpoint ?? null),
    readRecord: async (name) => guarded(() => selectRecord(open(), name)),
    putRecord: async (record) => guarded(() => upsertRecord(open(), record)),
    async prepare(view, { bare = false } = {}) {
      guarded(() => createTables(open(), view, bare));
      if (!bare) await overdue();
    },
    load: async (view, ids) =>
      readAll(view, ids, ({ document, position }: StoredDocument<Document | null>) => ({ document, position })),
    commit: async (commit) => guarded(() => open().transaction(() => commitAll(commit), 'immediate')),
    async drop(view) {
      await dropTables(guarded(open), storageName(view)).catch(fail);
      await overdue();
    },
    forget: async (checkpoint) =>
      guarded(() => open().transaction(() => deleteCheckpoint(open(), checkpoint), 'immediate')),
    async scrub(views) {
      for (const view of views) await scrubView(guarded(open), view).catch(fail);
    },
    lease: async (name, holder, ttl) =>
      guarded(() => open().transaction(() => takeLease(open(), { name, holder, ttl, now: now() }), 'immediate')),
    fenceOff: async (name, epoch) =>
      guarded(
        () =>
          open()
            .prepare(
              'UPDATE leases SET epoch = epoch + 1 WHERE name = ? AND epoch >= ? AND expires_at NOT BETWEEN ? AND ?',
            )
            .run(name, epoch, now() + 1, now() + longestLeaseMs).changes > 0,
      ),
    close: async () => {
      isClosed = true;
      session.db.close();
    },
  };
}

/** Why a file of views was removed at a start. */
export interface DiscardedViews {
  readonly reason: string;
  /** Whether something was wrong with it. Otherwise another version of the service wrote it. */
  readonly isDamage: boolean;
}

/**
 * Removes a file that is damaged or of another version, because its views can be folded again. Returns undefined if the
 * file is in order or missing. Call this before the file is opened. `live` is the name of the checkpoint that names the
 * live storages.
 */
export function discardIfUnusable(file: string, live: string): DiscardedViews | undefined {
  if (!existsSync(file)) return undefined;
  const found = existsSync(damageMark(file)) ? damaged('damage was met while it was in use') : whyUnusable(file, live);
  if (found !== undefined) discardViews(file);
  return found;
}

/**
 * Removes a file of views. Read models of this thread that have it open continue in a new file. Other threads must have
 * closed theirs.
 */
export function discardViews(file: string): void {
  closeAllOf(file);
  for (const suffix of ['', '-wal', '-shm', '.damaged']) rmSync(file + suffix, { force: true });
}

/** Above this a whole check would take too long at a start. The check that runs after the start finds damage inside. */
const checkedBytes = 64 * 1024 * 1024;

const damaged = (reason: string): DiscardedViews => ({ reason, isDamage: true });
const otherVersion = 'views.db was written by another version of the service';

function whyUnusable(file: string, live: string): DiscardedViews | undefined {
  let db: Database | undefined;
  try {
    db = openFile(file, { readOnly: false, busyTimeout: defaultBusyTimeout });
    if (db.pragma('user_version') !== format) return { reason: otherVersion, isDamage: false };
    const verdict = statSync(file).size > checkedBytes ? 'ok' : db.pragma('quick_check(1)');
    if (verdict !== 'ok') return damaged(String(verdict));
    demandCheckpoints(db);
    demandRecords(db);
    return lostTable(db, live);
  } catch (error) {
    if (error instanceof ViewDamagedError) return damaged(error.message);
    // The statements are right, so a table is not.
    if (isDamage(error) || sqliteCode(error) === 'SQLITE_ERROR') return damaged(sqliteMessage(error));
    throw error;
  } finally {
    db?.close();
  }
}

/** A view whose table is missing would be created empty, and its documents would never be folded again. */
function lostTable(db: Database, live: string): DiscardedViews | undefined {
  const { storages = {} } = selectCheckpoint(db, live)?.checkpoint ?? {};
  const tables = Object.entries(storages).map(([name, storage]) => storageName({ name, version: 1, storage }));
  const lost = tables.find((table) => !hasTable(db, table));
  return lost === undefined ? undefined : damaged(`the table ${lost} is missing`);
}

/** The version of the tables in the file. */
const format = 2;

/** Creates the file so that only its owner can read it. If that fails, SQLite reports the cause when it opens the file. */
function create(file: string): void {
  try {
    createPrivately(file);
  } catch {
    return;
  }
}

function openFile(file: string, { readOnly, busyTimeout }: { readOnly: boolean; busyTimeout: number }): Database {
  if (file !== ':memory:') create(file);
  const db = new Database(file, { timeout: busyTimeout });
  if (db.pragma('page_count') === 0) db.pragma(`user_version = ${format}`);
  db.pragma('journal_mode = WAL');
  // Documents can be folded again: after a power cut the last commits may be missing, but no commit is there in part.
  db.pragma('synchronous = NORMAL');
  db.pragma(readOnly ? readersCache : writersCache);
  // 4 MiB: the WAL is checkpointed in small portions, so that no fsync of the log waits behind a large one.
  db.pragma('wal_autocheckpoint = 1000');
  db.exec(`
    ${checkpointsTable};
    CREATE TABLE IF NOT EXISTS leases (name TEXT NOT NULL PRIMARY KEY, holder TEXT NOT NULL, epoch INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
    ${recordsTable};
  `);
  if (readOnly) db.pragma('query_only = ON');
  return db;
}

const living = <D>(found: StoredDocument<D | null>): StoredDocument<D> | undefined =>
  found.document === null ? undefined : (found as StoredDocument<D>);

function takeLease(
  db: Database,
  wanted: { name: string; holder: string; ttl: number; now: number },
): { readonly epoch: number } | null {
  const { name, holder, ttl, now } = wanted;
  const held = db
    .prepare<[string], { holder: string; epoch: number; expires_at: number }>(
      'SELECT holder, epoch, expires_at FROM leases WHERE name = ?',
    )
    .get(name);
  const { epoch: last = 0, expires_at = now } = held ?? {};
  const isOurs = held?.holder === holder;
  const isHeld = expires_at > now && (isOurs || expires_at <= now + longestLeaseMs);
  if (isHeld && !isOurs) return null;
  const epoch = isHeld ? last : last + 1;
  db.prepare('INSERT OR REPLACE INTO leases (name, holder, epoch, expires_at) VALUES (?, ?, ?, ?)').run(
    name,
    holder,
    epoch,
    now + ttl,
  );
  return { epoch };
}
