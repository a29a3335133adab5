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

/** Returns a page of the entries in the order of their keys. The keys are the cursors. */
export function pageOfEntries<Item>(
  entries: Iterable<readonly [key: string, item: Item]>,
  { limit, cursor = '' }: PageRequest,
): PageAnswer<Item> {
  const later = [...entries].filter(([key]) => key > cursor).sort(([one], [other]) => (one < other ? -1 : 1));
  const page = later.slice(0, limit);
  const items = page.map(([, item]) => item);
  const last = page.at(-1);
  return later.length > limit && last !== undefined ? { items, next_cursor: last[0] } : { items };
}

/** Returns the member beside `data` of an answer that may lack what a view could not fold. */
export const besideOf = (isIncomplete: boolean): { incomplete?: true } => (isIncomplete ? { incomplete: true } : {});

/** Returns the answer of a page. `next_cursor` and `incomplete` are beside `data`. */
export function answerOfPage<Item>(
  page: PageAnswer<Item> & { readonly isIncomplete?: boolean },
  { show = (item) => item, scope }: PageShape<Item>,
): Answer {
  return {
    data: page.items.map(show),
    beside: {
      ...(page.next_cursor === undefined ? {} : { next_cursor: scopeMark(scope) + page.next_cursor }),
      ...besideOf(page.isIncomplete === true),
    },
  };
}
