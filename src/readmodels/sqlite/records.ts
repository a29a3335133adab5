/** Records in SQLite: each one row, changed by compare-and-set. */
import { randomUUID } from 'node:crypto';
import type { Database } from '../../sqlite/database.js';
import type { RecordWrite, VersionedRecord } from '../read-models.js';
import { hasTable } from './tables.js';

// With rowids: a large record is not read on the way to another. No view has this name: names of views end with a version.
export const recordsTable =
  'CREATE TABLE IF NOT EXISTS records (name TEXT NOT NULL PRIMARY KEY, version TEXT NOT NULL, value TEXT NOT NULL)';

type RecordRow = { readonly version: string; readonly value: string };

export function selectRecord(db: Database, name: string): VersionedRecord | null {
  // A command that only reads leaves a file of an earlier version as it is.
  if (!hasTable(db, 'records')) return null;
  const row = db.prepare<[string], RecordRow>('SELECT version, value FROM records WHERE name = ?').get(name);
  return row === undefined ? null : { version: row.version, value: JSON.parse(row.value) };
}

export function upsertRecord(db: Database, { name, value, previous }: RecordWrite): boolean {
  const [version, text] = [randomUUID(), JSON.stringify(value)];
  const { changes } =
    previous === null
      ? db
          .prepare('INSERT INTO records (name, version, value) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
          .run(name, version, text)
      : db
          .prepare('UPDATE records SET version = ?, value = ? WHERE name = ? AND version = ?')
          .run(version, text, name, previous);
  return changes === 1;
}
