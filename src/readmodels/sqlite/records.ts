/** Records in SQLite: each one row with a checksum, changed by compare-and-set. */
import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Database } from '../../sqlite/database.js';
import { ViewDamagedError, type RecordWrite, type VersionedRecord } from '../read-models.js';

// Use rowids, because in a table without them SQLite reads each large record that it passes while it searches for another.
// No view has this name, because names of views end with a version.
export const recordsTable =
  'CREATE TABLE IF NOT EXISTS records (name TEXT NOT NULL PRIMARY KEY, version TEXT NOT NULL, sum INTEGER NOT NULL, value TEXT NOT NULL)';

type RecordRow = { readonly version: string; readonly sum: number; readonly value: string };

/** @throws ViewDamagedError */
export function selectRecord(db: Database, name: string): VersionedRecord | null {
  const row = db.prepare<[string], RecordRow>('SELECT version, sum, value FROM records WHERE name = ?').get(name);
  if (row === undefined) return null;
  const { version, sum, value } = row;
  if (sum !== checksumOf({ name, version, value })) throw new ViewDamagedError('a record does not match its checksum');
  return { version, value: JSON.parse(value) };
}

const checksumOf = ({ name, version, value }: Omit<RecordRow, 'sum'> & { readonly name: string }): number =>
  crc32([name, version, value].join('\0'));

/** @throws ViewDamagedError */
export function demandRecords(db: Database): void {
  for (const name of db.prepareValue<[], string>('SELECT name FROM records').all()) selectRecord(db, name);
}

export function upsertRecord(db: Database, { name, value: content, previous }: RecordWrite): boolean {
  const [version, value] = [randomUUID(), JSON.stringify(content)];
  const sum = checksumOf({ name, version, value });
  const { changes } =
    previous === null
      ? db
          .prepare('INSERT INTO records (version, sum, value, name) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
          .run(version, sum, value, name)
      : db
          .prepare('UPDATE records SET version = ?, sum = ?, value = ? WHERE name = ? AND version = ?')
          .run(version, sum, value, name, previous);
  return changes === 1;
}
