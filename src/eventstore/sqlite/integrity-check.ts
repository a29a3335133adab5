/** Whether the file of the embedded log finds the events that it holds. */
import type { Database } from '../../sqlite/database.js';
import { schemaFault } from './format.js';

/** Damage that makes it find other events, in SQLite's words or ours, nothing personal; undefined when there is none. Reads the whole file. */
export function integrityFault(db: Database): string | undefined {
  // In one transaction, because the log may be growing.
  return db.transaction(() => {
    const fault = schemaFault(db) ?? strangeNumber(db);
    if (fault !== undefined) return fault;
    // The quick check does not compare the indexes, by which streams are read, with their tables.
    const found = db.pragma('integrity_check(1)');
    return found === 'ok' ? undefined : String(found);
  });
}

/** A number that JavaScript would round, and so take the stream for another one. */
function strangeNumber(db: Database): string | undefined {
  const found = db
    .prepareValue<[], number>(`select exists (select 1 from streams where id < 1 or id > ${Number.MAX_SAFE_INTEGER})`)
    .get();
  return found === 1 ? 'a stream has a number that this service never gives' : undefined;
}
