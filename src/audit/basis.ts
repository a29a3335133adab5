/** What an answer rests on: when it was given, how much of which log it has seen, and the end of the evidence chain there. */
import type { Basis, LogHead } from './answers.js';
import { findList } from './find-list.js';
import type { Moment, ReplaySources } from './names.js';

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
