/** What one thread looks through of the embedded log: some events, and what stands beside all of them where it is asked to. */
import { openForReading } from './schema.js';
import { proveSegment, type Segment, type SegmentProof } from './segment.js';
import { unsoundness } from './integrity-check.js';
import { notedEnds, type NotedEnds } from './stream-ends.js';

export interface Stretch {
  readonly file: string;
  readonly segment: Segment;
  /** Position of the last event of all. Undefined: what stands beside the events is another one's. */
  readonly besideUpTo: number | undefined;
}

export interface StretchProof extends SegmentProof {
  /** From the one that looks beside the events. */
  readonly noted: NotedEnds | undefined;
}

/** @returns undefined where anything is not as it should be. @throws an SqliteError or StoreUnavailableError where it cannot be read. */
export function proveStretch(
  { file, segment, besideUpTo }: Stretch,
  onCount: (events: number) => void,
): StretchProof | undefined {
  const db = openForReading(file);
  try {
    const proof = proveSegment(db, segment, onCount);
    if (proof === undefined || besideUpTo === undefined) return proof && { ...proof, noted: undefined };
    const noted = unsoundness(db) === undefined ? notedEnds(db, besideUpTo, segment.largestStream) : undefined;
    return noted && { ...proof, noted };
  } finally {
    db.close();
  }
}
