/** Between a rebuild and the projector: orders go one way, each waits for its answer, and a feed that is lost ends the rebuild. */
import type { Command, Given } from './rebuild.js';
import { FeedLostError } from './rebuild.js';
import type { OrderAnswer } from './projector-commands.js';

export interface OrderLine {
  readonly command: Command;
  /** Answers to others are let pass: those to an earlier rebuild may still be on their way. */
  answer(answer: OrderAnswer): void;
  /** Aborts with a FeedLostError. */
  readonly signal: AbortSignal;
}

/** In `lost` as the id: whatever was fed is fed no more. */
export const everyFeed = '';

/** `id`: of the orders of this rebuild. */
export function createOrderLine(id: string, give: (order: Given) => void): OrderLine {
  const ended = new AbortController();
  let lost: FeedLostError | undefined;
  let waiting: { resolve(answer: OrderAnswer): void; reject(error: Error): void } | undefined;
  return {
    signal: ended.signal,
    command: (order) =>
      new Promise((resolve, reject) => {
        if (lost !== undefined) return reject(lost);
        waiting = { resolve, reject };
        give(order);
      }),
    answer(answer) {
      if (answer.id !== id && !(answer.type === 'lost' && answer.id === everyFeed)) return;
      if (answer.type === 'lost') {
        lost = new FeedLostError(answer);
        waiting?.reject(lost);
        ended.abort(lost);
      } else waiting?.resolve(answer);
      waiting = undefined;
    },
  };
}
