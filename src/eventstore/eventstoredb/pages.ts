/** Reads an EventStoreDB page by page: bounded by count and bytes, of our streams only, no call open between two pages. */
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import { lengthOf, storedEvent, type FoundEvent, type ReadAnswer } from './answers.js';
import { logStart, type Position, type StoredEvent } from '../event-store.js';
import type { Connection } from './connection.js';
import { isNoRecord, SilenceError, unavailable } from './faults.js';
import { allRequest, streamRequest } from './messages.js';
import { demandPosition, parsePosition } from './positions.js';

const eventsPerPage = 1_000;
const bytesPerPage = 4 * 1024 * 1024;
const plainPagesAfterSilence = 500;
const farPatience = 6;
/** Revisions are signed 64-bit numbers; the very last one is a tombstone's. */
const lastRevision = 2n ** 63n - 2n;

export type Place = Pick<FoundEvent, 'revision' | 'position'>;

export interface Page {
  /** Of our streams, under their logical names. */
  readonly events: readonly StoredEvent[];
  /** The first and the last event that were looked at: of ours, where the server picks them. Undefined when there were none. */
  readonly first: Place | undefined;
  readonly last: Place | undefined;
  /** There was nothing more when the server answered. */
  readonly ended: boolean;
}

interface PageOptions {
  /** At most so many events of ours. */
  readonly limit: number;
  readonly backwards: boolean;
  readonly signal?: AbortSignal | undefined;
  /** What has been found is not kept back for longer: in a log that grows as fast as it is read, a page has no end. Default: no bound. */
  readonly withinMs?: number;
}

interface LogOptions extends PageOptions {
  readonly after: Position | undefined;
  /** So many events are looked at, ours or not. Absent: the server picks ours, however many others are between them. */
  readonly count?: number;
}

interface StreamOptions extends PageOptions {
  readonly from: bigint | undefined;
}

export interface Pages {
  /** Events after `after` forwards, before it backwards; undefined = from the end that is read away from. @throws StoreUnavailableError */
  ofLog(options: LogOptions): Promise<Page>;
  /** Position of the last event in the log, whosever it is. @throws StoreUnavailableError */
  end(): Promise<Position>;
  /** The event of ours at exactly this position. @throws StoreUnavailableError */
  at(position: Position): Promise<StoredEvent | undefined>;
  /** Events from `from`, inclusive. @throws StoreUnavailableError */
  ofStream(stream: string, options: StreamOptions): Promise<Page>;
}

interface Look {
  readonly request: ReadReq;
  readonly count: number;
  /** Milliseconds that the server may be silent. Default: as for all. */
  readonly patience?: number;
  /** Whether the event belongs to the page at all. */
  readonly wanted: (event: Place) => boolean;
}

