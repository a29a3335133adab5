/** Who looked: the records of reads, from the streams of the days. */
import { accessStream, undatedAccess } from '../events/streams.js';
import type { StoredEvent } from '../eventstore/event-store.js';
import type { ReadRecord } from './answers.js';
import type { AuditSources } from './basis.js';
import { isAskedFor, isOneOf, originOf } from './origin.js';
import { readable } from './decoding.js';
import { streamPages } from './reading.js';
import { isCalendarDay } from './times.js';

export interface ReadsRequest {
  /** See `RecordRead`: of a contact the key of its stream. Default: everything that was read. */
  readonly subject?: string | undefined;
  readonly actor?: string | undefined;
  /** First and last time. ISO 8601, UTC, milliseconds. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ReadsPage {
  readonly items: readonly ReadRecord[];
  readonly next_cursor?: string;
  /** Number of records that were read for this page, wanted or not. */
  readonly searched: number;
}

/** The maximum number of records that are read for one page. A page may then be short, or empty. */
const recordsAPage = 10_000;

/** Returns a page of records, oldest first. Records from times when the clock was wrong come last. @throws StoreUnavailableError, ServiceError `unavailable`, and the reason of the signal */
export async function readsPage(
  sources: AuditSources,
  request: ReadsRequest,
  mostSearched = recordsAPage,
): Promise<ReadsPage> {
  const items: ReadRecord[] = [];
  let searched = 0;
  let next_cursor = '';
  for await (const events of recordedReads(sources, request)) {
    for (const event of events) {
      const read = recordOf(event);
      if (isWanted(read, request)) {
        if (items.length === request.limit) return { items, next_cursor, searched };
        items.push(read);
      }
      searched += 1;
      next_cursor = cursorOf(event);
    }
    if (searched >= mostSearched) return { items, next_cursor, searched };
  }
  return { items, searched };
}

/** Yields the wanted records page by page, including empty pages. Calls `onSearched` with the number of records read so far. */
export async function* everyRead(
  audit: { reads(request: ReadsRequest): Promise<ReadsPage> },
  wanted: Omit<ReadsRequest, 'after' | 'limit'>,
  onSearched?: (records: number) => void,
): AsyncGenerator<readonly ReadRecord[]> {
  let after: string | undefined;
  let total = 0;
  do {
    const { items, next_cursor, searched } = await audit.reads({ ...wanted, after, limit: 1_000 });
    onSearched?.((total += searched));
    yield items;
    after = next_cursor;
  } while (after !== undefined);
}

/** Returns whether the text has the form of a cursor. */
export function isReadsCursor(text: string): boolean {
  const [day = '', revision = ''] = text.split('.');
  return (
    (isCalendarDay(day) || day === undatedAccess) && /^[0-9]{1,18}$/.test(revision) && text === `${day}.${revision}`
  );
}

const dayLength = 'YYYY-MM-DD'.length;
const cursorOf = ({ stream, revision }: StoredEvent): string => `${stream.slice(accessStream('').length)}.${revision}`;

async function* recordedReads(
  sources: AuditSources,
  { from, to, after, signal }: ReadsRequest,
): AsyncGenerator<readonly StoredEvent[]> {
  const { reader, clock, pace } = sources;
  // Clocks differ.
  const tomorrow = dayBeside(new Date(clock()).toISOString(), 1);
  const last = to === undefined || to > tomorrow ? tomorrow : dayOf(to);
  const first = await firstDay(sources, from);
  // A client can make up a cursor.
  const [cursorDay = '', revision = ''] = after?.split('.') ?? [];
  for (const day of daysOf(cursorDay > first ? cursorDay : first, last)) {
    const next = day === cursorDay ? BigInt(revision) + 1n : 0n;
    yield* streamPages(reader, { stream: accessStream(day), from: next, signal, pace });
    await pace.turn();
  }
}

/** Yields the days from the first to the last, and then the name of the stream without a day, which sorts after all days. */
function* daysOf(first: string, last: string): Generator<string> {
  for (let day = first; day <= last; day = dayBeside(day, 1)) yield day;
  yield undatedAccess;
}

/** No read is older than the log. What was asked for just before midnight may have been recorded just after it. */
async function firstDay({ reader }: AuditSources, from?: string): Promise<string> {
  for await (const [first] of reader.readAll({ limit: 1 })) {
    const beginning = first && originOf(first.metadata).at;
    if (typeof beginning !== 'string') break;
    return from === undefined || from < beginning ? dayOf(beginning) : dayBeside(from, -1);
  }
  return '9999-12-31';
}

const dayOf = (time: string): string => time.slice(0, dayLength);

function dayBeside(time: string, days: number): string {
  const day = new Date(`${dayOf(time)}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + days);
  return dayOf(day.toISOString());
}

function recordOf(stored: StoredEvent): ReadRecord {
  const { at, actor, request_id } = originOf(stored.metadata);
  const event = readable(stored)?.event;
  const { subject = null, what = null, from = null, to = null } = event?.type === 'RecordRead' ? event.data : {};
  return { at, actor, request_id, what, subject, from, to, position: stored.position };
}

const isWanted = (read: ReadRecord, wanted: ReadsRequest): boolean =>
  isAskedFor(read, wanted) && isOneOf(read.subject, wanted.subject);
