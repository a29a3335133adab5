/** Finds the list that a person means, by its id or by a name that it has or had. */
import { closestMatch } from 'leven';
import { ServiceError } from '../errors.js';
import { nameKey } from '../events/catalogues.js';
import { versionAt, type CataloguesAsOf, type NameVersion, type NameVersions } from './names.js';
import { streamPages, type AuditReader } from './reading.js';
import type { ReplayPace } from './replay-pace.js';

export interface ListSearch {
  readonly reader: AuditReader;
  readonly pace: ReplayPace;
  readonly moment: CataloguesAsOf;
  /** When the list had the name. Else it is one that this contact was in. */
  readonly namedAt?: string | undefined;
  readonly contact?: { readonly stream: string; readonly contactId?: string | undefined } | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface FoundList {
  readonly listId: string;
  /** Why this one, in words, where it was found by its name. */
  readonly note?: string;
}

/**
 * An id wins. Of several lists that had the name: as `ListSearch` says, else the one that has it now, else a living one
 * that had it, else the one that was deleted last. @throws ServiceError `no_such_list` @throws StoreUnavailableError
 */
export async function findList(text: string, search: ListSearch): Promise<FoundList> {
  const { moment, namedAt } = search;
  if (moment.versions('list', text) !== undefined) return { listId: text };
  const key = nameKey(text);
  const bearers = bearersOf(moment, key).sort(byRank);
  const [first] = bearers;
  if (first === undefined) throw noSuchList(moment, key);
  const hadIt =
    namedAt === undefined ? undefined : bearers.find(({ versions }) => isNamed(versionAt(versions, namedAt), key));
  const chosen = hadIt ?? (bearers.length > 1 ? await bearerOfContact(bearers, search) : undefined) ?? first;
  const others = bearers.filter((one) => one !== chosen);
  return {
    listId: chosen.id,
    note: [`"${chosen.name}" stands for the list ${bearerInWords(chosen)}.`, ...othersInWords(others)].join(' '),
  };
}

/** The first of them that the events of the contact name. */
async function bearerOfContact(
  bearers: readonly Bearer[],
  { reader, pace, moment, contact, signal }: ListSearch,
): Promise<Bearer | undefined> {
  if (contact === undefined) return undefined;
  const { stream, contactId = '' } = contact;
  const named = new Set<Bearer>();
  for await (const page of streamPages(reader, { stream, from: 0n, horizon: moment.horizon, pace, signal }))
    for (const { data } of page)
      if (data.includes(contactId)) for (const bearer of bearers) if (data.includes(bearer.id)) named.add(bearer);
  return bearers.find((bearer) => named.has(bearer));
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

function bearerInWords({ id, last, rank }: Bearer): string {
  if (rank === 0) return `${id}, which has this name now`;
  return rank === 1 ? `${id}, whose name is now "${last.name}"` : `${id}, which was deleted at ${last.at}`;
}

const mostNamed = 3;

function othersInWords(others: readonly Bearer[]): readonly string[] {
  if (others.length === 0) return [];
  const more = others.length > mostNamed ? [`${others.length - mostNamed} more`] : [];
  return [`It was also the name of ${[...others.slice(0, mostNamed).map(bearerInWords), ...more].join('; ')}.`];
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
