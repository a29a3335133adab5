/** How positions of an EventStoreDB are written: commit and prepare as decimal text of equal length, so that they sort. */
import type { Position as LogPosition } from '@eventstore/db-client';
import { StoreUnavailableError, type Position } from '../event-store.js';

const digits = 20;
/** The server's positions are signed 64-bit numbers. */
const largest = 2n ** 63n - 1n;
const pattern = /^\d{40}$/;

/** The server says with all bits set that it tells none. */
export const isPosition = (position: LogPosition | undefined): position is LogPosition =>
  position !== undefined && position.commit <= largest && position.prepare <= largest;

/** @throws StoreUnavailableError the server did not say where the event stands. */
export function fromLogPosition(position: LogPosition | undefined): Position {
  // Servers before 22.10 answer with all bits set when one stream is read.
  if (!isPosition(position))
    throw new StoreUnavailableError('the server tells no positions of events: EventStoreDB 22.10 or later is needed');
  return `${position.commit}`.padStart(digits, '0') + `${position.prepare}`.padStart(digits, '0');
}

/** Undefined when the text cannot be a position of such a log; `logStart` is none either. */
export function toLogPosition(position: Position): LogPosition | undefined {
  if (!pattern.test(position)) return undefined;
  const commit = BigInt(position.slice(0, digits));
  const prepare = BigInt(position.slice(digits));
  return commit > largest || prepare > commit ? undefined : { commit, prepare };
}

/** The adapter's own stream for the log with this prefix. It is in no read of the log. */
export const copiesStream = (prefix: string): string => `~redacted-${prefix}`;

export function demandPosition(position: Position): LogPosition {
  const parsed = toLogPosition(position);
  if (parsed === undefined) throw new TypeError(`${JSON.stringify(position)} is not a position of this log`);
  return parsed;
}
