/** Appends within one transaction: checks each append against its stream, then inserts. Runs in the writer thread. */
import type { Database } from '../../sqlite/database.js';
import { hashOf, leafOf, withDigests, type HashedEvent } from '../leaf.js';
import { AlteredLogError } from '../log-source.js';
import { blockOf, createGrowingTree, eventsPerBlock, rootOf, type Frontier, type GrowingTree } from '../tree.js';
import { metadataText, withMetadata } from './format.js';
import { unpadded, withRoom } from './redact.js';
import { anyRevision, appended, conflict, noStream, streamExists, type AppendMessage } from './messages.js';

interface StreamState {
  readonly id: number;
  readonly revision: number;
}

interface Insertion {
  readonly streamId: number;
  readonly stream: string;
  readonly revision: number;
  /** All texts of the message. Those of this event begin at `offset`. */
  readonly texts: readonly string[];
  readonly offset: number;
  readonly recordedAt: string;
}

interface StoredTexts extends HashedEvent {
  readonly position: number;
}

export interface Appender {
  /**
   * Takes every append of the message into the open transaction. Returns three numbers for each.
   * @throws AlteredLogError if another program has written to the log
   */
  take(message: AppendMessage): number[];
  /** The state of the tree, committed or not. */
  frontier(): Frontier;
  /** Goes back to an earlier state. Call this after every roll-back. */
  reset(committed: Frontier): void;
  /** @throws AlteredLogError if the log has other events than this service has appended */
  refuseOtherEvents(): void;
}

/** The log that a writer must find in a file that it opens again: these events, and at most so many more that were in doubt. */
interface ExpectedLog {
  readonly committed: Frontier;
  readonly most: number;
}

