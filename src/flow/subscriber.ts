/** What follows the log and acts, such as the mailer: it says what is due and does it. Its runner decides when. One that works by the clock alone takes turns. */

/** What to start now, and in how many milliseconds to ask again if nothing wakes the runner earlier. */
export interface Due<Work> {
  readonly work: readonly Work[];
  readonly rest: number;
}

/** The right to do the work, where several processes could and one at a time may. */
export interface WorkLease {
  /** Resolves with its epoch once this process holds it; with null when the signal aborts first. Rejects while the holder cannot be told. */
  hold(signal: AbortSignal): Promise<number | null>;
  isHeld(): boolean;
  /** Called when another process has taken it. One listener. */
  onLost(listener: () => void): void;
  /** Gives it back. Never rejects. */
  close(): Promise<void>;
}

/** How a subscriber tells the time, in milliseconds. */
export interface Clocks {
  /** Since the epoch. */
  clock(): number;
  /** Never jumps. */
  monotonic(): number;
}

/** What runs a subscriber, as it sees it. */
export interface SubscriberRunner {
  /** There may be work: look within this many milliseconds, by default at once. Cheap: call it whenever something moves. */
  wake(within?: number): void;
  /** `canLook`: the last look for work succeeded. */
  status(): { readonly running: number; readonly canLook: boolean };
}

/**
 * How far it has come is never kept in memory: what was done stands in the log, in a record of the read models or in files
 * of its own. So work may be given again after a crash.
 */
export interface Subscriber<Work> {
  readonly name: string;
  /** Absent where every process may do the work at the same time. */
  readonly lease?: WorkLease | undefined;
  /** How many works run at once. */
  readonly concurrency: number;
  /** Milliseconds that running work gets when the process stops. Then its signal is aborted. */
  readonly grace: number;
  /** At most `free` works, and none that is being handled. A rejection: asked again after a back-off. */
  due(free: number): Promise<Due<Work>>;
  /**
   * `signal` aborts when the lease is lost or the time at the stop is over: then it ends soon. `closing` aborts when the stop
   * begins, for work that needs no time. A rejection: nothing is started until a back-off has passed.
   */
  handle(work: Work, signal: AbortSignal, closing: AbortSignal): Promise<void>;
  /** Called once, before the first look: with what to wake when there may be work earlier than `rest` says. */
  attach?(runner: SubscriberRunner): void;
  /**
   * Called once, when none of its work runs and no other subscriber appends any more: what it does last, and gives back. Its
   * lease is given back afterwards, and may have been lost. `signal` aborts soon: what still runs then is left behind.
   */
  close?(signal: AbortSignal): Promise<void>;
}

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
