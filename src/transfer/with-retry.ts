/** Asks a log again while it is away for a while: reads go on where they stopped, appends are repeated as they were. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AppendInDoubtError,
  logStart,
  StoreFullError,
  StoreUnavailableError,
  type AppendResult,
  type EventToAppend,
  type EventWriter,
  type ExpectedRevision,
  type Position,
  type ReadAllOptions,
  type StoredEvent,
} from '../eventstore/event-store.js';

export interface Patience {
  /** Milliseconds for which a log may be away without any progress. */
  readonly forMs: number;
  /** Milliseconds since some fixed moment. */
  now(): number;
  random(): number;
  /** Rejects when the signal aborts. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<unknown>;
}

const firstPauseMs = 100;
const longestPauseMs = 5_000;

/** That of a command: a server may be restarted in the middle. */
export const patienceOf = (now: () => number): Patience => ({
  forMs: 60_000,
  now,
  random: Math.random,
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }),
});

/** A full disk stays full: whoever is told at once can make room. */
const mayPass = (error: unknown): boolean =>
  (error instanceof StoreUnavailableError && !(error instanceof StoreFullError)) || error instanceof AppendInDoubtError;

interface Retry {
  /** Waits before the next try. @throws the error itself, when it is none that passes or has lasted too long. */
  failed(error: unknown, signal: AbortSignal): Promise<void>;
  succeeded(): void;
}

function createRetry(patience: Patience): Retry {
  let since: number | undefined;
  let pauseMs = firstPauseMs;
  return {
    async failed(error, signal) {
      signal.throwIfAborted();
      if (!mayPass(error)) throw error;
      since ??= patience.now();
      if (patience.now() - since >= patience.forMs) throw error;
      await patience.sleep(patience.random() * pauseMs, signal);
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    },
    succeeded() {
      since = undefined;
      pauseMs = firstPauseMs;
    },
  };
}

/** @throws what `action` throws, once patience is at its end; the signal's reason when it aborts. */
export async function patiently<Result>(
  action: () => Promise<Result>,
  { patience, signal }: { readonly patience: Patience; readonly signal: AbortSignal },
): Promise<Result> {
  const retry = createRetry(patience);
  for (;;) {
    signal.throwIfAborted();
    try {
      return await action();
    } catch (error) {
      await retry.failed(error, signal);
    }
  }
}

export interface Reading<Event extends StoredEvent = StoredEvent> {
  readonly reader: { readAll(options: ReadAllOptions): AsyncIterable<readonly Event[]> };
  /** Exclusive. Default: the beginning. */
  readonly after?: Position;
  /** The last event to be read, inclusive. Default: the head as of the last batch. */
  readonly until?: Position;
  readonly patience: Patience;
  readonly signal: AbortSignal;
}

/** The events of a log one by one, each once and in order whatever happens on the way. @throws the signal's reason when it aborts: a part must not pass for the whole. */
export async function* eventsOf<Event extends StoredEvent>({
  reader,
  after,
  until,
  patience,
  signal,
}: Reading<Event>): AsyncGenerator<Event, undefined> {
  const retry = createRetry(patience);
  let position = after ?? logStart;
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
      await retry.failed(error, signal);
    }
  }
}

export interface Group {
  readonly stream: string;
  readonly events: readonly EventToAppend[];
  readonly expectedRevision: ExpectedRevision;
}

export const appendGroup = (target: EventWriter, { stream, events, expectedRevision }: Group): Promise<AppendResult> =>
  target.append(stream, events, { expectedRevision });

/** Appends a group; in doubt it is asked again with the same ids, which the store recognises. */
export const appendPatiently = (
  target: EventWriter,
  group: Group,
  options: { readonly patience: Patience; readonly signal: AbortSignal },
): Promise<AppendResult> => patiently(() => appendGroup(target, group), options);
