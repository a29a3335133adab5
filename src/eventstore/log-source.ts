/** The parts of a log that verification and exports read: all of its events, and the stored roots of its tree. */
import { StoreUnavailableError, type EventReader, type Position, type StoredEvent } from './event-store.js';
import type { TreeSource } from './tree.js';

/** The log is not the one that was written, so nothing may be proven or sealed with it. The message names no person. */
export class AlteredLogError extends StoreUnavailableError {
  override readonly name = 'AlteredLogError';
}

/** An event with its number as the store itself counts, from 1, if the store does. */
export interface NumberedEvent extends StoredEvent {
  readonly ordinal?: number;
}

export interface LogSource {
  /** Batches of the whole log in log order, including rows that other reads would hide. @throws StoreUnavailableError */
  readEvents(options?: {
    readonly after?: Position;
    readonly signal?: AbortSignal;
  }): AsyncIterable<readonly NumberedEvent[]>;
  /** The stored tree, if there is one. */
  readonly tree?: TreeSource;
  /** Returns what the store finds wrong with itself, such as an index that lacks events, or undefined. Names no person. @throws StoreUnavailableError */
  storeFault?(): Promise<string | undefined>;
}

/** Returns the log as verification reads it. A store without rows of its own, such as EventStoreDB, is read as it is. */
export const logSourceOf = (reader: EventReader | (EventReader & LogSource), tree?: TreeSource): LogSource =>
  'readEvents' in reader ? reader : { readEvents: (options) => reader.readAll(options), ...(tree && { tree }) };
