/** Looks through one stretch of the embedded log: is each event what was written there, after the one before it in its stream? */
import type Database from 'better-sqlite3';
import { isRedacted, linkAfter, withDigests, type ChainedEvent, type NotableEvents } from '../chain.js';
import { hasRepeatedName, isNamed, memberSpans, type MemberSpan } from '../json-text.js';
import { createStreamEnds, follows, sortableTime, type StreamEnds } from '../stream-ends.js';

export interface Segment {
  /** Positions of the first and the last event; they are numbered without a gap. */
  readonly first: number;
  readonly last: number;
  /** Link of the event before the first one, in hex; another segment finds out whether it is right. */
  readonly link: string;
  readonly largestStream: number;
  /** Whether times and the names of members are looked at as well. */
  readonly streams: boolean;
  readonly notable: NotableEvents;
}

export interface SegmentProof {
  readonly ends: StreamEnds;
  /** Link of the last event, in hex. */
  readonly link: string;
  readonly redacted: number;
  /** Positions. */
  readonly notable: readonly number[];
}

/** As in the file, which anybody can have written to. */
type Row = readonly [
  position: unknown,
  number: unknown,
  stream: unknown,
  revision: unknown,
  id: unknown,
  type: unknown,
  data: unknown,
  metadata: unknown,
  link: unknown,
];

/** Read at once, which costs less than row by row; where events are large, fewer. */
const eventsPerPage = 100;
const largeEventsPerPage = 8;
/** Of a page of large events, in UTF-16 units. */
const charactersPerPage = 1024 * 1024;
const countEvery = 1_000;

/** @param onCount now and then: so many more events are as they should be. @returns undefined where anything is not as it should be. */
export function proveSegment(
  db: Database.Database,
  segment: Segment,
  onCount: (events: number) => void,
): SegmentProof | undefined {
  const page = db
    .prepare<[number, number, number], Row>(
      `select e.position, e.stream_id, s.name, e.revision, e.event_id, e.type, e.data, e.metadata, lower(hex(e.chain))
       from events e left join streams s on s.id = e.stream_id
       where e.position > ? and e.position <= ? order by e.position limit ?`,
    )
    .raw();
  const pass = createPass(segment);
  // Nothing stands before position 1, unless somebody has put it there.
  let after = segment.first === 1 ? -Infinity : segment.first - 1;
  let limit = eventsPerPage;
  let counted = segment.first - 1;
  while (after < segment.last) {
    const characters = takeAll(pass, page.all(after, segment.last, limit));
    if (characters === undefined) return undefined;
    after = pass.position();
    limit = characters > charactersPerPage ? largeEventsPerPage : eventsPerPage;
    if (after - counted < countEvery && after < segment.last) continue;
    onCount(after - counted);
    counted = after;
  }
  return pass.proof();
}

/** Characters of the events; undefined when one is not as it should be, or there is none. */
function takeAll(pass: ReturnType<typeof createPass>, rows: readonly Row[]): number | undefined {
  let characters = 0;
  for (const row of rows) {
    const length = pass.take(row);
    if (length === undefined) return undefined;
    characters += length;
  }
  return rows.length === 0 ? undefined : characters;
}

function createPass({ first, link: before, largestStream, streams, notable }: Segment) {
  const ends = createStreamEnds(largestStream, streams);
  const wanted = { streams: new Set(notable.streams), again: new Set(notable.again) };
  const found: number[] = [];
  let position = first - 1;
  let link = before;
  let redacted = 0;
  return {
    position: () => position,
    proof: (): SegmentProof => ({ ends, link, redacted, notable: found }),
    /** Characters of the event; undefined when it is not as it should be. */
    take(row: Row): number | undefined {
      if (row[0] !== position + 1) return undefined;
      const event = eventOf(row, streams);
      if (event === undefined) return undefined;
      position += 1;
      link = linkAfter(link, position, event);
      if (link !== row[8] || !follows(ends, event.number, event)) return undefined;
      if (isRedacted(event.data)) redacted += 1;
      const { stream, revision, type } = event;
      if (wanted.streams.has(stream) || (revision > 0 && wanted.again.has(type))) found.push(position);
      return event.data.length + event.metadata.length;
    },
  };
}

interface LookedAt extends ChainedEvent {
  readonly canonical: string;
  readonly number: number;
  readonly revision: number;
  readonly time: number;
}

/** Of a row that holds what it should, and can be read in one way only. */
function eventOf(row: Row, streams: boolean): LookedAt | undefined {
  const [, number, stream, revision, id, type, data, metadata] = row;
  if (!isCount(number) || !isCount(revision) || typeof stream !== 'string' || typeof id !== 'string') return undefined;
  if (typeof type !== 'string' || typeof data !== 'string' || typeof metadata !== 'string') return undefined;
  const outline = streams ? outlineOf(data, metadata) : { canonical: withDigests(data), time: 0 };
  if (outline === undefined) return undefined;
  const { canonical, time } = outline;
  // One literal: putting it together from parts costs more.
  return { number, stream, revision, id, type, data, metadata, canonical, time };
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 2 ** 31;

/** Undefined when a name comes twice, or there is no time. */
function outlineOf(data: string, metadata: string): Pick<LookedAt, 'canonical' | 'time'> | undefined {
  const [ofData, ofMetadata] = [memberSpans(data), memberSpans(metadata) ?? []];
  if (hasRepeatedName(metadata, ofMetadata) || hasRepeatedName(data, ofData ?? [])) return undefined;
  const time = timeIn(metadata, ofMetadata);
  return Number.isNaN(time) ? undefined : { canonical: withDigests(data, ofData), time };
}

function timeIn(metadata: string, spans: readonly MemberSpan[]): number {
  const at = spans.find((span) => isNamed(metadata, span, 'at'));
  if (at === undefined || metadata[at.start] !== '"') return NaN;
  return sortableTime(metadata.slice(at.start + 1, at.end - 1));
}
