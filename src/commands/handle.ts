/** The one load – decide – append loop: one append in flight per stream, bounded retries. */
import { ServiceError } from '../errors.js';
import { isUnreadable, type DomainEvent } from '../events/codec.js';
import { InvalidAppendError, WrongExpectedRevisionError } from '../eventstore/event-store.js';
import { decideBatch, type DecidedBatch, type LoadedState } from './batch.js';
import { createIdempotentAppend, jitteredPause } from './idempotent-append.js';
import type { CommandHandler, CommandRequest, CommandResult, HandlerOptions } from './command-handler.js';
import type { Begun, CarriedCommand } from '../flow/observe.js';
import { createStateCache } from './state-cache.js';

const maxConflicts = 12;

interface Basis<State> {
  readonly loaded: LoadedState<State>;
  /**
   * `latest`: the end of the stream, read just now, or nobody else can have written since. `cached`: another process may have.
   * `assumed_new`: nothing was read, and the stream is taken for a new one.
   */
  readonly from: 'latest' | 'cached' | 'assumed_new';
}

export function createCommandHandler<State, Command, Event extends DomainEvent>(
  options: HandlerOptions<State, Command, Event>,
): CommandHandler<State, Command, Event> {
  type Request = CommandRequest<Command>;
  type Answer = CommandResult<State, Event>;
  interface Appending {
    readonly stream: string;
    readonly waiting: readonly PendingCommand<Request, Answer>[];
    readonly decided: DecidedBatch<State, Event>;
  }
  const { store, decider, sources, observe } = options;
  const streams = createStateCache({ reader: store, decider, cacheSize: options.cacheSize });
  const pause = jitteredPause(options);
  const append = createIdempotentAppend<Event>({ store, now: sources.now, pause });

  /** The state to decide on: the cached one, or the initial one for commands that assume a new stream. Undefined: the log must be read. */
  function basisAtHand(stream: string, waiting: readonly PendingCommand<Request, Answer>[]): Basis<State> | undefined {
    const known = streams.known(stream);
    if (known !== undefined) return { loaded: known, from: store.soleWriter ? 'latest' : 'cached' };
    const isNew = waiting.every(({ request }) => request.assumeNew === true);
    return isNew ? { loaded: streams.unread, from: 'assumed_new' } : undefined;
  }

  const basisRead = async (stream: string): Promise<Basis<State>> => ({
    loaded: await streams.readTail(stream),
    from: 'latest',
  });

  /** Appends what was decided and remembers it. The position, or undefined when the stream stood elsewhere. */
  function appendDecided(
    { stream, waiting, decided }: Appending,
    { loaded, from }: Basis<State>,
  ): Promise<string | undefined> {
    const begun = observe?.begin?.append(carriedOf(waiting, decided));
    return append(stream, decided.events, loaded).then(
      (result) => {
        // Do not cache new streams, because they are rarely used again soon and would evict hotter entries.
        if (from !== 'assumed_new')
          streams.remember(stream, {
            state: decided.state,
            revision: result.revision,
            position: result.position,
            at: decided.at,
          });
        const appended = { stream, events: decided.events, ...result };
        observe?.append(appended, begun);
        options.onAppended?.(appended);
        const keeping = options.register?.()?.keep(appended);
        return keeping === undefined ? result.position : keeping.then(() => result.position);
      },
      (error: unknown) => {
        observe?.append({ error }, begun);
        if (error instanceof WrongExpectedRevisionError) return undefined;
        // The events may have been written: the cached state may be stale.
        streams.forget(stream);
        throw error;
      },
    );
  }

  function unchanged({ position }: LoadedState<State>): string {
    options.onUnchanged?.(position);
    return position;
  }

  /** Decides and appends for the commands at the head of the queue; answers them; returns how many. */
  async function handleBatch(stream: string, queue: readonly PendingCommand<Request, Answer>[]): Promise<number> {
    const waiting = [...queue];
    let mustRead = false;
    let conflicts = 0;
    for (;;) {
      const basis = (mustRead ? undefined : basisAtHand(stream, waiting)) ?? (await basisRead(stream));
      const { loaded, from } = basis;
      const decided = decideBatch({ decider, loaded, commands: waiting, sources });
      mustRead = true;
      // Without an append no expected revision protects the outcome: it must rest on the latest state.
      if (decided.events.length === 0 && from !== 'latest') continue;
      const position =
        decided.events.length === 0 ? unchanged(loaded) : await appendDecided({ stream, waiting, decided }, basis);
      if (position !== undefined) return await answerKept({ stream, waiting, decided }, position);
      if (conflicts >= maxConflicts) throw new ServiceError('unavailable', {}, { retryAfter: 1 });
      await beforeAnother(conflicts, basis);
      conflicts += 1;
    }
  }

  /** Returns whether a command repeats an event that needs a line. Another process may have appended the event and failed to write the line. */
  const isKeptRepeat = (
    waiting: readonly PendingCommand<Request, Answer>[],
    { outcomes }: DecidedBatch<State, Event>,
  ): boolean =>
    options.isKept !== undefined &&
    outcomes.some(
      (outcome, index) =>
        outcome.status === 'accepted' &&
        outcome.events.length === 0 &&
        options.isKept?.((waiting[index] ?? missing()).request.command) === true,
    );

  /** A stream that was taken for a new one is no conflict: it is read, and decided at once. */
  async function beforeAnother(conflicts: number, { from }: Basis<State>): Promise<void> {
    if (from === 'assumed_new') return;
    observe?.conflict();
    await pause(conflicts);
  }

  function answer(
    waiting: readonly PendingCommand<Request, Answer>[],
    decided: DecidedBatch<State, Event>,
    position: string,
  ): void {
    decided.outcomes.forEach((outcome, index) => {
      const { resolve, reject, begun } = waiting[index] ?? missing();
      observe?.command(outcome, begun);
      if (outcome.status === 'refused') reject(outcome.error);
      else
        resolve({
          state: outcome.state,
          events: outcome.events.map(({ event }) => event),
          eventIds: outcome.events.map(({ id }) => id),
          position,
        });
    });
  }

  /** Answers the commands, after the lines of repeated events are in the register. Returns the number of answers. */
  async function answerKept({ stream, waiting, decided }: Appending, position: string): Promise<number> {
    if (isKeptRepeat(waiting, decided)) await options.register?.()?.keepStream(stream);
    answer(waiting, decided, position);
    return decided.outcomes.length;
  }

  const queue = createStreamQueue<Request, Answer>({
    handle: handleBatch,
    onFault(fault, { reject, begun }) {
      const error = faultOf(fault);
      observe?.command({ status: 'failed', error }, begun);
      reject(error);
    },
  });

  /** Refuses the command before anything is appended if the register cannot be written, because an event without its line is not acknowledged. */
  async function executeKept(request: Request, begun: Begun<'command'> | undefined): Promise<Answer> {
    try {
      await options.register?.()?.demandWritable();
    } catch (fault) {
      const error = faultOf(fault);
      observe?.command({ status: 'failed', error }, begun);
      throw error;
    }
    return await queue(request, begun);
  }

  return {
    execute(request) {
      const begun = observe?.begin?.command(request);
      return options.isKept?.(request.command) === true ? executeKept(request, begun) : queue(request, begun);
    },
    async fresh(stream) {
      const loaded = streams.known(stream);
      if (loaded !== undefined && store.soleWriter) {
        streams.remember(stream, loaded);
        return loaded;
      }
      return await unavailableOnFault(() => streams.readTail(stream));
    },
    known(stream, suffices = () => false) {
      const loaded = streams.known(stream);
      return loaded !== undefined && (store.soleWriter || suffices(loaded.state)) ? loaded : undefined;
    },
    adopt: (stream, loaded) =>
      unavailableOnFault(async () => {
        const whole = await streams.foldTail(stream, loaded);
        streams.remember(stream, whole);
        return whole;
      }),
  };
}

