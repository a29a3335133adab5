/**
 * Compares the documents of embedded views with their checksums, and index entries with documents in both directions. Reads
 * in short transactions, so that the WAL can be checkpointed, and pauses between them.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Database, sqliteCode, sqliteMessage, type Statement, type Value } from '../../sqlite/database.js';
import { storageName } from '../find-plan.js';
import { ViewDamagedError, type View } from '../read-models.js';
import { demandCheckpoints } from './checkpoints.js';
import { documentRows, textsIn, type DocumentRow } from './document-rows.js';
import { createGuard, damageMark, type Guard, type OnDamage } from './guard.js';
import { demandRecords } from './records.js';
import { arrayName, columnName, indexName, keptView, sideName, tableNames, type Column } from './table-names.js';
import { hasTable } from './tables.js';

interface FileOptions {
  readonly file: string;
  readonly onDamage: OnDamage;
  readonly signal: AbortSignal;
}

interface CheckOptions extends FileOptions {
  /** Each in its live storage. */
  readonly views: readonly View[];
}

interface CheckIndexOptions extends FileOptions {
  /** In its live storage. */
  readonly view: View;
  /** The fields of the index. */
  readonly fields: readonly string[];
}

/** Milliseconds of one transaction. */
const sliceMs = 5;
/** A pause is this many times as long as the slice before it, so that the check uses at most a quarter of a core. */
const pauseFactor = 3;
const rowsAtOnce = 32;

/**
 * Returns the number of documents that were compared, or undefined if there is damage that concerns the whole file.
 * @throws ReadModelsUnavailableError; the signal's reason when it aborts
 */
export async function checkViews({ views, signal, ...options }: CheckOptions): Promise<number | undefined> {
  return await checking(options, (db, guarded) => checkAll(db, { views, signal, guarded }));
}

/**
 * Compares each document of a view with its checksum and with one index, so that a search of that index finds all documents.
 * Returns the number of documents that were compared, or undefined if they are damaged, which was reported.
 * @throws ReadModelsUnavailableError; the signal's reason when it aborts
 */
export async function checkIndex({ view, fields, signal, ...options }: CheckIndexOptions): Promise<number | undefined> {
  return await checking(options, async (db, guarded) => {
    const table = tableOf(db, view);
    const name = indexName(table.main, fields);
    const step = documentsStep({ ...table, indexes: table.indexes.filter((index) => index.name === name), arrays: [] });
    return await inSlices(() => guarded(() => sliceOf(db, view, step), view), signal);
  });
}

async function checking(
  { file, onDamage }: Pick<CheckOptions, 'file' | 'onDamage'>,
  check: (db: Database, guarded: Guard) => Promise<number>,
): Promise<number | undefined> {
  const guarded = createGuard({ onDamage, markFile: damageMark(file) });
  const db = guarded(() => new Database(file, { access: 'read', timeout: 2_000 }));
  try {
    return await check(db, guarded);
  } catch (error) {
    // The damage was reported, and the view or the whole file is being built again.
    if (error instanceof ViewDamagedError) return undefined;
    throw error;
  } finally {
    db.close();
  }
}

interface CheckAllOptions extends Pick<CheckOptions, 'views' | 'signal'> {
  readonly guarded: Guard;
}

async function checkAll(db: Database, { views, signal, guarded }: CheckAllOptions): Promise<number> {
  let documents = 0;
  guarded(() => {
    demandCheckpoints(db);
    demandRecords(db);
  });
  for (const view of views)
    for (const { step, counts } of stepsOf(db, view)) {
      const rows = await inSlices(() => guarded(() => sliceOf(db, view, step), view), signal).catch(unlessOfView);
      // The rebuild of the view also repairs any other damage.
      if (rows === undefined) break;
      if (counts) documents += rows;
    }
  return documents;
}

function unlessOfView(error: unknown): undefined {
  if (!(error instanceof ViewDamagedError) || error.view === undefined) throw error;
}

/** Compares some rows and returns how many; 0 at the end. @throws ViewDamagedError */
type Step = () => number;

interface Slice {
  readonly rows: number;
  readonly isLast: boolean;
}

