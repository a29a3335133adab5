/** How far each stream runs, as the embedded log itself notes it beside the events. */
import type Database from 'better-sqlite3';
import type { StreamEnds } from '../stream-ends.js';

export interface NotedEnds {
  /** Last revision of each stream that there was, by its number; -1 = there is no such stream. */
  readonly revisions: Int32Array;
  /** What has been appended since, by streams. */
  readonly grown: readonly GrownStream[];
}

type GrownStream = readonly [stream: number, first: number, last: number, events: number, noted: number | null];

const streamsPerPage = 1_000;
const largestRevision = 2 ** 31 - 1;

/**
 * In one transaction, because the log may be growing.
 * @param position of the last event that is looked at otherwise
 * @param largestStream number of a stream, at that time
 * @returns undefined where something is noted that this service never writes.
 */
export function notedEnds(db: Database.Database, position: number, largestStream: number): NotedEnds | undefined {
  const grown = db
    .prepare<[number], GrownStream>(
      `select e.stream_id, min(e.revision), max(e.revision), count(*), max(s.revision)
       from events e left join streams s on s.id = e.stream_id where e.position > ? group by e.stream_id`,
    )
    .raw();
  const page = db
    .prepare<[number, number], [stream: number, revision: number]>(
      `select id, revision from streams where id > ? and id <= ? order by id limit ${streamsPerPage}`,
    )
    .raw();
  const strange = db
    .prepare(
      `select exists (select 1 from events where position < 1) or exists (select 1 from streams where id < 1)
         or exists (select 1 from streams where typeof(revision) <> 'integer' or revision not between 0 and ${largestRevision})`,
    )
    .pluck();
  return db.transaction(() => {
    if (strange.get() !== 0) return undefined;
    const revisions = new Int32Array(largestStream + 1).fill(-1);
    for (let rows = page.all(0, largestStream); rows.length > 0; rows = page.all(rows.at(-1)?.[0] ?? 0, largestStream))
      for (const [stream, revision] of rows) revisions[stream] = revision;
    return { revisions, grown: grown.all(position) };
  })();
}

/** Whether the streams end as it is noted, those that have grown since as well. */
export function areEnds({ lastRevision }: StreamEnds, { revisions, grown }: NotedEnds): boolean {
  const noted = Int32Array.from(revisions);
  for (const [stream, first, last, events, end] of grown) {
    const before = lastRevision[stream] ?? -1;
    if (first !== before + 1 || last !== before + events || end !== last) return false;
    if (stream < noted.length) noted[stream] = before;
  }
  return noted.every((revision, stream) => revision === lastRevision[stream]);
}
