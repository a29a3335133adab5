/** The one load – decide – append loop: a lane per stream, one append in flight, bounded retries. The only file of this folder that knows the ports. */
import { ServiceError } from '../errors.js';
import { codec, UnreadableEventError, type DomainEvent } from '../events/codec.js';
import type { Recorded } from '../events/envelope.js';
import {
  AppendInDoubtError,
  WrongExpectedRevisionError,
  type AppendResult,
  type EventStore,
  type StoredEvent,
} from '../eventstore/event-store.js';
import {
  decideBatch,
  type CommandContext,
  type DecidedBatch,
  type Folded,
  type NewEvent,
  type Sources,
} from './batch.js';
import type { Decider } from './decider.js';

export interface CommandRequest<Command> {
  readonly stream: string;
  readonly command: Command;
  readonly context: CommandContext;
  /** The stream most likely does not exist: decide on the initial state unread, the append's expectation finds out. */
  readonly assumeNew?: boolean;
}

export interface Handled<State, Event> {
  /** The state after the command. */
  readonly state: State;
  /** None when nothing had to change. */
  readonly events: readonly Event[];
  /** Of the last event written, or of the state that made a write unnecessary. */
  readonly position: string;
}

/** Handles the commands of one kind of stream. */
export interface CommandHandler<State, Command, Event> {
  /**
   * Resolves once the events are durable. @throws ServiceError a refusal of the decider, or `unavailable` (then the
   * events may have been written, if a reply was lost).
   */
  execute(request: CommandRequest<Command>): Promise<Handled<State, Event>>;
  /** The stream folded to its end. @throws ServiceError `unavailable` */
  fresh(stream: string): Promise<Folded<State>>;
  /**
   * As `fresh`, without waiting where this process already knows; undefined where it must read. Where others may have
   * written meanwhile, what this process has is known if it `suffices`: an answer of which more could only be said again.
   */
  known(stream: string, suffices?: (state: State) => boolean): Folded<State> | undefined;
  /**
   * Begins with this state, which must be a true fold of the stream's first events, and reads what came after it; the
   * stream folded to its end. To be called before anything else is asked of the stream. @throws ServiceError `unavailable`
   */
  adopt(stream: string, folded: Folded<State>): Promise<Folded<State>>;
}

export interface HandlerOptions<State, Command, Event extends DomainEvent> {
  readonly store: EventStore;
  readonly decider: Decider<State, Command, Event>;
  readonly sources: Sources;
  /** From 0 to 1, for jitter. */
  readonly random: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Folded states kept in memory, the least recently used dropped first. */
  readonly cacheSize: number;
  /** Told of each append before its commands are answered. Positions of the events are those of the append's last one. */
  readonly onAppended?: (events: readonly Recorded<DomainEvent>[]) => void;
  /** Told of the position that answers without an event rest on, before they are given. */
  readonly onUnchanged?: (position: string) => void;
}

/** How often a lane decides again after losing a race against another process. */
const maxConflicts = 12;
/** How often, and for how many milliseconds, an append in doubt is asked for again with the same ids. */
const maxDoubts = 5;
const doubtPatience = 5_000;

interface Basis<State> {
  readonly folded: Folded<State>;
  /** Nobody can have appended since. */
  readonly isFresh: boolean;
  /** The stream was not looked at. */
  readonly isGuess: boolean;
}

interface Waiting<State, Command, Event> {
  readonly request: CommandRequest<Command>;
  readonly resolve: (handled: Handled<State, Event>) => void;
  readonly reject: (error: unknown) => void;
}

