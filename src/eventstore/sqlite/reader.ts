/** Reads the embedded event log, in any thread or process, while it is written: short transactions, bounded pages. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Value } from '../../sqlite/database.js';
import { openReopening } from '../../sqlite/reopening.js';
import {
  StoreUnavailableError,
  type EventReader,
  type Position,
  type ReadAllOptions,
  type ReadStreamOptions,
  type StoredEvent,
  type SubscriptionMessage,
} from '../event-store.js';
import { assertLimit } from '../validate-append.js';
import { createLogRows, type SqliteLog } from './log-rows.js';
import { metadataText, withMetadata, type EventRow } from './format.js';
import { unpadded } from './redact.js';
import { formatPosition, openForReading, parsePosition, fileUnavailable } from './schema.js';

const eventsPerPage = 1_000;
const namesPerPage = 10_000;
const bytesPerPage = 4 * 1024 * 1024;
/** Above every revision and position, and still exact. */
const end = Number.MAX_SAFE_INTEGER;

export type { SqliteLog };
export interface SqliteEventReader extends EventReader, SqliteLog {
  /** Looks for new events at once, for subscriptions that are caught up. */
  wake(): void;
}

interface SqliteEventReaderOptions {
  readonly file: string;
  /** Milliseconds between looks for new events while a subscription waits; 0 = only when woken. Default 50. */
  readonly pollMs?: number;
  /** Whether to remove SQLite's own files when the log is closed. No other process may have the log open. Needs write permission. */
  readonly removesWal?: boolean;
  /** Whether nobody writes to the log. Files that are named like SQLite's own (-wal, -shm, -journal) are then neither read nor created. */
  readonly isFrozen?: boolean;
  /** Nothing after this position is read, whatever is in the file. Default: everything is. */
  readonly until?: () => number;
}

