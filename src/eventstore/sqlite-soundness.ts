/** Whether the file of the embedded log finds the events that it holds. */
import type Database from 'better-sqlite3';

/** What makes it find other ones, in SQLite's words or ours, nothing personal; undefined when nothing does. */
export function unsoundness(db: Database.Database): string | undefined {
  const tables = db
    .prepare("select count(*) from sqlite_schema where type = 'table' and name in ('events', 'streams')")
    .pluck()
    .get();
  if (tables !== 2) return 'events and streams are not both tables';
  // Without it a name could have two rows, which the check of the file would not mind.
  const unique = db
    .prepare(
      `select count(*) from pragma_index_list('streams') l, pragma_index_info(l.name) c
       where l."unique" = 1 and l.partial = 0 and c.name = 'name'
         and (select count(*) from pragma_index_info(l.name)) = 1`,
    )
    .pluck()
    .get();
  if (unique !== 1) return 'the names of streams are not unique';
  // The quick check does not compare the indexes, by which streams are read, with their tables.
  const found = db.pragma('integrity_check(1)', { simple: true });
  return found === 'ok' ? undefined : String(found);
}
