/** Appends within one transaction: checks each against its stream, then inserts. Runs in the writer thread. */
import type Database from 'better-sqlite3';
import { firstLink, linkAfter } from '../chain.js';
import { anyRevision, appended, conflict, noStream, streamExists, textsOf, type AppendMessage } from './messages.js';
import { createWrittenNames } from './names.js';

interface StreamState {
  readonly id: number;
  revision: number;
}

interface Insertion {
  readonly streamId: number;
  readonly stream: string;
  readonly revision: number;
  readonly texts: readonly string[];
  /** Where the event's own four begin. */
  readonly text: number;
  readonly recordedAt: string;
}

export interface Appender {
  /** Takes every append of the message into the open transaction and adds three numbers each to `outcomes`. */
  take(message: AppendMessage, outcomes: number[]): void;
  /** Number of the last position taken, committed or not. */
  head(): number;
  /** What can wait until appends are answered. Not within a transaction. */
  tidy(): void;
  /** Forgets what it knows of the log. To be called after every roll-back: what it knew may never have come true. */
  reset(): void;
}

/** A copy, for what is kept: a piece that was cut out of a message's text would keep the whole message in memory. */
const ownText = (piece: string): string => Buffer.from(piece).toString();

/** Prepares the statements on the write connection. */
export function createAppender(db: Database.Database): Appender {
  const names = createWrittenNames(db);
  const lastRevision = db.prepare<[number], number>('select revision from streams where id = ?').pluck();
  const insertStream = db.prepare('insert into streams (name, revision) values (?, ?)');
  const updateStream = db.prepare('update streams set revision = ? where id = ?');
  const insertEvent = db.prepare('insert into events values (?, ?, ?, ?, ?, ?, ?, ?, unhex(?))');
  const lastEvent = db.prepare('select position, lower(hex(chain)) from events order by position desc limit 1').raw();
  const eventsFrom = db
    .prepare('select event_id, position from events where stream_id = ? and revision > ? order by revision limit ?')
    .raw();

  const known = boundedMap<StreamState>(20_000);
  let position: number;
  /** Of the event at `position`: positions count events without holes, so they are the ordinals of the chain. */
  let link: string;
  recall();

  function recall(): void {
    [position, link] = (lastEvent.get() ?? [0, firstLink]) as [number, string];
  }

  function stateOf(stream: string): StreamState | undefined {
    const cached = known.get(stream);
    if (cached !== undefined) return cached;
    const id = names.find(stream);
    if (id === undefined) return undefined;
    const found = { id, revision: lastRevision.get(id) ?? noStream };
    known.set(ownText(stream), found);
    return found;
  }

  /** Adds a stream that is not there. Its state is not kept: what has just begun seldom goes on at once. */
  function create(stream: string, count: number): StreamState {
    const id = Number(insertStream.run(stream, count - 1).lastInsertRowid);
    names.add(ownText(stream), id);
    return { id, revision: count - 1 };
  }

  function advance(state: StreamState, count: number): StreamState {
    state.revision += count;
    updateStream.run(state.revision, state.id);
    return state;
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

  function insert({ streamId, stream, revision, texts, text, recordedAt }: Insertion): void {
    const id = texts[text] as string;
    const type = texts[text + 1] as string;
    const data = texts[text + 2] as string;
    const metadata = texts[text + 3] as string;
    position += 1;
    link = linkAfter(link, position, { stream, revision, id, type, data, metadata });
    insertEvent.run(position, streamId, revision, id, type, data, metadata, recordedAt, link);
  }

  function take(message: AppendMessage, outcomes: number[]): void {
    const { numbers, recordedAt } = message;
    const texts = textsOf(message);
    let text = 0;
    for (let at = 0; at < numbers.length; at += 2) {
      const expectation = numbers[at] as number;
      const count = numbers[at + 1] as number;
      const stream = texts[text++] as string;
      const claimed = claim(stream, expectation, count);
      const end = text + 4 * count;
      if ('taken' in claimed) {
        const { id, revision } = claimed.taken;
        for (let next = revision - count + 1; text < end; next += 1, text += 4)
          insert({ streamId: id, stream, revision: next, texts, text, recordedAt });
        outcomes.push(appended, revision, position);
      } else {
        const first = repeated(claimed.actual, expectation, everyFourth(texts, text, end));
        if (first === undefined) outcomes.push(conflict, claimed.actual?.revision ?? noStream, 0);
        else outcomes.push(appended, expectation + count, first);
        text = end;
      }
    }
  }

  return {
    take,
    head: () => position,
    tidy: () => names.tidy(),
    reset() {
      known.clear();
      names.reset();
      recall();
    },
  };
}

const meets = (expected: number, actual: number): boolean =>
  expected === actual || expected === anyRevision || (expected === streamExists && actual !== noStream);

function everyFourth(texts: readonly string[], from: number, end: number): string[] {
  const picked: string[] = [];
  for (let at = from; at < end; at += 4) picked.push(texts[at] as string);
  return picked;
}

/** Keeps what was used lately: between `size` and twice as many entries. */
function boundedMap<Value>(size: number) {
  let young = new Map<string, Value>();
  let old = new Map<string, Value>();
  function set(key: string, value: Value): void {
    if (young.size >= size) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
  }
  return {
    set,
    get(key: string): Value | undefined {
      const value = young.get(key);
      if (value !== undefined) return value;
      const aged = old.get(key);
      if (aged !== undefined) set(ownText(key), aged);
      return aged;
    },
    clear(): void {
      young.clear();
      old.clear();
    },
  };
}
