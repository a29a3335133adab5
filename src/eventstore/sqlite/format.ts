/** The file of the embedded event log: its tables, and how it is told from other files and from altered ones. */
import { Database } from '../../sqlite/database.js';
import { StoreUnavailableError } from '../event-store.js';

/** "AuLe": marks the files of this service. */
const applicationId = 0x41754c65;
/**
 * The format that is written. It has the tables of format 5, in which each event had the text of its metadata: such a file
 * is read as it is, and its first append makes it format 6. Formats 1 to 4 were never released.
 */
const formatVersion = 6;
const earlierVersion = 5;

/**
 * The metadata of an event `e`: their text, or that of the event at the position that stands there in place of it. A text of
 * metadata is a JSON object, so it is never a number, and a number without such an event stays what it is.
 */
export const metadataText =
  'coalesce((select shared.metadata from events shared where shared.position = e.metadata), e.metadata)';

const viewOf = (metadata: string): string => `
  create view log as
    select e.position, s.name as stream, e.revision, e.type, e.event_id, rtrim(e.data) as data, ${metadata}, e.recorded_at,
      lower(hex(e.chain)) as chain
    from events e join streams s on s.id = e.stream_id
    order by e.position;
`;
const logView = viewOf(`${metadataText} as metadata`);
const earlierView = viewOf('e.metadata');

/*
 * Streams are small integers in `events`, so that its unique index grows at its end. There is no index on event ids: a
 * repeat is recognised by comparing ids at the expected revision. Blanks may follow `data` (redact.ts). `metadata` are kept
 * once for events that were appended together (`metadataText`). `chain` is the event's link. `blocks` has the root of each
 * complete block of the tree, `head` the sealed head in its one row.
 */
const tables = `
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
    recorded_at text not null,
    chain blob not null
  ) strict;
  create table blocks (
    number integer primary key,
    root blob not null
  ) strict;
  create table head (
    id integer primary key check (id = 1),
    count integer not null,
    head blob not null,
    mac blob not null
  ) strict;
  create unique index events_by_stream on events (stream_id, revision);
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
    db.exec(tables + logView);
    db.pragma(`application_id = ${applicationId}`);
    db.pragma(`user_version = ${formatVersion}`);
  });
}

export const isBlank = (db: Database): boolean =>
  db.prepareValue('select count(*) from sqlite_schema').get() === 0 && idOf(db) === 0 && versionOf(db) === 0;

/**
 * What makes a log of the format before one of this format, within the open transaction, where it is not yet. Nothing in
 * its tables changes. Asked at each commit, so its question is prepared.
 */
export function bringsUpToDate(db: Database): () => void {
  const version = db.prepareValue<[], number>('pragma user_version');
  return () => {
    if (Number(version.get()) === formatVersion) return;
    replaceView(db, logView);
    db.pragma(`user_version = ${formatVersion}`);
  };
}

/** @throws StoreUnavailableError it is not a log of this service, or of another format. */
export function refuseForeign(db: Database, file: string): void {
  if (idOf(db) !== applicationId)
    throw new StoreUnavailableError(`${file} is not an event log of this service; it was left as it is`);
  const version = versionOf(db);
  if (version !== formatVersion && version !== earlierVersion)
    throw new StoreUnavailableError(
      `${file} has format ${version}, this version of the service reads formats ${earlierVersion} and ${formatVersion} only; it was left as it is. Write its events to a file with the version that made it (audience export events), then read them into a new log (audience import events)`,
    );
}

const viewName = 'view "log"';

/** How the schema differs from what the service created: more, less, or another form; undefined when it does not. */
function schemaFault(db: Database): string | undefined {
  return tablesFault(db) ?? (isViewOurs(db) ? undefined : `the ${viewName} is missing or was altered`);
}

/** As `schemaFault`, but for the view `log`, on which only people rest. */
export function tablesFault(db: Database): string | undefined {
  const wanted = createdSchema(db);
  for (const [name, definition] of schemaOf(db)) {
    if (!wanted.has(name)) return `the service did not create the ${name}`;
    if (name !== viewName && wanted.get(name) !== definition) return `the ${name} was altered`;
    wanted.delete(name);
  }
  const [missing] = [...wanted.keys()].filter((name) => name !== viewName);
  return missing === undefined ? undefined : `the ${missing} is missing`;
}

/** Creates the view `log` again where it is missing or was altered. Returns whether it did. */
export function restoreView(db: Database): boolean {
  if (isViewOurs(db)) return false;
  db.transaction(() => replaceView(db, viewFor(db)), 'immediate');
  return true;
}

const replaceView = (db: Database, view: string): Database => db.exec(`drop view if exists log; ${view}`);
const viewFor = (db: Database): string => (versionOf(db) === formatVersion ? logView : earlierView);
const isViewOurs = (db: Database): boolean => schemaOf(db).get(viewName) === createdSchema(db).get(viewName);

/** Definitions by kind and name. Nothing but the text decides what SQLite does with a table, an index, a view or a trigger. */
const schemaOf = (db: Database): Map<string, string> =>
  new Map(
    db
      .prepareRows<[], [type: string, name: string, definition: string]>(
        `select type, name, tbl_name || ': ' || coalesce(sql, '') from sqlite_schema`,
      )
      .all()
      .map(([type, name, definition]) => [`${type} ${JSON.stringify(name)}`, definition]),
  );

/** What the service created in a log of the format of this one. */
function createdSchema(log: Database): Map<string, string> {
  const db = new Database(':memory:');
  try {
    db.exec(tables + viewFor(log));
    return schemaOf(db);
  } finally {
    db.close();
  }
}

const idOf = (db: Database): unknown => db.pragma('application_id');
const versionOf = (db: Database): number => Number(db.pragma('user_version'));

/** Damage that makes it find other events, in SQLite's words or ours, nothing personal; undefined when there is none. Reads the whole file. */
export function integrityFault(db: Database): string | undefined {
  // In one transaction, because the log may be growing.
  return db.transaction(() => {
    const fault = schemaFault(db) ?? strangeNumber(db);
    if (fault !== undefined) return fault;
    // The quick check does not compare the indexes, by which streams are read, with their tables.
    const found = String(db.pragma('integrity_check(1)'));
    refuseReadError(found);
    return found === 'ok' ? undefined : found;
  });
}

/** Tells a read error from damage, because the check lists both alike. @throws an error with SQLite's code if a page could not be read */
function refuseReadError(found: string): void {
  const code = /unable to get the page\. error code=(\d+)/.exec(found)?.[1] ?? /(failed to get page)/.exec(found)?.[1];
  if (code === undefined) return;
  const errcode = Number.isNaN(Number(code)) ? ioError : Number(code);
  if ([ioError, outOfMemory].includes(errcode & 0xff))
    throw Object.assign(new Error(found), { code: 'ERR_SQLITE_ERROR', errcode });
}

const [outOfMemory, ioError] = [7, 10];

/** A number that JavaScript would round, and so take the stream for another one. */
function strangeNumber(db: Database): string | undefined {
  const found = db
    .prepareValue<[], number>(`select exists (select 1 from streams where id < 1 or id > ${Number.MAX_SAFE_INTEGER})`)
    .get();
  return found === 1 ? 'a stream has a number that this service never gives' : undefined;
}
