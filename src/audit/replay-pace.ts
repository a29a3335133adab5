/** Paces the replays that clients can request: one page per turn, and few long replays at once, so that other requests do not wait. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createSerialQueue } from '../flow/serial.js';
import { createSlots, longAnswers } from '../flow/slots.js';

/** A replay of more events is long and takes a slot. */
export const longReplayEvents = 2_048;
const running = 2;

export interface ReplayPace {
  /** Resolves when this replay may read its next page. All replays together read one page per turn of the event loop. */
  turn(): Promise<void>;
  /** Takes a slot for a long replay on behalf of the key that owns the signal. */
  long(signal?: AbortSignal): Promise<() => void>;
}

export function createReplayPace(): ReplayPace {
  const slots = createSlots('replays', { running, ...longAnswers });
  const pages = createSerialQueue();
  return {
    turn: () => pages.run(() => nextTurn()),
    long: (signal) => slots.take(signal),
  };
}

export const unpaced: ReplayPace = { turn: () => nextTurn(), long: async () => () => undefined };
