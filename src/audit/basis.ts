/** What an answer rests on: when it was given, how much of which log it has seen, and the end of the evidence chain there. */
import { ServiceError } from '../errors.js';
import type { Basis, LogHead } from './answers.js';
import { findList } from './find-list.js';
import type { Moment, ReplaySources } from './names.js';
import { streamPages, type AuditReader } from './reading.js';

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
  /** When the list had the name. Else it is one that this contact was in. */
  readonly namedAt?: string | undefined;
  readonly contact?: { readonly stream: string; readonly contactId?: string | undefined };
}

/** Nothing after this moment is in the answer. @throws ServiceError `no_such_list` @throws StoreUnavailableError @throws UnreadableHistoryError */
export async function begin(sources: AuditSources, asked: Asked): Promise<Begun> {
  const { logHead, clock, catalogues, reader } = sources;
  const { times, list, namedAt: time, contact } = asked;
  const head = await logHead();
  const moment = await catalogues.now(head.position);
  const answered_at = new Date(clock()).toISOString();
  const isIn = contact && ((ids: readonly string[]) => listsIn(reader, { ...contact, ids, horizon: head.position }));
  const found = list === undefined ? undefined : await findList(moment, list, { time, ...(isIn && { isIn }) });
  const isFuture = times.some((one) => one !== undefined && one > answered_at);
  const basis = {
    answered_at,
    ...head,
    ...(isFuture ? { future: true as const } : {}),
    ...(found?.note === undefined ? {} : { list_note: found.note }),
  };
  return { moment, basis, listId: found?.listId };
}

interface InLists extends NonNullable<Asked['contact']> {
  readonly ids: readonly string[];
  readonly horizon: string;
}

/** Which of the lists the events of a contact name. */
async function listsIn(reader: AuditReader, { stream, contactId = '', ids, horizon }: InLists) {
  const named = new Set<string>();
  for await (const page of streamPages(reader, { stream, from: 0n, horizon }))
    for (const { data } of page)
      if (data.includes(contactId)) for (const id of ids) if (data.includes(id)) named.add(id);
  return (id: string): boolean => named.has(id);
}

/** A "never" is an answer: it says what it rests on. */
export const neverInList = (basis: Basis): ServiceError =>
  new ServiceError('never_in_list', { names: basisInWords(basis).join(' ') });

/** What an answer rests on, after what must be known of it. */
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
