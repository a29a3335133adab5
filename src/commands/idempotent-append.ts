/** Appends until the outcome is certain: what may have been written is asked for again, with the same ids and the same expectation. */
import type { DomainEvent } from '../events/codec.js';
import type { NewEvent } from '../events/envelope.js';
import { AppendInDoubtError, type AppendResult, type EventStore } from '../eventstore/event-store.js';
import type { Folded } from './batch.js';

/** How often, and for how many milliseconds, an append in doubt is asked for again with the same ids. */
const maxDoubts = 5;
const doubtPatience = 5_000;

/** Before a repeat; `round` counts from 0. */
export type Pause = (round: number) => Promise<void>;

export interface PauseOptions {
  /** From 0 to 1, for jitter. */
  readonly random: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Full jitter, doubling from 10 ms up to 500 ms. */
export const jitteredPause =
  ({ random, sleep }: PauseOptions): Pause =>
  (round) =>
    sleep(random() * Math.min(500, 10 * 2 ** round));

export interface CertainAppendOptions {
  readonly store: Pick<EventStore, 'append'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly pause: Pause;
}

/** Appends after what has been folded. @throws WrongExpectedRevisionError, AppendInDoubtError, StoreUnavailableError */
export type CertainAppend<Event> = (
  stream: string,
  events: readonly NewEvent<Event>[],
  folded: Pick<Folded<unknown>, 'revision'>,
) => Promise<AppendResult>;

export function createCertainAppend<Event extends DomainEvent>({
  store,
  now,
  pause,
}: CertainAppendOptions): CertainAppend<Event> {
  return (stream, events, folded) => {
    const encoded = events.map((event) => event.encoded);
    const expectation = { expectedRevision: folded.revision < 0n ? 'no_stream' : folded.revision } as const;
    const giveUpAt = now() + doubtPatience;
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
