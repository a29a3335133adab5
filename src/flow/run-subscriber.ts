/** The runner of a subscriber: looks for work when it is woken or its rest is over, keeps a bounded number going, and ends in good order. */
import { within } from './abort.js';
import { backOff, equalJitter } from './backoff.js';
import type { Observe } from './observe.js';
import type { Subscriber, SubscriberRunner } from './subscriber.js';

/** Milliseconds. */
export const runnerTimings = {
  /** Calls of `wake` within this time are one look. */
  wake: 5,
  /** First pause after a failure; doubles up to the longest. */
  firstPause: 250,
  longestPause: 5_000,
  /** How long `close` waits for work whose signal is aborted, and then for the subscriber's own end. What takes longer, as with a store that does not answer, is not waited for. */
  stop: 5_000,
};

interface SubscriberRunnerOptions {
  /** Called once until it goes well again, with what cannot be done. */
  readonly onFault: (error: unknown, what: string) => void;
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
  /** From 0 to 1, for jitter. */
  readonly random: () => number;
  readonly timings?: Readonly<typeof runnerTimings>;
  /** Reports each piece of work. */
  readonly observe?: Observe | undefined;
}

export type Runner = ReturnType<typeof createRunner>;

/** Looks for the first time when it is started. */
export function createRunner<Work>(subscriber: Subscriber<Work>, options: SubscriberRunnerOptions) {
  const { lease, concurrency } = subscriber;
  const { monotonic, timings = runnerTimings, observe } = options;
  const running = new Set<Promise<void>>();
  const looks = createFaults('what is due cannot be looked for', options);
  const works = createFaults('what is due cannot be done', options);
  const closed = new AbortController();
  const stopped = new AbortController();
  let lost = new AbortController();
  let isStarted = false;
  let timer: { readonly at: number; readonly handle: NodeJS.Timeout } | undefined;
  let looking = false;
  let again = false;
  /** Since when a look has been due. Undefined: the last one succeeded, and none is due. */
  let wanted: number | undefined;
  let stopping: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  lease?.onLost(() => {
    lost.abort();
    lost = new AbortController();
    wakeIn(timings.wake);
  });

  /** Looks after this time, or earlier if it is to look earlier anyway; not before the pause after a failure is over. */
  function wakeIn(milliseconds: number): void {
    const now = monotonic();
    const at = Math.max(now + milliseconds, looks.pauseUntil(), works.pauseUntil());
    if (!isStarted || stopping !== undefined || at === Infinity || (timer !== undefined && timer.at <= at)) return;
    clearTimeout(timer?.handle);
    const wake = (): void => {
      timer = undefined;
      // A timer may be early by a millisecond.
      if (monotonic() < at) wakeIn(0);
      else void look();
    };
    timer = { at, handle: setTimeout(wake, Math.max(0, at - now)) };
  }

  /** One look at a time; requests meanwhile become one more. Never rejects. */
  async function look(): Promise<void> {
    again = looking;
    if (looking) return;
    looking = true;
    wanted ??= monotonic();
    let rest = 0;
    try {
      rest = await startDue();
      looks.good();
      wanted = again ? monotonic() : undefined;
    } catch (error) {
      if (!closed.signal.aborted) looks.bad(error);
    }
    looking = false;
    wakeIn(again ? timings.wake : rest);
  }

  async function startDue(): Promise<number> {
    const free = concurrency - running.size;
    // The end of each work is a look.
    if (free <= 0) return Infinity;
    if (lease?.isHeld() === false) {
      if ((await lease.hold(closed.signal)) === null) return Infinity;
      // Until now the work was another process's.
      wanted = monotonic();
    }
    const { work, rest } = await subscriber.due(free);
    if (closed.signal.aborted || lease?.isHeld() === false) return rest;
    for (const one of work.slice(0, free)) start(one);
    return rest;
  }

  function start(work: Work): void {
    const signal = AbortSignal.any([stopped.signal, lost.signal]);
    const begun = observe?.begin?.work(subscriber.name);
    const handle = (): Promise<void> =>
      subscriber.handle(work, signal, closed.signal).catch((error: unknown) => {
        if (!signal.aborted) works.bad(error);
        throw error;
      });
    const done = (begun === undefined ? handle() : begun.run(handle))
      .then(works.good, (error: unknown) => error)
      .then((error) => {
        observe?.work({ error }, begun);
        running.delete(done);
        wakeIn(timings.wake);
      });
    running.add(done);
  }

  async function end(): Promise<void> {
    closed.abort();
    clearTimeout(timer?.handle);
    await within(subscriber.grace, Promise.all(running), leave);
    stopped.abort();
    await within(timings.stop, Promise.all(running), leave);
  }

  /** Starts nothing more, gives what runs its time, then aborts it. Resolves when nothing runs. Safe to call twice. */
  const stop = (): Promise<void> => (stopping ??= end());

  async function giveBack(): Promise<void> {
    await stop();
    const last = subscriber
      .close?.(AbortSignal.timeout(timings.stop))
      .catch((error: unknown) => options.onFault(error, 'what is left at the stop cannot be done'));
    await within(timings.stop, Promise.resolve(last), leave);
    await lease?.close();
  }

  function lag(): number {
    if (lease?.isHeld() === false) return 0;
    const now = monotonic();
    return Math.max(0, now - (wanted ?? now), now - (works.since() ?? now));
  }

  const self: SubscriberRunner = {
    wake(within = timings.wake) {
      wanted = Math.min(wanted ?? Infinity, monotonic() + within);
      if (looking) again = true;
      else if (running.size < concurrency) wakeIn(within);
    },
    status: () => ({ running: running.size, canLook: looks.isGood() }),
  };
  subscriber.attach?.(self);
  return {
    ...self,
    /** `holds`: the lease, or there is none. `lag`: for how long a look for work has been due, or its work has failed, in milliseconds; 0 where another process does it. */
    figures: () => ({ failures: looks.failures() + works.failures(), holds: lease?.isHeld() ?? true, lag: lag() }),
    start(): void {
      isStarted = true;
      wakeIn(0);
    },
    stop,
    /** As `stop`. Then the subscriber ends, and its lease is given back. Safe to call twice. */
    close: (): Promise<void> => (closing ??= giveBack()),
  };
}

/** Failures in a row: the first is reported, and each next pause is longer. */
function createFaults(what: string, { onFault, monotonic, random, timings = runnerTimings }: SubscriberRunnerOptions) {
  let count = 0;
  let failures = 0;
  let until = -Infinity;
  let since: number | undefined;
  return {
    good(): void {
      count = 0;
      since = undefined;
    },
    bad(error: unknown): void {
      since ??= monotonic();
      if (count === 0) onFault(error, what);
      failures += 1;
      const longest = backOff(count, { first: timings.firstPause, most: timings.longestPause });
      // Works that fail together are one failure.
      if (monotonic() >= until) count += 1;
      until = monotonic() + equalJitter(longest, random);
    },
    isGood: (): boolean => count === 0,
    failures: (): number => failures,
    /** When the first of these failures was, undefined while it goes well. */
    since: (): number | undefined => since,
    pauseUntil: (): number => until,
  };
}

/** Leaves behind work that does not end in time. */
const leave = (): void => undefined;
