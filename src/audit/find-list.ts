/** Finds the list that an id or a name stands for. */
import { closestMatch } from 'leven';
import { ServiceError } from '../errors.js';
import { nameKey } from '../events/names.js';
import type { Moment, NameVersion } from './names.js';

interface FoundList {
  readonly listId: string;
  /** Why this one, in words, where it was found by its name. */
  readonly note?: string;
}

/**
 * An id wins. Of lists that had the name at different times: the one that has it now, else a living one that had it,
 * else the one that was deleted last. @throws ServiceError `no_such_list`
 */
export function findList(moment: Moment, text: string): FoundList {
  if (moment.versions('list', text) !== undefined) return { listId: text };
  const key = nameKey(text);
  const bearers = bearersOf(moment, key).sort(byRank);
  const [chosen, ...others] = bearers;
  if (chosen === undefined) throw noSuchList(moment, key);
  return {
    listId: chosen.id,
    note: [`"${chosen.name}" is taken for the list ${told(chosen)}.`, ...alsoSo(others)].join(' '),
  };
}

interface Bearer {
  readonly id: string;
  /** As it was written. */
  readonly name: string;
  readonly last: NameVersion;
  /** Nothing but a deletion came after the name. */
  readonly isLast: boolean;
}

function bearersOf(moment: Moment, key: string): Bearer[] {
  const found: Bearer[] = [];
  for (const [id, versions] of moment.lists()) {
    const named = versions.findLast(({ name }) => nameKey(name) === key);
    const last = versions.at(-1);
    if (named !== undefined && last !== undefined) found.push({ id, name: named.name, last, isLast: named === last });
  }
  return found;
}

function byRank(a: Bearer, b: Bearer): number {
  const rank = ({ last, isLast }: Bearer): number => (last.isDeletion ? 2 : isLast ? 0 : 1);
  return rank(a) - rank(b) || (a.last.position < b.last.position ? 1 : -1);
}

function told({ id, last, isLast }: Bearer): string {
  if (last.isDeletion) return `${id}, which was deleted at ${last.at}`;
  return isLast ? `${id}, which has this name now` : `${id}, whose name is now "${last.name}"`;
}

const mostTold = 3;

function alsoSo(others: readonly Bearer[]): readonly string[] {
  if (others.length === 0) return [];
  const more = others.length > mostTold ? [`${others.length - mostTold} more`] : [];
  return [`It was also the name of ${[...others.slice(0, mostTold).map(told), ...more].join('; ')}.`];
}

const longestName = 255;

function noSuchList(moment: Moment, key: string): ServiceError {
  const names = new Map<string, string>();
  for (const [, versions] of moment.lists()) for (const { name } of versions) names.set(nameKey(name), name);
  const maxDistance = Math.max(1, Math.floor(key.length / 3));
  const near = key.length > longestName ? undefined : closestMatch(key, [...names.keys()], { maxDistance });
  if (near === undefined) return new ServiceError('no_such_list');
  return new ServiceError('no_such_list_near', { names: `"${names.get(near) ?? near}"` });
}
