/** Read models embedded in one SQLite file: documents, indexes, checkpoints and records, each commit one transaction. */
import { existsSync, rmSync, statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { createPrivately } from '../../flow/durable-file.js';
import { Database, sqliteCode, sqliteMessage } from '../../sqlite/database.js';
import {
  CommitConflictError,
  InvalidCursorError,
  ReadModelsBusyError,
  ReadModelsUnavailableError,
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
import { deleteCheckpoint, advanceCheckpoint, selectCheckpoint } from './checkpoints.js';
import { createFinder } from './find.js';
import { selectRecord, recordsTable, upsertRecord } from './records.js';
import { dropTables, scrubView } from './scrub.js';
import { createSearch } from './search.js';
import { createTables, openTable, type ViewTable } from './tables.js';

interface SqliteReadModelsOptions {
  readonly file: string;
  /** Readers never write; they may open the file before the writer has made its views. */
  readonly readOnly?: boolean;
  readonly now?: () => number;
  /** Milliseconds that a write waits while another connection writes; the thread waits with it. Readers never wait. */
  readonly busyTimeout?: number;
}

/** Of a thread that others wait for. */
const defaultBusyTimeout = 2_000;
/** In KiB. A writer reads each document first: a page that is not cached costs as much as the rest of the change. */
const writersCache = 'cache_size = -32000';
const readersCache = 'cache_size = -16000';

/** @throws ReadModelsUnavailableError when the file cannot be opened. */
export function openSqliteReadModels(options: SqliteReadModelsOptions & { readonly readOnly: true }): ReadModelReader;
export function openSqliteReadModels(options: SqliteReadModelsOptions): ReadModels;
export function openSqliteReadModels(options: SqliteReadModelsOptions): ReadModels {
  const { file, readOnly = false, now, busyTimeout = defaultBusyTimeout } = options;
  const guarded = <T>(action: () => T): T => guardedIn(action, damageMark(file));
  const db = guarded(() => openFile(file, { readOnly, busyTimeout }));
  return readModelsIn(db, { guarded, now });
}

/**
 * For commands that only read: a file that is there, as it is, leaving no trace of it.
 * @param options `removesWal`: SQLite's own files beside it are removed when the last reader closes; needs write permission.
 * @throws ReadModelsUnavailableError when there is none, or it cannot be opened.
 */
export function openSqliteViews(options: { readonly file: string; readonly removesWal?: boolean }): ReadModelReader {
  const { file, removesWal = false } = options;
  return guardedIn(() => {
    const db = new Database(file, { access: removesWal ? 'write' : 'read', timeout: defaultBusyTimeout });
    try {
      db.pragma(readersCache);
      db.pragma('query_only = ON');
      return readModelsIn(db, { guarded: guardedIn });
    } catch (error) {
      db.close();
      throw error;
    }
  });
}

interface OpenReadModels {
  readonly guarded: <T>(action: () => T) => T;
  readonly now?: (() => number) | undefined;
}

function readModelsIn(db: Database, { guarded, now = Date.now }: OpenReadModels): ReadModels {
  const fail = (error: unknown): never =>
    guarded(() => {
      throw error;
    });
  const find = createFinder(db);
  const search = createSearch(db);
  const schemaVersion = db.prepareValue<[], number>('PRAGMA schema_version');
  let tables = new WeakMap<View, ViewTable>();
  let schema: number | undefined;

  const table = (view: View): ViewTable => {
    let open = tables.get(view);
    if (open === undefined) tables.set(view, (open = openTable(db, view)));
    return open;
  };

  const readAll = <D, T>(
    view: View,
    ids: readonly string[],
    take: (found: StoredDocument<D | null>) => T | undefined,
  ): Map<string, T> => {
    const read = (): Map<string, T> => {
      const found = new Map<string, T>();
      for (const id of ids) {
        const row = table(view).read<D>(id);
        const taken = row === undefined ? undefined : take(row);
        if (taken !== undefined) found.set(id, taken);
      }
      return found;
    };
    return guarded(() => (ids.length < 2 ? read() : db.transaction(read)));
  };

  const commitAll = (commit: Commit): void => {
    // Another connection may have made a bare view whole: from then on its side tables are written, too.
    const current = schemaVersion.get();
    if (current !== schema) tables = new WeakMap();
    schema = current;
    advanceCheckpoint(db, commit.checkpoint);
    for (const write of commit.writes) table(write.view).write(write);
  };

  /** Making and dropping the indexes of a large view may block this thread for longer than a lease is valid: its renewal comes first. */
  const overdue = (): Promise<void> => pause(1);

  return {
    get: async <D>(view: View, id: string) => {
      const found = guarded(() => table(view).read<D>(id));
      return found === undefined ? undefined : living(found);
    },
    getMany: async <D>(view: View, ids: readonly string[]) => readAll(view, ids, living<D>),
    getEach: async <D>(wanted: readonly WantedDocuments[]) =>
      wanted.map(({ view, ids }) => readAll(view, ids, living<D>)),
    find: async (view, query) => guarded(() => find(view, query)),
    search: async (view, query) => guarded(() => search(view, query)),
    checkpoint: async (name) => guarded(() => selectCheckpoint(db, name)?.checkpoint ?? null),
    readRecord: async (name) => guarded(() => selectRecord(db, name)),
    putRecord: async (record) => guarded(() => upsertRecord(db, record)),
    async prepare(view, { bare = false } = {}) {
      guarded(() => createTables(db, view, bare));
      if (!bare) await overdue();
    },
    load: async (view, ids) =>
      readAll(view, ids, ({ document, position }: StoredDocument<Document | null>) => ({ document, position })),
    commit: async (commit) => guarded(() => db.transaction(() => commitAll(commit), 'immediate')),
    async drop(view) {
      await dropTables(db, storageName(view)).catch(fail);
      await overdue();
    },
    forget: async (checkpoint) => guarded(() => db.transaction(() => deleteCheckpoint(db, checkpoint), 'immediate')),
    async scrub(views) {
      for (const view of views) await scrubView(db, view).catch(fail);
    },
    lease: async (name, holder, ttl) =>
      guarded(() => db.transaction(() => takeLease(db, { name, holder, ttl, now: now() }), 'immediate')),
    fenceOff: async (name, epoch) =>
      guarded(
        () =>
          db
            .prepare(
              'UPDATE leases SET epoch = epoch + 1 WHERE name = ? AND epoch >= ? AND expires_at NOT BETWEEN ? AND ?',
            )
            .run(name, epoch, now() + 1, now() + longestLeaseMs).changes > 0,
      ),
    close: async () => {
      db.close();
    },
  };
}

/**
 * Removes a file that is no database or whose head is damaged: what it held can be folded again. The reason, or undefined
 * when the file is in order, or not there. To be called before the file is opened. A file of an earlier version is rewritten.
 */
export function discardIfDamaged(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const damage = existsSync(damageMark(file)) ? 'damage was met while it was in use' : damageOf(file);
  if (damage !== undefined)
    for (const suffix of ['', '-wal', '-shm', '.damaged']) rmSync(file + suffix, { force: true });
  return damage;
}

/** Above this a whole check would take too long at a start; damage inside is met later, and marked. */
const checkedBytes = 64 * 1024 * 1024;

function damageOf(file: string): string | undefined {
  try {
    const db = openFile(file, { readOnly: false, busyTimeout: defaultBusyTimeout });
    try {
      const verdict = statSync(file).size > checkedBytes ? 'ok' : db.pragma('quick_check(1)');
      if (verdict !== 'ok') return String(verdict);
      overwriteRemains(db);
      return undefined;
    } finally {
      db.close();
    }
  } catch (error) {
    if (isDamage(error)) return sqliteMessage(error);
    throw error;
  }
}

/** Files created without `secure_delete` still hold deleted data. Rewritten once; the file then notes that it is done. */
const clean = 1;
function overwriteRemains(db: Database): void {
  if (db.pragma('user_version') === clean) return;
  db.exec('VACUUM');
  db.pragma(`user_version = ${clean}`);
}

const isDamage = (error: unknown): boolean => ['SQLITE_NOTADB', 'SQLITE_CORRUPT'].includes(sqliteCode(error) ?? '');
const damageMark = (file: string): string => `${file}.damaged`;

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
  if (db.pragma('page_count') === 0) db.pragma(`user_version = ${clean}`);
  db.pragma('journal_mode = WAL');
  // Documents can be folded again: after a power cut the last commits may be missing, but no commit is there in part.
  db.pragma('synchronous = NORMAL');
  db.pragma(readOnly ? readersCache : writersCache);
  // 4 MiB: the WAL is checkpointed in small portions, so that no fsync of the log waits behind a large one.
  db.pragma('wal_autocheckpoint = 1000');
  // What is deleted is overwritten: to scrub a view depends on it.
  db.pragma('secure_delete = ON');
  db.exec(`
    CREATE TABLE IF NOT EXISTS checkpoints (name TEXT NOT NULL PRIMARY KEY, log_id TEXT NOT NULL, position TEXT NOT NULL, event_id TEXT NOT NULL, live TEXT NOT NULL, epoch INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS leases (name TEXT NOT NULL PRIMARY KEY, holder TEXT NOT NULL, epoch INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
    ${recordsTable};
  `);
  if (readOnly) db.pragma('query_only = ON');
  return db;
}

/** Own errors and wrong calls pass; everything else that SQLite says means that the read models are out of reach. Its messages name tables, never values. */
function guardedIn<T>(action: () => T, mark?: string): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof CommitConflictError || error instanceof InvalidCursorError) throw error;
    if (isDamage(error)) {
      if (mark !== undefined) createPrivately(mark);
      throw new ReadModelsUnavailableError(`${sqliteCode(error)}: views.db is damaged; restart to rebuild it`, {
        cause: error,
      });
    }
    if (sqliteCode(error) === 'SQLITE_BUSY') throw new ReadModelsBusyError(sqliteMessage(error), { cause: error });
    if (sqliteCode(error) !== undefined) throw new ReadModelsUnavailableError(sqliteMessage(error), { cause: error });
    throw error;
  }
}

const living = <D>(found: StoredDocument<D | null>): StoredDocument<D> | undefined =>
  found.document === null ? undefined : { ...found, document: found.document };

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
