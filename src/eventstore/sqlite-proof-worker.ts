/** A thread that looks through one stretch of the embedded log, and at what stands beside the events where it is asked to. */
import { parentPort, workerData } from 'node:worker_threads';
import { openForReading } from './sqlite-schema.js';
import { proveSegment, type Segment, type SegmentProof } from './sqlite-segment.js';
import { notedEnds, type NotedEnds } from './sqlite-stream-ends.js';

/** What the thread is given. */
export interface ProverData {
  readonly file: string;
  readonly segment: Segment;
  /** Position of the last event of all. Undefined: what stands beside the events is another thread's. */
  readonly besideUpTo: number | undefined;
}

/** What it says; `proof` ends it, and is null where anything is not as it should be. */
export type FromProver =
  { readonly type: 'count'; readonly events: number } | { readonly type: 'proof'; readonly proof: ThreadProof | null };

export interface ThreadProof extends SegmentProof {
  /** From the one that looks beside the events. */
  readonly noted: NotedEnds | undefined;
}

const main = parentPort;
if (main === null) throw new Error('sqlite-proof-worker runs as a worker thread only');
const { file, segment, besideUpTo } = workerData as ProverData;
const say = (message: FromProver): void => main.postMessage(message);

const db = openForReading(file);
const proof = proveSegment(db, segment, (events) => say({ type: 'count', events }));
// The quick check does not compare the indexes, by which streams are read, with their tables.
const isSound = besideUpTo === undefined || db.pragma('integrity_check(1)', { simple: true }) === 'ok';
const noted = besideUpTo === undefined ? undefined : notedEnds(db, besideUpTo, segment.largestStream);
db.close();
say({ type: 'proof', proof: proof !== undefined && isSound ? { ...proof, noted } : null });
