/** Paging: the request of a page and its answer. */
import { createHash } from 'node:crypto';
import { ServiceError } from '../../errors.js';
import type { PageAnswer, PageRequest } from '../../projections/queries.js';
import type { Answer } from './envelope.js';

/**
 * Returns `limit` and `cursor` of the query. A cursor is valid only for the collection and the filters of the page that it
 * came with, which are its `scope`. @throws ServiceError `invalid_cursor`
 */
export function pageRequest({ limit, cursor }: PageRequest, scope: readonly string[]): PageRequest {
  if (cursor === undefined) return { limit };
  const mark = scopeMark(scope);
  if (!cursor.startsWith(mark)) throw new ServiceError('invalid_cursor');
  return { limit, cursor: cursor.slice(mark.length) };
}

const scopeMark = (scope: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(scope)).digest('base64url').slice(0, 8);

interface PageShape<Item> {
  /** Returns an item as it is answered. Default: unchanged. */
  readonly show?: (item: Item) => unknown;
  readonly scope: readonly string[];
}

/** Returns the answer of a page. `next_cursor` and `incomplete` are beside `data`. */
export function answerOfPage<Item>(
  page: PageAnswer<Item> & { readonly isIncomplete?: boolean },
  { show = (item) => item, scope }: PageShape<Item>,
): Answer {
  return {
    data: page.items.map(show),
    beside: {
      ...(page.next_cursor === undefined ? {} : { next_cursor: scopeMark(scope) + page.next_cursor }),
      ...(page.isIncomplete === true ? { incomplete: true } : {}),
    },
  };
}
