/** Async iterables over answers that come in many pieces: the lines of a bulk, the events of the log, the items of all pages. */
import type { components, operations } from './api.js';
import type { AnswerOf, InputOf, OperationId } from './operations.js';

type Schemas = components['schemas'];
type BulkLine = Schemas['SavedLine'] | Schemas['ValidLine'] | Schemas['RefusedLine'];

/** Operations that answer a page, and a `next_cursor` where there is another. */
export type PagedId = {
  [Id in OperationId]: AnswerOf<Id> extends { data: readonly unknown[]; next_cursor?: string } ? Id : never;
}[OperationId];

type ItemOf<Id extends PagedId> = AnswerOf<Id> extends { data: readonly (infer Item)[] } ? Item : never;

interface BulkOptions {
  readonly list_id: string;
  /** `false`: who has unsubscribed stays so. */
  readonly resubscribe?: boolean;
  readonly dry_run?: boolean;
  readonly signal?: AbortSignal;
}

/** How far a read of several pages is. */
export interface Progress {
  /** Number of items found so far. */
  readonly found: number;
  /** Number of events read so far, found or not. Undefined where the pages do not say. */
  readonly searched: number | undefined;
  /** Number of events in the log. Undefined where the pages do not say. */
  readonly total: number | undefined;
}

interface Watched {
  /** Is called after each page, also after a page without items. */
  readonly onProgress?: (progress: Progress) => void;
}

type EventsQuery = Omit<NonNullable<operations['listEvents']['parameters']['query']>, 'format' | 'follow'>;

export interface Iterables {
  /** Saves contacts, some hundreds a request, and yields the answer to each in order; `line` counts them from 1. */
  bulk(lines: Iterable<Schemas['ContactLine']>, options: BulkOptions): AsyncIterable<BulkLine>;
  /**
   * Yields the events after `after`, up to the end of the log. A page may be empty although more follow, so the search
   * continues until the end. To continue later, pass the `position` of the last event as `after`.
   */
  events(query?: EventsQuery & Watched & { readonly signal?: AbortSignal }): AsyncIterable<Schemas['FeedEvent']>;
  /** Yields the items of all pages: `client.all('listContacts', { path: { list_id } })`. */
  all<Id extends PagedId>(id: Id, input?: InputOf<Id> & Watched): AsyncIterable<ItemOf<Id>>;
}

export interface Calls {
  /** An operation that answers JSON. */
  readonly call: (
    id: OperationId,
    input: { readonly query?: object; readonly signal?: AbortSignal | undefined },
  ) => Promise<unknown>;
  /** POSTs lines, and resolves with those of the answer. */
  readonly postLines: (path: string, lines: string, signal?: AbortSignal) => Promise<string>;
}

const linesAtOnce = 500;

interface Page {
  readonly data: readonly unknown[];
  readonly next_cursor?: string;
  readonly next_after?: string;
  readonly has_more?: boolean;
  readonly searched?: number;
  readonly total?: number | null;
}

/** Returns the parameters of the next page, or undefined after the last page. */
type Next = { readonly cursor: string } | { readonly after: string };

function nextOf({ next_cursor: cursor, next_after: after, has_more }: Page): Next | undefined {
  if (cursor !== undefined) return { cursor };
  return has_more === true && after !== undefined ? { after } : undefined;
}

interface PagesInput extends Watched {
  readonly query?: object;
  readonly signal?: AbortSignal;
}

export function createIterables({ call, postLines }: Calls): Iterables {
  async function* bulk(
    lines: Iterable<object>,
    { list_id, resubscribe = true, dry_run = false, signal }: BulkOptions,
  ): AsyncGenerator<unknown> {
    const path = `/v1/contacts/${encodeURIComponent(list_id)}/bulk?resubscribe=${resubscribe}&dry_run=${dry_run}`;
    let done = 0;
    for (const batch of batchesOf(lines)) {
      const answers = await postLines(path, batch.map((line) => JSON.stringify(line)).join('\n'), signal);
      for (const text of answers.split('\n').filter((line) => line !== '')) {
        const answer = JSON.parse(text) as BulkLine;
        yield { ...answer, line: done + answer.line };
      }
      done += batch.length;
    }
  }

  async function* all(id: OperationId, { onProgress, ...input }: PagesInput = {}): AsyncGenerator<unknown> {
    let progress: Progress = { found: 0, searched: undefined, total: undefined };
    let next: Next | undefined;
    do {
      const page = (await call(id, { ...input, query: { ...input.query, ...next } })) as Page;
      progress = progressAfter(progress, page);
      onProgress?.(progress);
      yield* page.data;
      next = nextOf(page);
    } while (next !== undefined);
  }

  const events = ({ signal, onProgress, ...query }: PagesInput = {}): AsyncGenerator<unknown> =>
    all('listEvents', { query, ...(signal && { signal }), ...(onProgress && { onProgress }) });

  // The types say what the document says.
  return { bulk, events, all } as Iterables;
}

const progressAfter = ({ found, searched, total }: Progress, page: Page): Progress => ({
  found: found + page.data.length,
  searched: page.searched === undefined ? searched : (searched ?? 0) + page.searched,
  total: page.total ?? total,
});

function* batchesOf<Item>(items: Iterable<Item>): Generator<readonly Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < linesAtOnce) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
