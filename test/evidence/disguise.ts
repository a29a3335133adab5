/** What a stranger does to a log who knows SQLite well: an index says that it was made otherwise than it was. */
import { DatabaseSync } from 'node:sqlite';
import { Database } from '../../src/sqlite/database.js';

/** From now on the schema has `sql` for the index; its rows stay as they are. */
export function disguise(file: string, index: string, sql: string): void {
  const db = new DatabaseSync(file);
  db.enableDefensive(false);
  db.exec('pragma writable_schema = on');
  db.prepare('update sqlite_schema set sql = ? where name = ?').run(sql, index);
  db.exec('pragma writable_schema = reset');
  db.close();
}

/** The index leaves out the rows of which `where` holds, and does not say so. */
export function hideRows(file: string, index: string, where: string): void {
  const db = new Database(file);
  const honest = String(db.prepareValue('select sql from sqlite_schema where name = ?').get(index));
  db.exec(`drop index ${index}; ${honest} where not (${where})`);
  db.close();
  disguise(file, index, honest);
}
