/** Appends within one transaction: checks each against its stream, then inserts. Runs in the writer thread. */
import { logIdIn } from '../log-id.js';
import { createSecretKey } from 'node:crypto';
import type { StatementResult, Database } from '../../sqlite/database.js';
import {
  firstLink,
  fromHex,
  hashOf,
  leafOf,
  linkBytes,
  linkOf,
  toHex,
  withDigests,
  type ChainedEvent,
  type Hash,
} from '../chain.js';
import { headFault, leftFault, macOf, unsealedEvents, type HeadFault } from '../sealed-head.js';
import { blockOf, createGrowingTree, eventsPerBlock, type GrowingTree } from '../tree.js';
import { bringsUpToDate, metadataText } from './format.js';
import { readSealedLog } from './links.js';
import { unpadded, withRoom } from './redact.js';
import {
  anyRevision,
  appended,
  conflict,
  noStream,
  streamExists,
  type AppendMessage,
  type LogEnd,
} from './messages.js';

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

interface EventTexts {
  readonly type: string;
  readonly data: string;
}

interface StoredTexts extends ChainedEvent {
  readonly position: number;
}

export interface Appender {
  /**
   * Takes every append of the message into the open transaction. Returns three numbers for each.
   * @throws RewrittenLogError the log does not end as this thread left it
   */
  take(message: AppendMessage): number[];
  /** The end of the chain, committed or not. */
  end(): LogEnd;
  /** What is wrong by the sealed head, as it is stored. */
  fault(): HeadFault | undefined;
  /** To be called after every roll-back: reads again where the log ends. */
  reset(): void;
}

/** Another process has written to the log while this thread had it open. */
export class RewrittenLogError extends Error {
  override readonly name = 'RewrittenLogError';
}

/** A statement did not change exactly one row: something in the file, such as a trigger, prevents it. */
export class IneffectiveWriteError extends Error {
  override readonly name = 'IneffectiveWriteError';
}

