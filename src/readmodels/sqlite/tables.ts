/** The SQLite tables of a view: their making, and the prepared statements that read and write one document. */
import type { Database, Value } from '../../sqlite/database.js';
import { scalarOf, stringsOf } from '../find-plan.js';
import {
  CommitConflictError,
  ViewDamagedError,
  type DocumentWrite,
  type StoredDocument,
  type View,
} from '../read-models.js';
import { checksumOf, documentRows, positionColumn, textsIn, type DocumentRow } from './document-rows.js';
import {
  arrayName,
  columnName,
  indexName,
  keptView,
  sideName,
  tableNames,
  toColumn,
  type Column,
} from './table-names.js';

export type ViewTable = ReturnType<typeof openTable>;

/**
 * The documents alone, or with all that finds them; each missing piece in a transaction of its own, so that others get their turn.
 * Short rows are kept in the order of their ids. Others are found by an index of ids: in a table without rowids, SQLite reads
 * the whole of each large row that it comes across on the way to another.
 */
export function createTables(db: Database, view: View, bare: boolean): void {
  const { main, fields, arrays } = tableNames(view);
  const columns = [...fields.map(columnName), ...arrays.map((field) => `${arrayName(field)} TEXT`)];
  db.exec(
    `CREATE TABLE IF NOT EXISTS ${main} (id TEXT NOT NULL PRIMARY KEY, position NOT NULL, sum INTEGER NOT NULL, ${columns.map((column) => `${column}, `).join('')}document TEXT)${documentRows(view).isShort ? ' WITHOUT ROWID' : ''}`,
  );
  const there = db.prepareValue<[string], string>('SELECT name FROM pragma_table_info(?)').all(main);
  const missing = [...fields.map(columnName), ...arrays.map(arrayName)].filter((column) => !there.includes(column));
  if (missing.length > 0)
    // Report damage of the whole file, because no event can be folded while a live view cannot be prepared.
    throw new ViewDamagedError(
      `${main} was made without ${missing.join(', ')}: a view with a new index needs a new version`,
    );
  if (bare) return;
  for (const { fields: of } of keptView(view).indexes)
    db.exec(`CREATE INDEX IF NOT EXISTS ${indexName(main, of)} ON ${main} (${of.map(columnName).join(', ')}, id)`);
  for (const field of arrays) db.transaction(() => createSide(db, main, field), 'immediate');
}

/** Made and filled from the documents in one transaction, so that it is never there in part. */
function createSide(db: Database, main: string, field: string): void {
  const side = sideName(main, field);
  if (hasTable(db, side)) return;
  const array = arrayName(field);
  db.exec(
    `CREATE TABLE ${side} (value TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (value, id)) WITHOUT ROWID;
     INSERT INTO ${side} SELECT DISTINCT a.value, d.id FROM ${main} d, json_each(d.${array}) a WHERE instr(d.${array}, '\\') = 0 ORDER BY 1, 2`,
  );
  // SQLite reads some JSON escapes in another way than JavaScript.
  const rest = db
    .prepare<[], { id: string; text: string }>(
      `SELECT id, ${array} AS text FROM ${main} WHERE instr(${array}, '\\') > 0`,
    )
    .all();
  const insert = db.prepare<[string, string]>(`INSERT OR IGNORE INTO ${side} (value, id) VALUES (?, ?)`);
  for (const { id, text } of rest) for (const value of JSON.parse(text) as string[]) insert.run(value, id);
}

export const hasTable = (db: Database, name: string): boolean =>
  db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(name) !== undefined;

