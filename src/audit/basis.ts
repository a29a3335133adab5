/** The basis of an answer: when it was given, how much of which log it has seen, and the seal that covers it. */
import { ServiceError } from '../errors.js';
import type { Position } from '../eventstore/event-store.js';
import type { Basis, BasisWithoutSeal, LogBasis, SealOfAnswer } from './answers.js';
import { findList, type ListSearch } from './find-list.js';
import type { CataloguesAsOf, ReplaySources } from './names.js';

export interface AuditSources extends ReplaySources {
  /** Returns where the log ends, as of one moment. @throws StoreUnavailableError */
  logBasis(): Promise<LogBasis>;
  /** Returns the newest seal that covers the event at this position, or null if none does yet. @throws StoreUnavailableError */
  sealOf(position: Position): Promise<SealOfAnswer | null>;
  /** Milliseconds since 1970. */
  clock(): number;
}

/** The log as of one position, for one answer or for all its pages. */
export interface AuditContext {
  readonly moment: CataloguesAsOf;
  readonly basis: BasisWithoutSeal;
  readonly listId: string | undefined;
}

export interface AuditContextRequest extends Pick<ListSearch, 'namedAt' | 'contact' | 'signal'> {
  readonly times: readonly (string | undefined)[];
  /** Id or name. */
  readonly list?: string | undefined;
}

/** Fixes the moment of an answer, which shows nothing that is written later. @throws ServiceError `no_such_list` @throws StoreUnavailableError @throws UnreadableHistoryError */
export async function openAuditContext(sources: AuditSources, request: AuditContextRequest): Promise<AuditContext> {
  const { logBasis, clock, catalogues, reader, pace } = sources;
  const { times, list, ...search } = request;
  const end = await logBasis();
  const moment = await catalogues.now(end.position);
  const answered_at = new Date(clock()).toISOString();
  const found = list === undefined ? undefined : await findList(list, { reader, pace, moment, ...search });
  const isFuture = times.some((one) => one !== undefined && one > answered_at);
  const basis = {
    answered_at,
    ...end,
    ...(isFuture ? { future: true as const } : {}),
    ...(found?.note === undefined ? {} : { list_note: found.note }),
  };
  return { moment, basis, listId: found?.listId };
}

/**
 * Adds to a basis the newest seal that covers the last event in the answer. An answer without events rests on their
 * absence, so its seal must cover the whole log.
 */
export async function withSeal(
  { sealOf }: Pick<AuditSources, 'sealOf'>,
  basis: BasisWithoutSeal,
  answer: unknown,
): Promise<Basis> {
  const { answered_at, log_id, position, count, ...notes } = basis;
  const seal = await sealOf(lastPositionIn(answer) || position);
  return { answered_at, log_id, position, count, seal, ...notes };
}

/** Returns the last of all positions in an answer, or '' if it has none. The data of an event may have a member of that name, and is skipped. */
export function lastPositionIn(answer: unknown): Position {
  let last = '';
  if (typeof answer !== 'object' || answer === null) return last;
  for (const [name, value] of Object.entries(answer)) {
    if (name === 'data') continue;
    const position = name === 'position' && typeof value === 'string' ? value : lastPositionIn(value);
    if (position > last) last = position;
  }
  return last;
}

/** Says that a contact was never in a list, and what this rests on. */
export const neverInList = (basis: BasisWithoutSeal): ServiceError =>
  new ServiceError('never_in_list', { names: basisInWords(basis).join(' ') });

/** Returns the basis of an answer in words, beginning with what a reader must know before relying on the answer. */
export function basisInWords(basis: BasisWithoutSeal & Partial<Pick<Basis, 'seal'>>): readonly string[] {
  const { answered_at, log_id, position, count, seal, future, list_note } = basis;
  const end = count === null ? `position ${position}` : `event ${count}`;
  return [
    ...(list_note === undefined ? [] : [list_note]),
    ...(future ? ['The time is in the future: this is how it is now, and what happens until then may change it.'] : []),
    `Answered at ${answered_at} from the log ${log_id}, up to ${end}.`,
    ...(seal === undefined ? [] : [sealInWords(seal)]),
  ];
}

const sealInWords = (seal: SealOfAnswer | null): string =>
  seal === null
    ? 'No seal covers the events of this answer yet.'
    : `Covered by the seal of ${seal.sealed_at} over ${seal.count} events, root ${seal.root}.`;