/** @throws StoreUnavailableError no such file, or not a log of this service. */
export function openSqliteEventReader(options: SqliteEventReaderOptions): SqliteEventReader {
  const { file, pollMs = 50, removesWal, isFrozen, until = () => end } = options;
  const access = isFrozen === true ? 'frozen' : removesWal === true ? 'write' : 'read';
  const log = openReopening(() => openForReading(file, access));
  const columns = `e.position, s.name, e.revision, e.event_id, e.type, e.data, ${metadataText}`;
  // `cross join` keeps the order in which SQLite goes through the tables.
  const all = `select ${columns} from events e cross join streams s on s.id = e.stream_id ${withMetadata}`;
  // With `+` no index of positions is used.
  const one = `select ${columns} from streams s cross join events e on e.stream_id = s.id ${withMetadata} where +e.position <= ? and s.name = ?`;
  const allForwards = `${all} where e.position <= ? and e.position > ? order by e.position limit ?`;
  const allBackwards = `${all} where e.position <= ? and e.position < ? order by e.position desc limit ?`;
  const streamForwards = `${one} and e.revision > ? order by e.revision limit ?`;
  const streamBackwards = `${one} and e.revision < ? order by e.revision desc limit ?`;
  // Stream by stream as they are named, each by its index of revisions.
  const several = `select ${columns} from json_each(?2) n cross join streams s on s.name = n.value cross join events e on e.stream_id = s.id ${withMetadata} where +e.position <= ?1 limit ?3`;
  const exactly = `${all} where +e.position <= ? and e.position = ?`;
  const named = 'select name from streams where name > ? and name < ? order by name limit ?';
  const lastPosition = 'select coalesce(max(position), 0) + 0.0 from events';

  /** Subscriptions that are caught up, and where they stand. */
  const idle = new Map<() => void, number>();
  let poll: NodeJS.Timeout | undefined;
  let closed = false;

  function reading<Result>(read: () => Result): Result {
    if (closed) throw new StoreUnavailableError('the event reader is closed');
    try {
      return log.reading(read);
    } catch (error) {
      throw fileUnavailable(error, `reading ${file} failed`);
    }
  }

  const head = (): number => reading(() => Math.min(log.value<[], number>(lastPosition) ?? 0, until()));

  /** One page, read to its end in one turn, so that no read transaction outlives it. */
  function page(sql: string, limit: number, ...bounds: readonly Value[]): { events: StoredEvent[]; more: boolean } {
    return reading(() => {
      const events: StoredEvent[] = [];
      let bytes = 0;
      for (const row of log.rows<readonly Value[], EventRow>(sql).iterate(until(), ...bounds, limit)) {
        bytes += Buffer.byteLength(row[5]) + Buffer.byteLength(row[6]);
        if (bytes > bytesPerPage && events.length > 0) return { events, more: true };
        events.push(toEvent(row));
      }
      return { events, more: events.length === limit };
    });
  }

  /** Pages until the log or the limit is at its end. Closing fails a read half-way: a part must not pass for the whole. */
  async function* pages(
    options: { limit?: number; signal?: AbortSignal },
    next: (limit: number, last: StoredEvent | undefined) => { events: StoredEvent[]; more: boolean },
  ): AsyncGenerator<readonly StoredEvent[]> {
    let left = options.limit ?? Infinity;
    let last: StoredEvent | undefined;
    while (left > 0 && options.signal?.aborted !== true) {
      const { events, more } = next(Math.min(left, eventsPerPage), last);
      if (events.length === 0) return;
      last = events.at(-1);
      left -= events.length;
      yield events;
      if (!more) return;
      // Reading is synchronous: let others have their turn between two pages.
      await nextTurn();
    }
  }

  function readStream(stream: string, options: ReadStreamOptions = {}): AsyncIterable<readonly StoredEvent[]> {
    assertLimit(options.limit);
    const backwards = options.direction === 'backwards';
    const statement = backwards ? streamBackwards : streamForwards;
    const from = options.from ?? (backwards ? BigInt(end) - 1n : 0n);
    const first = Number(from) + (backwards ? 1 : -1);
    return pages(options, (limit, last) =>
      page(statement, limit, stream, last === undefined ? first : Number(last.revision)),
    );
  }

  async function readStreams(streams: readonly string[]): Promise<ReadonlyMap<string, readonly StoredEvent[]>> {
    const { events, more } = page(several, eventsPerPage, JSON.stringify(streams));
    const found = new Map(streams.map((stream): [string, StoredEvent[]] => [stream, []]));
    for (const event of events) found.get(event.stream)?.push(event);
    // The last one may go on, and those after it were not read.
    const cut = more ? streams.indexOf(events.at(-1)?.stream ?? '') : streams.length;
    for (const stream of streams.slice(cut)) found.delete(stream);
    return found;
  }

  async function* streamNames(prefix: string): AsyncGenerator<readonly string[]> {
    const after = (name: string): readonly string[] =>
      reading(() =>
        log
          .rows<[string, string, number], readonly [string]>(named)
          .all(name, `${prefix}\u{10ffff}`, namesPerPage)
          .map(([found]) => found),
      );
    for (let names = after(prefix); names.length > 0; names = after(names.at(-1) ?? '')) yield names;
  }

  function readAll(options: ReadAllOptions = {}): AsyncIterable<readonly StoredEvent[]> {
    assertLimit(options.limit);
    const backwards = options.direction === 'backwards';
    const statement = backwards ? allBackwards : allForwards;
    const first = options.after === undefined ? (backwards ? end : 0) : demandPosition(options.after);
    return pages(options, (limit, last) =>
      page(statement, limit, last === undefined ? first : demandPosition(last.position)),
    );
  }

  async function* follow(from: number, signal: AbortSignal): AsyncGenerator<SubscriptionMessage> {
    let position = from;
    let announced = false;
    while (!closed && !signal.aborted) {
      const { events, more } = page(allForwards, eventsPerPage, position);
      const last = events.at(-1);
      if (last !== undefined) {
        position = demandPosition(last.position);
        announced = false;
        yield { type: 'events', events };
        if (more) await nextTurn();
      } else if (!announced) {
        announced = true;
        yield { type: 'caught_up', position: formatPosition(position) };
      } else await news(position, signal);
    }
  }

  /** Resolves when there may be events beyond `position`; at once when aborted or closed. */
  function news(position: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        idle.delete(done);
        signal.removeEventListener('abort', done);
        if (idle.size === 0) clearInterval(poll);
        resolve();
      };
      if (idle.size === 0 && pollMs > 0) poll = setInterval(look, pollMs);
      idle.set(done, position);
      signal.addEventListener('abort', done);
    });
  }

  function look(): void {
    let now = end;
    try {
      now = head();
    } catch {
      // The subscriptions meet the error themselves, by reading on.
    }
    for (const [done, position] of [...idle]) if (now > position) done();
  }

  function wake(): void {
    for (const done of [...idle.keys()]) done();
  }

  return {
    ...createLogRows(log, { reading, until }),
    readStream,
    readStreams,
    streamNames,
    readAll,
    // The head is read at once, not when the first message is asked for.
    subscribe({ after, signal }) {
      const now = head();
      return follow(after === 'now' ? now : demandPosition(after), signal);
    },
    async readAt(position) {
      const number = parsePosition(position);
      const row =
        number === undefined
          ? undefined
          : reading(() => log.rows<readonly Value[], EventRow>(exactly).get(until(), number));
      return row === undefined ? undefined : toEvent(row);
    },

    head: async () => formatPosition(head()),
    wake,

    async close() {
      if (closed) return;
      closed = true;
      wake();
      log.close();
    },
  };
}

function toEvent([position, stream, revision, id, type, data, metadata]: EventRow): StoredEvent {
  // One literal: putting it together from parts costs more.
  return {
    stream,
    revision: BigInt(revision),
    position: formatPosition(position),
    id,
    type,
    data: unpadded(data),
    metadata,
  };
}

function demandPosition(position: Position): number {
  const number = parsePosition(position);
  if (number === undefined) throw new TypeError(`${JSON.stringify(position)} is not a position of this log`);
  return number;
}
