/** The events themselves, as they are stored, for people who build their own. Times are found by searching positions, and not by reading all. */
import { codec } from '../events/codec.js';
import type { Position, StoredEvent } from '../eventstore/event-store.js';
import type { FeedEvent } from './answers.js';
import { isAskedFor, isOneOf, originOf } from './origin.js';
import { streamPages, type AuditReader } from './reading.js';
import { unpaced, type ReplayPace } from './replay-pace.js';
import { jsonOrText, redacted, type HiddenMembers } from './redaction.js';

export interface FeedRequest {
  readonly after: Position;
  /** Empty: all but `RecordRead`. */
  readonly types: ReadonlySet<string>;
  /** Not for `follow`. */
  readonly filter?: FeedFilter;
  /** What the reader may not see. */
  readonly hidden: HiddenMembers;
  readonly signal: AbortSignal;
}

interface FeedPage {
  readonly events: readonly FeedEvent[];
  /** Position to go on from: nothing before it has to be read again. */
  readonly next: Position;
  readonly hasMore: boolean;
  /** Number of events that were read for this page, wanted or not. */
  readonly searched: number;
}

export type FeedMessage =
  | { readonly type: 'events'; readonly events: readonly FeedEvent[] }
  /** Everything up to this position has been sent, or was not wanted. */
  | { readonly type: 'passed'; readonly position: Position };

interface OneEvent {
  readonly stored: StoredEvent;
  readonly shown: FeedEvent;
}

export interface Feed {
  /** Position of the last event. @throws StoreUnavailableError */
  head(): Promise<Position>;
  /**
   * Of a cursor, or of a position alone: see `positionUpTo`, for the head as it is now. `gone`: this log has another event
   * there, or none, so it was restored from a backup. @throws StoreUnavailableError
   */
  position(text: string): Promise<Position | 'gone' | undefined>;
  /** A position with the id of the event there, by which a log that was restored is known. @throws StoreUnavailableError */
  cursor(position: Position): Promise<string>;
  /** The event at this position, with and without zeros in front, also a `RecordRead`. @throws StoreUnavailableError */
  at(position: string, hidden: HiddenMembers): Promise<OneEvent | undefined>;
  /** One page, which may be empty though there is more: for rare types it reads only so far. @throws StoreUnavailableError @throws ServiceError `unavailable` when too many long streams are read */
  page(request: FeedRequest & { readonly limit: number }): Promise<FeedPage>;
  /** Yields everything up to the head as of the last batch. Calls `onSearched` with the number of events read so far. @throws StoreUnavailableError */
  all(request: FeedRequest, onSearched?: (events: number) => void): AsyncIterable<readonly FeedEvent[]>;
  /** Everything, and what comes, until the signal aborts. @throws StoreUnavailableError */
  follow(request: FeedRequest): AsyncIterable<FeedMessage>;
}

export const isEventType = (name: string): boolean => codec.knows(name);

const cursorForm = /^([0-9]+)(?:\.([0-9a-f-]{36}))?$/;
export const cursorOf = (position: Position, eventId: string): string => `${position}.${eventId}`;

/** The maximum number of events that are read for one page. A page may then be short, or empty. */
const eventsAPage = 10_000;
/** A page ends early at this much data, in characters. */
const dataAPage = 2 * 1024 * 1024;