/** @throws AlteredLogError if the file is not the expected log, or a block root is missing */
export function createAppender(db: Database, expected?: ExpectedLog): Appender {
  const findStream = db.prepareRows<[string], [number, number]>('select id, revision from streams where name = ?');
  const insertStream = db.prepare('insert into streams (name, revision) values (?, ?)');
  const updateStream = db.prepare('update streams set revision = ? where id = ?');
  const insertEvent = db.prepare('insert into events values (?, ?, ?, ?, ?, ?, ?)');
  const insertMetadata = db.prepare('insert into metadata (recorded_at, json) values (?, ?)');
  const insertBlock = db.prepare('insert into blocks values (?, ?)');
  const lastPosition = db.prepareValue<[], number>('select coalesce(max(position), 0) + 0.0 from events');
  const eventsFrom = db.prepareRows<[number, number, number], [id: string, position: number]>(
    'select event_id, position from events where stream_id = ? and revision > ? order by revision limit ?',
  );

  let tree: GrowingTree = createGrowingTree(storedFrontier(db, lastPosition.get() ?? 0));
  /** Position of the last event. Positions count events without gaps, so they are the numbers of the events in the tree. */
  let position = tree.count();
  if (expected !== undefined) refuseUnexpected(db, position, expected);
  /** The last metadata of this message, and the number of its row. */
  let sharedText: string | undefined;
  let sharedId = 0;

  function refuseOtherEvents(): void {
    const last = lastPosition.get() ?? 0;
    if (last !== position)
      throw new AlteredLogError(
        `the log ends with event ${last}, but this service has appended ${position} events: another program has written to it`,
      );
  }

  function stateOf(stream: string): StreamState | undefined {
    const found = findStream.get(stream);
    return found === undefined ? undefined : { id: found[0], revision: found[1] };
  }

  function create(stream: string, count: number): StreamState {
    return { id: insertStream.run(stream, count - 1).lastInsertRowid, revision: count - 1 };
  }

  function advance({ id, revision }: StreamState, count: number): StreamState {
    updateStream.run(revision + count, id);
    return { id, revision: revision + count };
  }

  /** Advances the revision of the stream if it is the expected one. Otherwise returns the actual state, which is undefined if there is no stream. */
  function claim(stream: string, expected: number, count: number): { taken: StreamState } | { actual?: StreamState } {
    const actual = stateOf(stream);
    if (!meets(expected, actual?.revision ?? noStream)) return actual === undefined ? {} : { actual };
    return { taken: actual === undefined ? create(stream, count) : advance(actual, count) };
  }

  /** Returns the position of the last of these events if exactly these ids follow the expected revision, else undefined. */
  function repeated(state: StreamState | undefined, expected: number, ids: readonly string[]): number | undefined {
    if (state === undefined || expected < noStream || expected >= state.revision) return undefined;
    const rows = eventsFrom.all(state.id, expected, ids.length);
    if (rows.length < ids.length || rows.some(([id], at) => id !== ids[at])) return undefined;
    return rows.at(-1)?.[1];
  }

  /** Returns the number of the row with this metadata. Events of one message with the same metadata share a row. */
  function metadataIdOf(text: string, recordedAt: string): number {
    if (text === sharedText) return sharedId;
    sharedText = text;
    return (sharedId = insertMetadata.run(recordedAt, text).lastInsertRowid);
  }

  function insert({ streamId, stream, revision, texts, offset, recordedAt }: Insertion): void {
    const id = texts[offset] as string;
    const type = texts[offset + 1] as string;
    const data = texts[offset + 2] as string;
    const metadata = texts[offset + 3] as string;
    position += 1;
    const digested = withDigests(data);
    const root = tree.add(leafOf(position, { stream, revision, id, type, data, metadata }, digested));
    const room = withRoom(data, digested);
    insertEvent.run(position, streamId, revision, id, type, room, metadataIdOf(metadata, recordedAt));
    if (root !== undefined) insertBlock.run(blockOf(position), Buffer.from(root, 'latin1'));
  }

  function take({ numbers, text, recordedAt }: AppendMessage): number[] {
    refuseOtherEvents();
    sharedText = undefined;
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

  return {
    take,
    frontier: () => tree.frontier(),
    refuseOtherEvents,
    reset(committed) {
      tree = createGrowingTree(committed);
      position = committed.count;
    },
  };
}

/** Returns the tree over the first events, from the stored block roots and the events after the last complete block. @throws AlteredLogError if a block root is missing */
function storedFrontier(db: Database, count: number): Frontier {
  const blocks = Math.floor(count / eventsPerBlock);
  const roots = db
    .prepareRows<[number], [Uint8Array]>('select root from blocks where number < ? order by number')
    .all(blocks);
  if (roots.length !== blocks) throw new AlteredLogError('a stored block root is missing: the log was altered');
  const tree = createGrowingTree();
  for (const [root] of roots) tree.addBlock(hashOf(root));
  const openBlock = db.prepare<[number, number], StoredTexts>(
    `select e.position, s.name as stream, e.revision, e.event_id as id, e.type, e.data, ${metadataText} as metadata
     from events e join streams s on s.id = e.stream_id ${withMetadata} where e.position > ? and e.position <= ? order by e.position`,
  );
  for (const event of openBlock.iterate(blocks * eventsPerBlock, count))
    tree.add(leafOf(event.position, { ...event, data: unpadded(event.data) }));
  if (tree.count() !== count)
    throw new AlteredLogError(`an event among the last ${eventsPerBlock} is missing: the log was altered`);
  return tree.frontier();
}

function refuseUnexpected(db: Database, count: number, { committed, most }: ExpectedLog): void {
  const isSame =
    count >= committed.count && count <= most && rootOf(storedFrontier(db, committed.count)) === rootOf(committed);
  if (!isSame)
    throw new AlteredLogError(
      `the log has ${count} events, and the first ${committed.count} must be those that this service has appended: another program has written to it`,
    );
}

const meets = (expected: number, actual: number): boolean =>
  expected === actual || expected === anyRevision || (expected === streamExists && actual !== noStream);

function everyFourth(texts: readonly string[], from: number, end: number): string[] {
  const picked: string[] = [];
  for (let at = from; at < end; at += 4) picked.push(texts[at] as string);
  return picked;
}