/** Prepares the statements of a view as it is now, bare or whole; throws while its table is missing. */
export function openTable(db: Database, view: View) {
  const { main, fields, arrays } = tableNames(view);
  const rows = documentRows(view);
  const columns = rows.columns.filter((column) => column !== 'id');
  const select = db.prepareRows<[string], DocumentRow>(`SELECT ${rows.columns.join(', ')} FROM ${main} WHERE id = ?`);
  const selectMany = db.prepareRows<[string], DocumentRow>(
    `SELECT ${rows.columns.join(', ')} FROM ${main} WHERE id IN (SELECT value FROM json_each(?))`,
  );
  const insert = db.prepare<readonly Value[]>(
    `INSERT INTO ${main} (${columns.join(', ')}, id) VALUES (${columns.map(() => '?').join(', ')}, ?) ON CONFLICT DO NOTHING`,
  );
  const update = db.prepare<readonly Value[]>(
    `UPDATE ${main} SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE id = ? AND position = ?`,
  );
  const sides = arrays.map((field) => (hasTable(db, sideName(main, field)) ? openSide(db, main, field) : undefined));

  const valuesOf = ({ document, position, id }: DocumentWrite, texts: readonly (string | null)[]): Value[] => {
    const text = document === null ? null : rows.textOf(id, document);
    const indexed: Column[] = [];
    for (const field of fields) indexed.push(document === null ? null : toColumn(scalarOf(document, field)));
    indexed.push(...texts);
    const sum = checksumOf([id, null, null, text, ...indexed], position);
    return [positionColumn(position), sum, text, ...indexed, id];
  };

  const readOne = <D>(id: string): StoredDocument<D | null> | undefined => {
    const row = select.get(id);
    return row === undefined ? undefined : rows.read<D>(row);
  };

  return {
    read: readOne,
    /** Reads the documents that exist, in any order. One statement for all takes a quarter of the time of one for each. */
    readMany<D>(ids: readonly string[]): readonly StoredDocument<D | null>[] {
      const readEach = () => ids.map((id) => readOne<D>(id)).filter((found) => found !== undefined);
      if (ids.length < 2) return readEach();
      const list = JSON.stringify(ids);
      // SQLite reads some JSON escapes differently than JavaScript does.
      if (list.includes('\\')) return db.transaction(readEach);
      return selectMany.all(list).map((row) => rows.read<D>(row));
    },
    /** @throws CommitConflictError */
    write(write: DocumentWrite): void {
      const { id, document, loaded } = write;
      const lists = arrays.map((field) => (document === null ? [] : stringsOf(document, field)));
      const texts = lists.map(arrayText);
      const values = valuesOf(write, texts);
      const isNew = loaded === null;
      sides.forEach((side, at) => side?.(id, isNew, { list: lists[at] ?? [], text: texts[at] ?? null }));
      const { changes } = isNew ? insert.run(...values) : update.run(...values, positionColumn(loaded));
      if (changes !== 1)
        throw new CommitConflictError(`a document of ${main} ${isNew ? 'exists already' : 'has moved on'}`);
    },
  };
}

/** Writes the side table of an array index, before its document is written. The main table holds the array's text as well, so that an unchanged one costs one comparison. */
function openSide(db: Database, main: string, field: string) {
  const side = sideName(main, field);
  const select = db.prepare<[string], { text: string | null }>(
    `SELECT ${arrayName(field)} AS text FROM ${main} WHERE id = ?`,
  );
  const insert = db.prepare<[string, string]>(`INSERT OR IGNORE INTO ${side} (value, id) VALUES (?, ?)`);
  const remove = db.prepare<[string, string]>(`DELETE FROM ${side} WHERE value = ? AND id = ?`);
  function replace(id: string, before: readonly string[], after: readonly string[]): void {
    const [old, now] = [new Set(before), new Set(after)];
    for (const value of old) if (!now.has(value)) remove.run(value, id);
    for (const value of now) if (!old.has(value)) insert.run(value, id);
  }

  return (id: string, isNew: boolean, { list, text }: ArrayValue): void => {
    const before = isNew ? null : (select.get(id)?.text ?? null);
    if (text === before) return;
    if (before !== null) replace(id, textsIn(before), list);
    else for (const value of list) insert.run(value, id);
  };
}

/** The strings of an array, each once, and their text in the main table. */
interface ArrayValue {
  readonly list: readonly string[];
  readonly text: string | null;
}

/** Returns the text of the array, or null if it is empty. */
const arrayText = (list: readonly string[]): string | null => (list.length === 0 ? null : JSON.stringify(list));