export function createFeed(reader: AuditReader, pace: ReplayPace, mostSearched = eventsAPage): Feed {
  return {
    head: () => reader.head(),
    async position(text) {
      const [, digits = '', id] = cursorForm.exec(text) ?? [];
      const position = positionUpTo(digits, await reader.head());
      if (id === undefined) return position;
      const event = position === undefined ? undefined : await reader.readAt(position);
      return event?.id === id ? position : 'gone';
    },
    async cursor(position) {
      const event = position === '' ? undefined : await reader.readAt(position);
      return event === undefined ? position : cursorOf(event.position, event.id);
    },

    async at(text, hidden) {
      const position = positionUpTo(text, await reader.head());
      const stored = position === undefined ? undefined : await reader.readAt(position);
      return stored && { stored, shown: feedEvent(stored, hidden) };
    },

    async page({ hidden, limit, ...request }) {
      const events: FeedEvent[] = [];
      let next = request.after;
      let searched = 0;
      let size = 0;
      for await (const batch of searchedEvents(reader, { ...request, limit: mostSearched, pace }))
        for (const stored of batch) {
          if (events.length === limit || size > dataAPage || searched === mostSearched)
            return { events, next, hasMore: true, searched };
          searched += 1;
          next = stored.position;
          if (!isWanted(stored, request)) continue;
          size += stored.data.length;
          events.push(feedEvent(stored, hidden));
        }
      request.signal.throwIfAborted();
      return { events, next, hasMore: searched === mostSearched, searched };
    },

    async *all(request, onSearched) {
      // It is read as fast as the client takes it: for so long no place among the long replays is kept.
      const paced = { ...request, pace: { ...unpaced, turn: pace.turn } };
      let searched = 0;
      for await (const batch of searchedEvents(reader, paced)) {
        yield* inParts(batch, request);
        onSearched?.((searched += batch.length));
      }
      request.signal.throwIfAborted();
    },

    async *follow({ after, types, hidden, signal }) {
      for await (const message of reader.subscribe({ after, signal })) {
        if (message.type === 'caught_up') yield { type: 'passed', position: message.position };
        else {
          for (const events of inParts(message.events, { types, hidden })) yield { type: 'events', events };
          const last = message.events.at(-1);
          // So that a client that comes back does not read again what it did not want.
          if (last !== undefined && !isWanted(last, { types })) yield { type: 'passed', position: last.position };
        }
      }
    },
  };
}

/**
 * The position that a text names, in the log's own form: positions of one log are digits of one length, and zeros in
 * front may be missing. Undefined: it is none, or one beyond `end`, which another log gave out, or this one before it
 * was restored from a backup.
 */
export function positionUpTo(text: string, end: Position): Position | undefined {
  if (!/^[0-9]+$/.test(text)) return undefined;
  const position = text.replace(/^0+/, '').padStart(end.length, '0');
  return position.length === end.length && position <= end ? position : undefined;
}

/** Turning this many into answers takes a millisecond or two. */
const eventsAPart = 200;

/** The wanted events of a batch, turned into answers as they are asked for. */
function* inParts(
  batch: readonly StoredEvent[],
  { hidden, ...request }: Pick<FeedRequest, 'types' | 'filter' | 'hidden'>,
): Generator<readonly FeedEvent[]> {
  const wanted = batch.filter((stored) => isWanted(stored, request));
  for (let from = 0; from < wanted.length; from += eventsAPart)
    yield wanted.slice(from, from + eventsAPart).map((stored) => feedEvent(stored, hidden));
}

/** A client that reads the feed again and again must not find its own reads there. */
const isWanted = (stored: StoredEvent, { types, filter }: Pick<FeedRequest, 'types' | 'filter'>): boolean =>
  (types.size === 0 ? stored.type !== 'RecordRead' : types.has(stored.type)) &&
  (filter === undefined || passes(stored, filter));

type FeedQuery = Pick<FeedRequest, 'after' | 'filter' | 'signal'> & {
  readonly limit?: number;
  readonly pace: ReplayPace;
};

/** The events among which the wanted ones are: those of a stream, of some days, or all. */
async function* searchedEvents(reader: AuditReader, { after, filter = {}, pace, ...reading }: FeedQuery) {
  const range = await rangeOf(reader, filter);
  const start = after > range.after ? after : range.after;
  const [stream] = filter.streams ?? [];
  const batches =
    stream === undefined
      ? reader.readAll({ after: start, ...reading })
      : streamPages(reader, { stream, from: await revisionAfter(reader, stream, start), signal: reading.signal, pace });
  for await (const batch of batches) {
    yield batch.filter(({ position }) => position > start && position <= range.until);
    if ((batch.at(-1)?.position ?? '') > range.until) return;
  }
}

