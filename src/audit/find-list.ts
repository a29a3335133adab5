/** Finds the list that an id or a name stands for. */
import { closestMatch } from 'leven';
import { ServiceError } from '../errors.js';
import { nameKey } from '../events/names.js';
import { versionAt, type Moment, type NameVersion, type NameVersions } from './names.js';

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
export async function findList(moment: Moment, text: string, { time, isIn }: ListWanted): Promise<FoundList> {
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

const bearersOf = (moment: Moment, key: string): Bearer[] =>
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

function noSuchList(moment: Moment, key: string): ServiceError {
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
