/** Appends until the outcome is certain: an append in doubt is repeated with the same ids and the same expected revision. */
import type { DomainEvent } from '../events/codec.js';
import type { NewEvent } from '../events/envelope.js';
import { AppendInDoubtError, type AppendResult, type EventStore } from '../eventstore/event-store.js';
import { backOff, fullJitter } from '../flow/backoff.js';
import type { LoadedState } from './batch.js';

/** How often, and for how many milliseconds, an append in doubt is repeated. */
const maxDoubts = 5;
const doubtTimeoutMs = 5_000;

type Pause = (round: number) => Promise<void>;

interface PauseOptions {
  readonly random: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

const pauses = { first: 10, most: 500 };

export const jitteredPause =
  ({ random, sleep }: PauseOptions): Pause =>
  (round) =>
    sleep(fullJitter(backOff(round, pauses), random));

interface IdempotentAppendOptions {
  readonly store: Pick<EventStore, 'append'>;
  readonly now: () => number;
  readonly pause: Pause;
}

/** Appends after the loaded state. @throws WrongExpectedRevisionError, AppendInDoubtError, StoreUnavailableError */
type IdempotentAppend<Event> = (
  stream: string,
  events: readonly NewEvent<Event>[],
  loaded: Pick<LoadedState<unknown>, 'revision'>,
) => Promise<AppendResult>;

export function createIdempotentAppend<Event extends DomainEvent>({
  store,
  now,
  pause,
}: IdempotentAppendOptions): IdempotentAppend<Event> {
  return (stream, events, loaded) => {
    const encoded = events.map((event) => event.encoded);
    const expectation = { expectedRevision: loaded.revision < 0n ? 'no_stream' : loaded.revision } as const;
    const giveUpAt = now() + doubtTimeoutMs;
    const ask = (doubts: number): Promise<AppendResult> =>
      store.append(stream, encoded, expectation).catch(async (error: unknown) => {
        if (!(error instanceof AppendInDoubtError)) throw error;
        if (doubts >= maxDoubts || now() > giveUpAt) throw error;
        await pause(doubts);
        return ask(doubts + 1);
      });
    return ask(0);
  };
}
