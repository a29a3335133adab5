/** What a decider is: the rules of one aggregate as three plain values. */
import type { ErrorCode, ErrorParameters } from '../errors.js';
import type { DomainEvent } from '../events/codec.js';
import type { Idempotency, Metadata } from '../events/envelope.js';

/** Rejected by a rule: nothing is written, and the caller gets this error. */
export interface Refusal {
  readonly refused: ErrorCode;
  readonly parameters?: ErrorParameters;
}

/** New events in order; none when the state is already as the command wants it. */
export type Decision<Event> = readonly Event[] | Refusal;

/** The keyed hashes of an `Idempotency-Key` and of the request that came with it. Requests about nobody, such as new groups, have no salt. */
export interface RequestFingerprint {
  readonly key_hash: string;
  readonly hash: (salt?: string) => string;
}

/** What is stored of a request to recognise a repeat. It is erased with the content, which could be guessed from it. */
export interface StoredFingerprint {
  readonly request_hash: string;
  /** Of the first `person` or `message` that the request wrote. */
  readonly salt?: string | undefined;
}

export type Creation = StoredFingerprint & Idempotency;

export const isRepeat = (of: StoredFingerprint | undefined, request: RequestFingerprint | undefined): boolean =>
  of !== undefined && request?.hash(of.salt) === of.request_hash;

/** The decision on a repeated create: no events, or a refusal. Undefined: it is not a repeat of this creation. */
export function decideRepeat(
  creation?: Creation,
  request?: RequestFingerprint,
): readonly never[] | Refusal | undefined {
  if (request === undefined || creation?.key_hash !== request.key_hash) return undefined;
  return isRepeat(creation, request) ? [] : { refused: 'idempotency_conflict' };
}

/** What a decision depends on beside the state and the command. */
export interface DecisionContext {
  readonly idempotency?: RequestFingerprint | undefined;
  /** Of the last event of the stream; -1 where there is none. */
  readonly revision: bigint;
  /** `at` of the events that are decided on: UTC, ISO 8601 with milliseconds, never earlier than the last event. */
  readonly at: string;
}

/** Pure: no clock, no I/O, no randomness. Deciding the same command again on the resulting state yields no events. */
export interface Decider<State, Command, Event extends DomainEvent = DomainEvent> {
  readonly initial: State;
  /** Nothing is folded: of a stream its last event is read, and no other. */
  readonly isStateless?: true;
  evolve(state: State, event: Event, metadata: Pick<Metadata, 'at' | 'idempotency'>): State;
  decide(command: Command, state: State, circumstances: DecisionContext): Decision<Event>;
  /** Whether an event read from the stream is one that `evolve` knows; one that it does not know makes the stream undecidable (503). */
  knows(event: DomainEvent): event is Event;
}

export const isRefusal = <Event>(decision: Decision<Event>): decision is Refusal => 'refused' in decision;

export const knownBy =
  <Event extends DomainEvent>(schemas: Readonly<Record<Event['type'], unknown>>) =>
  (event: DomainEvent): event is Event =>
    Object.hasOwn(schemas, event.type);
