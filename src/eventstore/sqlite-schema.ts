/** The file of the embedded event log: its tables, how writer and readers open it, and how positions are written. */
import Database from 'better-sqlite3';
import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import path from 'node:path';
import { firstLink, linkAfter } from './chain.js';
import { logStart, StoreUnavailableError, type Position } from './event-store.js';

/** "AuLe": tells our files from everybody else's. */
const applicationId = 0x41754c65;
/** 2 has the evidence chain. Version 1 is still read, and brought to 2 when it is opened for writing. */
const formatVersion = 2;
const unchainedVersion = 1;
/** Of an upgrade, in UTF-16 units. */
const charactersPerPage = 2 * 1024 * 1024;

const logView = `
  create view log as
    select e.position, s.name as stream, e.revision, e.type, e.event_id, e.data, e.metadata, e.recorded_at,
      lower(hex(e.chain)) as chain
    from events e join streams s on s.id = e.stream_id
    order by e.position;
`;

/*
 * Streams are small integers in `events`, so that the unique index grows at its end; there is no index on event ids,
 * because a repeat is recognised by comparing ids at the expected revision. `chain` is the event's link. `log` is for people.
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
    recorded_at text not null,
    chain blob not null
  ) strict;
  create unique index events_by_stream on events (stream_id, revision);
  ${logView}
`;

/** Opens the log for writing, creating it where there is none. Only the holder of the writer lock may call this. */
export function openForWriting(file: string, onUpgrade: () => void = () => undefined): Database.Database {
  createPrivately(file);
  return opened(file, { timeout: 2_000 }, (db) => {
    const fresh = isBlank(db);
    if (!fresh) refuseForeign(db, file);
    db.pragma('journal_mode = WAL');
    // Never rely on the default: the binding is built so that a WAL commit is not fsynced unless this is said.
    db.pragma('synchronous = FULL');
    db.pragma('fullfsync = ON');
    // The writer checkpoints by itself, after it has answered.
    db.pragma('wal_autocheckpoint = 0');
    db.pragma(`journal_size_limit = ${64 * 1024 * 1024}`);
    // Every append is consistent by construction; checking the reference costs a look-up per event.
    db.pragma('foreign_keys = OFF');
    if (fresh)
      db.transaction(() => {
        db.exec(schema);
        db.pragma(`application_id = ${applicationId}`);
        db.pragma(`user_version = ${formatVersion}`);
      })();
    else if (isUnchained(db)) upgrade(db, onUpgrade);
  });
}

/**
 * Gives every event its link, in one transaction: whole, or as it was before. Readers go on reading.
 * @throws StoreUnavailableError the log is not as this service wrote it.
 */
function upgrade(db: Database.Database, onUpgrade: () => void): void {
  onUpgrade();
  const chain = db.transaction(() => {
    db.exec(`drop view if exists log; alter table events add column chain blob not null default x''; ${logView}`);
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
    db.pragma(`user_version = ${formatVersion}`);
  });
  chain.immediate();
  db.pragma('wal_checkpoint(TRUNCATE)');
}

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

const notWhole = (position: number): string =>
  `event ${position} is missing or belongs to no stream: the log is not whole, and was left as it is. Put the file back from a backup`;

/** Opens the log read-only, also while another thread or process writes to it. */
export function openForReading(file: string): Database.Database {
  if (!existsSync(file)) throw new StoreUnavailableError(`there is no event log at ${file}`);
  return opened(file, { timeout: 2_000, readonly: true }, (db) => refuseForeign(db, file));
}

export const formatPosition = (position: number): Position =>
  position === 0 ? logStart : String(position).padStart(20, '0');

/** The number behind a position; undefined when it is not a position of an embedded log. */
export function parsePosition(position: Position): number | undefined {
  if (position === logStart) return 0;
  return /^\d{20}$/.test(position) ? Number(position) : undefined;
}

/** What a failed read means at the port. */
export function unavailable(error: unknown, doing: string): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  return new StoreUnavailableError(`${doing}: ${error instanceof Error ? error.message : String(error)}`, {
    cause: error,
  });
}

function opened(file: string, options: Database.Options, prepare: (db: Database.Database) => void): Database.Database {
  let db: Database.Database | undefined;
  try {
    db = new Database(file, options);
    prepare(db);
    return db;
  } catch (error) {
    db?.close();
    throw unavailable(error, `the event log ${file} cannot be opened`);
  }
}

const isBlank = (db: Database.Database): boolean =>
  db.prepare('select count(*) from sqlite_schema').pluck().get() === 0 && idOf(db) === 0 && versionOf(db) === 0;

function refuseForeign(db: Database.Database, file: string): void {
  if (idOf(db) !== applicationId)
    throw new StoreUnavailableError(`${file} is not an event log of this service; it was left as it is`);
  // In one transaction: a writer may be giving it its links at this moment.
  const { version, columns } = db.transaction(() => ({ version: versionOf(db), columns: columnsOf(db) }))();
  if (version !== formatVersion && version !== unchainedVersion)
    throw new StoreUnavailableError(
      `${file} has format ${String(version)}, this version of the service reads formats ${unchainedVersion} and ${formatVersion}`,
    );
  const hasLinks = columns.includes('chain');
  if (columns.length > 0 && hasLinks !== (version === formatVersion))
    throw new StoreUnavailableError(
      `${file} says that it has format ${version} (user_version), but its events ${hasLinks ? 'have' : 'lack'} the column chain of format ${formatVersion}: it was changed by somebody else, and was left as it is`,
    );
}

const columnsOf = (db: Database.Database): readonly unknown[] =>
  db.prepare("select name from pragma_table_info('events')").pluck().all();

/** A log as it was before the evidence chain. */
export const isUnchained = (db: Database.Database): boolean => versionOf(db) === unchainedVersion;

const idOf = (db: Database.Database): unknown => db.pragma('application_id', { simple: true });
const versionOf = (db: Database.Database): unknown => db.pragma('user_version', { simple: true });

/**
 * The log holds personal data: nobody else's to read. An existing file is never opened here: closing a descriptor of a
 * file drops every POSIX lock that this process holds on it, SQLite's included.
 */
function createPrivately(file: string): void {
  if (existsSync(file)) return;
  try {
    closeSync(openSync(file, 'wx', 0o600));
    const folder = openSync(path.dirname(file), 'r');
    fsyncSync(folder);
    closeSync(folder);
  } catch (error) {
    throw unavailable(error, `the event log ${file} cannot be created`);
  }
}