/** @param key makes the sealed head; without it none is written, and a service that has the secret refuses what is appended */
export function createAppender(db: Database, key?: Uint8Array): Appender {
  const findStream = db.prepareRows<[string], [number, number]>('select id, revision from streams where name = ?');
  const insertStream = db.prepare('insert into streams (name, revision) values (?, ?)');
  const updateStream = db.prepare('update streams set revision = ? where id = ?');
  const insertEvent = db.prepare('insert into events values (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const insertBlock = db.prepare('insert into blocks values (?, ?)');
  const insertHead = db.prepare('insert into head values (1, ?, unhex(?), unhex(?))');
  const updateHead = db.prepare('update head set count = ?, head = unhex(?), mac = unhex(?)');
  // Once, for each HMAC would make one.
  const headKey = key && createSecretKey(key);
  const lastEvent = db.prepareRows<[], [position: number, link: Uint8Array]>(
    'select position + 0.0, chain from events order by position desc limit 1',
  );
  const bringUpToDate = bringsUpToDate(db);
  const linkAt = db.prepareValue<[number], string>('select lower(hex(chain)) from events where position = ?');
  const firstEvent = db.prepare<[], EventTexts>('select type, data from events where position = 1');
  const openBlock = db.prepare<[number], StoredTexts>(
    `select e.position, s.name as stream, e.revision, e.event_id as id, e.type, e.data, ${metadataText} as metadata
     from events e join streams s on s.id = e.stream_id where e.position > ? order by e.position`,
  );
  const eventsFrom = db.prepareRows<[number, number, number], [id: string, position: number]>(
    'select event_id, position from events where stream_id = ? and revision > ? order by revision limit ?',
  );

  let position: number;
  /** Of the event at `position`: positions count events without holes, so they are the ordinals of the chain. */
  let link: Hash;
  /** The link as it is bound to a statement, which copies it. */
  const linkBlob = Buffer.alloc(linkBytes);
  /** From the first event of the block that is not complete. */
  let tree: GrowingTree;
  let logId: string;
  /** The last metadata of this message that were kept as a text, and the position of their event. */
  let kept = { text: '', at: 0 };
  recall();

  function stored(): [position: number, link: Hash] {
    const [last, bytes] = lastEvent.get() ?? [0, undefined];
    return [last, bytes === undefined ? fromHex(firstLink) : hashOf(bytes)];
  }

  function recall(): void {
    [position, link] = stored();
    logId = logIdIn(firstEvent.get());
    tree = createGrowingTree();
    for (const event of openBlock.iterate(position - (position % eventsPerBlock)))
      tree.add(leafOf(event.position, { ...event, data: unpadded(event.data) }));
  }

  function refuseRewritten(): void {
    const [last, itsLink] = stored();
    if (last === position && itsLink === link) return;
    const there = linkAt.get(position);
    const found = { count: last, linkThere: position === 0 ? firstLink : there };
    throw new RewrittenLogError(leftFault(found, { count: position, head: toHex(link) }));
  }

  function seal(): void {
    if (headKey === undefined) return;
    const head = toHex(link);
    const row = [position, head, macOf(headKey, { logId, count: position, head })] as const;
    if (updateHead.run(...row).changes === 0) demandOneRow(insertHead.run(...row));
  }

  function stateOf(stream: string): StreamState | undefined {
    const found = findStream.get(stream);
    return found === undefined ? undefined : { id: found[0], revision: found[1] };
  }

  function create(stream: string, count: number): StreamState {
    const added = insertStream.run(stream, count - 1);
    demandOneRow(added);
    return { id: added.lastInsertRowid, revision: count - 1 };
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
    const rows = eventsFrom.all(state.id, expected, ids.length);
    if (rows.length < ids.length || rows.some(([id], at) => id !== ids[at])) return undefined;
    return rows.at(-1)?.[1];
  }

  /** What stands in the row: the text, or where the text stands that the event before has, too. */
  function metadataOnce(text: string): string {
    if (text === kept.text) return String(kept.at);
    kept = { text, at: position };
    return text;
  }

  function insert({ streamId, stream, revision, texts, offset, recordedAt }: Insertion): void {
    const id = texts[offset] as string;
    const type = texts[offset + 1] as string;
    const data = texts[offset + 2] as string;
    const metadata = texts[offset + 3] as string;
    position += 1;
    const digested = withDigests(data);
    const leaf = leafOf(position, { stream, revision, id, type, data, metadata }, digested);
    link = linkOf(link, leaf);
    linkBlob.write(link, 'latin1');
    const room = withRoom(data, digested);
    const once = metadataOnce(metadata);
    demandOneRow(insertEvent.run(position, streamId, revision, id, type, room, once, recordedAt, linkBlob));
    const root = tree.add(leaf);
    if (root !== undefined) insertBlock.run(blockOf(position), Buffer.from(root, 'latin1'));
    if (position === 1) logId = logIdIn({ type, data });
  }

  function take({ numbers, text, recordedAt }: AppendMessage): number[] {
    refuseRewritten();
    bringUpToDate();
    kept = { text: '', at: 0 };
    const before = position;
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
    if (position > before) seal();
    return outcomes;
  }

  return {
    take,
    end: () => ({ count: position, head: toHex(link) }),
    fault() {
      const found = readSealedLog(db);
      return key === undefined ? undefined : (headFault(found, key) ?? unsealedEvents(found));
    },
    reset: recall,
  };
}

const meets = (expected: number, actual: number): boolean =>
  expected === actual || expected === anyRevision || (expected === streamExists && actual !== noStream);

function everyFourth(texts: readonly string[], from: number, end: number): string[] {
  const picked: string[] = [];
  for (let at = from; at < end; at += 4) picked.push(texts[at] as string);
  return picked;
}

function demandOneRow({ changes }: StatementResult): void {
  if (changes !== 1) throw new IneffectiveWriteError(`an append changed ${changes} rows in place of one`);
}
