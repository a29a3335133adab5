/** What verification says of a log that differs. */
import type { LinkedEvent } from '../eventstore/chain.js';
import type { Position } from '../eventstore/event-store.js';

type DifferenceKind =
  /** An event is not where it should be: dropped, moved or put in. */
  | 'missing'
  /** The event, or its link, is not what was written. */
  | 'link'
  | 'revision'
  /** An event happened before the one before it in its stream, or has no time. */
  | 'time'
  /** In data or metadata a name comes twice: programs would read different things. */
  | 'names'
  /** The history up to the seal is not what was sealed, though it is consistent in itself. */
  | 'sealed'
  /** The seal is of another log. Nothing more was compared. */
  | 'log'
  /** The log ends before the seal, or before its sealed head. */
  | 'shortened'
  /** The sealed head does not fit the log: somebody without the secret wrote to it. */
  | 'sealed_head'
  /** A kept root of a block is not that of its events, or is missing. */
  | 'tree'
  /** The views were folded from another log, or from more of this one than there is. */
  | 'views'
  /** What the store notes of a stream is not what its events say. */
  | 'stream'
  /** The store is damaged, or was made to find other events than it holds. */
  | 'store';

/** Where the log differs, as far as that is known. Nothing of it is personal. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** Number of the first event, from 1, that does not fit what stands before it or beside it; null where none is known. */
  readonly ordinal: number | null;
  /** The difference lies at or before this event; null where that is not known. */
  readonly until: number | null;
  readonly position: Position | null;
  readonly stream: string | null;
  readonly revision: number | null;
  readonly event_id: string | null;
  readonly type: string | null;
  readonly message: string;
}

type What = Pick<Difference, 'kind' | 'ordinal' | 'message'>;

export function differenceAt({ position, stream, revision, id, type }: LinkedEvent, what: What): Difference {
  return { ...what, until: what.ordinal, position, stream, revision: Number(revision), event_id: id, type };
}

export const nowhere = (what: What): Difference => ({
  ...what,
  ...{ until: null, position: null, stream: null, revision: null, event_id: null, type: null },
});
