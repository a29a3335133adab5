/** Reads the embedded log for verification and proofs: every row of its table of events, and the stored tree. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Value } from '../../sqlite/database.js';
import type { ReopeningDatabase } from '../../sqlite/reopening.js';
import { StoreUnavailableError, type Position } from '../event-store.js';
import { hashOf, leafOf, type Hash } from '../leaf.js';
import { AlteredLogError, type LogSource, type NumberedEvent } from '../log-source.js';
import { eventsPerBlock, type TreeSource } from '../tree.js';
import { metadataText, streamsFault, withMetadata, type EventRow } from './format.js';
import { unpadded } from './redact.js';
import { formatPosition, parsePosition } from './schema.js';

/** Rows that are read at once, which costs less than row by row. Fewer after a page of large events. */
const eventsPerPage = 200;
const largeEventsPerPage = 8;
/** In UTF-16 units. */
const charactersPerPage = 1024 * 1024;

export interface SqliteLog extends LogSource {
  readonly tree: TreeSource;
  storeFault(): Promise<string | undefined>;
}

interface LogReading {
  /** Runs a read and throws its errors as those of the port. */
  reading<Result>(read: () => Result): Result;
  /** The last event that belongs to the log; later rows are not in the tree. */
  until(): number;
}

export function createLogRows(log: ReopeningDatabase, { reading, until }: LogReading): SqliteLog {
  // A stream that is missing in `streams`, or a number that JavaScript would round, must not hide an event.
  const page = `select e.position + 0.0, coalesce(s.name, ''), e.revision + 0.0, e.event_id, e.type, e.data, ${metadataText}
    from events e left join streams s on s.id = e.stream_id ${withMetadata} where e.position > ? order by e.position limit ?`;
  const rows = (after: number, limit: number): readonly EventRow[] =>
    reading(() => log.rows<readonly Value[], EventRow>(page).all(after, limit));
  const has = (ordinal: number): boolean =>
    reading(() => log.value<[number], number>('select 1 from events where position = ?', ordinal)) !== undefined;
  const last = (): number =>
    Math.min(
      reading(() => log.value<[], number>('select coalesce(max(position), 0) + 0.0 from events') ?? 0),
      until(),
    );

  return {
    async *readEvents({ after = '', signal } = {}) {
      // This service writes no event before position 1, but another program can.
      let from = after === '' ? -Infinity : numberOf(after);
      let limit = eventsPerPage;
      while (signal?.aborted !== true) {
        const found = rows(from, limit);
        const end = found.at(-1);
        if (end === undefined) return;
        from = end[0];
        const characters = found.reduce((sum, row) => sum + row[5].length + row[6].length, 0);
        limit = characters > charactersPerPage ? largeEventsPerPage : eventsPerPage;
        yield found.map(toNumbered);
        await nextTurn();
      }
    },

    storeFault: async () => reading(() => streamsFault(log.db())),

    tree: {
      count: async () => last(),
      async blockRoots(blocks) {
        const roots = 'select root from blocks where number < ? order by number';
        return reading(() => log.rows<[number], readonly [Uint8Array]>(roots).all(blocks)).map(([root]) =>
          hashOf(root),
        );
      },

      async leavesOf(block) {
        const first = block * eventsPerBlock;
        const found = rows(first, Math.max(0, Math.min(eventsPerBlock, last() - first)));
        return found.map((row, index): Hash => {
          const event = toNumbered(row);
          if (event.ordinal !== first + index + 1)
            throw new AlteredLogError(`event ${first + index + 1} is missing: it was removed or moved`);
          return leafOf(event.ordinal, event);
        });
      },

      async ordinalsAt(positions) {
        const end = last();
        const ordinals = positions.map(numberOf);
        return ordinals.map((ordinal) => (ordinal <= end && has(ordinal) ? ordinal : undefined));
      },
    },
  };
}

function toNumbered([position, stream, revision, id, type, data, metadata]: EventRow): NumberedEvent & {
  ordinal: number;
} {
  // One literal, because putting it together from parts costs more than reading the row.
  return {
    stream: text(stream),
    revision: wholeNumber(revision),
    position: formatPosition(position),
    ordinal: position,
    id: text(id),
    type: text(type),
    data: unpadded(text(data)),
    metadata: text(metadata),
  };
}

/** In a damaged or altered file, a value may have another type with the same bytes, which other software would read as another event. */
const text = (value: string): string => (typeof value === 'string' ? value : `not text: ${String(value)}`);
const wholeNumber = (value: number): bigint => (Number.isSafeInteger(value) ? BigInt(value) : -1n);

function numberOf(position: Position): number {
  const number = parsePosition(position);
  if (number === undefined)
    throw new StoreUnavailableError(`${JSON.stringify(position)} is not a position of this log`);
  return number;
}
