/**
 * Looks through a long embedded log in several threads. Links allow it: each is kept beside its event, so that a stretch can
 * begin anywhere at the link that is kept there, and the stretch before finds out whether that link is right.
 */
import type Database from 'better-sqlite3';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { firstLink, type LinkedEvent, type LogProof, type ProofRequest } from './chain.js';
import type { FromProver, ThreadProof, ProverData } from './sqlite-proof-worker.js';
import { parsePosition } from './sqlite-schema.js';
import type { Segment } from './sqlite-segment.js';
import { areEnds } from './sqlite-stream-ends.js';
import { createStreamEnds, joins } from './stream-ends.js';

const workerUrl = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/eventstore/sqlite-proof-worker.js' : './sqlite-proof-worker.js',
  import.meta.url,
);

/** Fewer are read in less time than threads take to start. */
const fewestEvents = 20_000;
const mostThreads = 4;
/** The time to look beside the events, in parts of the time to look through them. */
const besideShare = 0.25;
const mostNotable = 100_000;

export interface ProofSource {
  readonly file: string;
  readonly db: Database.Database;
  /** As it is stored. */
  readonly eventAt: (position: number) => LinkedEvent | undefined;
}

/** As `LinkSource.prove`. */
export async function proveLog(source: ProofSource, request: ProofRequest): Promise<LogProof | undefined> {
  const segments = segmentsOf(source, request);
  if (segments === undefined) return undefined;
  let done = 0;
  const proofs = await inThreads(source.file, segments, {
    signal: request.signal,
    onCount(events) {
      done += events;
      request.onProgress?.(done);
    },
  });
  const isWhole = proofs !== undefined && areJoined(segments, proofs) && areAsNoted(segments, proofs);
  return isWhole ? summaryOf(source, segments, proofs) : undefined;
}

type Segments = readonly [Segment, ...Segment[]];

/** Undefined where one pass is as good, or where what is asked for can be refused at once. */
function segmentsOf({ db, eventAt }: ProofSource, request: ProofRequest): Segments | undefined {
  const { until, sealed, streams, notable } = request;
  const last =
    (until === undefined ? undefined : parsePosition(until)) ??
    numberIn(db, 'select coalesce(max(position), 0) from events');
  const largestStream = numberIn(db, 'select coalesce(max(id), 0) from streams');
  const threads = Math.min(mostThreads, availableParallelism());
  if (last < fewestEvents || threads < 2 || largestStream > 2 * last) return undefined;
  if (sealed !== undefined && (sealed.count > last || linkAt(eventAt, sealed.count) !== sealed.head)) return undefined;
  // The first thread looks beside the events, too.
  const share = (last * (1 + besideShare)) / threads;
  const borders = Array.from({ length: threads }, (_, at) =>
    at === threads - 1 ? last : Math.max(1, Math.round(share * (at + 1) - last * besideShare)),
  );
  const segments = borders.map((border, at): Segment => {
    const first = (borders[at - 1] ?? 0) + 1;
    return { first, last: border, link: linkAt(eventAt, first - 1), largestStream, streams, notable };
  });
  return segments as [Segment, ...Segment[]];
}

function linkAt(eventAt: ProofSource['eventAt'], position: number): string {
  return position === 0 ? firstLink : (eventAt(position)?.link ?? 'none');
}

interface Watch {
  readonly signal: AbortSignal | undefined;
  readonly onCount: (events: number) => void;
}

/** Undefined as soon as one of them has found something. */
async function inThreads(file: string, segments: Segments, watch: Watch): Promise<ThreadProof[] | undefined> {
  const last = segments.at(-1)?.last;
  const threads = segments.map((segment, at) =>
    startThread({ file, segment, besideUpTo: at === 0 ? last : undefined }, watch.onCount),
  );
  const stop = (): void => threads.forEach(({ worker }) => void worker.terminate());
  watch.signal?.addEventListener('abort', stop);
  try {
    const proofs = await Promise.all(threads.map(({ proof }) => proof.then(demanded)));
    watch.signal?.throwIfAborted();
    return proofs;
  } catch {
    watch.signal?.throwIfAborted();
    return undefined;
  } finally {
    watch.signal?.removeEventListener('abort', stop);
    stop();
  }
}

function startThread(workerData: ProverData, onCount: Watch['onCount']) {
  const worker = new Worker(workerUrl, { workerData, name: 'log-prover' });
  const proof = new Promise<ThreadProof | null>((resolve) => {
    worker.on('message', (message: FromProver) => {
      if (message.type === 'count') onCount(message.events);
      else resolve(message.proof);
    });
    // Whoever reads event by event will meet the same, and say it.
    worker.on('error', () => resolve(null));
    worker.on('exit', () => resolve(null));
  });
  return { worker, proof };
}

function demanded(proof: ThreadProof | null): ThreadProof {
  if (proof === null) throw new Error('a stretch of the log is not as it should be');
  return proof;
}

/** Each stretch ends with the link at which the next one began. */
function areJoined(segments: Segments, proofs: readonly ThreadProof[]): boolean {
  return segments.every(({ link }, at) => at === 0 || proofs[at - 1]?.link === link);
}

/** Streams run on from stretch to stretch, and end as the store notes it. */
function areAsNoted(segments: Segments, proofs: readonly ThreadProof[]): boolean {
  const ends = createStreamEnds(segments[0].largestStream);
  const noted = proofs[0]?.noted;
  return noted !== undefined && proofs.every((proof) => joins(ends, proof.ends)) && areEnds(ends, noted);
}

function summaryOf({ eventAt }: ProofSource, segments: Segments, proofs: readonly ThreadProof[]): LogProof | undefined {
  const count = segments.at(-1)?.last ?? 0;
  const positions = proofs.flatMap(({ notable }) => notable);
  if (positions.length > mostNotable) return undefined;
  const [first, last, ...notable] = [1, count, ...positions].map(eventAt);
  if (first === undefined || last === undefined) return undefined;
  return {
    count,
    head: proofs.at(-1)?.link ?? firstLink,
    first,
    last,
    redacted: proofs.reduce((sum, { redacted }) => sum + redacted, 0),
    notable: notable.filter((event) => event !== undefined),
  };
}

const numberIn = (db: Database.Database, sql: string): number => Number(db.prepare(sql).pluck().get());
