/** The contract of what handles the commands of one kind of stream; handle.ts keeps it. */
import type { DomainEvent } from '../events/codec.js';
import type { Appended } from '../events/envelope.js';
import type { EventStore } from '../eventstore/event-store.js';
import type { CommandContext, Folded, Sources } from './batch.js';
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
  /** Told of each append before its commands are answered. */
  readonly onAppended?: (append: Appended<DomainEvent>) => void;
  /** Told of the position that answers without an event rest on, before they are given. */
  readonly onUnchanged?: (position: string) => void;
}