export function createCommandHandler<State, Command, Event extends DomainEvent>(
  options: HandlerOptions<State, Command, Event>,
): CommandHandler<State, Command, Event> {
  const { store, decider, sources } = options;
  const unread: Folded<State> = { state: decider.initial, revision: -1n, position: '', at: '' };
  const cache = new Map<string, Folded<State>>();
  const lanes = new Map<string, Waiting<State, Command, Event>[]>();
  const reads = new Map<string, { readonly running: Promise<Folded<State>>; next?: Promise<Folded<State>> }>();

  function remember(stream: string, folded: Folded<State>): void {
    cache.delete(stream);
    cache.set(stream, folded);
    if (cache.size <= options.cacheSize) return;
    for (const oldest of cache.keys()) {
      cache.delete(oldest);
      return;
    }
  }

  /**
   * Folds what lies behind the known state, in a read that begins after this call: one that runs already may have
   * passed what the caller must see. All that wait for it share the next one.
   */
  function readTail(stream: string): Promise<Folded<State>> {
    const reading = reads.get(stream);
    if (reading === undefined) return startRead(stream);
    reading.next ??= reading.running.then(
      () => startRead(stream),
      () => startRead(stream),
    );
    return reading.next;
  }

  function startRead(stream: string): Promise<Folded<State>> {
    const running = foldTail(stream, cache.get(stream) ?? unread);
    const entry = { running };
    reads.set(stream, entry);
    const forget = (): void => {
      if (reads.get(stream) === entry) reads.delete(stream);
    };
    running.then(forget, forget);
    return running;
  }

  async function foldTail(stream: string, start: Folded<State>): Promise<Folded<State>> {
    let folded = start;
    for await (const events of store.readStream(stream, { from: start.revision + 1n }))
      for (const stored of events) folded = foldOne(folded, stored);
    // An append of our own may have gone further while this read was under way.
    const newest = cache.get(stream);
    if (newest !== undefined && newest.revision > folded.revision) return newest;
    if (folded.revision >= 0n) remember(stream, folded);
    return folded;
  }

  function foldOne(folded: Folded<State>, stored: StoredEvent): Folded<State> {
    const { event, metadata, revision, position } = codec.decode(stored);
    if (!decider.knows(event))
      throw new UnreadableEventError(
        `event ${event.type} at revision ${revision} of ${stored.stream}, position ${position}, is none of this stream`,
      );
    return { state: decider.evolve(folded.state, event), revision, position, at: metadata.at };
  }

  async function fresh(stream: string): Promise<Folded<State>> {
    const folded = cache.get(stream);
    if (folded !== undefined && store.soleWriter) {
      remember(stream, folded);
      return folded;
    }
    return await unavailableOnFault(() => readTail(stream));
  }

  /** Appends with the same ids until the outcome is certain, or throws AppendInDoubtError. */
  async function append(
    stream: string,
    events: readonly NewEvent<Event>[],
    folded: Folded<State>,
  ): Promise<AppendResult> {
    const encoded = events.map((event) => event.encoded);
    const expectedRevision = folded.revision < 0n ? 'no_stream' : folded.revision;
    const giveUpAt = sources.now() + doubtPatience;
    for (let doubts = 0; ; doubts += 1) {
      try {
        return await store.append(stream, encoded, { expectedRevision });
      } catch (error) {
        if (!(error instanceof AppendInDoubtError)) throw error;
        if (doubts >= maxDoubts || sources.now() > giveUpAt) throw error;
        await options.sleep(pause(doubts));
      }
    }
  }

  /** Full jitter, doubling from 10 ms up to 500 ms. */
  const pause = (round: number): number => options.random() * Math.min(500, 10 * 2 ** round);

  /** What to decide on: memory, where there is some; nothing, for commands that expect nothing; undefined: the log. */
  function basisAtHand(stream: string, waiting: readonly Waiting<State, Command, Event>[]): Basis<State> | undefined {
    const known = cache.get(stream);
    if (known !== undefined) return { folded: known, isFresh: store.soleWriter, isGuess: false };
    const isNew = waiting.every(({ request }) => request.assumeNew === true);
    return isNew ? { folded: unread, isFresh: false, isGuess: true } : undefined;
  }

  const basisRead = async (stream: string): Promise<Basis<State>> => ({
    folded: await readTail(stream),
    isFresh: true,
    isGuess: false,
  });

  /** Appends what was decided and remembers it. The position, or undefined when the stream stood elsewhere. */
  async function appendDecided(
    stream: string,
    decided: DecidedBatch<State, Event>,
    { folded, isGuess }: Basis<State>,
  ): Promise<string | undefined> {
    try {
      const result = await append(stream, decided.events, folded);
      // What has just begun seldom goes on at once; keeping it would push out what is in use, and feed the garbage collector.
      if (!isGuess)
        remember(stream, {
          state: decided.state,
          revision: result.revision,
          position: result.position,
          at: decided.at,
        });
      options.onAppended?.(recorded(stream, decided.events, result));
      return result.position;
    } catch (error) {
      if (error instanceof WrongExpectedRevisionError) return undefined;
      // Perhaps written: what is known of the stream may be wrong from here on.
      cache.delete(stream);
      throw error;
    }
  }

  function unchanged({ position }: Folded<State>): string {
    options.onUnchanged?.(position);
    return position;
  }

  /** Decides and appends for the commands at the head of the queue; answers them; returns how many. */
  async function handleBatch(stream: string, queue: readonly Waiting<State, Command, Event>[]): Promise<number> {
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
      if (!basis.isGuess) await options.sleep(pause(conflicts));
      conflicts += 1;
    }
  }

  function answer(
    waiting: readonly Waiting<State, Command, Event>[],
    decided: DecidedBatch<State, Event>,
    position: string,
  ): void {
    decided.outcomes.forEach((outcome, index) => {
      const { resolve, reject } = waiting[index] ?? missing();
      if (outcome.status === 'refused') reject(outcome.error);
      else resolve({ state: outcome.state, events: outcome.events.map(({ event }) => event), position });
    });
  }

  async function runLane(stream: string, queue: Waiting<State, Command, Event>[]): Promise<void> {
    while (queue.length > 0) {
      try {
        queue.splice(0, await handleBatch(stream, queue));
      } catch (error) {
        // Whatever waited has seen the same fault; nobody waits for the next one to find out.
        for (const { reject } of queue.splice(0)) reject(asUnavailable(error));
      }
    }
    lanes.delete(stream);
  }

  return {
    fresh,
    adopt: (stream, folded) =>
      unavailableOnFault(async () => {
        const whole = await foldTail(stream, folded);
        remember(stream, whole);
        return whole;
      }),
    known(stream, suffices = () => false) {
      const folded = cache.get(stream);
      return folded !== undefined && (store.soleWriter || suffices(folded.state)) ? folded : undefined;
    },
    execute: (request) =>
      new Promise((resolve, reject) => {
        const waiting = { request, resolve, reject };
        const lane = lanes.get(request.stream);
        if (lane !== undefined) {
          lane.push(waiting);
          return;
        }
        const queue = [waiting];
        lanes.set(request.stream, queue);
        void runLane(request.stream, queue);
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

function recorded<Event extends DomainEvent>(
  stream: string,
  events: readonly NewEvent<Event>[],
  { revision, position }: AppendResult,
): Recorded<DomainEvent>[] {
  const first = revision - BigInt(events.length) + 1n;
  return events.map(({ id, event, metadata }, index) => ({
    stream,
    revision: first + BigInt(index),
    position,
    id,
    event,
    metadata,
  }));
}

function missing(): never {
  throw new Error('a decided command has nobody waiting for it');
}
