/** Compares two logs event by event: what a target has already before a copy, and everything after it. Nothing personal is shown. */
import { createHash } from 'node:crypto';
import {
  eventInWords,
  logStart,
  type EventReader,
  type Position,
  type StoredEvent,
} from '../eventstore/event-store.js';
import { eventsOf, type RetryOptions } from '../eventstore/with-retry.js';
import { refusedError } from '../failures.js';
import type { ReportProgress } from '../flow/progress.js';

export interface Comparison {
  /** The first difference, in words; undefined: identical. */
  readonly difference: string | undefined;
  readonly source: Digest;
  readonly target: Digest;
}

interface Digest {
  readonly events: number;
  /** Over one line of JSON for each event: `[stream, revision, id, type, data, metadata]`, all text. */
  readonly sha256: string;
}

export interface ComparedLogs extends RetryOptions {
  readonly source: Pick<EventReader, 'readAll'>;
  /** The last event of the source. The target is read to its end. */
  readonly until: Position;
  readonly target: Pick<EventReader, 'readAll'>;
  readonly total: number;
  readonly report: ReportProgress;
}

/** How much of the source is in the target: the number of events, and the position of the last one in the source. */
export interface CopyProgress {
  readonly events: number;
  readonly position: Position;
}

/**
 * Checks that the target holds nothing but the beginning of the source. Reads only.
 * @throws CommandFailedError naming the first difference.
 */
export async function findCommonBeginning(logs: ComparedLogs): Promise<CopyProgress> {
  const { report, total } = logs;
  let reached: CopyProgress = { events: 0, position: logStart };
  for await (const { place, wanted, found, difference } of pairsOf(logs)) {
    if (found === undefined) break;
    if (difference !== undefined || wanted === undefined)
      throw refusedError(`the target holds something else; nothing was written. ${sentence(difference)}`);
    reached = { events: place, position: wanted.position };
    report({ phase: 'comparing what is there already', done: place, total });
  }
  return reached;
}

const sentence = (text = ''): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;

/** Reads both to the end even if they differ, so that counts and digests are of the whole. */
export async function compareLogs(logs: ComparedLogs): Promise<Comparison> {
  const { report, total } = logs;
  const left = createDigest();
  const right = createDigest();
  let first: string | undefined;
  for await (const { place, wanted, found, difference } of pairsOf(logs)) {
    first ??= difference;
    left.add(wanted);
    right.add(found);
    report({ phase: 'comparing both logs', done: place, total: Math.max(total, place) });
  }
  return { difference: first, source: left.end(), target: right.end() };
}

/** `place` counts the events from 1; an event that is undefined stands for the end of its log. */
interface Pair {
  readonly place: number;
  readonly wanted: StoredEvent | undefined;
  readonly found: StoredEvent | undefined;
  readonly difference: string | undefined;
}

async function* pairsOf({ source, until, target, retry, signal }: ComparedLogs): AsyncGenerator<Pair> {
  const sources = eventsOf({ reader: source, until, retry, signal });
  const targets = eventsOf({ reader: target, retry, signal });
  try {
    for (let place = 1; ; place += 1) {
      const [{ value: wanted }, { value: found }] = await Promise.all([sources.next(), targets.next()]);
      if (wanted === undefined && found === undefined) return;
      yield { place, wanted, found, difference: differenceBetween(wanted, found, place) };
    }
  } finally {
    await Promise.all([sources.return(undefined), targets.return(undefined)]);
  }
}

/** What a copy keeps of an event, in the order in which it is compared. Positions are each log's own. */
const keptFields = ['stream', 'revision', 'id', 'type', 'data', 'metadata'] as const;

function differenceBetween(
  source: StoredEvent | undefined,
  target: StoredEvent | undefined,
  place: number,
): string | undefined {
  if (source === undefined)
    return target && `the source ends before event ${place}, where the target has ${eventInWords(target)}`;
  if (target === undefined)
    return `the target ends before event ${place}, where the source has ${eventInWords(source)}`;
  const field = keptFields.find((kept) => source[kept] !== target[kept]);
  if (field === undefined) return undefined;
  if (field === 'data' || field === 'metadata')
    return `event ${place}, ${eventInWords(source)}, has other ${field} in the target than in the source`;
  return `event ${place} differs in ${field}: the source has ${eventInWords(source)}, the target ${eventInWords(target)}`;
}

function createDigest() {
  const hash = createHash('sha256');
  let events = 0;
  return {
    add(event: StoredEvent | undefined): void {
      if (event === undefined) return;
      events += 1;
      const texts = keptFields.map((field) => String(event[field]));
      hash.update(`${JSON.stringify(texts)}\n`);
    },
    end: (): Digest => ({ events, sha256: hash.digest('hex') }),
  };
}
