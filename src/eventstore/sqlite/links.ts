/** Reads the evidence chain of the embedded log: events with their stored links, the chain's end, and what stands beside the events. */
import { logIdIn } from '../log-id.js';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Value } from '../../sqlite/database.js';
import type { ReopeningDatabase } from '../../sqlite/reopening.js';
import {
  firstLink,
  fromHex,
  hashOf,
  leafOf,
  linkOf,
  toHex,
  type ChainHead,
  type Hash,
  type LinkedEvent,
} from '../chain.js';
import { AlteredEventError, type LinkSource } from '../link-source.js';
import { StoreUnavailableError, type Position } from '../event-store.js';
import { type SealedHead, type SealedLogState } from '../sealed-head.js';
import { eventsPerBlock, type TreeSource } from '../tree.js';
import { integrityFault, metadataText, type EventRow } from './format.js';
import { unpadded } from './redact.js';
import { formatPosition, parsePosition } from './schema.js';

/** Read at once, which costs less than row by row; fewer after a page of large events. */
const eventsPerPage = 200;
const largeEventsPerPage = 8;
/** In UTF-16 units. */
const charactersPerPage = 1024 * 1024;

type Row = readonly [...event: EventRow, link: string | null];

export interface SqliteLinks extends LinkSource {
  readonly tree: TreeSource;
  /** Of what is committed, as far as it is read here. @throws StoreUnavailableError */
  chainHead(): ChainHead;
  /** Of the file, also where another process wrote it. @throws StoreUnavailableError */
  fileHead(): ChainHead;
  /** The chain up to the event with this ordinal; undefined where there is none. @throws StoreUnavailableError */
  headAt(count: number): ChainHead | undefined;
}

interface LinkReading {
  /** Runs a read and says in the port's words how it failed. */
  reading<Result>(read: () => Result): Result;
  /** Where the chain is taken to end, if not in the file. */
  until(): number;
}

export function createSqliteLinks(log: ReopeningDatabase, { reading, until }: LinkReading): SqliteLinks {
  const lastLink =
    'select position + 0.0, lower(hex(chain)) from events where position <= ? order by position desc limit 1';
  const linkAt = (position: number): string | undefined =>
    reading(() => log.value<[number], string>('select lower(hex(chain)) from events where position = ?', position));

  const headUpTo = (position: number): ChainHead => {
    const [count, head] = reading(() => log.rows<[number], [number, string]>(lastLink).get(position)) ?? [0, firstLink];
    return { count, head, position: formatPosition(count) };
  };

  const source: SqliteLinks = {
    async *readLinked({ after = '', signal } = {}) {
      // Neither a stream that is missing in `streams` nor a number that JavaScript cannot hold may hide an event: that is rounded.
      const page = `select e.position + 0.0, coalesce(s.name, ''), e.revision + 0.0, e.event_id, e.type, e.data, ${metadataText}, lower(hex(e.chain))
             from events e left join streams s on s.id = e.stream_id where e.position > ? order by e.position limit ?`;
      // This service writes no event before position 1; reads of its stream would show it.
      let from = after === '' ? -Infinity : numberOf(after);
      let limit = eventsPerPage;
      while (signal?.aborted !== true) {
        const rows = reading(() => log.rows<readonly Value[], Row>(page).all(from, limit));
        const last = rows.at(-1);
        if (last === undefined) return;
        from = last[0];
        const characters = rows.reduce((sum, row) => sum + row[5].length + row[6].length, 0);
        limit = characters > charactersPerPage ? largeEventsPerPage : eventsPerPage;
        yield rows.map(toLinked);
        await nextTurn();
      }
    },

    async brokenStream() {
      return reading(() =>
        log.value<[], string>(
          // By the index, which can be relied on where `damage` has found nothing.
          `select name from streams s
             where revision is not (select max(revision) from events where stream_id = s.id)
               or revision + 1 <> (select count(*) from events where stream_id = s.id) limit 1`,
        ),
      );
    },

    async damage() {
      return reading(() => integrityFault(log.db()));
    },

    chainHead: () => headUpTo(until()),
    fileHead: () => headUpTo(Number.MAX_SAFE_INTEGER),

    async sealedHead() {
      return reading(() =>
        log.db().transaction(() => ({ sealed: readSealedLog(log.db()).sealed, end: source.fileHead() })),
      );
    },

    tree: {
      count: async () => source.chainHead().count,
      async blockRoots(blocks) {
        const roots = 'select root from blocks where number < ? order by number';
        return reading(() => log.rows<[number], readonly [Uint8Array]>(roots).all(blocks)).map(([root]) =>
          hashOf(root),
        );
      },

      async leavesOf(block) {
        const leaves: Hash[] = [];
        const from = block * eventsPerBlock;
        const until = from + eventsPerBlock;
        let link = fromHex(source.headAt(from)?.head ?? '');
        for await (const events of source.readLinked({ after: formatPosition(from) }))
          for (const event of events) {
            if (event.ordinal === undefined || event.ordinal > until) return leaves;
            const leaf = leafOf(event.ordinal, event);
            link = linkOf(link, leaf);
            if (toHex(link) !== event.link)
              throw new AlteredEventError(`event ${event.ordinal} does not fit its link: it was altered`);
            leaves.push(leaf);
          }
        return leaves;
      },

      async ordinalsAt(positions) {
        const ordinals = positions.map(numberOf);
        return ordinals.map((ordinal) => (linkAt(ordinal) === undefined ? undefined : ordinal));
      },

      linkAt: async (ordinal) => linkAt(ordinal),
    },

    headAt(count) {
      const head = count === 0 ? firstLink : linkAt(count);
      return head === undefined ? undefined : { count, head, position: formatPosition(count) };
    },
  };
  return source;
}

/** At one moment. */
export const readSealedLog = (db: Database): SealedLogState =>
  db.transaction((): SealedLogState => {
    const first = db
      .prepare<[], { type: string; data: string }>('select type, data from events where position = 1')
      .get();
    const sealed = db
      .prepare<[], SealedHead>('select count, lower(hex(head)) as head, lower(hex(mac)) as mac from head')
      .get();
    const link = db.prepareValue<[number], string>('select lower(hex(chain)) from events where position = ?');
    return {
      logId: logIdIn(first),
      count: db.prepareValue<[], number>('select coalesce(max(position), 0) + 0.0 from events').get() ?? 0,
      sealed,
      linkThere: sealed && link.get(sealed.count),
    };
  });

function toLinked([position, stream, revision, id, type, data, metadata, link]: Row): LinkedEvent {
  // One literal: putting it together from parts costs more than reading the row.
  return {
    stream: text(stream),
    revision: wholeNumber(revision),
    position: formatPosition(position),
    ordinal: position,
    id: text(id),
    type: text(type),
    data: unpadded(text(data)),
    metadata: text(metadata),
    link,
  };
}

/** In a damaged or altered file a value may be of another type with the same bytes: other software would read it as another event. */
const text = (value: string): string => (typeof value === 'string' ? value : `not text: ${String(value)}`);
const wholeNumber = (value: number): bigint => (Number.isSafeInteger(value) ? BigInt(value) : -1n);

function numberOf(position: Position): number {
  const number = parsePosition(position);
  if (number === undefined)
    throw new StoreUnavailableError(`${JSON.stringify(position)} is not a position of this log`);
  return number;
}
