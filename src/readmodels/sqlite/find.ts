/** Answers `find` on SQLite: one prepared statement per shape of query, every value bound. */
import type { Database, Statement } from '../../sqlite/database.js';
import { cursorAfter, behindPrefix, planFind, type FindPlan } from '../find-plan.js';
import type { Document, FindQuery, DocumentPage, StoredDocument, View } from '../read-models.js';
import { documentRows, strayEntry, textsIn, type DocumentRow, type DocumentRows } from './document-rows.js';
import { columnName, indexName, keptView, sideName, tableNames, toColumn, type Column } from './table-names.js';

interface Conditions {
  readonly sql: string[];
  readonly values: Column[];
}

/** A finder over one connection; keeps the statements it has prepared. */
export function createFinder(db: Database): <D>(view: View, query: FindQuery) => DocumentPage<D> {
  const statements = new Map<string, Statement<readonly Column[], DocumentRow>>();
  const rowsByView = new WeakMap<View, DocumentRows>();
  const rowsOf = (view: View): DocumentRows => {
    let rows = rowsByView.get(view);
    if (rows === undefined) rowsByView.set(view, (rows = documentRows(view)));
    return rows;
  };

  return <D>(view: View, query: FindQuery): DocumentPage<D> => {
    const plan = planFind(keptView(view), query);
    const rows = rowsOf(view);
    const { sql, values } = compose({ view, columns: rows.columns }, query, plan);
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = db.prepareRows<readonly Column[], DocumentRow>(sql);
      statements.set(sql, statement);
    }
    const found = statement.all(...values, query.limit + 1);
    const documents = found.slice(0, query.limit).map((row) => {
      demandMatch({ view, rows }, row, query);
      return rows.read<D>(row) as StoredDocument<D>;
    });
    const last = documents.at(-1) as StoredDocument<Document> | undefined;
    if (found.length <= query.limit || last === undefined) return { documents };
    return { documents, nextCursor: cursorAfter(plan, last.id, last.document) };
  };
}

interface TableRows {
  readonly view: View;
  readonly rows: DocumentRows;
}

/** A damaged index leads to rows that the query does not ask for. @throws ViewDamagedError */
function demandMatch({ view, rows }: TableRows, row: DocumentRow, { where = {}, contains }: FindQuery): void {
  const isFound =
    Object.entries(where).every(([field, value]) => rows.columnIn(row, field) === toColumn(value)) &&
    (contains === undefined || textsIn(rows.columnIn(row, contains.field)).includes(contains.value));
  if (!isFound) throw strayEntry(view);
}

interface Selected {
  readonly view: View;
  readonly columns: readonly string[];
}

function compose({ view, columns }: Selected, query: FindQuery, plan: FindPlan): { sql: string; values: Column[] } {
  const { main } = tableNames(view);
  const selected = columns.map((column) => `d.${column}`).join(', ');
  const id = query.contains === undefined ? 'd.id' : 's.id';
  const conditions = restrict(query, plan, id);
  afterCursor(conditions, plan, id);
  const direction = plan.descending ? 'DESC' : 'ASC';
  const order = plan.sort === 'id' ? '' : `d.${columnName(plan.sort)} ${direction}, `;
  const sql =
    `SELECT ${selected} FROM ${source(main, plan, query.contains?.field)} ` +
    `WHERE ${conditions.sql.join(' AND ')} ORDER BY ${order}${id} ${direction} LIMIT ?`;
  return { sql, values: conditions.values };
}

function restrict({ where, contains, idPrefix = '' }: FindQuery, plan: FindPlan, id: string): Conditions {
  const conditions: Conditions = { sql: ['d.document IS NOT NULL'], values: [] };
  if (contains !== undefined) add(conditions, 's.value = ?', contains.value);
  for (const field of plan.whereFields)
    add(conditions, `d.${columnName(field)} IS ?`, toColumn(where?.[field] ?? null));
  if (idPrefix !== '') withinPrefix(conditions, { id, idPrefix }, plan);
  return conditions;
}

function withinPrefix(
  conditions: Conditions,
  { id, idPrefix }: { readonly id: string; readonly idPrefix: string },
  { after, sort, descending }: FindPlan,
): void {
  // SQLite seeks one of two bounds on a side, and must seek the cursor's: a plus keeps it from the other.
  const isAfter = after !== undefined && sort === 'id';
  const [from, to] = [isAfter && !descending ? '+' : '', isAfter && descending ? '+' : ''];
  add(conditions, `${from}${id} >= ? AND ${to}${id} < ?`, idPrefix, behindPrefix(idPrefix));
}

function source(main: string, plan: FindPlan, contains: string | undefined): string {
  if (contains !== undefined) return `${sideName(main, contains)} s CROSS JOIN ${main} d ON d.id = s.id`;
  return plan.index === undefined ? `${main} d` : `${main} d INDEXED BY ${indexName(main, plan.index.fields)}`;
}

/** Nulls sort first, and SQL compares nothing with null: hence four cases. */
function afterCursor(conditions: Conditions, plan: FindPlan, id: string): void {
  if (plan.after === undefined) return;
  const { after, descending } = plan;
  const beyond = `${id} ${descending ? '<' : '>'} ?`;
  if (plan.sort === 'id') return add(conditions, beyond, after.id);
  const column = `d.${columnName(plan.sort)}`;
  const value = toColumn(after.value);
  if (value === null && descending) return add(conditions, `${column} IS NULL AND ${beyond}`, after.id);
  if (value === null) return add(conditions, `(${column} IS NOT NULL OR ${beyond})`, after.id);
  if (descending)
    return add(
      conditions,
      `(${column} < ? OR ${column} IS NULL OR (${column} = ? AND ${beyond}))`,
      value,
      value,
      after.id,
    );
  return add(conditions, `${column} >= ? AND (${column} > ? OR ${beyond})`, value, value, after.id);
}

function add(conditions: Conditions, sql: string, ...values: readonly Column[]): void {
  conditions.sql.push(sql);
  conditions.values.push(...values);
}
