/** What verification and exports read of a log: its events with their links, and what the store keeps beside them. */
import type { ChainHead, LinkedEvent } from './chain.js';
import { StoreUnavailableError, type Position } from './event-store.js';
import type { SealedHead } from './sealed-head.js';
import type { TreeSource } from './tree.js';

/** An event is not the one that was written: nothing is to be proven or sealed with it. */
export class AlteredEventError extends StoreUnavailableError {
  override readonly name = 'AlteredEventError';
}

/** Reads events with the links that were computed when they were written, or first read, and that are never computed again. */
export interface LinkSource {
  /** Batches of the whole log in log order, as `readAll` yields them. @throws StoreUnavailableError */
  readLinked(options?: {
    readonly after?: Position;
    readonly signal?: AbortSignal;
  }): AsyncIterable<readonly LinkedEvent[]>;
  /** Damage that makes the store find other events than it holds, such as an index that leaves some out; in its own words, nothing personal. @throws StoreUnavailableError */
  damage?(): Promise<string | undefined>;
  /** The sealed head, and the end of the log at that moment where the sealed head is moved with each append; undefined elsewhere. @throws StoreUnavailableError */
  sealedHead?(): Promise<{ readonly sealed: SealedHead | undefined; readonly end: ChainHead | undefined }>;
  /** The tree, as far as it is kept. */
  readonly tree?: TreeSource;
  /** A stream whose end, as the store notes it, is not that of its events. To be asked where there is no `damage`. @throws StoreUnavailableError */
  brokenStream?(): Promise<string | undefined>;
}