/** The commands whose events are appended. */
const carriedOf = (
  waiting: readonly { readonly request: CommandRequest<unknown> }[],
  { outcomes }: Pick<DecidedBatch<unknown, unknown>, 'outcomes'>,
): CarriedCommand[] =>
  waiting.flatMap(({ request }, index) => {
    const outcome = outcomes[index];
    const events = outcome?.status === 'accepted' ? outcome.events.length : 0;
    return events === 0 ? [] : [{ request, events }];
  });

async function unavailableOnFault<Result>(action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    throw faultOf(error);
  }
}

/** Tells a caller whether a repeat makes sense, not what is wrong with the store. An event that cannot be read needs an operator. */
function faultOf(error: unknown): Error {
  if (error instanceof ServiceError || error instanceof InvalidAppendError) return error;
  return new ServiceError('unavailable', {}, { cause: error, retryAfter: isUnreadable(error) ? 60 : 1 });
}

function missing(): never {
  throw new Error('a decided command is not pending');
}

interface PendingCommand<Request, Answer> {
  readonly request: Request;
  readonly begun: Begun<'command'> | undefined;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

interface StreamQueueOptions<Request, Answer> {
  /**
   * Answers as many pending commands as it handles together, from the first on, and resolves with their number.
   * When it rejects, none of them has been answered.
   */
  readonly handle: (stream: string, queue: readonly PendingCommand<Request, Answer>[]) => Promise<number>;
  /** Called for each pending command when `handle` rejects. Rejects the command. */
  readonly onFault: (fault: unknown, pending: PendingCommand<Request, Answer>) => void;
}

/** Resolves with the answer to the request, after all that came before it on its stream. */
type Enqueue<Request, Answer> = (request: Request, begun: Begun<'command'> | undefined) => Promise<Answer>;

function createStreamQueue<Request extends { readonly stream: string }, Answer>({
  handle,
  onFault,
}: StreamQueueOptions<Request, Answer>): Enqueue<Request, Answer> {
  const queues = new Map<string, PendingCommand<Request, Answer>[]>();

  async function run(stream: string, queue: PendingCommand<Request, Answer>[]): Promise<void> {
    while (queue.length > 0) {
      try {
        queue.splice(0, await handle(stream, queue));
      } catch (error) {
        // All of them fail at once, instead of one after the other.
        for (const pending of queue.splice(0)) onFault(error, pending);
      }
    }
    queues.delete(stream);
  }

  return (request, begun) =>
    new Promise((resolve, reject) => {
      const pending = { request, begun, resolve, reject };
      const running = queues.get(request.stream);
      if (running !== undefined) {
        running.push(pending);
        return;
      }
      const queue = [pending];
      queues.set(request.stream, queue);
      void run(request.stream, queue);
    });
}
