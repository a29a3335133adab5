/**
 * Looks through a long embedded log in several threads. Links allow it: each is kept beside its event, so that a stretch can
 * begin anywhere at the link that is kept there, and the stretch before finds out whether that link is right.
 */
import type Database from 'better-sqlite3';
import { availableParallelism } from 'node:os';
import { firstLink, type LinkedEvent, type LogProof, type ProofRequest } from '../chain.js';
import { inThreads, type Watch } from './verification-threads.js';
import { parsePosition } from './schema.js';
import type { Segment } from './segment.js';
import { areEnds } from './stream-ends.js';
import type { Stretch, StretchProof } from './range.js';
import { createStreamEnds, joins } from '../stream-ends.js';

/** How the work is divided. */
export interface Proving {
  /** Fewer events are read in less time than threads take to start. */
  readonly fewestEvents: number;
  /** One piece is no faster than reading event by event. */
  readonly pieces: number;
  /** Undefined as soon as one of the stretches is not as it should be. */
  readonly run: (stretches: readonly Stretch[], watch: Watch) => Promise<readonly StretchProof[] | undefined>;
}

const byThreads: Proving = { fewestEvents: 20_000, pieces: Math.min(4, availableParallelism()), run: inThreads };
/** The time to look beside the events, in parts of the time to look through them. */
const besideShare = 0.25;
/** Numbers of streams far beyond how many there are are not this service's, and would take memory. */
const mostStreams = (streams: number): number => 2 * streams + 1_000;

export interface ProofSource {
  readonly file: string;
  readonly db: Database.Database;
  /** As it is stored. */
  readonly eventAt: (position: number) => LinkedEvent | undefined;
  readonly proving?: Proving | undefined;
}

/** As `LinkSource.prove`. */
export async function proveLog(source: ProofSource, request: ProofRequest): Promise<LogProof | undefined> {
  const { signal, onProgress } = request;
  const { proving = byThreads } = source;
  try {
    const stretches = stretchesOf(source, request, proving);
    let done = 0;
    const onCount = (events: number): void => onProgress?.((done += events));
    const proofs = stretches && (await proving.run(stretches, { signal, onCount }));
    return proofs && joined(source, stretches, proofs);
  } catch {
    // Whoever reads event by event meets the same, and says what it is.
    signal?.throwIfAborted();
    return undefined;
  }
}

/** Undefined where one pass is as good, or where what is asked for can be refused at once. */
function stretchesOf(
  { file, db, eventAt }: ProofSource,
  { until, sealed, streams, notable }: ProofRequest,
  { fewestEvents, pieces }: Proving,
): Stretch[] | undefined {
  const end = until === undefined ? undefined : parsePosition(until);
  const last = end ?? numberIn(db, 'select coalesce(max(position), 0) from events');
  const largestStream = numberIn(db, 'select coalesce(max(id), 0) from streams');
  if (last < fewestEvents || pieces < 2 || largestStream > mostStreams(numberIn(db, 'select count(*) from streams')))
    return undefined;
  if (sealed !== undefined && (sealed.count > last || linkAt(eventAt, sealed.count) !== sealed.head)) return undefined;
  return borders(last, pieces).map(([first, border], at) => ({
    file,
    segment: { first, last: border, link: linkAt(eventAt, first - 1), largestStream, streams, notable },
    besideUpTo: at === 0 ? last : undefined,
  }));
}

/** First and last position of each piece. The first is smaller, because who has it looks beside the events, too. */
function borders(last: number, pieces: number): [first: number, last: number][] {
  const share = (last * (1 + besideShare)) / pieces;
  const ends = Array.from({ length: pieces }, (_, at) =>
    Math.max(at + 1, Math.round(share * (at + 1) - last * besideShare)),
  );
  return ends.map((end, at) => [(ends[at - 1] ?? 0) + 1, at === pieces - 1 ? last : end]);
}

function linkAt(eventAt: ProofSource['eventAt'], position: number): string {
  return position === 0 ? firstLink : (eventAt(position)?.link ?? 'none');
}

function joined(
  source: ProofSource,
  stretches: readonly Stretch[],
  proofs: readonly StretchProof[],
): LogProof | undefined {
  const segments = stretches.map(({ segment }) => segment);
  const [final] = segments.slice(-1);
  if (final === undefined || !areJoined(segments, proofs) || !areAsNoted(final, proofs)) return undefined;
  return summaryOf(source, final.last, proofs);
}

/** Each stretch ends with the link at which the next one began. */
function areJoined(segments: readonly Segment[], proofs: readonly StretchProof[]): boolean {
  return segments.every(({ link }, at) => at === 0 || proofs[at - 1]?.link === link);
}

/** Streams run on from stretch to stretch, and end as the store notes it. */
function areAsNoted({ largestStream, streams }: Segment, proofs: readonly StretchProof[]): boolean {
  const ends = createStreamEnds(largestStream, streams);
  const noted = proofs[0]?.noted;
  return noted !== undefined && proofs.every((proof) => joins(ends, proof.ends)) && areEnds(ends, noted);
}

function summaryOf({ eventAt }: ProofSource, count: number, proofs: readonly StretchProof[]): LogProof | undefined {
  const [first, last] = [eventAt(1), eventAt(count)];
  if (first === undefined || last === undefined) return undefined;
  return {
    count,
    head: proofs.at(-1)?.link ?? firstLink,
    first,
    last,
    redacted: proofs.reduce((sum, { redacted }) => sum + redacted, 0),
    notable: eventsAt(proofs, eventAt),
  };
}

/** Read one by one as they are asked for: there may be many, and each is looked at once. */
function* eventsAt(proofs: readonly StretchProof[], eventAt: ProofSource['eventAt']): Generator<LinkedEvent> {
  for (const { notable } of proofs)
    for (const position of notable) {
      const event = eventAt(position);
      if (event !== undefined) yield event;
    }
}

const numberIn = (db: Database.Database, sql: string): number => Number(db.prepare(sql).pluck().get());
