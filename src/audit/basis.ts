/** What an answer rests on: when it was given, how much of which log it has seen, and the end of the evidence chain there. */
import { ServiceError } from '../errors.js';
import type { Basis, LogHead } from './answers.js';
import { findList, type ListSearch } from './find-list.js';
import type { CataloguesAsOf, ReplaySources } from './names.js';

export interface AuditSources extends ReplaySources {
  /** The end of the log and of its chain, of one moment. @throws StoreUnavailableError */
  logHead(): Promise<LogHead>;
  /** Milliseconds since 1970. */
  clock(): number;
}

/** The log as of one position, for one answer or for all its pages. */
export interface AuditContext {
  readonly moment: CataloguesAsOf;
  readonly basis: Basis;
  readonly listId: string | undefined;
}

export interface AuditContextRequest extends Pick<ListSearch, 'namedAt' | 'contact' | 'signal'> {
  readonly times: readonly (string | undefined)[];
  /** Id or name. */
  readonly list?: string | undefined;
}

/** Nothing after this moment is in the answer. @throws ServiceError `no_such_list` @throws StoreUnavailableError @throws UnreadableHistoryError */
export async function openAuditContext(sources: AuditSources, request: AuditContextRequest): Promise<AuditContext> {
  const { logHead, clock, catalogues, reader, pace } = sources;
  const { times, list, ...search } = request;
  const head = await logHead();
  const moment = await catalogues.now(head.position);
  const answered_at = new Date(clock()).toISOString();
  const found = list === undefined ? undefined : await findList(list, { reader, pace, moment, ...search });
  const isFuture = times.some((one) => one !== undefined && one > answered_at);
  const basis = {
    answered_at,
    ...head,
    ...(isFuture ? { future: true as const } : {}),
    ...(found?.note === undefined ? {} : { list_note: found.note }),
  };
  return { moment, basis, listId: found?.listId };
}

/** A "never" is an answer: it says what it rests on. */
export const neverInList = (basis: Basis): ServiceError =>
  new ServiceError('never_in_list', { names: basisInWords(basis).join(' ') });

/** The basis of an answer in words; first what a reader must know before relying on it. */
export function basisInWords(basis: Basis): readonly string[] {
  const { answered_at, log_id, position, ordinal, head, unlinked, future, list_note } = basis;
  const chain = ordinal === null ? `position ${position}` : `event ${ordinal}, head ${head}`;
  const rest = unlinked && ordinal !== null ? `; what came after it, up to position ${position}, has no link yet` : '';
  return [
    ...(list_note === undefined ? [] : [list_note]),
    ...(future ? ['The time is in the future: this is how it is now, and what happens until then may change it.'] : []),
    `Answered at ${answered_at} from the log ${log_id}, up to ${chain}${rest}.`,
  ];
}
