/** What all reads share: waiting for one's own writes, parked streams, paging. */
import { createHash } from 'node:crypto';
import { ServiceError } from '../../errors.js';
import type { PageAnswer, PageRequest } from '../../projections/queries.js';
import type { OwnWrites } from '../../projector/read-your-writes.js';
import type { Call } from './endpoint-runner.js';
import type { Answer } from './envelope.js';

export interface StreamOfView {
  readonly view: string;
  readonly stream: string;
}

export interface Reads {
  /**
   * Resolves when the read models may be asked. @throws ServiceError `unavailable` when they do not come far enough in
   * time or one of the streams is parked
   */
  visible(
    call: Pick<Call, 'minPosition'>,
    needs: { readonly touched: readonly string[]; readonly parked: readonly StreamOfView[] },
  ): Promise<void>;
  /** Whether pages of one of these views may lack documents. */
  isIncomplete(views: readonly string[]): boolean;
  isParked(parked: StreamOfView): boolean;
  /** @throws ServiceError `unavailable` when the stream is parked for the view. */
  checkParked(parked: StreamOfView): void;
}

/** `parked` returns the streams that a view cannot fold at present. */
export function createReads(ownWrites: OwnWrites, parked: () => readonly StreamOfView[]): Reads {
  const isParked = ({ view, stream }: StreamOfView): boolean =>
    parked().some((one) => one.view === view && one.stream === stream);
  const checkParked = (stream: StreamOfView): void => {
    if (isParked(stream)) throw new ServiceError('unavailable', {}, { retryAfter: 60 });
  };
  return {
    isParked,
    checkParked,
    isIncomplete: (views) => parked().some(({ view }) => views.includes(view)),
    async visible({ minPosition }, needs) {
      const wait = ownWrites.visible(needs.touched, minPosition);
      if (wait !== undefined) await wait;
      needs.parked.forEach(checkParked);
    },
  };
}

/**
 * `limit` and `cursor` of the query. A cursor is valid only for the collection and the filters that it was given out
 * for, its `scope`. @throws ServiceError `invalid_cursor`
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
  /** Default: as it is. */
  readonly show?: (item: Item) => unknown;
  /** Default: false. */
  readonly isIncomplete?: boolean;
  readonly scope: readonly string[];
}

/** The answer of a page; `next_cursor` and `incomplete` stand beside `data`. */
export function answerOfPage<Item>(
  page: PageAnswer<Item>,
  { show = (item) => item, isIncomplete = false, scope }: PageShape<Item>,
): Answer {
  return {
    data: page.items.map(show),
    beside: {
      ...(page.next_cursor === undefined ? {} : { next_cursor: scopeMark(scope) + page.next_cursor }),
      ...(isIncomplete ? { incomplete: true } : {}),
    },
  };
}
