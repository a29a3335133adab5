/** The file of the embedded event log: its tables, and how it is told from other files and from altered ones. */
import { Database } from '../../sqlite/database.js';
import { StoreUnavailableError } from '../event-store.js';

/** "AuLe": marks the files of this service. */
const applicationId = 0x41754c65;
const formatVersion = 7;

/**
 * The metadata of an event `e`: its text, or the text of the event at the position that is stored instead. A text of metadata
 * is a JSON object, so it is never a number.
 */
export const metadataText =
  'coalesce((select shared.metadata from events shared where shared.position = e.metadata), e.metadata)';

/*
 * Streams are small integers in `events`, so that its unique index grows at its end. There is no index on event ids, because a
 * repeated append is recognized by the ids at the expected revision. Blanks may follow `data` (redact.ts). `metadata` is
 * stored once for events that were appended together (`metadataText`). `blocks` has the root of each complete block of the
 * tree. The view `log` is for people.
 */
const schema = `
  create table streams (
    id integer primary key,
    name text not null unique,
    revision integer not null
  ) strict;
  create table events (
    position integer primary key,
    stream_id integer not null references streams (id),
    revision integer not null,
    event_id text not null,
    type text not null,
    data text not null,
    metadata text not null,
    recorded_at text not null
  ) strict;
  create table blocks (
    number integer primary key,
    root blob not null
  ) strict;
  create unique index events_by_stream on events (stream_id, revision);
  create view log as
    select e.position, s.name as stream, e.revision, e.type, e.event_id, rtrim(e.data) as data, ${metadataText} as metadata, e.recorded_at
    from events e join streams s on s.id = e.stream_id
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

/** @throws StoreUnavailableError if the file is not a log of this service, or has another format */
export function refuseForeign(db: Database, file: string): void {
  if (idOf(db) !== applicationId)
    throw new StoreUnavailableError(`${file} is not an event log of this service; it was left as it is`);
  const version = versionOf(db);
  if (version !== formatVersion)
    throw new StoreUnavailableError(
      `${file} has format ${version}, and this version reads format ${formatVersion} only. It was left as it is. Export its events with the version that wrote it (audience export events), then import them with this version (audience import events)`,
    );
}

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
