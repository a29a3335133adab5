/** How queries read views: a query opens the views that it reads, and its reader waits before each read. */
import type { DocumentPage, FindQuery, ReadModelReader, View } from '../readmodels/read-models.js';

/**
 * Reads the views that one query has opened. Every read of another view throws. A read waits until the view shows what
 * this process wrote before the query began to the documents that are read. The waits of a query take at most 2 s together.
 * @throws ServiceError `unavailable` after 2 s, or if a catalogue (groups, lists or tags) is parked for one of the views
 */
export interface QueryReader extends Pick<ReadModelReader, 'get' | 'getMany' | 'getEach' | 'find' | 'search'> {
  /** Finds the documents of one stream. Waits for the writes to this stream only. */
  findInStream<D>(view: View, stream: string, query: Omit<FindQuery, 'where'>): Promise<DocumentPage<D>>;
  /** Waits as a read of the whole view does. For answers that are kept in memory. Returns undefined if there is nothing to wait for. */
  settle(view: View): Promise<void> | undefined;
  /** Returns whether the answer may lack documents, because a stream is parked for one of the views. */
  isIncomplete(): boolean;
  /** Returns whether the documents of this stream may be out of date, because the view cannot fold one of its events. */
  isParked(view: View, stream: string): boolean;
  /** @throws ServiceError `unavailable` if the stream is parked for the view */
  refuseParked(view: View, stream: string): void;
  /** @throws ServiceError `unavailable` if the answer may lack documents */
  refuseIncomplete(): void;
}

export interface QueryViews {
  /** Opens the views that a query reads. Call this when the query begins. */
  open(views: readonly View[]): QueryReader;
  /** Opens a view whose documents are answered as they are stored: a parked catalogue then only makes the answer incomplete. */
  openAsStored(view: View): QueryReader;
}