/** Where a page goes on: pages end at an event of the stream. */
async function revisionAfter(reader: AuditReader, stream: string, after: Position): Promise<bigint> {
  const last = after === '' ? undefined : await reader.readAt(after);
  return last?.stream === stream ? last.revision + 1n : 0n;
}

function feedEvent(stored: StoredEvent, hidden: HiddenMembers): FeedEvent {
  const { position, stream, revision, id, type, data, metadata } = stored;
  return {
    position,
    stream,
    revision: Number(revision),
    event_id: id,
    type,
    ...originOf(metadata),
    data: jsonOrText(redacted(data, hidden)),
  };
}

export interface FeedFilter {
  /** Id of an API key, or a name of one of the configuration. */
  readonly actor?: string | undefined;
  readonly requestId?: string | undefined;
  /** First and last time. ISO 8601, UTC, milliseconds. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Of each of these: where two are not the same, there is none. */
  readonly streams?: readonly string[];
  readonly listId?: string | undefined;
}

function passes({ stream, metadata, data }: StoredEvent, filter: FeedFilter): boolean {
  const { requestId, listId, streams = [], ...origins } = filter;
  if (streams.some((name) => name !== stream)) return false;
  if (listId !== undefined && !data.includes(JSON.stringify(listId))) return false;
  const origin = originOf(metadata);
  return isAskedFor(origin, origins) && isOneOf(origin.request_id, requestId);
}

/** Positions order events, and clocks date them: nothing is missed while no clock was off by more than half of this. */
const slackMs = 86_400_000;
/** The search takes the middle one of this many times, so that a few wrong clocks do not mislead it. Odd. */
const eventsAProbe = 31;

interface PositionRange {
  /** Nothing at or before it is from that time. */
  readonly after: Position;
  /** Nothing after it is. */
  readonly until: Position;
}

/** Everything where positions are not the numbers of events: there no place between two others is known. @throws StoreUnavailableError */
async function rangeOf(reader: AuditReader, { from, to }: FeedFilter): Promise<PositionRange> {
  const until = await reader.head();
  const probing = { reader, head: until };
  return {
    after: from === undefined ? '' : ((await lastProbe(probing, shifted(from, -slackMs)))?.before ?? ''),
    until: to === undefined ? until : ((await lastProbe(probing, shifted(to, slackMs)))?.next ?? until),
  };
}

const shifted = (time: string, by: number): string => {
  const moved = Math.min(Math.max(Date.parse(time) + by, 0), Date.UTC(9999, 11, 31));
  return new Date(moved).toISOString();
};

interface Probing {
  readonly reader: AuditReader;
  readonly head: Position;
}

interface Probe {
  /** Of the last place whose events are before the time: the position before them. Undefined: there is none. */
  readonly before: Position | undefined;
  /** Of the first place whose events are after it: their last position. Undefined: there is none. */
  readonly next: Position | undefined;
}

/** Undefined: this log cannot be searched. */
async function lastProbe({ reader, head }: Probing, time: string): Promise<Probe | undefined> {
  const padded = (number: bigint): Position => String(number).padStart(head.length, '0');
  let [low, high] = [0n, BigInt(head)];
  let found: Probe = { before: undefined, next: undefined };
  while (high - low > BigInt(eventsAProbe)) {
    const middle = (low + high) / 2n;
    if ((await reader.readAt(padded(middle))) === undefined) return undefined;
    const { at, last } = await timeAfter(reader, padded(middle));
    if (at !== undefined && at < time) [low, found] = [middle, { ...found, before: padded(middle) }];
    else [high, found] = [middle, { ...found, next: at === undefined ? found.next : last }];
  }
  return found;
}

async function timeAfter(reader: AuditReader, after: Position) {
  const events: StoredEvent[] = [];
  for await (const some of reader.readAll({ after, limit: eventsAProbe })) events.push(...some);
  const times = events.flatMap(({ metadata }) => originOf(metadata).at ?? []).sort();
  return { at: times[Math.floor(times.length / 2)], last: events.at(-1)?.position };
}
