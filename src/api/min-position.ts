/** Reads `X-Min-Position`: a position of this log that a read wants to see. */
import { ServiceError } from '../errors.js';
import type { Position } from '../eventstore/event-store.js';

export interface LogPositions {
  /** What the views show, as this process knows; `''` where it does not know yet. */
  readonly shown: () => Position;
  /** The head of the log, read now. @throws StoreUnavailableError */
  readonly head: () => Promise<Position>;
}

/**
 * The position to wait for, in the log's own form; undefined where the views show it already. Positions of one log are
 * digits of one length; zeros in front may be missing. @throws ServiceError `invalid_position` for anything else and for
 * a position beyond the head: it was given out by another log, or by this one before it was restored from a backup.
 */
export async function minPositionOf(header: string, { shown, head }: LogPositions): Promise<Position | undefined> {
  if (header === '') return undefined;
  if (!/^[0-9]+$/.test(header)) throw new ServiceError('invalid_position');
  const digits = header.replace(/^0+/, '');
  const isUpTo = (position: Position): boolean =>
    digits.length <= position.length && digits.padStart(position.length, '0') <= position;
  const visible = shown();
  if (visible !== '' && isUpTo(visible)) return undefined;
  const end = await head();
  if (!isUpTo(end)) throw new ServiceError('invalid_position');
  return digits.padStart(end.length, '0');
}
