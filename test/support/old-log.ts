/** Embedded event logs as earlier versions of the service wrote them, made out of one of the present format. */
import { chmodSync, renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';

/** 1 has no links and 2 has; both have SQLite's index of whole names. */
export type OldFormat = 1 | 2;

const schemaOf = (format: OldFormat): string => `
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
    recorded_at text not null${format === 1 ? '' : ',\n    chain blob not null'}
  ) strict;
  create unique index events_by_stream on events (stream_id, revision);
  create view log as
    select e.position, s.name as stream, e.revision, e.type, e.event_id, e.data, e.metadata, e.recorded_at${
      format === 1 ? '' : ',\n      lower(hex(e.chain)) as chain'
    }
    from events e join streams s on s.id = e.stream_id
    order by e.position;
  pragma application_id = ${0x41754c65};
  pragma user_version = ${format};
`;

/** Puts a log of that format, with the same events, in the place of one that nobody has open. */
export function makeFormat(file: string, format: OldFormat): void {
  const old = `${file}.old`;
  const db = new Database(old);
  db.pragma('journal_mode = WAL');
  db.exec(schemaOf(format));
  db.prepare('attach ? as present').run(file);
  const columns = 'position, stream_id, revision, event_id, type, data, metadata, recorded_at';
  db.exec(`insert into streams select id, name, revision from present.streams order by id;
    insert into events select ${columns}${format === 1 ? '' : ', chain'} from present.events order by position`);
  db.close();
  chmodSync(old, 0o600);
  for (const beside of ['-wal', '-shm']) rmSync(file + beside, { force: true });
  renameSync(old, file);
}
