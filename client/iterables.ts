/** What comes in many pieces, as async iterables: the answers to a bulk, the events of the log, the items of all pages. */
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

type EventsQuery = Omit<NonNullable<operations['listEvents']['parameters']['query']>, 'format' | 'follow'>;

export interface Iterables {
  /** Saves contacts, some hundreds a request, and yields the answer to each in order; `line` counts them from 1. */
  bulk(lines: Iterable<Schemas['ContactLine']>, options: BulkOptions): AsyncIterable<BulkLine>;
  /** The events after `after`, up to the last one that there is. Go on with the `position` of the last. */
  events(query?: EventsQuery & { readonly signal?: AbortSignal }): AsyncIterable<Schemas['FeedEvent']>;
  /** The items of all pages: `client.all('listContacts', { path: { list_id } })`. */
  all<Id extends PagedId>(id: Id, input?: InputOf<Id>): AsyncIterable<ItemOf<Id>>;
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

  async function* events({ signal, ...query }: { after?: string; signal?: AbortSignal } = {}): AsyncGenerator<unknown> {
    for (let { after } = query, more = true; more;) {
      const page = (await call('listEvents', { query: { ...query, after }, signal })) as Page;
      yield* page.data;
      after = page.next_after;
      more = page.has_more === true;
    }
  }

  async function* all(id: OperationId, input: { query?: object; signal?: AbortSignal } = {}): AsyncGenerator<unknown> {
    let cursor: string | undefined;
    do {
      const query = { ...input.query, ...(cursor !== undefined && { cursor }) };
      const page = (await call(id, { ...input, query })) as Page;
      yield* page.data;
      cursor = page.next_cursor;
    } while (cursor !== undefined);
  }

  // The types say what the document says.
  return { bulk, events, all } as Iterables;
}

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
