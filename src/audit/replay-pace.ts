/** The pace of the replays that clients can ask for: a page a turn, and few long ones at once, so that nobody waits for them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSlots, shortLine } from '../flow/slots.js';

/** A replay of more events is a long one: it takes a slot. */
export const longReplayEvents = 2_048;
const running = 2;

export interface ReplayPace {
  /** Resolves when this replay may read its next page: in line with all others, one per turn of the event loop. */
  turn(): Promise<void>;
  long(signal?: AbortSignal): Promise<() => void>;
}

export function createReplayPace(): ReplayPace {
  const slots = createSlots('replays', { running, ...shortLine });
  let last = Promise.resolve();
  return {
    turn: () => (last = last.then(() => nextTurn())),
    long: slots.take,
  };
}

export const unpaced: ReplayPace = { turn: () => nextTurn(), long: async () => () => undefined };
