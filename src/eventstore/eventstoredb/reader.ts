/** The reading half of the EventStoreDB adapter: streams, the log, and subscriptions that read on when they are notified. */
import {
  logStart,
  type EventReader,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type StoredEvent,
  type SubscriptionMessage,
} from '../event-store.js';
import { assertLimit } from '../validate-append.js';
import type { ChangeNotifier } from './change-notifier.js';
import type { Connection } from './connection.js';
import type { Copies } from './copies.js';
import { closedError } from './faults.js';
import { eventsPerPage, emptyPage, type EventPage, type PageOptions, type PageReader } from './pages.js';
import { demandPosition } from './positions.js';

/** Pages without an event of this service after which the server searches for the next one. */
const pagesBeforeSearch = 2;

interface ReaderParts {
  readonly connection: Pick<Connection, 'isClosed'>;
  readonly pages: PageReader;
  readonly redactions: Copies;
  readonly notifier: ChangeNotifier;
  readonly head: () => Promise<Position>;
}

export function createReader({
  connection,
  pages,
  redactions,
  notifier,
  head,
}: ReaderParts): Omit<EventReader, 'close' | 'head'> {
  /** Forwards through the log, page after page, with a leap over many events of others. */
  function createWalk(start: Position, signal: AbortSignal | undefined): (limit: number) => Promise<EventPage> {
    let after = start;
    let inclusive = false;
    // Our first event may be far from the first event of the log: one page is tried.
    let fruitless = start === logStart ? pagesBeforeSearch - 1 : 0;

    async function leap(): Promise<void> {
      const end = await pages.end(signal);
      const next = await pages.nextOfOurs(after, signal);
      if (next === undefined || isAborted(signal)) return;
      inclusive = next !== 'none';
      const place = next === 'none' ? end : next;
      if (place > after) after = place;
    }

    return async (limit) => {
      const from = after;
      if (fruitless >= pagesBeforeSearch) await leap();
      const reading = pages.ofLog({ after, inclusive, backwards: false, limit, signal });
      const page = await redactions.fill(reading, { after: from, backwards: false, limit, signal });
      if (page.last !== undefined) [after, inclusive] = [page.last, false];
      fruitless = page.events.length === 0 && !page.ended ? (fruitless + 1) % (pagesBeforeSearch + 1) : 0;
      return page;
    };
  }

  /** A truncated stream begins, or ends backwards, with copies. */
  async function ofStream(name: string, from: bigint | undefined, options: PageOptions): Promise<EventPage> {
    const page = await pages.ofStream(name, from, options);
    if (isWhole(page, from, options.backwards)) return page;
    await redactions.load();
    const places = redactions.of(name);
    if (places.length === 0) return page;
    if (options.backwards && page.events.length > 0) return { ...page, ended: false };
    const wanted = placesFrom(places, from, options);
    const copies = await redactions.at(wanted);
    const events = wanted.flatMap((position) => copies.get(position) ?? []);
    if (events.length === 0) return page;
    return {
      events,
      first: wanted[0],
      last: wanted.at(-1),
      ended: events.at(-1)?.revision === 0n && options.backwards,
    };
  }

  async function* follow(start: Promise<Position>, signal: AbortSignal): AsyncGenerator<SubscriptionMessage> {
    if (connection.isClosed()) throw closedError();
    try {
      yield* messages(await start, signal);
    } catch (error) {
      if (!connection.isClosed()) throw error;
    }
  }

  async function* messages(start: Position, signal: AbortSignal): AsyncGenerator<SubscriptionMessage> {
    let position = start;
    let announced = false;
    let wasNotified = true;
    const walk = createWalk(start, signal);
    while (!signal.aborted && !notifier.isClosed()) {
      const version = notifier.version();
      const { events, ended } = await walk(eventsPerPage);
      // What was read before an abort can be half a page.
      if (isAborted(signal)) return;
      const newest = events.at(-1);
      if (newest !== undefined) {
        position = newest.position;
        announced = false;
        notifier.found(wasNotified);
        yield { type: 'events', events };
      }
      if (!ended) continue;
      if (!announced && !isAborted(signal)) yield { type: 'caught_up', position };
      announced = true;
      wasNotified = await notifier.next(version, signal);
    }
  }

  return {
    readStream(name, options: ReadStreamOptions = {}) {
      assertLimit(options.limit);
      const backwards = options.direction === 'backwards';
      let { from } = options;
      return paged(options, async (limit) => {
        const page = await ofStream(name, from, { backwards, limit, signal: options.signal });
        const last = page.events.at(-1)?.revision;
        if (last !== undefined) from = backwards ? last - 1n : last + 1n;
        return page;
      });
    },
    readAll(options: ReadAllOptions = {}) {
      assertLimit(options.limit);
      const { signal } = options;
      let { after } = options;
      if (after !== undefined && after !== logStart) demandPosition(after);
      if (options.direction !== 'backwards') return paged(options, createWalk(after ?? logStart, signal));
      return paged(options, async (limit) => {
        if (after === logStart) return emptyPage;
        const reading = pages.ofLog({ after, backwards: true, limit, signal });
        const page = await redactions.fill(reading, { after, backwards: true, limit, signal });
        after = page.last;
        return page;
      });
    },

    // The head is asked for at once, not when the first message is.
    subscribe({ after, signal }) {
      if (after !== 'now' && after !== logStart) demandPosition(after);
      const start = after === 'now' ? head() : Promise.resolve(after);
      // Met when the first message is asked for, if ever.
      start.catch(() => undefined);
      return follow(start, signal);
    },

    async readAt(position) {
      const [found] = await Promise.all([pages.at(position), redactions.load()]);
      if (found === undefined) await redactions.load();
      return redactions.has(position) ? (await redactions.at([position])).get(position) : found;
    },
  };
}

/** Whether the stream was not truncated where this page of it begins, or ends backwards. */
function isWhole({ events, ended, tail }: EventPage, from: bigint | undefined, backwards: boolean): boolean {
  if (tail === -1n) return true;
  if (backwards) return !ended || events.at(-1)?.revision === 0n;
  const first = events[0]?.revision;
  if (first === undefined) return tail !== undefined && (from ?? 0n) > tail;
  return first <= (from ?? 0n);
}

/** Positions by revision, from this one on. */
function placesFrom(
  places: readonly Position[],
  from: bigint | undefined,
  { backwards, limit }: PageOptions,
): readonly Position[] {
  if (!backwards) return places.slice(Number(from ?? 0n), Number(from ?? 0n) + limit);
  const end = from === undefined ? places.length : Math.min(Number(from) + 1, places.length);
  return places.slice(Math.max(0, end - limit), end).reverse();
}

/** Pages until the limit or the end. What was read before an abort can be half a page, and is dropped. */
async function* paged(
  { limit = Infinity, signal }: { readonly limit?: number; readonly signal?: AbortSignal },
  next: (limit: number) => Promise<EventPage>,
): AsyncGenerator<readonly StoredEvent[]> {
  let left = limit;
  while (left > 0 && !isAborted(signal)) {
    const page = await next(Math.min(left, eventsPerPage));
    if (isAborted(signal)) return;
    left -= page.events.length;
    if (page.events.length > 0) yield page.events;
    if (page.ended || page.last === undefined) return;
  }
}

/** A function, because the answer changes while one waits. */
const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;
