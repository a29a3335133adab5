/** Appends within one transaction: checks each against its stream, then inserts. Runs in the writer thread. */
import type Database from 'better-sqlite3';
import { firstLink, linkAfter } from '../chain.js';
import { anyRevision, appended, conflict, noStream, streamExists, type AppendMessage } from './messages.js';

interface StreamState {
  readonly id: number;
  readonly revision: number;
}

interface Insertion {
  readonly streamId: number;
  readonly stream: string;
  readonly revision: number;
  /** Of the whole message; those of this event begin at `offset`. */
  readonly texts: readonly string[];
  readonly offset: number;
  readonly recordedAt: string;
}

export interface Appender {
  /** Takes every append of the message into the open transaction. Returns three numbers for each. */
  take(message: AppendMessage): number[];
  /** Number of the last position taken, committed or not. */
  head(): number;
  /** To be called after every roll-back: reads again where the log ends. */
  reset(): void;
}

/** A statement did not change exactly one row: something in the file, such as a trigger, prevents it. */
export class IneffectiveWriteError extends Error {
  override readonly name = 'IneffectiveWriteError';
}

export function createAppender(db: Database.Database): Appender {
  const findStream = db.prepare<[string], [number, number]>('select id, revision from streams where name = ?').raw();
  const insertStream = db.prepare('insert into streams (name, revision) values (?, ?)');
  const updateStream = db.prepare('update streams set revision = ? where id = ?');
  const insertEvent = db.prepare('insert into events values (?, ?, ?, ?, ?, ?, ?, ?, unhex(?))');
  const lastEvent = db.prepare('select position, lower(hex(chain)) from events order by position desc limit 1').raw();
  const eventsFrom = db
    .prepare('select event_id, position from events where stream_id = ? and revision > ? order by revision limit ?')
    .raw();

  let position: number;
  /** Of the event at `position`: positions count events without holes, so they are the ordinals of the chain. */
  let link: string;
  recall();

  function recall(): void {
    [position, link] = (lastEvent.get() ?? [0, firstLink]) as [number, string];
  }

  function stateOf(stream: string): StreamState | undefined {
    const found = findStream.get(stream);
    return found === undefined ? undefined : { id: found[0], revision: found[1] };
  }

  function create(stream: string, count: number): StreamState {
    const added = insertStream.run(stream, count - 1);
    demandOneRow(added);
    return { id: Number(added.lastInsertRowid), revision: count - 1 };
  }

  function advance({ id, revision }: StreamState, count: number): StreamState {
    demandOneRow(updateStream.run(revision + count, id));
    return { id, revision: revision + count };
  }

  /** The stream with its revision moved on, if the expectation is met; else the actual state, or undefined for no stream. */
  function claim(stream: string, expected: number, count: number): { taken: StreamState } | { actual?: StreamState } {
    const actual = stateOf(stream);
    if (!meets(expected, actual?.revision ?? noStream)) return actual === undefined ? {} : { actual };
    return { taken: actual === undefined ? create(stream, count) : advance(actual, count) };
  }

  /** Position of the last of these ids if they are just what followed the expected revision when it was met. */
  function repeated(state: StreamState | undefined, expected: number, ids: readonly string[]): number | undefined {
    if (state === undefined || expected < noStream || expected >= state.revision) return undefined;
    const rows = eventsFrom.all(state.id, expected, ids.length) as [id: string, position: number][];
    if (rows.length < ids.length || rows.some(([id], at) => id !== ids[at])) return undefined;
    return rows.at(-1)?.[1];
  }

  function insert({ streamId, stream, revision, texts, offset, recordedAt }: Insertion): void {
    const id = texts[offset] as string;
    const type = texts[offset + 1] as string;
    const data = texts[offset + 2] as string;
    const metadata = texts[offset + 3] as string;
    position += 1;
    link = linkAfter(link, position, { stream, revision, id, type, data, metadata });
    demandOneRow(insertEvent.run(position, streamId, revision, id, type, data, metadata, recordedAt, link));
  }

  function take({ numbers, text, recordedAt }: AppendMessage): number[] {
    const outcomes: number[] = [];
    const texts = text.split('\0');
    let offset = 0;
    for (let at = 0; at < numbers.length; at += 2) {
      const expectation = numbers[at] as number;
      const count = numbers[at + 1] as number;
      const stream = texts[offset++] as string;
      const claimed = claim(stream, expectation, count);
      const end = offset + 4 * count;
      if ('taken' in claimed) {
        const { id, revision } = claimed.taken;
        for (let next = revision - count + 1; offset < end; next += 1, offset += 4)
          insert({ streamId: id, stream, revision: next, texts, offset, recordedAt });
        outcomes.push(appended, revision, position);
      } else {
        const lastPosition = repeated(claimed.actual, expectation, everyFourth(texts, offset, end));
        if (lastPosition === undefined) outcomes.push(conflict, claimed.actual?.revision ?? noStream, 0);
        else outcomes.push(appended, expectation + count, lastPosition);
        offset = end;
      }
    }
    return outcomes;
  }

  return { take, head: () => position, reset: recall };
}

const meets = (expected: number, actual: number): boolean =>
  expected === actual || expected === anyRevision || (expected === streamExists && actual !== noStream);

function everyFourth(texts: readonly string[], from: number, end: number): string[] {
  const picked: string[] = [];
  for (let at = from; at < end; at += 4) picked.push(texts[at] as string);
  return picked;
}

function demandOneRow({ changes }: Database.RunResult): void {
  if (changes !== 1) throw new IneffectiveWriteError(`an append changed ${changes} rows in place of one`);
}
