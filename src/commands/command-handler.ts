/** The contract of a command handler for one kind of stream; handle.ts implements it. */
import type { DomainEvent } from '../events/codec.js';
import type { AppendedEvents } from '../events/envelope.js';
import type { EventStore } from '../eventstore/event-store.js';
import type { Observe } from '../flow/observe.js';
import type { CommandContext, LoadedState, Sources } from './batch.js';
import type { Decider } from './decider.js';

export interface CommandRequest<Command> {
  readonly stream: string;
  readonly command: Command;
  readonly context: CommandContext;
  /** The stream most likely does not exist: decide on the initial state unread, the append's expectation finds out. */
  readonly assumeNew?: boolean | undefined;
}

export interface CommandResult<State, Event> {
  readonly state: State;
  readonly events: readonly Event[];
  /** Of these events, in their order. */
  readonly eventIds: readonly string[];
  /** Of the last event written, or of the state that made a write unnecessary. */
  readonly position: string;
}

export interface CommandHandler<State, Command, Event> {
  /**
   * Resolves once the events are durable. @throws ServiceError a refusal of the decider, or `unavailable` (then the
   * events may have been written, if a reply was lost). @throws InvalidAppendError no store takes them.
   */
  execute(request: CommandRequest<Command>): Promise<CommandResult<State, Event>>;
  /** The stream loaded to its end. @throws ServiceError `unavailable` */
  fresh(stream: string): Promise<LoadedState<State>>;
  /**
   * As `fresh`, from the cache; undefined where the log must be read. Where other processes may have written meanwhile,
   * the cached state is taken if it `suffices`: later events could not change the answer.
   */
  known(stream: string, suffices?: (state: State) => boolean): LoadedState<State> | undefined;
  /**
   * Begins with this state, which must be a true fold of the stream's first events, and reads what came after it; the
   * stream loaded to its end. To be called before anything else is asked of the stream. @throws ServiceError `unavailable`
   */
  adopt(stream: string, loaded: LoadedState<State>): Promise<LoadedState<State>>;
}

/** Writes lines of events into the register, which a restore reads. Each promise resolves when the lines are durable. */
export interface RegisterKeeper {
  /** Resolves if lines can be written, after lines that could not be written before. */
  demandWritable(): Promise<void>;
  /** Writes the lines of appended events. Returns undefined if none of these events needs a line. */
  keep(append: AppendedEvents<DomainEvent>): Promise<void> | undefined;
  /** Resolves when each event of the stream that needs a line has one, also if another process appended the event. */
  keepStream(stream: string): Promise<void>;
}

export interface HandlerOptions<State, Command, Event extends DomainEvent> {
  readonly store: EventStore;
  readonly decider: Decider<State, Command, Event>;
  readonly sources: Sources;
  /** From 0 to 1, for jitter. */
  readonly random: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Folded states kept in memory; those that no command has used for longest are dropped first. */
  readonly cacheSize: number;
  /** Called after each append, before its commands are answered. */
  readonly onAppended?: (append: AppendedEvents<DomainEvent>) => void;
  /** Called before an answer without an event, with the position of the state that it is based on. */
  readonly onUnchanged?: (position: string) => void;
  /** Returns the register, or undefined while a start has not opened it yet. */
  readonly register?: (() => RegisterKeeper | undefined) | undefined;
  /** Returns whether events of the command need lines. Such a command is refused while the register cannot be written, and a repeat that changes nothing waits for the lines. Defaults to false. */
  readonly isKept?: (command: Command) => boolean;
  /** Reports commands, appends and conflicts. */
  readonly observe?: Observe | undefined;
}
