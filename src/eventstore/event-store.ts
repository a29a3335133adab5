/** The event-store port: an append-only log of streams. Its contract suite is test/contract/event-store.ts; every adapter passes it. */

/**
 * Where a stream must stand for an append to be taken: at this revision, not existing yet, existing, or anywhere.
 * Domain events are never appended with `any`: a retry in doubt could then be written twice.
 */
export type ExpectedRevision = bigint | 'no_stream' | 'stream_exists' | 'any';

/** A place in the log: decimal digits, of one length in one log, so that positions sort as strings. `logStart`, the empty string, comes before every event. */
export type Position = string;
export const logStart: Position = '';

export interface EventToAppend {
  /** UUID, minted once per command: the same ids again are recognised as the same append. */
  readonly id: string;
  readonly type: string;
  /** Canonical JSON text of an object: `JSON.stringify(JSON.parse(data)) === data`. */
  readonly data: string;
  /** Canonical JSON text of an object. */
  readonly metadata: string;
}

export interface StoredEvent extends EventToAppend {
  readonly stream: string;
  /** Zero-based, without holes within its stream. */
  readonly revision: bigint;
  readonly position: Position;
}

/** For people. Holds nothing personal: stream names are keyed hashes. */
export const eventInWords = ({ type, stream, revision, id }: StoredEvent): string =>
  `${type} (revision ${revision} of ${stream}, id ${id})`;

export interface AppendResult {
  readonly revision: bigint;
  readonly position: Position;
}

export interface EventStore extends EventReader {
  /** True when no other process can append to this log while this one lives: a state folded from one's own appends is then always fresh. */
  readonly soleWriter: boolean;
  /** Whether appends are taken at present, as far as is known. */
  isWritable(): boolean;

  /**
   * Appends all events to one stream, or none. When it resolves they are durable (fsynced) and visible to every reader.
   *
   * The same event ids again with the same explicit expectation (a revision or `no_stream`) succeed with the first
   * result, and nothing is written twice, also after later appends to the stream.
   *
   * @throws WrongExpectedRevisionError the stream stands elsewhere; nothing was written.
   * @throws StoreUnavailableError nothing was written, now or later; StoreFullError where it is known that the disk is full.
   * @throws AppendInDoubtError it may have been written, or may yet be: ask again with the same ids and expectation.
   * @throws InvalidAppendError no store ever takes it: empty, too large for one append, text that is not canonical. Nothing
   * was written, and asking again does not help.
   */
  append(
    stream: string,
    events: readonly EventToAppend[],
    options: { readonly expectedRevision: ExpectedRevision },
  ): Promise<AppendResult>;

  /**
   * Takes personal data out of the log for good: in the events of the stream up to the revision `through` their digests take
   * the place of `person` and `message` (`withDigests` in leaf.ts), in all of these events or, after a fault, in none. All
   * else of the events stays as it is, also their leaves, and so the tree, seals and proofs; every read yields them at
   * their revision, position and place.
   *
   * Resolves with the number of events that it changed, when no byte of the values is left in what the store keeps, or has
   * left beside it. Again, or twice at once, is harmless; with 0 events to change it still sees to what is left. Many at
   * once cost little more than one. A stream that does not exist has no events to change.
   *
   * @throws StoreUnavailableError it was not done, or something is left: ask again.
   */
  redact(stream: string, through: bigint): Promise<number>;
}

