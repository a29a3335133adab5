/** Bounds how many requests run at once, how many wait, and how much of both one key may hold. */
import { ServiceError } from '../errors.js';

interface SlotsOptions {
  readonly running: number;
  /** The most slots that one key may hold. */
  readonly runningOfKey: number;
  /** The most requests that wait in line for a slot. One key may have a quarter of the line. Default: 0. */
  readonly waiting?: number;
  /** The most milliseconds that a request waits in line. Default: no limit. */
  readonly patience?: number;
  /** Seconds after which a refused client may try again. */
  readonly retryAfter: number;
}

/** Options for answers that take long to make or to read. One key may hold one slot. */
export const longAnswers = { runningOfKey: 1, waiting: 1_000, patience: 5_000, retryAfter: 5 };

/** How many requests of all keys together run and wait. */
interface SlotsStatus {
  readonly running: number;
  readonly waiting: number;
}

const statuses = new Map<string, () => SlotsStatus>();

/** Returns the status of all slots of this process by name. If two share a name, the later one wins. */
export const slotsByName = (): readonly (readonly [string, SlotsStatus])[] =>
  [...statuses].map(([name, status]) => [name, status()]);

interface Slots {
  /**
   * Takes a slot for a key, or for work of the service itself if the key is undefined. Resolves with a function that gives
   * the slot back and is safe to call twice. Rejects with the signal's reason when the signal aborts.
   * @throws ServiceError `unavailable` if no slot is free and the line is full, or if none becomes free in time
   */
  take(key: string | undefined, signal?: AbortSignal): Promise<() => void>;
}

const owners = new WeakMap<AbortSignal, string>();

/** Marks the signal of a request with the API key of the request, so that work deep inside takes its slot from that key. */
export function ownedBy(key: string, signal: AbortSignal): AbortSignal {
  owners.set(signal, key);
  return signal;
}

/** Returns the key that owns a signal, or undefined if none does. */
export const keyOf = (signal: AbortSignal | undefined): string | undefined => signal && owners.get(signal);

interface Waiter {
  readonly key: string | undefined;
  readonly start: () => void;
}

/** Creates a counter of how often each key occurs. */
function createTally() {
  const counts = new Map<string, number>();
  const add = (key: string | undefined, change: 1 | -1): void => {
    if (key === undefined) return;
    const count = (counts.get(key) ?? 0) + change;
    if (count === 0) counts.delete(key);
    else counts.set(key, count);
  };
  return { of: (key: string | undefined): number => (key === undefined ? 0 : (counts.get(key) ?? 0)), add };
}

export function createSlots(name: string, options: SlotsOptions): Slots {
  const { running: most, runningOfKey, waiting = 0, patience, retryAfter } = options;
  const waitingOfKey = Math.ceil(waiting / 4);
  const runningBy = createTally();
  const waitingBy = createTally();
  const line = new Set<Waiter>();
  let running = 0;
  statuses.set(name, () => ({ running, waiting: line.size }));

  const isFreeFor = (key: string | undefined): boolean => running < most && runningBy.of(key) < runningOfKey;

  function start(key: string | undefined): () => void {
    running += 1;
    runningBy.add(key, 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      running -= 1;
      runningBy.add(key, -1);
      // Start the first waiter whose key may hold one more, so that a key at its limit does not hold up the others.
      for (const waiter of line) {
        if (!isFreeFor(waiter.key)) continue;
        waiter.start();
        return;
      }
    };
  }

  return {
    async take(key, signal) {
      signal?.throwIfAborted();
      if (isFreeFor(key)) return start(key);
      const refused = (): ServiceError => new ServiceError('unavailable', {}, { retryAfter });
      if (line.size >= waiting || waitingBy.of(key) >= waitingOfKey) throw refused();
      return await new Promise((resolve, reject) => {
        const leave = (): void => {
          line.delete(waiter);
          waitingBy.add(key, -1);
          clearTimeout(timer);
          signal?.removeEventListener('abort', abort);
        };
        const waiter: Waiter = {
          key,
          start() {
            leave();
            resolve(start(key));
          },
        };
        const abort = (): void => {
          leave();
          reject(asError(signal?.reason));
        };
        const giveUp = (): void => {
          leave();
          reject(refused());
        };
        const timer = patience === undefined ? undefined : setTimeout(giveUp, patience);
        line.add(waiter);
        waitingBy.add(key, 1);
        signal?.addEventListener('abort', abort, { once: true });
      });
    },
  };
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));
