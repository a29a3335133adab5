/** Whether the file of the embedded log finds the events that it holds. */
import type Database from 'better-sqlite3';
import { isCurrent } from './format.js';

/** What makes it find other ones, in SQLite's words or ours, nothing personal; undefined when nothing does. */
export function unsoundness(db: Database.Database): string | undefined {
  // In one transaction, because the log may be growing.
  return db.transaction(() => {
    const hasIndex = isCurrent(db);
    const missing = missingTable(db, hasIndex ? tables : oldTables);
    if (missing !== undefined) return `${missing} is not a table`;
    const fault = hasIndex ? faultOfNames(db) : faultOfOldNames(db);
    if (fault !== undefined) return fault;
    // The quick check does not compare the indexes, by which streams are read, with their tables.
    const found = db.pragma('integrity_check(1)', { simple: true });
    return found === 'ok' ? undefined : String(found);
  })();
}

const oldTables = ['events', 'streams'];
const tables = [...oldTables, 'stream_names', 'indexed_streams'];

function missingTable(db: Database.Database, names: readonly string[]): string | undefined {
  const found = db.prepare("select name from sqlite_schema where type = 'table'").pluck().all();
  return names.find((name) => !found.includes(name));
}

const indexed = 'select max(up_to) from indexed_streams';
const holds = (db: Database.Database, condition: string): boolean =>
  db.prepare(`select ${condition}`).pluck().get() === 1;

/** Others would be taken for another stream, or for one that has been looked at. */
const hasStrangeNumbers = `exists (select 1 from streams where id < 1 or id > ${Number.MAX_SAFE_INTEGER})`;
const strangeNumbers = 'a stream has a number that this service never gives';

/** What can be seen at once of a log of the present format, before anything is written that would rest on it. */
export function obviousFault(db: Database.Database): string | undefined {
  if (holds(db, hasStrangeNumbers)) return strangeNumbers;
  if (!holds(db, '(select count(*) from indexed_streams) = 1')) return 'how far streams are indexed is not told once';
  // Streams to come would be taken for indexed, or those that are there for new.
  if (!holds(db, `(${indexed}) between 0 and (select coalesce(max(id), 0) from streams)`))
    return 'streams that are not there are told as indexed';
  const isStray = `(select count(*) from stream_names) <> (select count(*) from streams where id <= (${indexed}))`;
  return holds(db, isStray) ? 'the index of names has more or fewer streams than there are' : undefined;
}

/** Each stream is where its name leads to, and no name leads to two. */
function faultOfNames(db: Database.Database): string | undefined {
  const obvious = obviousFault(db);
  if (obvious !== undefined) return obvious;
  const isLost = `exists (
    select 1 from streams s where s.id <= (${indexed})
      and not exists (select 1 from stream_names n where n.ending = substr(s.name, -8) and n.stream_id = s.id))`;
  if (holds(db, isLost)) return 'the index of names leaves out a stream';
  // Equal names end alike: only those need to be compared.
  const isDouble = `exists (
    select 1 from (select ending from stream_names group by ending having count(*) > 1) e
      cross join stream_names n on n.ending = e.ending cross join streams s on s.id = n.stream_id
    group by s.name having count(*) > 1)
  or exists (select 1 from streams where id > (${indexed}) group by name having count(*) > 1)
  or exists (
    select 1 from streams s cross join stream_names n on n.ending = substr(s.name, -8) cross join streams o on o.id = n.stream_id
    where s.id > (${indexed}) and o.name = s.name)`;
  return holds(db, isDouble) ? notUnique : undefined;
}

/** Without its index a name could have two rows, which the check of the file would not mind. */
function faultOfOldNames(db: Database.Database): string | undefined {
  if (holds(db, hasStrangeNumbers)) return strangeNumbers;
  const isUnique = `(
    select count(*) from pragma_index_list('streams') l, pragma_index_info(l.name) c
    where l."unique" = 1 and l.partial = 0 and c.name = 'name'
      and (select count(*) from pragma_index_info(l.name)) = 1) = 1`;
  return holds(db, isUnique) ? undefined : notUnique;
}

const notUnique = 'the names of streams are not unique';
