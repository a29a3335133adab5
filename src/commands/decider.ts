/** What a decider is: the rules of one aggregate as three plain values. */
import type { ErrorCode, ErrorParameters } from '../errors.js';
import type { DomainEvent } from '../events/codec.js';
import type { Idempotency, Metadata } from '../events/envelope.js';

/** A rule said no: nothing is written, and the caller gets this error. */
export interface Refusal {
  readonly refused: ErrorCode;
  readonly parameters?: ErrorParameters;
}

/** New events in order; none when the state is already as the command wants it. */
export type Decision<Event> = readonly Event[] | Refusal;

/** What a repeat of a create gets: nothing new, or a refusal. Undefined: it is no repeat of this creation. */
export function replay(creation?: Idempotency, asked?: Idempotency): readonly never[] | Refusal | undefined {
  if (asked === undefined || creation?.key_hash !== asked.key_hash) return undefined;
  return creation.request_hash === asked.request_hash ? [] : { refused: 'idempotency_conflict' };
}

/** What a command is decided in, beside the state. */
export interface Circumstances {
  /** As it will stand in the metadata of the events. */
  readonly idempotency?: Idempotency | undefined;
  /** Of the last event of the stream; -1 where there is none. */
  readonly revision: bigint;
}

/** Pure: no clock, no I/O, no randomness. Deciding the same command again on the resulting state yields no events. */
export interface Decider<State, Command, Event extends DomainEvent = DomainEvent> {
  readonly initial: State;
  /** Nothing is folded: of a stream its last event is read, and no other. */
  readonly isStateless?: true;
  evolve(state: State, event: Event, metadata: Pick<Metadata, 'at' | 'idempotency'>): State;
  decide(command: Command, state: State, circumstances: Circumstances): Decision<Event>;
  /** Whether an event read from the stream is one that `evolve` knows; one that it does not know makes the stream undecidable (503). */
  knows(event: DomainEvent): event is Event;
}

export const isRefusal = <Event>(decision: Decision<Event>): decision is Refusal => 'refused' in decision;

export const knownBy =
  <Event extends DomainEvent>(schemas: Readonly<Record<Event['type'], unknown>>) =>
  (event: DomainEvent): event is Event =>
    Object.hasOwn(schemas, event.type);