function sliceOf(db: Database, view: View, step: Step): Slice {
  const end = performance.now() + sliceMs;
  const run = (): Slice => {
    let rows = 0;
    while (performance.now() < end) {
      // A rebuild may have dropped the storage.
      const some = hasTable(db, storageName(view)) ? step() : 0;
      if (some === 0) return { rows, isLast: true };
      rows += some;
    }
    return { rows, isLast: false };
  };
  try {
    return db.transaction(run);
  } catch (error) {
    // The statements are right, so the file lacks an index or a column.
    if (sqliteCode(error) === 'SQLITE_ERROR') throw new ViewDamagedError(sqliteMessage(error), view, { cause: error });
    throw error;
  }
}

async function inSlices(slice: () => Slice, signal: AbortSignal): Promise<number> {
  let rows = 0;
  for (;;) {
    signal.throwIfAborted();
    const began = performance.now();
    const done = slice();
    rows += done.rows;
    if (done.isLast) return rows;
    await pause(pauseFactor * (performance.now() - began), undefined, { signal });
  }
}

/** `counts`: the rows of the step are the documents of the view. */
function* stepsOf(db: Database, view: View): Generator<{ readonly step: Step; readonly counts: boolean }> {
  const table = tableOf(db, view);
  yield { step: documentsStep(table), counts: true };
  for (const index of table.indexes) yield { step: indexStep(table, index), counts: false };
  for (const field of table.arrays) yield { step: sideStep(table, field), counts: false };
}

interface Index {
  readonly name: string;
  readonly columns: readonly string[];
}

type Table = ReturnType<typeof tableOf>;

function tableOf(db: Database, view: View) {
  const { main, arrays } = tableNames(view);
  const rows = documentRows(view);
  const hasRowid = !rows.isShort;
  const key = `sqlite_autoindex_${main}_1`;
  const indexes: readonly Index[] = [
    // In a table without rowids, the primary key is the table itself.
    ...(hasRowid ? [{ name: key, columns: ['id'] }] : []),
    ...keptView(view).indexes.map(({ fields }) => ({
      name: indexName(main, fields),
      columns: [...fields.map(columnName), 'id'],
    })),
  ];
  return { db, view, main, arrays, rows, hasRowid, key, indexes };
}

const damagedIndex = ({ view, main }: Table, what: string): ViewDamagedError =>
  new ViewDamagedError(`an index of ${main} ${what}`, view);

/** Follows the table itself: each row has its checksum, and each index leads to it. */
function documentsStep(table: Table): Step {
  const { db, main, rows, hasRowid, key } = table;
  const source = hasRowid ? 'NOT INDEXED' : `INDEXED BY ${key}`;
  const by = hasRowid ? 'rowid' : 'id';
  const next = lazily(() =>
    db.prepareRows<readonly Value[], readonly [Column, ...DocumentRow]>(
      `SELECT ${by}, ${rows.columns.join(', ')} FROM ${main} ${source} WHERE ${by} > ? ORDER BY ${by} LIMIT ${rowsAtOnce}`,
    ),
  );
  const entries = table.indexes.map((index) => entryOf(table, index));
  const sides = table.arrays.map((field) => sideEntryOf(table, field));
  let last: Column = hasRowid ? Number.MIN_SAFE_INTEGER : '';
  return () => {
    const found = next().all(last);
    for (const [at, ...row] of found) {
      if (compare(last, at) >= 0) throw new ViewDamagedError(`rows of ${main} are out of order`, table.view);
      last = at;
      rows.read(row);
      for (const demand of [...entries, ...sides]) demand(row, at);
    }
    return found.length;
  };
}

/** @throws ViewDamagedError if the index does not lead to the row at this place */
type DemandEntry = (row: DocumentRow, at: Column) => void;

function entryOf(table: Table, { name, columns }: Index): DemandEntry {
  const { db, main, rows, hasRowid } = table;
  const places = columns.map((column) => rows.columns.indexOf(column));
  const where = columns.map((column) => `${column} IS ?`).join(' AND ');
  const find = lazily(() =>
    db.prepareRows<readonly Value[], readonly [Column]>(
      `SELECT ${hasRowid ? 'rowid' : 'id'} FROM ${main} INDEXED BY ${name} WHERE ${where}`,
    ),
  );
  return (row, at) => {
    const values = places.map((place) => row[place] ?? null);
    if (find().get(...values)?.[0] !== at) throw damagedIndex(table, 'lacks an entry');
  };
}

function sideEntryOf(table: Table, field: string): DemandEntry {
  const { db, main, rows } = table;
  const find = lazily(() =>
    db.prepareRows<[string, string], unknown>(`SELECT 1 FROM ${sideName(main, field)} WHERE value = ? AND id = ?`),
  );
  return (row) => {
    for (const value of textsIn(rows.columnIn(row, field)))
      if (find().get(value, row[0]) === undefined) throw damagedIndex(table, 'lacks an entry');
  };
}

