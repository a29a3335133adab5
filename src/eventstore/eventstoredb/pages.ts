/** Reads an EventStoreDB page by page: bounded by count and bytes, of our streams only, no call open between two pages. */
import {
  BACKWARDS,
  END,
  FORWARDS,
  START,
  streamNameFilter,
  type Direction,
  type ReadPosition,
  type ReadRevision,
} from '@eventstore/db-client';
import { Buffer } from 'node:buffer';
import { measured, type Observe } from '../../flow/observe.js';
import { logStart, type Position, type StoredEvent } from '../event-store.js';
import type { Connection, ReadCall } from './connection.js';
import { isNoRecord, SilenceError, serverUnavailable } from './faults.js';
import { demandPosition, fromLogPosition, toLogPosition } from './positions.js';
import { readEvents, type ServerEvent } from './read-events.js';

export const eventsPerPage = 1_000;
export const bytesPerPage = 4 * 1024 * 1024;
/** Revisions are signed 64-bit numbers; the very last one is a tombstone's. */
const lastRevision = 2n ** 63n - 2n;
/** A server looks through half a million events of others in a second. */
const searchMs = 60_000;

export interface EventPage {
  /** Of our streams, under their logical names. */
  readonly events: readonly StoredEvent[];
  /** Position of the first and of the last event that was looked at, ours or not. Undefined when there were none. */
  readonly first: Position | undefined;
  readonly last: Position | undefined;
  /** There was nothing more when the server answered. */
  readonly ended: boolean;
  /** Of a stream: revision of its last event, also where it is truncated; -1: it has none. Undefined: the server did not say. */
  readonly tail?: bigint | undefined;
}

export interface PageOptions {
  readonly limit: number;
  readonly backwards: boolean;
  readonly signal?: AbortSignal | undefined;
}

interface LogOptions extends PageOptions {
  /** Events after it forwards, before it backwards. Undefined = from the end that is read away from. */
  readonly after: Position | undefined;
  /** The event at the position `after` itself is read, too. */
  readonly inclusive?: boolean;
  /** Events to look at, ours or not. Default: a page. */
  readonly count?: number;
}

interface Look extends Pick<PageOptions, 'limit' | 'signal'> {
  readonly start: ReadCall['start'];
  readonly count: number;
  readonly wanted?: (position: Position) => boolean;
}

/** The server picks the streams with our prefix. Nothing is needed of checkpoints: they come seldom. */
export function filterOf(prefix: string) {
  const rare = { maxSearchWindow: 1_000, checkpointInterval: 1_000 };
  return prefix === ''
    ? streamNameFilter({ ...rare, regex: '^[^$]' })
    : streamNameFilter({ ...rare, prefixes: [prefix] });
}

export type PageReader = ReturnType<typeof createPageReader>;

interface PageReaderOptions {
  readonly prefix: string;
  readonly silenceMs: number;
  readonly observe?: Observe | undefined;
}

