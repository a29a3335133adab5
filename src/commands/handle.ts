/** The one load – decide – append loop: one append in flight per stream, bounded retries. */
import { ServiceError } from '../errors.js';
import type { DomainEvent } from '../events/codec.js';
import { WrongExpectedRevisionError } from '../eventstore/event-store.js';
import { decideBatch, type DecidedBatch, type Folded } from './batch.js';
import { createCertainAppend, jitteredPause } from './idempotent-append.js';
import type { CommandHandler, CommandRequest, Handled, HandlerOptions } from './command-handler.js';
import { createFoldedStreams } from './state-cache.js';
import { createLanes, type Waiting } from './stream-queue.js';

/** How often a lane decides again after losing a race against another process. */
const maxConflicts = 12;

interface Basis<State> {
  readonly folded: Folded<State>;
  /** Nobody can have appended since. */
  readonly isFresh: boolean;
  /** The stream was not looked at. */
  readonly isGuess: boolean;
}

export function createCommandHandler<State, Command, Event extends DomainEvent>(
  options: HandlerOptions<State, Command, Event>,
): CommandHandler<State, Command, Event> {
  type Request = CommandRequest<Command>;
  type Answer = Handled<State, Event>;
  const { store, decider, sources } = options;
  const streams = createFoldedStreams({ reader: store, decider, cacheSize: options.cacheSize });
  const pause = jitteredPause(options);
  const append = createCertainAppend<Event>({ store, now: sources.now, pause });

  /** What to decide on: memory, where there is some; nothing, for commands that expect nothing; undefined: the log. */
  function basisAtHand(stream: string, waiting: readonly Waiting<Request, Answer>[]): Basis<State> | undefined {
    const known = streams.known(stream);
    if (known !== undefined) return { folded: known, isFresh: store.soleWriter, isGuess: false };
    const isNew = waiting.every(({ request }) => request.assumeNew === true);
    return isNew ? { folded: streams.unread, isFresh: false, isGuess: true } : undefined;
  }

  const basisRead = async (stream: string): Promise<Basis<State>> => ({
    folded: await streams.readTail(stream),
    isFresh: true,
    isGuess: false,
  });

  /** Appends what was decided and remembers it. The position, or undefined when the stream stood elsewhere. */
  function appendDecided(
    stream: string,
    decided: DecidedBatch<State, Event>,
    { folded, isGuess }: Basis<State>,
  ): Promise<string | undefined> {
    return append(stream, decided.events, folded).then(
      (result) => {
        // What has just begun seldom goes on at once; keeping it would push out what is in use, and feed the garbage collector.
        if (!isGuess)
          streams.remember(stream, {
            state: decided.state,
            revision: result.revision,
            position: result.position,
            at: decided.at,
          });
        options.onAppended?.({ stream, events: decided.events, ...result });
        return result.position;
      },
      (error: unknown) => {
        if (error instanceof WrongExpectedRevisionError) return undefined;
        // Perhaps written: what is known of the stream may be wrong from here on.
        streams.forget(stream);
        throw error;
      },
    );
  }

  function unchanged({ position }: Folded<State>): string {
    options.onUnchanged?.(position);
    return position;
  }

  /** Decides and appends for the commands at the head of the queue; answers them; returns how many. */
  async function handleBatch(stream: string, queue: readonly Waiting<Request, Answer>[]): Promise<number> {
    const waiting = [...queue];
    let mustRead = false;
    let conflicts = 0;
    for (;;) {
      const basis = (mustRead ? undefined : basisAtHand(stream, waiting)) ?? (await basisRead(stream));
      const { folded, isFresh } = basis;
      const decided = decideBatch({ decider, folded, commands: waiting, sources });
      mustRead = true;
      // Without an event no expectation protects the outcome: only fresh state may speak.
      if (decided.events.length === 0 && !isFresh) continue;
      const position = decided.events.length === 0 ? unchanged(folded) : await appendDecided(stream, decided, basis);
      if (position !== undefined) {
        answer(waiting, decided, position);
        return decided.outcomes.length;
      }
      if (conflicts >= maxConflicts) throw new ServiceError('unavailable', {}, { retryAfter: 1 });
      // A guess that was wrong is no contention: read and decide at once.
      if (!basis.isGuess) await pause(conflicts);
      conflicts += 1;
    }
  }

  function answer(
    waiting: readonly Waiting<Request, Answer>[],
    decided: DecidedBatch<State, Event>,
    position: string,
  ): void {
    decided.outcomes.forEach((outcome, index) => {
      const { resolve, reject } = waiting[index] ?? missing();
      if (outcome.status === 'refused') reject(outcome.error);
      else resolve({ state: outcome.state, events: outcome.events.map(({ event }) => event), position });
    });
  }

  return {
    execute: createLanes({ handle: handleBatch, faultOf: asUnavailable }),
    async fresh(stream) {
      const folded = streams.known(stream);
      if (folded !== undefined && store.soleWriter) {
        streams.remember(stream, folded);
        return folded;
      }
      return await unavailableOnFault(() => streams.readTail(stream));
    },
    known(stream, suffices = () => false) {
      const folded = streams.known(stream);
      return folded !== undefined && (store.soleWriter || suffices(folded.state)) ? folded : undefined;
    },
    adopt: (stream, folded) =>
      unavailableOnFault(async () => {
        const whole = await streams.foldTail(stream, folded);
        streams.remember(stream, whole);
        return whole;
      }),
  };
}

async function unavailableOnFault<Result>(action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    throw asUnavailable(error);
  }
}

/** What a caller learns of a fault of the store: nothing but that a repeat makes sense. */
function asUnavailable(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError('unavailable', {}, { cause: error, retryAfter: 1 });
}

function missing(): never {
  throw new Error('a decided command has nobody waiting for it');
}
