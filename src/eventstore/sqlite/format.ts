/** The file of the embedded event log: its tables, and the checks that tell the file from other files and from altered logs. */
import { Database } from '../../sqlite/database.js';
import { LogFormatError, StoreUnavailableError } from '../event-store.js';

/** "AuLe": marks the files of this service. */
const applicationId = 0x41754c65;
const formatVersion = 7;

/** Joins the metadata of an event `e`. A left join, because a removed row must not hide an event. */
export const withMetadata = 'left join metadata m on m.id = e.metadata_id';
export const metadataText = "coalesce(m.json, '')";

/*
 * SQLite stores the comments inside the parentheses with the tables, so that `.schema` shows them. Streams are small integers in
 * `events`, so that its unique index grows at its end. There is no index on event ids, because a repeated append is recognized
 * by the ids at the expected revision. `metadata` has a row for each text and not for each append. The appends of a bulk
 * request have the same metadata, while the events of one append can have different metadata.
 */
const schema = `
  create table streams (
    -- A stream is the history of one thing, such as a contact.
    id integer primary key,
    name text not null unique,
    revision integer not null -- of the last event, from 0
  ) strict;
  create table metadata (
    -- When, by whom and why events were written. Events that were written together and have the same metadata share a row.
    id integer primary key,
    recorded_at text not null, -- when the events were written to this file. When they happened is "at" in json
    json text not null
  ) strict;
  create table events (
    -- The log. Rows are added at the end only, and never removed.
    position integer primary key, -- from 1, without gaps
    stream_id integer not null references streams (id),
    revision integer not null, -- place in the stream, from 0
    event_id text not null,
    type text not null,
    data text not null, -- JSON. Spaces may follow, as room for the digest that replaces personal data when it is erased
    metadata_id integer not null references metadata (id)
  ) strict;
  create table blocks (
    -- The Merkle tree over the events, so that a change can be found: the root of each block of 256 events.
    number integer primary key, -- 0 for the events 1 to 256
    root blob not null -- SHA-256
  ) strict;
  create unique index events_by_stream on events (stream_id, revision);
  create view log as
    -- All events, for people.
    select e.position, s.name as stream, e.revision, e.type, e.event_id, rtrim(e.data) as data, m.json as metadata, m.recorded_at
    from events e join streams s on s.id = e.stream_id left join metadata m on m.id = e.metadata_id
    order by e.position;
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

export function createSchema(db: Database): void {
  db.transaction(() => {
    db.exec(schema);
    db.pragma(`application_id = ${applicationId}`);
    db.pragma(`user_version = ${formatVersion}`);
  });
}

export const isBlank = (db: Database): boolean =>
  db.prepareValue('select count(*) from sqlite_schema').get() === 0 && idOf(db) === 0 && versionOf(db) === 0;

/** @throws StoreUnavailableError if the file is not a log of this service @throws LogFormatError if it has another format */
export function refuseForeign(db: Database, file: string): void {
  if (idOf(db) !== applicationId)
    throw new StoreUnavailableError(`${file} is not an event log of this service; it was left as it is`);
  const version = versionOf(db);
  if (version !== formatVersion)
    throw otherFormat(file, `format ${version}, and this version reads format ${formatVersion} only`);
  // Development versions wrote format 7 with other tables.
  if (!hasMetadataTable(db))
    throw otherFormat(file, `format ${version} with the tables of an earlier development version`);
}

const otherFormat = (file: string, found: string): LogFormatError =>
  new LogFormatError(
    `${file} has ${found}. It was left as it is. Export its events with the version that wrote it (audience export events), then import them with this version (audience import events)`,
  );

const hasMetadataTable = (db: Database): boolean =>
  db.prepareValue("select count(*) from pragma_table_info('events') where name = 'metadata_id'").get() === 1;

const idOf = (db: Database): unknown => db.pragma('application_id');
const versionOf = (db: Database): number => Number(db.pragma('user_version'));

/** Returns what makes reads of a stream find other events than the log has, or undefined. Nothing in it is personal. */
export const streamsFault = (db: Database): string | undefined =>
  // In one transaction, because the log may be growing.
  db.transaction(() => strangeNumber(db) ?? brokenStream(db));

/** Finds a stream that does not have as many events, by the index by which it is read, as its stored revision says. */
function brokenStream(db: Database): string | undefined {
  const name = db
    .prepareValue<[], string>(
      'select name from streams s where revision + 1 is not (select count(*) from events where stream_id = s.id) limit 1',
    )
    .get();
  return name === undefined
    ? undefined
    : `stream ${name} does not have as many events as the table of streams says: events at its end were removed or inserted`;
}

/** A number that JavaScript would round, and so take the stream for another one. */
function strangeNumber(db: Database): string | undefined {
  const found = db
    .prepareValue<[], number>(`select exists (select 1 from streams where id < 1 or id > ${Number.MAX_SAFE_INTEGER})`)
    .get();
  return found === 1 ? 'a stream has a number that this service never gives' : undefined;
}