export interface ReadStreamOptions {
  /** First revision to yield, in the direction of reading. Default: the beginning when forwards, the end when backwards. */
  readonly from?: bigint;
  readonly direction?: 'forwards' | 'backwards';
  /** Largest number of events, at least 1. Default: no limit. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

export interface ReadAllOptions {
  /** Forwards: events after this position, exclusive. Backwards: events before it, exclusive. Default: from the end of the log that is read away from. */
  readonly after?: Position;
  readonly direction?: 'forwards' | 'backwards';
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

export type SubscriptionMessage =
  | { readonly type: 'events'; readonly events: readonly StoredEvent[] }
  /** Everything up to `position` that existed when it was sent has been yielded; sent once after each catching up. */
  | { readonly type: 'caught_up'; readonly position: Position };

export interface EventReader {
  /**
   * Batches of one stream, each of 1 to 1,000 events and at most 4 MiB (a larger single event stands alone).
   * A stream that does not exist yields nothing. Sees everything whose append has resolved before the call.
   * Ends early, without error, when `signal` aborts. @throws StoreUnavailableError
   */
  readStream(stream: string, options?: ReadStreamOptions): AsyncIterable<readonly StoredEvent[]>;

  /**
   * All events of several streams in one read, by stream; of one that does not exist an empty array. It is bounded as a
   * batch of `readStream` is: streams for which there is no room are left out. Sees what `readStream` does. Absent where
   * one read of many streams costs as much as many reads. @throws StoreUnavailableError
   */
  readStreams?(streams: readonly string[]): Promise<ReadonlyMap<string, readonly StoredEvent[]>>;

  /**
   * Portions of the names of the streams that begin with this, in no particular order; perhaps also of one whose append has
   * not resolved. Sees what `readStream` does. Absent where the whole log would have to be read. @throws StoreUnavailableError
   */
  streamNames?(prefix: string): AsyncIterable<readonly string[]>;

  /** Batches of the whole log in log order, bounded like those of `readStream`; ends at the head as of the last batch. @throws StoreUnavailableError */
  readAll(options?: ReadAllOptions): AsyncIterable<readonly StoredEvent[]>;

  /** The event at exactly this position, if there is one. @throws StoreUnavailableError */
  readAt(position: Position): Promise<StoredEvent | undefined>;

  /**
   * Yields every event after `after` (exclusive; `'now'` = the head at the time of the call) in log order, then goes on
   * as the log grows: no gap and no duplicate at the seam. The consumer's pace is the pace of reading: nothing is
   * buffered beyond one batch. Ends without error when `signal` aborts or the reader closes. @throws StoreUnavailableError
   */
  subscribe(options: {
    readonly after: Position | 'now';
    readonly signal: AbortSignal;
  }): AsyncIterable<SubscriptionMessage>;

  /** Position of the last event of the log, or `logStart`. @throws StoreUnavailableError */
  head(): Promise<Position>;

  /** Ends running reads and subscriptions and releases what the reader holds. Safe to call twice. */
  close(): Promise<void>;
}

/** The stream does not stand where the append expected it; nothing was written. */
export class WrongExpectedRevisionError extends Error {
  override readonly name = 'WrongExpectedRevisionError';
  readonly expected: ExpectedRevision;
  readonly actual: bigint | 'no_stream';

  constructor(expected: ExpectedRevision, actual: bigint | 'no_stream') {
    super(`expected revision ${expected}, the stream stands at ${actual}`);
    this.expected = expected;
    this.actual = actual;
  }
}

/** The store cannot be reached or refused to work; nothing was written. */
export class StoreUnavailableError extends Error {
  override readonly name: string = 'StoreUnavailableError';
}

/** The log has a format that this version does not read. The message says how to bring its events over. */
export class LogFormatError extends StoreUnavailableError {
  override readonly name = 'LogFormatError';
}

/** The disk of the log is full; nothing was written. Waiting does not help: somebody has to free space. */
export class StoreFullError extends StoreUnavailableError {
  override readonly name = 'StoreFullError';
}

/** The append may or may not have been written. The same ids with the same expectation tell. */
export class AppendInDoubtError extends Error {
  override readonly name = 'AppendInDoubtError';
}

/** No store ever takes this append; nothing was written. Asking again does not help. */
export class InvalidAppendError extends TypeError {
  override readonly name = 'InvalidAppendError';
}

/** Another process holds the right to write to this log. */
export class WriterLockedError extends Error {
  override readonly name = 'WriterLockedError';
}
