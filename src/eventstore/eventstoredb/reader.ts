/** The reading half of the EventStoreDB adapter: streams, the log, its head, and subscriptions that read when the bell rings. */
import {
  logStart,
  type EventReader,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type StoredEvent,
  type SubscriptionMessage,
} from '../event-store.js';
import type { Bell } from './change-notifier.js';
import { closedError, type Connection } from './connection.js';
import type { Page, Pages, Place } from './pages.js';
import { demandPosition } from './positions.js';

const eventsPerPage = 1_000;
/** Pages of a subscription. */
const live = { backwards: false, limit: eventsPerPage, withinMs: 100 } as const;

export interface ReaderParts {
  readonly connection: Pick<Connection, 'isClosed'>;
  readonly pages: Pages;
  readonly bell: Bell;
  readonly head: () => Promise<Position>;
}

export function createReader({ connection, pages, bell, head }: ReaderParts): Omit<EventReader, 'close' | 'head'> {
  function stream(name: string, options: ReadStreamOptions): AsyncGenerator<readonly StoredEvent[]> {
    const { signal } = options;
    const backwards = options.direction === 'backwards';
    const step = backwards ? -1n : 1n;
    return paged(options, (limit, last) => {
      const from = last === undefined ? options.from : last.revision + step;
      return pages.ofStream(name, { from, backwards, limit, signal });
    });
  }

  function log(options: ReadAllOptions): AsyncGenerator<readonly StoredEvent[]> {
    const { signal } = options;
    const backwards = options.direction === 'backwards';
    return paged(options, (limit, last) =>
      pages.ofLog({ after: last === undefined ? options.after : last.position, backwards, limit, signal }),
    );
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
    const look = lookOn(start, signal);
    while (!signal.aborted && !bell.isClosed()) {
      const count = bell.count();
      const { events, ended } = await look();
      // What was read before an abort can be half a page.
      if (isAborted(signal)) return;
      const newest = events.at(-1);
      if (newest !== undefined) {
        position = newest.position;
        announced = false;
        bell.saw(position);
        yield { type: 'events', events };
      }
      if (!ended) continue;
      if (!announced && !isAborted(signal)) yield { type: 'caught_up', position };
      announced = true;
      await bell.next(count, signal);
    }
  }

  /** One page after the other. Between events of ours may be other people's, which are not looked at again and again. */
  function lookOn(start: Position, signal: AbortSignal): () => Promise<Page> {
    let after = start;
    // Where the log ended before the last look: a look that finds nothing has gone as far.
    let end = start;
    return async () => {
      const page = await pages.ofLog({ ...live, after, signal });
      after = page.last?.position ?? after;
      if (page.ended && page.events.length === 0 && !isAborted(signal)) {
        if (end > after) after = end;
        end = await pages.end();
      }
      return page;
    };
  }

  return {
    readStream(name, options = {}) {
      assertLimit(options.limit);
      return stream(name, options);
    },
    readAll(options = {}) {
      assertLimit(options.limit);
      if (options.after !== undefined && options.after !== logStart) demandPosition(options.after);
      return log(options);
    },

    // The head is asked for at once, not when the first message is.
    subscribe({ after, signal }) {
      if (after !== 'now' && after !== logStart) demandPosition(after);
      const start = after === 'now' ? head() : Promise.resolve(after);
      // Met when the first message is asked for, if ever.
      start.catch(() => undefined);
      return follow(start, signal);
    },

    readAt: (position) => pages.at(position),
  };
}

/** Pages until the limit or the end. What was read before an abort can be half a page, and is dropped. */
async function* paged(
  { limit = Infinity, signal }: { readonly limit?: number; readonly signal?: AbortSignal },
  next: (limit: number, last: Place | undefined) => Promise<Page>,
): AsyncGenerator<readonly StoredEvent[]> {
  let left = limit;
  let last: Place | undefined;
  while (left > 0 && !isAborted(signal)) {
    const page = await next(Math.min(left, eventsPerPage), last);
    if (isAborted(signal)) return;
    left -= page.events.length;
    if (page.events.length > 0) yield page.events;
    if (page.ended || page.last === undefined) return;
    last = page.last;
  }
}

/** A function, because the answer changes while one waits. */
const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;

function assertLimit(limit: number | undefined): void {
  if (limit !== undefined && !(Number.isInteger(limit) && limit > 0))
    throw new TypeError(`limit must be a whole number from 1, not ${limit}`);
}
