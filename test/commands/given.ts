/** given events, when a command, then events or a refusal: the way every decider is tested. */
import { expect } from 'vitest';
import { isRefusal, type RequestFingerprint, type Decider, type Decision } from '../../src/commands/decider.js';
import type { DomainEvent } from '../../src/events/codec.js';

/** When everything happens. */
const at = '2026-03-01T09:00:00.000Z';

export function given<State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
  ...history: readonly Event[]
) {
  const state = history.reduce((folded, event) => decider.evolve(folded, event, { at }), decider.initial);
  return {
    state,
    when(command: Command, idempotency?: RequestFingerprint) {
      const decision = decider.decide(command, state, { idempotency, revision: BigInt(history.length) - 1n, at });
      return {
        then(...events: readonly Event[]): void {
          expect(decision).toEqual(events);
        },
        thenRefused(code: string): void {
          expect(decision).toEqual({ refused: code });
        },
        decision,
      };
    },
  };
}

/** Applies what was decided; a refusal changes nothing. */
export function apply<State, Command, Event extends DomainEvent>(
  decider: Decider<State, Command, Event>,
  state: State,
  decision: Decision<Event>,
): State {
  return isRefusal(decision) ? state : decision.reduce((folded, event) => decider.evolve(folded, event, { at }), state);
}

/** How many events came of it; a refusal has none. */
export const eventCount = (decision: Decision<unknown>): number => (isRefusal(decision) ? 0 : decision.length);
