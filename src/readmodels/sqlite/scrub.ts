/** Leaves no remains in the file of documents that a view no longer holds. In small transactions: commits and readers have their turn in between. */
import { statfsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../../sqlite/database.js';
import { storageName, unnamedStorages } from '../find-plan.js';
import { ReadModelsUnavailableError, type Checkpoint, type StoredView } from '../read-models.js';
import { sideName } from './table-names.js';
import { hasTable } from './tables.js';

/** Of one transaction, in milliseconds. */
const sliceMs = 2;
const rowsAtOnce = 16;
/** For readers that hold the WAL, in milliseconds. */
const walPatience = 1_000;
/** What the WAL may take meanwhile. */
const walBytes = 16 * 1024 * 1024;

// Fields begin with a letter, so that no table of an array has this name.
const copyOf = (table: string): string => `${table}___copy`;
const oldOf = (table: string): string => `${table}___old`;
const triggersOf = (table: string) => [`${table}___come`, `${table}___follow`, `${table}___go`] as const;

/** Leaves only this storage of the view and those that a checkpoint names, and nothing of deleted documents. @throws ReadModelsUnavailableError */
export async function scrubView(db: Database, view: StoredView): Promise<void> {
  // While a reader holds the WAL, a copy would make it grow for nothing.
  await emptyWal(db);
  for (const main of unnamed(db, view)) await dropTables(db, main, () => unnamed(db, view).includes(main));
  await clear(db, storageName(view));
  demandRoom(db);
  // Commits wait for a checkpoint: one of this many pages takes a few milliseconds.
  const usual = Number(db.pragma('wal_autocheckpoint'));
  db.pragma('wal_autocheckpoint = 200');
  try {
    const main = storageName(view);
    for (const table of [main, ...sidesOf(db, main)]) await renewTable(db, table);
    await clear(db, main);
  } finally {
    if (db.isOpen) db.pragma(`wal_autocheckpoint = ${usual}`);
  }
  await emptyWal(db);
}

/** What was being dropped when a process was killed. */
function unnamed(db: Database, view: StoredView): readonly string[] {
  const checkpoints = db.prepareValue<[], string>('SELECT live FROM checkpoints').all();
  const named = checkpoints.map((live) => JSON.parse(live) as Checkpoint['storages']);
  return unnamedStorages(view, tablesIn(db), named);
}

/** Needs free space for a second copy of the file: otherwise no write would succeed. */
function demandRoom(db: Database): void {
  const [pages = 0, free = 0, size = 0] = ['page_count', 'freelist_count', 'page_size'].map((name) =>
    Number(db.pragma(name)),
  );
  const wanted = Math.max(0, pages - 2 * free) * size + walBytes;
  const { bavail, bsize } = statfsSync(path.dirname(db.file));
  if (bavail * bsize < wanted)
    throw new ReadModelsUnavailableError(
      `views.db cannot be rid of what was deleted: that needs ${Math.ceil(wanted / 1e6)} MB of free disk space`,
    );
}

/**
 * Moves the rows of a table to a new one, and overwrites the old one. `secure_delete` alone does not do: where rows
 * grow, SQLite moves their neighbours to other pages, and leaves remains in the gaps.
 */
async function renewTable(db: Database, table: string): Promise<void> {
  if (!hasTable(db, table)) return;
  db.transaction(() => beginCopy(db, table), 'immediate');
  const { keys, key } = keyOf(db, table);
  const bound = `(${keys.map(() => '?').join(', ')})`;
  const behind = `SELECT ${keys.join(', ')} FROM ${table} WHERE ${key} > ${bound} ORDER BY ${keys.join(', ')}`;
  const backwards = keys.map((column) => `${column} DESC`).join(', ');
  const next = db.prepareRows<readonly string[], string[]>(
    `SELECT * FROM (${behind} LIMIT ${rowsAtOnce}) ORDER BY ${backwards} LIMIT 1`,
  );
  const copyRows = db.prepare<readonly string[]>(
    `INSERT OR IGNORE INTO ${copyOf(table)} SELECT * FROM ${table} WHERE ${key} > ${bound} AND ${key} <= ${bound}`,
  );
  // No id is empty.
  let copied = keys.map(() => '');
  const copySome = (): boolean => {
    const last = next.get(...copied);
    if (last === undefined) return false;
    copyRows.run(...copied, ...last);
    copied = last;
    return true;
  };
  await inSlices(db, copySome, () => exchange(db, table));
}

/** Gone at once, and overwritten when it resolves. */
export async function dropTables(db: Database, main: string, isWanted = (): boolean => true): Promise<void> {
  await clear(db, main);
  db.transaction(() => {
    if (!isWanted()) return;
    for (const table of [main, ...sidesOf(db, main)]) if (hasTable(db, table)) retire(db, table);
  }, 'immediate');
  await clear(db, main);
}

/** What is overwritten is still in the WAL. A reader may hold that for a while. @throws ReadModelsUnavailableError */
async function emptyWal(db: Database): Promise<void> {
  const checkpoint = db.prepareValue<[], number>('PRAGMA wal_checkpoint(TRUNCATE)');
  for (const end = performance.now() + walPatience; ; await pause(20)) {
    const timeout = db.pragma('busy_timeout');
    db.pragma('busy_timeout = 5');
    let isHeld = true;
    try {
      isHeld = checkpoint.get() !== 0;
    } finally {
      db.pragma(`busy_timeout = ${Number(timeout)}`);
    }
    if (!isHeld) return;
    if (performance.now() > end)
      throw new ReadModelsUnavailableError('a reader of views.db still holds what was deleted');
  }
}

/** Until all rows are copied, what comes, changes or goes in the table does so in its copy as well. */
function beginCopy(db: Database, table: string): void {
  const copy = copyOf(table);
  db.exec(sqlOf(db, table).replace(/^CREATE TABLE "?\w+"?/, `CREATE TABLE ${copy}`));
  const columns = db.prepareValue<[string], string>('SELECT name FROM pragma_table_info(?)').all(table);
  const changed = columns.map((column) => `${column} = new.${column}`).join(', ');
  const values = columns.map((column) => `new.${column}`).join(', ');
  const isOld = keyOf(db, table)
    .keys.map((column) => `${column} = old.${column}`)
    .join(' AND ');
  const [come, change, go] = triggersOf(table);
  db.exec(
    `CREATE TRIGGER ${come} AFTER INSERT ON ${table} BEGIN INSERT INTO ${copy} (${columns.join(', ')}) VALUES (${values}); END;
     CREATE TRIGGER ${change} AFTER UPDATE ON ${table} BEGIN UPDATE ${copy} SET ${changed} WHERE ${isOld}; END;
     CREATE TRIGGER ${go} AFTER DELETE ON ${table} BEGIN DELETE FROM ${copy} WHERE ${isOld}; END`,
  );
}

function dropTriggers(db: Database, table: string): void {
  for (const trigger of triggersOf(table)) db.exec(`DROP TRIGGER IF EXISTS ${trigger}`);
}

/** The copy takes the place of the table; its indexes are made again. */
function exchange(db: Database, table: string): void {
  dropTriggers(db, table);
  const indexes = indexesOf(db, table);
  retire(db, table);
  db.exec(`ALTER TABLE ${copyOf(table)} RENAME TO ${table}`);
  for (const { sql } of indexes) db.exec(sql);
}

function retire(db: Database, table: string): void {
  for (const { name } of indexesOf(db, table)) db.exec(`DROP INDEX ${name}`);
  db.exec(`ALTER TABLE ${table} RENAME TO ${oldOf(table)}`);
}

/** What was retired, and a copy that was not finished. Rows first: each page is overwritten when it is free. */
async function clear(db: Database, main: string): Promise<void> {
  for (const table of [main, ...sidesOf(db, main)]) dropTriggers(db, table);
  for (const table of besides(db, main).filter((name) => /___(copy|old)$/.test(name))) {
    const { keys, key } = keyOf(db, table);
    const some = `DELETE FROM ${table} WHERE ${key} IN (SELECT ${keys.join(', ')} FROM ${table} LIMIT ${rowsAtOnce})`;
    // Another connection may be at it, too.
    const deleteSome = (): boolean => hasTable(db, table) && db.prepare(some).run().changes > 0;
    await inSlices(db, deleteSome, () => db.exec(`DROP TABLE IF EXISTS ${table}`));
  }
}

/** Repeats a step until it has nothing to do; the last transaction also ends it. */
async function inSlices(db: Database, step: () => boolean, end: () => void): Promise<void> {
  const slice = (until: number): boolean => {
    while (performance.now() < until) if (!step()) return (end(), false);
    return true;
  };
  for (;;) {
    const began = performance.now();
    if (!db.transaction(() => slice(began + sliceMs), 'immediate')) return;
    await pause(performance.now() - began);
  }
}

const tablesIn = (db: Database): readonly string[] =>
  db.prepareValue<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all();
const besides = (db: Database, main: string): readonly string[] =>
  tablesIn(db).filter((name) => name.startsWith(sideName(main, '')));
const sidesOf = (db: Database, main: string): readonly string[] =>
  besides(db, main).filter((name) => !name.includes('___'));

/** Of the columns of its primary key: their names, and what they are compared by. */
function keyOf(db: Database, table: string): { readonly keys: readonly string[]; readonly key: string } {
  const columns = 'SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk';
  const keys = db.prepareValue<[string], string>(columns).all(table);
  return { keys, key: `(${keys.join(', ')})` };
}

const sqlOf = (db: Database, table: string): string =>
  db.prepareValue<[string], string>(`SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(table) ?? '';

/** Those that have a definition of their own. */
const indexesOf = (db: Database, table: string) =>
  db
    .prepare<[string], { name: string; sql: string }>(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL`,
    )
    .all(table);
