/** Which events of the log are asked for, and between which positions they stand: days are found by searching, and not by reading all. */
import type { Position, StoredEvent } from '../eventstore/event-store.js';
import { isAskedFor, isOneOf, originOf } from './origin.js';
import type { AuditReader } from './reading.js';

export interface FeedFilter {
  /** Id of an API key, or a name of one of the configuration. */
  readonly actor?: string | undefined;
  readonly requestId?: string | undefined;
  /** First and last time. ISO 8601, UTC, milliseconds. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Of a contact. */
  readonly stream?: string | undefined;
  readonly listId?: string | undefined;
}

export function passes({ metadata, data }: StoredEvent, { requestId, listId, ...asked }: FeedFilter): boolean {
  if (listId !== undefined && !data.includes(JSON.stringify(listId))) return false;
  const origin = originOf(metadata);
  return isAskedFor(origin, asked) && isOneOf(origin.request_id, requestId);
}

/** Positions order events, and clocks date them: nothing is missed while no clock was off by more than half of this. */
const slackMs = 86_400_000;
/** The middle one of so many times counts, so that a few wrong ones mislead nobody. Odd. */
const eventsAProbe = 31;

interface PositionRange {
  /** Nothing at or before it is from that time. */
  readonly after: Position;
  /** Nothing after it is. */
  readonly until: Position;
}

/** Everything where positions are not the numbers of events: there no place between two others is known. @throws StoreUnavailableError */
export async function rangeOf(reader: AuditReader, { from, to }: FeedFilter): Promise<PositionRange> {
  const until = await reader.head();
  const probing = { reader, head: until };
  return {
    after: from === undefined ? '' : ((await lastProbe(probing, shifted(from, -slackMs)))?.before ?? ''),
    until: to === undefined ? until : ((await lastProbe(probing, shifted(to, slackMs)))?.next ?? until),
  };
}

const shifted = (time: string, by: number): string => {
  const moved = Math.min(Math.max(Date.parse(time) + by, 0), Date.UTC(9999, 11, 31));
  return new Date(moved).toISOString();
};

interface Probing {
  readonly reader: AuditReader;
  readonly head: Position;
}

interface Probe {
  /** Of the last place whose events are before the time: the position before them. Undefined: there is none. */
  readonly before: Position | undefined;
  /** Of the first place whose events are after it: their last position. Undefined: there is none. */
  readonly next: Position | undefined;
}

/** Undefined: this log cannot be searched. */
async function lastProbe({ reader, head }: Probing, time: string): Promise<Probe | undefined> {
  const padded = (number: bigint): Position => String(number).padStart(head.length, '0');
  let [low, high] = [0n, BigInt(head)];
  let found: Probe = { before: undefined, next: undefined };
  while (high - low > BigInt(eventsAProbe)) {
    const middle = (low + high) / 2n;
    if ((await reader.readAt(padded(middle))) === undefined) return undefined;
    const { at, last } = await timeAfter(reader, padded(middle));
    if (at !== undefined && at < time) [low, found] = [middle, { ...found, before: padded(middle) }];
    else [high, found] = [middle, { ...found, next: at === undefined ? found.next : last }];
  }
  return found;
}

async function timeAfter(reader: AuditReader, after: Position) {
  const events: StoredEvent[] = [];
  for await (const some of reader.readAll({ after, limit: eventsAProbe })) events.push(...some);
  const times = events.flatMap(({ metadata }) => originOf(metadata).at ?? []).sort();
  return { at: times[Math.floor(times.length / 2)], last: events.at(-1)?.position };
}
