/** Messages between the main thread and the writer thread. They hold flat arrays, because these are cheap to clone. */
import {
  AppendInDoubtError,
  StoreFullError,
  StoreUnavailableError,
  WrongExpectedRevisionError,
  type AppendResult,
  type EventToAppend,
  type ExpectedRevision,
} from '../event-store.js';
import type { Frontier } from '../tree.js';
import { formatPosition } from './schema.js';

/** Expected revisions as numbers. A revision is its own number. */
export const noStream = -1;
export const streamExists = -2;
export const anyRevision = -3;

export interface AppendMessage {
  readonly type: 'append';
  readonly recordedAt: string;
  /** Two entries for each append: the expectation and the number of events. */
  readonly numbers: readonly number[];
  /**
   * The stream of each append, then id, type, data and metadata of each of its events, joined by NUL, which none of them
   * can hold: one long string crosses threads far more cheaply than many short ones.
   */
  readonly text: string;
}

/** `scrub` removes redacted data from the WAL, too. */
export type RedactionMessage =
  { readonly type: 'redact'; readonly redactions: readonly Redaction[] } | { readonly type: 'scrub' };

export interface Redaction {
  readonly stream: string;
  /** First and last revision. */
  readonly from: number;
  readonly through: number;
}

export interface RedactionResult {
  /** The number of events that were changed. */
  readonly changed: number;
  /** The first revision that was not looked at; undefined if all were. */
  readonly next: number | undefined;
}

/**
 * `probe` makes a durable write that changes nothing, to find out whether the log can be written. `check` compares the end of
 * the file with the events that the thread has appended.
 */
export type ToWriter = AppendMessage | RedactionMessage | { readonly type: 'probe' | 'check' | 'close' };

/** Outcomes of one append, three numbers each: the kind, then what belongs to it. */
export const appended = 0; // revision, position
export const conflict = 1; // actual revision or -1, unused

export interface WriterData {
  readonly file: string;
  /** The tree that the previous thread had committed, and the most events that the file can have with those in doubt. Undefined for the first thread. */
  readonly expected: { readonly committed: Frontier; readonly most: number } | undefined;
}

/** Answers to redactions, in order. */
export type RedactionAnswer =
  /** Durable. One message changes a limited number of events, so that appends do not wait long: ask for the rest. */
  | { readonly type: 'redacted'; readonly redacted: readonly RedactionResult[] }
  /** False: a reader holds the WAL. */
  | { readonly type: 'scrubbed'; readonly complete: boolean }
  | { readonly type: 'not_redacted'; readonly message: string };

export type FromWriter =
  | RedactionAnswer
  | { readonly type: 'opened'; readonly end: Frontier }
  /** The log is not what this service has written, so nothing is appended from now on. Also answers the opening of the log. */
  | { readonly type: 'altered'; readonly message: string }
  | { readonly type: 'refused'; readonly message: string }
  /** The message is durable: the outcomes of its appends in order, the new end if it added events, and how long it took. */
  | {
      readonly type: 'committed';
      readonly outcomes: Float64Array;
      readonly end: Frontier | undefined;
      readonly milliseconds: number;
    }
  /** The appends of a message failed. `end` is the end of the log after that. */
  | { readonly type: 'failed'; readonly how: Failure; readonly message: string; readonly end: Frontier }
  | { readonly type: 'checked' }
  | { readonly type: 'probed'; readonly isWritable: boolean }
  | { readonly type: 'fault'; readonly message: string };

/** `full`: nothing was written, because the disk is full. `refused`: nothing was written. */
export const failures = {
  in_doubt: AppendInDoubtError,
  full: StoreFullError,
  refused: StoreUnavailableError,
} as const;
export type Failure = keyof typeof failures;

interface Append {
  readonly stream: string;
  readonly events: readonly EventToAppend[];
  readonly expected: number;
  readonly size: number;
}

export function pack(appends: readonly Append[], recordedAt: string): AppendMessage {
  const numbers: number[] = [];
  const texts: string[] = [];
  for (const { stream, events, expected } of appends) {
    numbers.push(expected, events.length);
    texts.push(stream);
    for (const { id, type, data, metadata } of events) texts.push(id, type, data, metadata);
  }
  return { type: 'append', recordedAt, numbers, text: texts.join('\0') };
}

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

/** An append that waits for the answer of the writer. */
export interface PendingAppend extends Append {
  readonly expectedRevision: ExpectedRevision;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: Error) => void;
}

/** Answers the appends of a message by the outcomes of the writer. */
export function settle(appends: readonly PendingAppend[], outcomes: Float64Array): void {
  for (const [at, { expectedRevision, resolve, reject }] of appends.entries()) {
    const [kind, revision = 0, position = 0] = outcomes.subarray(3 * at);
    if (kind === appended) resolve({ revision: BigInt(revision), position: formatPosition(position) });
    else reject(new WrongExpectedRevisionError(expectedRevision, revision < 0 ? 'no_stream' : BigInt(revision)));
  }
}
