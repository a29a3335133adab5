/** Compares a copy with its source: both logs are read from the first event, compared one by one, counted and digested. */
import { createHash } from 'node:crypto';
import type { EventReader, Position, StoredEvent } from '../eventstore/event-store.js';
import { differenceBetween, lineOf } from './copied-event.js';
import type { Report } from './progress.js';
import { eventsOf, type Retrying } from './with-retry.js';

export interface Comparison {
  /** The first difference, in words; undefined: identical. */
  readonly difference: string | undefined;
  readonly source: Digest;
  readonly target: Digest;
}

export interface Digest {
  readonly events: number;
  /** Over one line of JSON for each event: `[stream, revision, id, type, data, metadata]`, all text. */
  readonly sha256: string;
}

interface ComparedLogs extends Retrying {
  readonly source: Pick<EventReader, 'readAll'>;
  /** The last event of the source to be compared: the source may have grown since. The target is read to its end. */
  readonly until: Position;
  readonly target: Pick<EventReader, 'readAll'>;
  readonly total: number;
  readonly report: Report;
}

/** Reads both to the end even if they differ, so that counts and digests are of the whole. */
export async function compareLogs(logs: ComparedLogs): Promise<Comparison> {
  const { source, target, until, total, report, ...options } = logs;
  const left = createDigest();
  const right = createDigest();
  const sources = eventsOf({ reader: source, until, ...options });
  const targets = eventsOf({ reader: target, ...options });
  let difference: string | undefined;
  try {
    for (let place = 1; ; place += 1) {
      const [{ value: wanted }, { value: found }] = await Promise.all([sources.next(), targets.next()]);
      if (wanted === undefined && found === undefined) break;
      difference ??= differenceBetween(wanted, found, place);
      left.add(wanted);
      right.add(found);
      report({ phase: 'comparing both logs', done: place, total: Math.max(total, place) });
    }
  } finally {
    await Promise.all([sources.return(undefined), targets.return(undefined)]);
  }
  return { difference, source: left.end(), target: right.end() };
}

function createDigest() {
  const hash = createHash('sha256');
  let events = 0;
  return {
    add(event: StoredEvent | undefined): void {
      if (event === undefined) return;
      events += 1;
      hash.update(lineOf(event));
    },
    end: (): Digest => ({ events, sha256: hash.digest('hex') }),
  };
}
