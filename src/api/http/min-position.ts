/** Reads `X-Min-Position`: a position of this log that a read wants to see. */
import { positionUpTo } from '../../audit/feed.js';
import { ServiceError } from '../../errors.js';
import type { Position } from '../../eventstore/event-store.js';

export interface LogPositions {
  /** What the views show, as this process knows; `''` where it does not know yet. */
  readonly shown: () => Position;
  /** The head of the log, read now. @throws StoreUnavailableError */
  readonly head: () => Promise<Position>;
}

/** The position to wait for; undefined where the views show it already. @throws ServiceError `invalid_position`, see `positionUpTo` */
export async function minPositionOf(header: string, { shown, head }: LogPositions): Promise<Position | undefined> {
  if (header === '' || positionUpTo(header, shown()) !== undefined) return undefined;
  const position = positionUpTo(header, await head());
  if (position === undefined) throw new ServiceError('invalid_position');
  return position;
}
