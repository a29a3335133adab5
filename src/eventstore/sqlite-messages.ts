/** What the main thread and the writer thread say to each other; flat arrays, because these are cheap to clone. */
import type { EventToAppend, ExpectedRevision } from './event-store.js';

/** Expectations as numbers; a revision stands for itself. */
export const noStream = -1;
export const streamExists = -2;
export const anyRevision = -3;

/** Several appends, in order. */
export interface AppendMessage {
  readonly type: 'append';
  /** UTC, ISO 8601. */
  readonly recordedAt: string;
  /** One entry for each append. */
  readonly streams: string[];
  readonly expected: number[];
  readonly counts: number[];
  /** Four entries for each event: id, type, data, metadata. */
  readonly texts: string[];
  /** Characters in `texts`. */
  size: number;
}

export type ToWriter = AppendMessage | { readonly type: 'close' };

/** Outcomes of one append, three numbers each: the kind, then what belongs to it. */
export const appended = 0; // revision, position
export const conflict = 1; // actual revision or -1, unused

export type FromWriter =
  | { readonly type: 'opened'; readonly head: number }
  /** The file cannot be opened; the thread ends. */
  | { readonly type: 'refused'; readonly message: string }
  /** One transaction is durable: the outcomes of the next appends, in the order in which these were posted. */
  | { readonly type: 'committed'; readonly outcomes: Float64Array; readonly head: number; readonly grown: boolean }
  /** One transaction failed: so many of the next appends. */
  | { readonly type: 'failed'; readonly count: number; readonly inDoubt: boolean; readonly message: string }
  /** Something that fails no append. */
  | { readonly type: 'fault'; readonly message: string };

export const emptyMessage = (recordedAt: string): AppendMessage => ({
  type: 'append',
  recordedAt,
  streams: [],
  expected: [],
  counts: [],
  texts: [],
  size: 0,
});

export interface Append {
  readonly stream: string;
  readonly events: readonly EventToAppend[];
  readonly expected: number;
  readonly size: number;
}

export function pack(message: AppendMessage, append: Append): void {
  message.streams.push(append.stream);
  message.expected.push(append.expected);
  message.counts.push(append.events.length);
  message.size += append.size;
  for (const { id, type, data, metadata } of append.events) message.texts.push(id, type, data, metadata);
}

/** Revisions stay far below 2^53; an expectation above it cannot be met and stays one that cannot. */
export function expectationNumber(expected: ExpectedRevision): number {
  switch (expected) {
    case 'no_stream':
      return noStream;
    case 'stream_exists':
      return streamExists;
    case 'any':
      return anyRevision;
    default:
      return Math.min(Number(expected), Number.MAX_SAFE_INTEGER);
  }
}
