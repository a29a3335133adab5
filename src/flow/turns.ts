/** A subscriber whose work is one turn, again and again: it looks by itself for what there is to do. */
import type { Subscriber } from './subscriber.js';

interface TurnsOptions extends Pick<Subscriber<'turn'>, 'name' | 'lease' | 'close'> {
  /** Milliseconds between the end of one turn and the next. */
  readonly pause: number;
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
  /** The signal aborts when the process stops or the lease is lost. */
  readonly turn: (signal: AbortSignal) => Promise<void>;
}

export function takeTurns({ pause, monotonic, turn, ...subscriber }: TurnsOptions): Subscriber<'turn'> {
  let next = -Infinity;
  return {
    ...subscriber,
    concurrency: 1,
    grace: 0,
    due() {
      const rest = next - monotonic();
      return Promise.resolve(rest > 0 ? { work: [], rest } : { work: ['turn'], rest: pause });
    },
    handle: (_, signal) => turn(signal).finally(() => (next = monotonic() + pause)),
  };
}