/** All functions throw StoreUnavailableError. */
export function createPageReader(connection: Connection, { prefix, silenceMs, observe }: PageReaderOptions) {
  async function page({ start, count, wanted, limit, signal }: Look): Promise<EventPage> {
    const events: StoredEvent[] = [];
    let seen = 0;
    let bytes = 0;
    let first: Position | undefined;
    let last: Position | undefined;
    let tail: bigint | undefined;
    const take = (event: ServerEvent): boolean => {
      seen += 1;
      const position = fromLogPosition(event.position);
      if (wanted?.(position) === false) return true;
      if (isOurs(event, prefix)) {
        const ours = storedEvent(event, prefix, position);
        bytes += Buffer.byteLength(ours.data) + Buffer.byteLength(ours.metadata);
        // It is read again with the next page: `last` stays before it.
        if (bytes > bytesPerPage && events.length > 0) return false;
        events.push(ours);
      }
      first ??= position;
      last = position;
      return events.length < limit;
    };
    const end = await measured(observe, { store: 'eventstoredb', operation: 'read' }, () =>
      connection.read({ start, take, tail: (revision) => (tail = revision), silenceMs, signal }),
    );
    return { events, first, last, ended: end === 'ended' && seen < count, tail };
  }

  async function ofLog({ after = logStart, count = eventsPerPage, ...options }: LogOptions): Promise<EventPage> {
    const { backwards, inclusive = false, limit, signal } = options;
    const isEdge = after === logStart;
    const direction: Direction = backwards ? BACKWARDS : FORWARDS;
    const fromPosition: ReadPosition = isEdge ? edgeOf(backwards) : demandPosition(after);
    // Forwards the server begins with the event at the position itself: one more is asked for.
    const maxCount = isEdge ? count : count + 1;
    const look = { direction, fromPosition, maxCount };
    const start: ReadCall['start'] = (client, base) => readEvents(client, base, look);
    const wanted = (position: Position): boolean =>
      position === after ? inclusive : isEdge || backwards === position < after;
    return page({ start, count: maxCount, wanted, limit, signal });
  }

  async function ofStream(stream: string, from: bigint | undefined, options: PageOptions): Promise<EventPage> {
    const { backwards, limit, signal } = options;
    const isBeyond = from !== undefined && from > lastRevision;
    if (from !== undefined && (from < 0n || (isBeyond && !backwards))) return emptyPage;
    const direction: Direction = backwards ? BACKWARDS : FORWARDS;
    const fromRevision: ReadRevision = isBeyond ? END : (from ?? edgeOf(backwards));
    const count = Math.min(limit, eventsPerPage);
    const look = { stream: prefix + stream, direction, fromRevision, maxCount: count };
    return page({ start: (client, base) => readEvents(client, base, look), count, limit, signal });
  }

  /** By a filtered subscription, left with its first event or when it has caught up. */
  async function nextOfOurs(after: Position, signal?: AbortSignal): Promise<Position | 'none' | undefined> {
    const caughtUp = new AbortController();
    let found: Position | undefined;
    const start: ReadCall['start'] = (client, base) => {
      const fromPosition = after === logStart ? START : demandPosition(after);
      const stream = client.subscribeToAll({ ...base, fromPosition, filter: filterOf(prefix) });
      // `caughtUp` arrives before events that are still on their way through the stream. Paused, it was left already.
      const leave = (): unknown =>
        stream.readableLength > 0 && !stream.isPaused() ? setImmediate(leave) : caughtUp.abort();
      return stream.on('caughtUp', () => setImmediate(leave));
    };
    const take = (event: ServerEvent): boolean => {
      if (isOurs(event, prefix)) found ??= fromLogPosition(event.position);
      return found === undefined;
    };
    const either = signal === undefined ? caughtUp.signal : AbortSignal.any([signal, caughtUp.signal]);
    await connection.read({ start, take, silenceMs: searchMs, signal: either }).catch((error: unknown) => {
      if (!(error instanceof SilenceError)) throw error;
    });
    return found ?? (caughtUp.signal.aborted ? 'none' : undefined);
  }

  async function at(position: Position): Promise<StoredEvent | undefined> {
    if (toLogPosition(position) === undefined) return undefined;
    try {
      const { events } = await ofLog({ after: position, inclusive: true, backwards: false, count: 0, limit: 1 });
      // In place of an event that was scavenged the server shows the next one.
      return events.find((event) => event.position === position);
    } catch (error) {
      if (!isNoRecord(error)) throw error;
      // No record begins there, or the server cannot read at all: then this read fails, too.
      await end();
      return undefined;
    }
  }

  async function end(signal?: AbortSignal): Promise<Position> {
    const { last } = await ofLog({ after: logStart, backwards: true, count: 1, limit: 1, signal });
    return last ?? logStart;
  }

  return {
    ofLog: orUnavailable(ofLog),
    /** Position of the last event in the log, ours or not. */
    end: orUnavailable(end),
    /** Position of our first event after a position, however many others are between. Undefined: the server did not say in time. */
    nextOfOurs: orUnavailable(nextOfOurs),
    at: orUnavailable(at),
    ofStream: orUnavailable(ofStream),
  };
}

const edgeOf = (backwards: boolean): typeof END | typeof START => (backwards ? END : START);

const orUnavailable =
  <Args extends unknown[], Answer>(read: (...args: Args) => Promise<Answer>) =>
  (...args: Args): Promise<Answer> =>
    read(...args).catch((error: unknown) => {
      throw error instanceof TypeError ? error : serverUnavailable(error);
    });

export const emptyPage: EventPage = { events: [], first: undefined, last: undefined, ended: true, tail: -1n };

/** The server's own events and other people's are not. A tombstone is an event of its stream, with a type of the server's. */
const isOurs = ({ streamId, type }: ServerEvent, prefix: string): boolean =>
  streamId.startsWith(prefix) && !/^[$~]/.test(streamId) && !type.startsWith('$');

const storedEvent = (event: ServerEvent, prefix: string, position: Position): StoredEvent => ({
  stream: event.streamId.slice(prefix.length),
  revision: event.revision,
  position,
  id: event.id,
  type: event.type,
  data: event.data.toString(),
  metadata: event.metadata.toString(),
});
