/** What an answer rests on: when it was given, how much of which log it has seen, and the end of the evidence chain there. */
import { findList } from './find-list.js';
import type { Moment, ReplaySources } from './names.js';

export interface LogHead {
  /** Null: nothing was ever written to the log. */
  readonly log_id: string | null;
  /** Of the last event of the log. */
  readonly position: string;
  /** Number of events in the chain, up to there; null: no chain is known. */
  readonly ordinal: number | null;
  /** The link of the last of them, in hex. */
  readonly head: string | null;
  /** The events after that one, up to `position`, have no link yet. */
  readonly unlinked?: true;
}

export interface Basis extends LogHead {
  readonly answered_at: string;
  /** A time that was asked for had not come yet. */
  readonly future?: true;
  /** Which list was taken, where it was asked for by its name. */
  readonly list_note?: string;
}

export interface AuditSources extends ReplaySources {
  /** The end of the log and of its chain, of one moment. @throws StoreUnavailableError */
  logHead(): Promise<LogHead>;
  /** Milliseconds since 1970. */
  clock(): number;
}

/** One moment of the log, for one answer or for all its pages. */
export interface Begun {
  readonly moment: Moment;
  readonly basis: Basis;
  readonly listId: string | undefined;
}

export interface Asked {
  readonly times: readonly (string | undefined)[];
  /** Id or name. */
  readonly list?: string | undefined;
}

/** Nothing after this moment is in the answer. @throws ServiceError `no_such_list` @throws StoreUnavailableError @throws UnreadableHistoryError */
export async function begin({ logHead, clock, catalogues }: AuditSources, { times, list }: Asked): Promise<Begun> {
  const head = await logHead();
  const moment = await catalogues.now(head.position);
  const answered_at = new Date(clock()).toISOString();
  const found = list === undefined ? undefined : findList(moment, list);
  const isFuture = times.some((time) => time !== undefined && time > answered_at);
  const basis = {
    answered_at,
    ...head,
    ...(isFuture ? { future: true as const } : {}),
    ...(found?.note === undefined ? {} : { list_note: found.note }),
  };
  return { moment, basis, listId: found?.listId };
}
