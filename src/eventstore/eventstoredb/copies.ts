/** The redacted copies of events on EventStoreDB: where they are, read on before and after each page, and how they come into reads. */
import { unlessAborted } from '../../flow/abort.js';
import { createSingleFlight } from '../../flow/single-flight.js';
import { FORWARDS } from '@eventstore/db-client';
import { Buffer } from 'node:buffer';
import { logStart, StoreUnavailableError, type Position, type StoredEvent } from '../event-store.js';
import type { Connection } from './connection.js';
import { serverUnavailable } from './faults.js';
import { bytesPerPage, type EventPage } from './pages.js';
import { copiesStream } from './positions.js';
import { readEvents } from './read-events.js';

const copiesPerRead = 1_000;
const readsAtOnce = 16;
const putInAtOnce = 100;

interface CacheRange {
  /** As for `readAll`; undefined: from the end that is read away from. */
  readonly after: Position | undefined;
  readonly backwards: boolean;
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A redaction takes some appends and reads, and the scavenge that removes its originals takes time, too. So both cannot
 * happen within this time: where a page took no longer, the copies of what is missing in it were there before it was read.
 */
const quickPageMs = 250;

/** All that read throw StoreUnavailableError. */
export interface Copies {
  readonly stream: string;
  /** Knows all copies that were written before the call. One cheap read where there are no new ones. */
  load(): Promise<void>;
  /** What was read of new copies at the load after `write`, which begins when all of before are known. One at a time. */
  written(write: () => Promise<void>): Promise<ReadonlyMap<Position, StoredEvent>>;
  has(position: Position): boolean;
  /** Positions of the copied events of a stream, by revision from 0. */
  of(stream: string): readonly Position[];
  at(positions: readonly Position[]): Promise<ReadonlyMap<Position, StoredEvent>>;
  /** A page of the log with the copies in their places, within its bounds. They are looked for while it is read. */
  fill(reading: Promise<EventPage>, filling: CacheRange): Promise<EventPage>;
}

export function createCopies(
  connection: Pick<Connection, 'read'>,
  { prefix, silenceMs }: { readonly prefix: string; readonly silenceMs: number },
): Copies {
  const stream = copiesStream(prefix);
  /** Numbers of the copies in their stream. The first one of an event is its copy. */
  const ordinals = new Map<Position, number>();
  const streams = new Map<string, Position[]>();
  let sorted: Position[] = [];
  let added: Position[] = [];
  let count = 0;
  let news: Map<Position, StoredEvent> | undefined;

  /** Up to `limit` copies from one on. */
  async function read(from: number, limit: number): Promise<StoredEvent[]> {
    const found: StoredEvent[] = [];
    const look = { stream, direction: FORWARDS, fromRevision: BigInt(from), maxCount: limit } as const;
    await connection
      .read({
        start: (client, base) => readEvents(client, base, look),
        take: ({ data }) => found.push(eventOf(data)) < limit,
        silenceMs,
      })
      .catch((error: unknown) => {
        throw serverUnavailable(error);
      });
    return found;
  }

  async function readOn(): Promise<void> {
    for (;;) {
      const found = await read(count, copiesPerRead);
      for (const event of found) {
        const { position, stream: of, revision } = event;
        const places = streams.get(of);
        if (!ordinals.has(position) && Number(revision) === (places?.length ?? 0)) {
          ordinals.set(position, count);
          added.push(position);
          // There is one of most streams: an array that grows would have room for 17.
          if (places === undefined) streams.set(of, [position]);
          else places.push(position);
          news?.set(position, event);
        }
        count += 1;
      }
      if (found.length < copiesPerRead) return;
    }
  }

  /** Positions of all copied events. To sort a million takes a second, so it is seldom done. */
  function inOrder(): readonly Position[] {
    if (added.length > putInAtOnce) sorted = [...sorted, ...added].sort();
    else for (const position of added) sorted.splice(indexFrom(sorted, position), 0, position);
    added = [];
    return sorted;
  }

  const load = createSingleFlight(readOn);

  async function written(write: () => Promise<void>): Promise<ReadonlyMap<Position, StoredEvent>> {
    await load();
    const read = new Map<Position, StoredEvent>();
    news = read;
    try {
      await write();
      await load();
      return read;
    } finally {
      news = undefined;
    }
  }

  async function at(positions: readonly Position[]): Promise<Map<Position, StoredEvent>> {
    const found = new Map<Position, StoredEvent>();
    const ranges = rangesOf(positions.flatMap((position) => ordinals.get(position) ?? []));
    while (ranges.length > 0)
      await Promise.all(
        ranges.splice(0, readsAtOnce).map(async ({ from, size }) => {
          for (const event of await read(from, size)) found.set(event.position, event);
        }),
      );
    return found;
  }

  async function fill(reading: Promise<EventPage>, filling: CacheRange): Promise<EventPage> {
    const startedAt = performance.now();
    const { backwards, limit, signal } = filling;
    const [page] = await Promise.all([reading, unlessAborted(load(), signal, ignore)]);
    if (performance.now() - startedAt > quickPageMs) await unlessAborted(load(), signal, ignore);
    const { low, high, isIn } = backwards ? rangeBackwards(page, filling) : rangeForwards(page, filling);
    const all = inOrder();
    const places = all.slice(indexFrom(all, low), indexFrom(all, high) + 1).filter(isIn);
    if (places.length === 0) return page;
    if (backwards) places.reverse();
    const copies = await at(places.slice(0, limit));
    const rest = page.events.filter(({ position }) => !ordinals.has(position) || !isIn(position));
    const order = backwards ? -1 : 1;
    const merged = [...rest, ...copies.values()].sort((a, b) => (a.position > b.position ? order : -order));
    const events = bounded(merged, limit);
    return withEvents(page, events, { backwards, isCut: events.length < rest.length + places.length });
  }

  return {
    stream,
    load,
    written,
    has: (position) => ordinals.has(position),
    of: (name) => streams.get(name) ?? [],
    at,
    fill,
  };
}

/** Ends the wait after an abort. The caller does not use a page that was read until then. */
const ignore = (): void => undefined;

/** The page with these events; what lies behind it was looked at, too. */
function withEvents(
  page: EventPage,
  events: readonly StoredEvent[],
  { backwards, isCut }: { readonly backwards: boolean; readonly isCut: boolean },
): EventPage {
  const last = events.at(-1)?.position;
  if (last === undefined) return page;
  const first = page.first ?? events[0]?.position;
  if (isCut) return { events, first, last, ended: false };
  const isBehind = page.last === undefined || (backwards ? last < page.last : last > page.last);
  return { events, first, last: isBehind ? last : page.last, ended: page.ended };
}

interface Range {
  readonly low: Position;
  readonly high: Position;
  readonly isIn: (position: Position) => boolean;
}

/** What a page is about: events after `after`, as far as it reaches. The last event of a log is never missing: a scavenge keeps that of every stream. */
function rangeForwards({ last: high = logStart }: EventPage, { after: low = logStart }: CacheRange): Range {
  return { low, high, isIn: (position) => position > low && position <= high };
}

function rangeBackwards({ first = logStart, last = logStart, ended }: EventPage, { after }: CacheRange): Range {
  const low = ended ? logStart : last;
  const high = after ?? first;
  return { low, high, isIn: (position) => position >= low && position <= high && position !== after };
}

/** The index of the first position that is not before this one. */
function indexFrom(sorted: readonly Position[], position: Position): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

function bounded(events: readonly StoredEvent[], limit: number): StoredEvent[] {
  let bytes = 0;
  const end = events.findIndex(
    ({ data, metadata }, at) =>
      (bytes += Buffer.byteLength(data) + Buffer.byteLength(metadata)) > bytesPerPage && at > 0,
  );
  return events.slice(0, Math.min(limit, end < 0 ? events.length : end));
}

function rangesOf(ordinals: readonly number[]): { readonly from: number; size: number }[] {
  const ranges: { readonly from: number; size: number }[] = [];
  for (const ordinal of [...ordinals].sort((a, b) => a - b)) {
    const range = ranges.at(-1);
    if (range !== undefined && ordinal === range.from + range.size && range.size < copiesPerRead) range.size += 1;
    else ranges.push({ from: ordinal, size: 1 });
  }
  return ranges;
}

function eventOf(data: Buffer): StoredEvent {
  try {
    const copy = JSON.parse(data.toString()) as { readonly [Member in keyof StoredEvent]: string };
    return { ...copy, revision: BigInt(copy.revision) };
  } catch {
    throw new StoreUnavailableError('a redacted copy is not one that this service wrote');
  }
}
