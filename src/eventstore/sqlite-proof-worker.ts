/** A thread that looks through one stretch of the embedded log, and at what stands beside the events where it is asked to. */
import { parentPort, workerData } from 'node:worker_threads';
import { openForReading } from './sqlite-schema.js';
import { proveSegment, type Segment, type SegmentProof } from './sqlite-segment.js';

/** What the thread is given. */
export interface ProverData {
  readonly file: string;
  readonly segment: Segment;
  /** Whether it looks at indexes and pages of the file as well. */
  readonly beside: boolean;
}

/** What it says; `proof` ends it, and is null where anything is not as it should be. */
export type FromProver =
  { readonly type: 'count'; readonly events: number } | { readonly type: 'proof'; readonly proof: SegmentProof | null };

const main = parentPort;
if (main === null) throw new Error('sqlite-proof-worker runs as a worker thread only');
const { file, segment, beside } = workerData as ProverData;
const say = (message: FromProver): void => main.postMessage(message);

const db = openForReading(file);
const proof = proveSegment(db, segment, (events) => say({ type: 'count', events }));
// The quick check does not compare the indexes, by which streams are read, with their tables.
const isSound = proof !== undefined && (!beside || db.pragma('integrity_check(1)', { simple: true }) === 'ok');
db.close();
say({ type: 'proof', proof: isSound ? proof : null });
