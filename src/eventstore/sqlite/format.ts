/** The file of the embedded event log: its tables, its formats, and how it is told from other files. */
import type Database from 'better-sqlite3';
import { StoreUnavailableError } from '../event-store.js';

/** "AuLe": tells our files from everybody else's. */
const applicationId = 0x41754c65;
/** What is written: 2 brought the evidence chain, 3 the index of names. Older ones are read, and brought to this one when they are opened for writing. */
const formatVersion = 3;
const chainedSince = 2;

export const logView = `
  create view log as
    select e.position, s.name as stream, e.revision, e.type, e.event_id, e.data, e.metadata, e.recorded_at,
      lower(hex(e.chain)) as chain
    from events e join streams s on s.id = e.stream_id
    order by e.position;
`;

/*
 * Streams are found by name in `stream_names`, see `sqlite-names.ts`: those with numbers up to `up_to` are in it, the others
 * come later, many at once. `ending` is the end of the name.
 */
export const nameIndex = `
  create table stream_names (
    ending text not null,
    stream_id integer not null references streams (id),
    primary key (ending, stream_id)
  ) strict, without rowid;
  create table indexed_streams (up_to integer not null) strict;
  insert into indexed_streams values (0);
`;

export const streamTable = (name: string): string => `
  create table ${name} (
    id integer primary key,
    name text not null,
    revision integer not null
  ) strict;
`;

/*
 * Streams are small integers in `events`, so that the unique index grows at its end; there is no index on event ids,
 * because a repeat is recognised by comparing ids at the expected revision. `chain` is the event's link. `log` is for people.
 */
const schema = `
  ${streamTable('streams')}
  ${nameIndex}
  create table events (
    position integer primary key,
    stream_id integer not null references streams (id),
    revision integer not null,
    event_id text not null,
    type text not null,
    data text not null,
    metadata text not null,
    recorded_at text not null,
    chain blob not null
  ) strict;
  create unique index events_by_stream on events (stream_id, revision);
  ${logView}
`;

/** An event as it is selected, in this order. */
export type EventRow = readonly [
  position: number,
  stream: string,
  revision: number,
  id: string,
  type: string,
  data: string,
  metadata: string,
];

/** Makes a blank file a log. */
export function furnish(db: Database.Database): void {
  db.transaction(() => {
    db.exec(schema);
    db.pragma(`application_id = ${applicationId}`);
    markFormat(db);
  })();
}

export function markFormat(db: Database.Database): void {
  db.pragma(`user_version = ${formatVersion}`);
}

export const isBlank = (db: Database.Database): boolean =>
  db.prepare('select count(*) from sqlite_schema').pluck().get() === 0 && idOf(db) === 0 && versionOf(db) === 0;

/** @throws StoreUnavailableError it is no log of ours, or not what it says that it is. */
export function refuseForeign(db: Database.Database, file: string): void {
  if (idOf(db) !== applicationId)
    throw new StoreUnavailableError(`${file} is not an event log of this service; it was left as it is`);
  // In one transaction: a writer may be bringing it to the present format at this moment.
  const { version, columns, hasNames } = db.transaction(() => ({
    version: versionOf(db),
    columns: columnsOf(db, 'events'),
    hasNames: columnsOf(db, 'stream_names').length > 0,
  }))();
  if (!Number.isInteger(version) || version < 1 || version > formatVersion)
    throw new StoreUnavailableError(
      `${file} has format ${version}, this version of the service reads formats 1 to ${formatVersion}`,
    );
  const wrong =
    columns.length === 0 ? undefined : contradiction(version, { hasLinks: columns.includes('chain'), hasNames });
  if (wrong !== undefined)
    throw new StoreUnavailableError(
      `${file} says that it has format ${version} (user_version), but ${wrong}: it was changed by somebody else, and was left as it is`,
    );
}

/** What the tables say against the number of the format. */
function contradiction(version: number, has: { hasLinks: boolean; hasNames: boolean }): string | undefined {
  if (has.hasLinks !== version >= chainedSince)
    return `its events ${has.hasLinks ? 'have' : 'lack'} the column chain of format ${chainedSince}`;
  if (has.hasNames !== (version === formatVersion))
    return `it ${has.hasNames ? 'has' : 'lacks'} the table stream_names of format ${formatVersion}`;
  return undefined;
}

const columnsOf = (db: Database.Database, table: string): readonly unknown[] =>
  db.prepare('select name from pragma_table_info(?)').pluck().all(table);

/** A log as it was before the evidence chain. */
export const isUnchained = (db: Database.Database): boolean => versionOf(db) < chainedSince;

/** A log of the format that is written. */
export const isCurrent = (db: Database.Database): boolean => versionOf(db) === formatVersion;

const idOf = (db: Database.Database): unknown => db.pragma('application_id', { simple: true });
const versionOf = (db: Database.Database): number => Number(db.pragma('user_version', { simple: true }));
