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

/** The keyed hashes of an `Idempotency-Key` and of what is asked with it: under a salt as it is stored, without one as earlier versions did. */
export interface Asked {
  readonly key_hash: string;
  readonly hash: (salt?: string) => string;
}

/** What is remembered of a request to know its repeat. It is forgotten with the content, which could be guessed from it. */
export interface Remembered {
  readonly request_hash: string;
  /** Of the first `person` or `message` that the request wrote. */
  readonly salt?: string | undefined;
}

export type Creation = Remembered & Idempotency;

export const isRepeat = (of: Remembered | undefined, asked: Asked | undefined): boolean =>
  of !== undefined && asked !== undefined && [asked.hash(of.salt), asked.hash()].includes(of.request_hash);

/** What a repeat of a create gets: nothing new, or a refusal. Undefined: it is no repeat of this creation. */
export function replay(creation?: Creation, asked?: Asked): readonly never[] | Refusal | undefined {
  if (asked === undefined || creation?.key_hash !== asked.key_hash) return undefined;
  return isRepeat(creation, asked) ? [] : { refused: 'idempotency_conflict' };
}

/** What a command is decided in, beside the state. */
export interface Circumstances {
  readonly idempotency?: Asked | undefined;
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
