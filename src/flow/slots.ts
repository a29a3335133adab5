/** Bounds how many requests run at once, how many wait, and how much of both one key may hold. */
import { ServiceError } from '../errors.js';

interface SlotsOptions {
  readonly running: number;
  /** The most slots that one key may hold. */
  readonly runningOfKey: number;
  /** The line in which requests wait for a slot. By default, no request may wait. */
  readonly line?: Line;
  /** The most milliseconds that a request waits in line. Default: no limit. */
  readonly patience?: number;
  /** Seconds after which a refused client may try again. */
  readonly retryAfter: number;
}

/** A bound on the requests that wait. Several sets of slots may share a line. */
interface Line {
  readonly most: number;
  /** The most requests of one key. */
  readonly mostOfKey: number;
  /** Returns whether one more request of a key may wait. */
  hasRoomFor(key: string | undefined): boolean;
  enter(key: string | undefined): void;
  leave(key: string | undefined): void;
}

/** Creates a line of at most `most` waiting requests. One key may have a quarter of the line. */
export function createLine(most: number): Line {
  const waitingBy = createTally();
  const mostOfKey = Math.ceil(most / 4);
  let waiting = 0;
  const change = (key: string | undefined, by: 1 | -1): void => {
    waiting += by;
    waitingBy.add(key, by);
  };
  return {
    most,
    mostOfKey,
    hasRoomFor: (key) => waiting < most && waitingBy.of(key) < mostOfKey,
    enter: (key) => change(key, 1),
    leave: (key) => change(key, -1),
  };
}

/** The most requests for long answers that wait, of all kinds and keys together. */
const mostLongAnswersWaiting = 1_000;
/**
 * Options for answers that take long to make or to read. One key may hold one slot of each kind. A request waits for as
 * long as its client does, because a client that is refused would only ask again.
 */
export const longAnswers = { runningOfKey: 1, line: createLine(mostLongAnswersWaiting), retryAfter: 5 };

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
   * Takes a slot for the owner of the signal, or for work of the service itself if the signal has no owner. Resolves with a
   * function that gives the slot back and is safe to call twice. Rejects with the signal's reason when the signal aborts.
   * @throws ServiceError `too_many_at_once` if no slot is free and the line is full; `unavailable` if no slot becomes free
   * in time, or if the service stops
   */
  take(signal?: AbortSignal): Promise<() => void>;
}

/** The owner of a request. */
interface Owner {
  /** The id of its API key. */
  readonly key: string;
  /** Aborts when the service stops, so that a waiting request is answered before its connection is cut. */
  readonly stopping: AbortSignal;
}

const owners = new WeakMap<AbortSignal, Owner>();

/** Marks the signal of a request with its owner, so that work deep inside takes its slot on behalf of that owner. */
export function ownedBy(owner: Owner, signal: AbortSignal): AbortSignal {
  owners.set(signal, owner);
  return signal;
}

/** The signals of requests that hold a slot. */
const holders = new WeakSet<AbortSignal>();

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
  const { running: most, runningOfKey, line, patience, retryAfter } = options;
  const runningBy = createTally();
  const waiters = new Set<Waiter>();
  let running = 0;
  statuses.set(name, () => ({ running, waiting: waiters.size }));

  const isFreeFor = (key: string | undefined): boolean => running < most && runningBy.of(key) < runningOfKey;

  function start(key: string | undefined, signal: AbortSignal | undefined): () => void {
    running += 1;
    runningBy.add(key, 1);
    const isFirst = signal !== undefined && !holders.has(signal);
    if (isFirst) holders.add(signal);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      running -= 1;
      runningBy.add(key, -1);
      if (isFirst) holders.delete(signal);
      // Start the first waiter whose key may hold one more, so that a key at its limit does not hold up the others.
      for (const waiter of waiters) {
        if (!isFreeFor(waiter.key)) continue;
        waiter.start();
        return;
      }
    };
  }

  function tooMany(): ServiceError {
    const names =
      line === undefined
        ? `${most} in all, ${runningOfKey} of one API key`
        : `${line.most} waiting in all, ${line.mostOfKey} of one API key`;
    return new ServiceError('too_many_at_once', { names }, { retryAfter });
  }

  async function wait(signal?: AbortSignal, { key, stopping }: Partial<Owner> = {}): Promise<() => void> {
    const unavailable = (): ServiceError => new ServiceError('unavailable', {}, { retryAfter });
    if (stopping?.aborted === true) throw unavailable();
    // A request that already holds a slot of another kind waits even if the line is full, so that it can end.
    const isHolder = signal !== undefined && holders.has(signal);
    if (line === undefined || !(isHolder || line.hasRoomFor(key))) throw tooMany();
    return await new Promise((resolve, reject) => {
      const leave = (): void => {
        waiters.delete(waiter);
        line.leave(key);
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        stopping?.removeEventListener('abort', giveUp);
      };
      const waiter: Waiter = {
        key,
        start() {
          leave();
          resolve(start(key, signal));
        },
      };
      const abort = (): void => {
        leave();
        reject(asError(signal?.reason));
      };
      const giveUp = (): void => {
        leave();
        reject(unavailable());
      };
      const timer = patience === undefined ? undefined : setTimeout(giveUp, patience);
      waiters.add(waiter);
      line.enter(key);
      signal?.addEventListener('abort', abort, { once: true });
      stopping?.addEventListener('abort', giveUp, { once: true });
    });
  }

  return {
    async take(signal) {
      signal?.throwIfAborted();
      const owner = signal && owners.get(signal);
      return isFreeFor(owner?.key) ? start(owner?.key, signal) : await wait(signal, owner);
    },
  };
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));
