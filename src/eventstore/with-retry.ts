/** Reads, appends and requests that outlast a log or service that is away for a while: reads go on where they stopped, the others are repeated as they were. */
import { pause } from '../flow/abort.js';
import { backOff, fullJitter } from '../flow/backoff.js';
import {
  AppendInDoubtError,
  logStart,
  StoreFullError,
  StoreUnavailableError,
  type Position,
  type ReadAllOptions,
  type StoredEvent,
} from './event-store.js';
import { CommandFailedError } from '../failures.js';

export interface RetryPolicy {
  /** Milliseconds without any progress, after which the error is passed on. */
  readonly timeoutMs: number;
  /** Pauses grow up to this many milliseconds. */
  readonly longestPauseMs: number;
}

export interface RetryOptions {
  readonly retry: RetryPolicy;
  readonly signal: AbortSignal;
}

/** A server may be restarted while a command runs. */
export const commandRetry: RetryPolicy = { timeoutMs: 60_000, longestPauseMs: 5_000 };

const firstPauseMs = 100;

/** A full disk stays full: report it at once. */
const mayPass = (error: unknown): boolean =>
  (error instanceof StoreUnavailableError && !(error instanceof StoreFullError)) ||
  error instanceof AppendInDoubtError ||
  (error instanceof CommandFailedError && error.type === 'no_service');

function createRetry({ retry: { timeoutMs, longestPauseMs }, signal }: RetryOptions) {
  let failingSince: number | undefined;
  let failures = 0;
  return {
    /** Waits before the next try. @throws the error, if it cannot pass or has lasted too long; the signal's reason when it aborts. */
    async failed(error: unknown): Promise<void> {
      signal.throwIfAborted();
      const now = performance.now();
      failingSince ??= now;
      if (!mayPass(error) || now - failingSince >= timeoutMs) throw error;
      const longest = backOff(failures, { first: firstPauseMs, most: longestPauseMs });
      await pause(fullJitter(longest, Math.random), signal);
      signal.throwIfAborted();
      failures += 1;
    },
    succeeded(): void {
      failingSince = undefined;
      failures = 0;
    },
  };
}

/** @throws what `action` throws, once the time is over; the signal's reason when it aborts. */
export async function withRetry<Result>(action: () => Promise<Result>, retrying: RetryOptions): Promise<Result> {
  const retry = createRetry(retrying);
  for (;;) {
    retrying.signal.throwIfAborted();
    try {
      return await action();
    } catch (error) {
      await retry.failed(error);
    }
  }
}

export interface RetriedRead<Event extends StoredEvent = StoredEvent> extends RetryOptions {
  readonly reader: { readAll(options: ReadAllOptions): AsyncIterable<readonly Event[]> };
  /** Exclusive. Default: the beginning. */
  readonly after?: Position;
  /** The last event to be read, inclusive. Default: the head as of the last batch. */
  readonly until?: Position;
}

/** The events of a log one by one, each once and in order. @throws the signal's reason when it aborts: a part must not pass for the whole. */
export async function* eventsOf<Event extends StoredEvent>({
  reader,
  after: position = logStart,
  until,
  ...retrying
}: RetriedRead<Event>): AsyncGenerator<Event, undefined> {
  const { signal } = retrying;
  const retry = createRetry(retrying);
  for (;;) {
    if (until !== undefined && position >= until) return undefined;
    try {
      for await (const batch of reader.readAll({ after: position, signal })) {
        retry.succeeded();
        for (const event of batch) {
          if (until !== undefined && event.position > until) return undefined;
          position = event.position;
          yield event;
        }
      }
      signal.throwIfAborted();
      return undefined;
    } catch (error) {
      await retry.failed(error);
    }
  }
}
