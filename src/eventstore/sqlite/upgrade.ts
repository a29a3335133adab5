/** Brings an embedded log of an older format to the present one, in one transaction: whole, or as it was before. Readers go on reading. */
import type Database from 'better-sqlite3';
import { firstLink, linkAfter } from '../chain.js';
import { StoreUnavailableError } from '../event-store.js';
import { isUnchained, logView, markFormat, nameIndex, streamTable, type EventRow } from './format.js';
import { indexNewNames } from './names.js';
import { unsoundness } from './integrity-check.js';

/** In UTF-16 units. */
const charactersPerPage = 2 * 1024 * 1024;

/** @throws StoreUnavailableError the log is not as this service wrote it. */
export function upgrade(db: Database.Database): void {
  const all = db.transaction(() => {
    // Tables that are made anew would hide what is wrong with the old ones.
    const fault = unsoundness(db);
    if (fault !== undefined)
      throw new StoreUnavailableError(`the log is not whole, and was left as it is: ${fault}. ${remedy}`);
    db.exec('drop view if exists log');
    if (isUnchained(db)) addLinks(db);
    renewStreams(db);
    db.exec(logView);
    markFormat(db);
  });
  all.immediate();
  db.pragma('wal_checkpoint(TRUNCATE)');
}

/** Gives every event its link. */
function addLinks(db: Database.Database): void {
  db.exec("alter table events add column chain blob not null default x''");
  const add = db.prepare('update events set chain = unhex(?) where position = ?');
  const page = db
    .prepare<[number], EventRow>(
      `select e.position, coalesce(s.name, ''), e.revision, e.event_id, e.type, e.data, e.metadata
       from events e left join streams s on s.id = e.stream_id
       where e.position > ? order by e.position limit 1000`,
    )
    .raw();
  let count = 0;
  let link = firstLink;
  for (let rows = boundedPage(page.iterate(count)); rows.length > 0; rows = boundedPage(page.iterate(count)))
    for (const [position, stream, revision, id, type, data, metadata] of rows) {
      count += 1;
      if (position !== count || stream === '') throw new StoreUnavailableError(notWhole(count));
      link = linkAfter(link, count, { stream, revision, id, type, data, metadata });
      add.run(link, count);
    }
}

/** Nothing can be written while rows are read, and a thousand events may be larger than the memory. */
function boundedPage(rows: Iterable<EventRow>): EventRow[] {
  const page: EventRow[] = [];
  let characters = 0;
  for (const row of rows) {
    page.push(row);
    characters += row[5].length + row[6].length;
    if (characters > charactersPerPage) break;
  }
  return page;
}

/** The index of whole names belongs to the table, and goes with it: the way that SQLite's documentation of ALTER TABLE describes. */
function renewStreams(db: Database.Database): void {
  // Else a view that somebody has added would keep the table from being renamed.
  db.pragma('legacy_alter_table = ON');
  db.exec(`${streamTable('renewed_streams')}
    insert into renewed_streams select id, name, revision from streams order by id;
    drop table streams;
    alter table renewed_streams rename to streams;
    ${nameIndex}`);
  db.pragma('legacy_alter_table = OFF');
  indexNewNames(db);
}

const remedy = 'Put the file back from a backup';
const notWhole = (position: number): string =>
  `event ${position} is missing or belongs to no stream: the log is not whole, and was left as it is. ${remedy}`;
