/** What an answer rests on: when it was given, how much of which log it has seen, and the end of the evidence chain there. */
import { ServiceError } from '../errors.js';
import type { Basis, LogHead } from './answers.js';
import { versionAt, type CataloguesAsOf, type NameVersion, type NameVersions, type ReplaySources } from './names.js';
import { streamPages, type AuditReader } from './reading.js';
import { closestMatch } from 'leven';
import { nameKey } from '../events/catalogues.js';

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

export interface AuditContextRequest {
  readonly times: readonly (string | undefined)[];
  /** Id or name. */
  readonly list?: string | undefined;
  /** When the list had the name. Else it is one that this contact was in. */
  readonly namedAt?: string | undefined;
  readonly contact?: { readonly stream: string; readonly contactId?: string | undefined };
}

/** Nothing after this moment is in the answer. @throws ServiceError `no_such_list` @throws StoreUnavailableError @throws UnreadableHistoryError */
export async function openAuditContext(sources: AuditSources, asked: AuditContextRequest): Promise<AuditContext> {
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

interface InLists extends NonNullable<AuditContextRequest['contact']> {
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

interface FoundList {
  readonly listId: string;
  /** Why this one, in words, where it was found by its name. */
  readonly note?: string;
}

/** What decides between several lists that had the name. */
export interface ListWanted {
  /** The one that had it at this time. */
  readonly time?: string | undefined;
  /** Else those that the contact was in, of some. */
  isIn?(ids: readonly string[]): Promise<(id: string) => boolean>;
}

/**
 * An id wins. Of several lists that had the name: as `ListWanted` says, else the one that has it now, else a living one
 * that had it, else the one that was deleted last. @throws ServiceError `no_such_list`
 */
export async function findList(moment: CataloguesAsOf, text: string, { time, isIn }: ListWanted): Promise<FoundList> {
  if (moment.versions('list', text) !== undefined) return { listId: text };
  const key = nameKey(text);
  const bearers = bearersOf(moment, key).sort(byRank);
  const [first] = bearers;
  if (first === undefined) throw noSuchList(moment, key);
  const hadIt =
    time === undefined ? undefined : bearers.find(({ versions }) => isNamed(versionAt(versions, time), key));
  const wasIn = hadIt === undefined && bearers.length > 1 ? await isIn?.(bearers.map(({ id }) => id)) : undefined;
  const chosen = hadIt ?? bearers.find(({ id }) => wasIn?.(id)) ?? first;
  const others = bearers.filter((one) => one !== chosen);
  return {
    listId: chosen.id,
    note: [`"${chosen.name}" stands for the list ${told(chosen)}.`, ...alsoSo(others)].join(' '),
  };
}

const isNamed = (version: NameVersion | undefined, key: string): boolean =>
  version?.isDeletion === false && nameKey(version.name) === key;

interface Bearer {
  readonly id: string;
  readonly versions: NameVersions;
  /** As it was written. */
  readonly name: string;
  readonly last: NameVersion;
  /** 0: it has the name now; 1: it lives, under another name; 2: it was deleted. */
  readonly rank: number;
}

const bearersOf = (moment: CataloguesAsOf, key: string): Bearer[] =>
  [...moment.lists()].flatMap(([id, versions]) => {
    const named = versions.findLast(({ name }) => nameKey(name) === key);
    const last = versions.at(-1);
    if (named === undefined || last === undefined) return [];
    return [{ id, versions, name: named.name, last, rank: last.isDeletion ? 2 : named === last ? 0 : 1 }];
  });

const byRank = (a: Bearer, b: Bearer): number => a.rank - b.rank || (a.last.position < b.last.position ? 1 : -1);

function told({ id, last, rank }: Bearer): string {
  if (rank === 0) return `${id}, which has this name now`;
  return rank === 1 ? `${id}, whose name is now "${last.name}"` : `${id}, which was deleted at ${last.at}`;
}

const mostTold = 3;

function alsoSo(others: readonly Bearer[]): readonly string[] {
  if (others.length === 0) return [];
  const more = others.length > mostTold ? [`${others.length - mostTold} more`] : [];
  return [`It was also the name of ${[...others.slice(0, mostTold).map(told), ...more].join('; ')}.`];
}

/** More, or longer ones, would keep everybody else waiting: the comparison takes the product of the lengths. */
const comparedNames = 300;
const longestCompared = 64;

function noSuchList(moment: CataloguesAsOf, key: string): ServiceError {
  const names = new Map<string, string>();
  const maxDistance = Math.max(1, Math.floor(key.length / 3));
  if (key.length <= longestCompared)
    for (const [, versions] of moment.lists()) {
      for (const { name } of versions)
        if (Math.abs(name.length - key.length) <= maxDistance) names.set(nameKey(name), name);
      if (names.size >= comparedNames) break;
    }
  const near = closestMatch(key, [...names.keys()], { maxDistance });
  if (near === undefined) return new ServiceError('no_such_list');
  return new ServiceError('no_such_list_near', { names: `"${names.get(near) ?? near}"` });
}
