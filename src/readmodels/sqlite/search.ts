/** Answers `search` on SQLite: what begins with a text lies together in the side table of an array. */
import type { Database, Statement } from '../../sqlite/database.js';
import { assertSearch, behindPrefix } from '../find-plan.js';
import type { PrefixQuery, StoredDocument, View } from '../read-models.js';
import { documentRows, strayEntry, textsIn, type DocumentRow } from './document-rows.js';
import { sideName, tableNames } from './table-names.js';

/** A search over one connection; keeps the statements it has prepared. */
export function createSearch(db: Database): <D>(view: View, query: PrefixQuery) => readonly StoredDocument<D>[] {
  const statements = new Map<string, Statement<readonly string[], DocumentRow>>();
  const prepare = (sql: string) => {
    const statement = statements.get(sql) ?? db.prepareRows<readonly string[], DocumentRow>(sql);
    statements.set(sql, statement);
    return statement;
  };

  return <D>(view: View, query: PrefixQuery): readonly StoredDocument<D>[] => {
    assertSearch(view, query);
    const { field, prefix, limit } = query;
    const { main } = tableNames(view);
    const rows = documentRows(view);
    const columns = rows.columns.map((column) => `d.${column}`).join(', ');
    const statement = prepare(
      `SELECT ${columns} FROM ${sideName(main, field)} s CROSS JOIN ${main} d ON d.id = s.id ` +
        'WHERE s.value >= ? AND s.value < ? AND d.document IS NOT NULL ORDER BY s.value, s.id',
    );
    const found = new Map<string, StoredDocument<D>>();
    for (const row of statement.iterate(prefix, behindPrefix(prefix))) {
      if (!textsIn(rows.columnIn(row, field)).some((text) => text.startsWith(prefix))) throw strayEntry(view);
      if (!found.has(row[0])) found.set(row[0], rows.read<D>(row) as StoredDocument<D>);
      if (found.size === limit) break;
    }
    return [...found.values()];
  };
}