export function createPages(
  connection: Connection,
  { prefix, silenceMs }: { readonly prefix: string; readonly silenceMs: number },
): Pages {
  async function page(
    { request, count, wanted, patience = silenceMs }: Look,
    { limit, signal, withinMs = Infinity }: PageOptions,
  ): Promise<Page> {
    const events: StoredEvent[] = [];
    const deadline = performance.now() + withinMs;
    let seen = 0;
    let bytes = 0;
    let first: FoundEvent | undefined;
    let last: FoundEvent | undefined;
    const take = (event: FoundEvent): boolean => {
      seen += 1;
      if (!wanted(event)) return true;
      const ours = logical(event, prefix);
      if (ours !== undefined) {
        bytes += lengthOf(event.data) + lengthOf(event.metadata);
        // It is read again with the next page: `last` stays before it.
        if (bytes > bytesPerPage && events.length > 0) return false;
        events.push(ours);
      }
      first ??= event;
      last = event;
      return events.length < limit && (events.length === 0 || performance.now() < deadline);
    };
    const takeAnswer = (answer: ReadAnswer): boolean => answer.kind !== 'event' || take(answer.event);
    const end = await connection.read({ request, take: takeAnswer, silenceMs: patience, signal });
    return { events, first, last, ended: end === 'ended' && seen < count };
  }

  /** So many pages yet are picked here, and not by the server. */
  let plainPages = 0;

  /** A server that looks through millions of other people's events says nothing meanwhile: then each is looked at here. */
  async function ofLog(options: LogOptions): Promise<Page> {
    if (options.count !== undefined) return look(options, { count: options.count });
    if (plainPages > 0) {
      plainPages -= 1;
      return look(options, { count: eventsPerPage });
    }
    try {
      return await look(options, { count: eventsPerPage, picked: prefix });
    } catch (error) {
      if (!(error instanceof SilenceError)) throw error;
      plainPages = plainPagesAfterSilence;
      return look(options, { count: eventsPerPage });
    }
  }

  async function look(
    { after, ...options }: LogOptions,
    { count, picked }: { readonly count: number; readonly picked?: string },
  ): Promise<Page> {
    const { backwards } = options;
    if (backwards && after === logStart) return nothing;
    const start = after === logStart ? undefined : after;
    const from = start === undefined ? undefined : demandPosition(start);
    // The server begins with the event at the position itself when it reads forwards: one more, and left out.
    const span = { backwards, count: from === undefined ? count : count + 1 };
    const wanted = ({ position }: Place): boolean =>
      start === undefined || (backwards ? position < start : position > start);
    // From an end of the log there may be millions of other people's events before the first of ours.
    const isFar = picked !== undefined && (backwards || from === undefined);
    const patience = isFar ? farPatience * silenceMs : silenceMs;
    return page({ request: allRequest(from, span, picked), count: span.count, wanted, patience }, options);
  }

  async function ofStream(stream: string, { from, ...options }: StreamOptions): Promise<Page> {
    const { backwards } = options;
    const start = from !== undefined && from > lastRevision ? undefined : from;
    if (from !== undefined && (from < 0n || (start === undefined && !backwards))) return nothing;
    const count = Math.min(options.limit, eventsPerPage);
    const request = streamRequest(prefix + stream, start, { backwards, count });
    return page({ request, count, wanted: () => true }, options);
  }

  async function at(position: Position): Promise<StoredEvent | undefined> {
    const from = parsePosition(position);
    if (from === undefined) return undefined;
    const request = allRequest(from, { backwards: false, count: 1 });
    const wanted = (event: Place): boolean => event.position === position;
    try {
      const { events } = await page({ request, count: 1, wanted }, { backwards: false, limit: 1 });
      return events[0];
    } catch (error) {
      if (!isNoRecord(error)) throw error;
      // No record begins there, or the server cannot read at all: then it cannot read the last one either.
      await ofLog({ after: undefined, backwards: true, count: 1, limit: 1 });
      return undefined;
    }
  }

  async function end(): Promise<Position> {
    const { last } = await ofLog({ after: undefined, backwards: true, count: 1, limit: 1 });
    return last?.position ?? logStart;
  }

  return {
    ofLog: (options) => ofLog(options).catch(fail),
    end: () => end().catch(fail),
    at: (position) => at(position).catch(fail),
    ofStream: (stream, options) => ofStream(stream, options).catch(fail),
  };
}

function fail(error: unknown): never {
  throw error instanceof TypeError ? error : unavailable(error);
}

const nothing: Page = { events: [], first: undefined, last: undefined, ended: true };

/** The event under its logical name, or undefined: the server's own events and other people's are none of ours. */
function logical(event: FoundEvent, prefix: string): StoredEvent | undefined {
  const { stream, type } = event;
  // A tombstone is an event of the stream itself, with a type of the server's.
  if (stream.startsWith('$') || type.startsWith('$') || !stream.startsWith(prefix)) return undefined;
  return storedEvent(event, stream.slice(prefix.length));
}