/** Follows an index: each entry leads to a row that has its values. */
function indexStep(table: Table, { name, columns }: Index): Step {
  const { db, main, hasRowid, key } = table;
  const place = hasRowid ? 'rowid' : 'id';
  const rowAt = lazily(() =>
    db.prepareRows<readonly Value[], readonly Column[]>(
      `SELECT ${columns.join(', ')} FROM ${main} ${hasRowid ? 'NOT INDEXED' : `INDEXED BY ${key}`} WHERE ${place} = ?`,
    ),
  );
  const selected = `SELECT ${[...columns, place].join(', ')} FROM ${main} INDEXED BY ${name}`;
  const nextAfter = followKeys(db, selected, columns);
  let last: readonly Column[] | undefined;
  return () => {
    const found = nextAfter(last);
    for (const entry of found) {
      const values = entry.slice(0, -1);
      if (last !== undefined && compareAll(last, values) >= 0) throw damagedIndex(table, 'is out of order');
      last = values;
      const row = rowAt().get(entry.at(-1) ?? null);
      if (row === undefined || compareAll(row, values) !== 0)
        throw damagedIndex(table, 'has an entry that its row does not have');
    }
    return found.length;
  };
}

/** Follows the table of an array's values: each value is in the array of its document. */
function sideStep(table: Table, field: string): Step {
  const { db, main, key } = table;
  const arrayOf = lazily(() =>
    db.prepareValue<[string], Column>(`SELECT ${arrayName(field)} FROM ${main} INDEXED BY ${key} WHERE id = ?`),
  );
  const nextAfter = followKeys(db, `SELECT value, id FROM ${sideName(main, field)}`, ['value', 'id']);
  let last: readonly Column[] | undefined;
  return () => {
    const found = nextAfter(last);
    for (const entry of found) {
      if (last !== undefined && compareAll(last, entry) >= 0) throw damagedIndex(table, 'is out of order');
      last = entry;
      const [value, id] = entry.map(String) as [string, string];
      if (!textsIn(arrayOf().get(id) ?? null).includes(value))
        throw damagedIndex(table, 'has an entry that its row does not have');
    }
    return found.length;
  };
}

/** Returns a function that reads the rows after a key, some of them, in the order of the columns. */
function followKeys(db: Database, selected: string, columns: readonly string[]) {
  const order = `ORDER BY ${columns.join(', ')} LIMIT ${rowsAtOnce}`;
  const statements = new Map<string, Statement<readonly Value[], readonly Column[]>>();
  const read = (where: string, values: readonly Column[]): readonly (readonly Column[])[] => {
    const sql = `${selected} ${where} ${order}`;
    const statement = statements.get(sql) ?? db.prepareRows<readonly Value[], readonly Column[]>(sql);
    statements.set(sql, statement);
    return statement.all(...values);
  };
  return (last: readonly Column[] | undefined): readonly (readonly Column[])[] => {
    if (last === undefined) return read('', []);
    // First the keys that begin as this one does. Nulls sort first, and SQL compares nothing with null.
    for (let equal = columns.length - 1; equal >= 0; equal -= 1) {
      const conditions = columns.slice(0, equal).map((column) => `${column} IS ?`);
      const isNull = last[equal] === null;
      conditions.push(`${columns[equal] ?? ''} ${isNull ? '>= -9e999' : '> ?'}`);
      const found = read(`WHERE ${conditions.join(' AND ')}`, last.slice(0, isNull ? equal : equal + 1));
      if (found.length > 0) return found;
    }
    return [];
  };
}

/** Prepares a statement when it is first used, because preparing it fails if the storage was dropped. */
function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function compareAll(one: readonly Column[], other: readonly Column[]): number {
  for (const [at, value] of one.entries()) {
    const order = compare(value, other[at] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

/** Compares two values as SQLite sorts them. */
function compare(one: Column, other: Column): number {
  const [rank, otherRank] = [rankOf(one), rankOf(other)];
  if (rank !== otherRank) return rank - otherRank;
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return one === other ? 0 : Buffer.compare(Buffer.from(one as string), Buffer.from(other as string));
}

function rankOf(value: Column): number {
  if (value === null) return 0;
  if (typeof value === 'number') return 1;
  return typeof value === 'string' ? 2 : 3;
}
