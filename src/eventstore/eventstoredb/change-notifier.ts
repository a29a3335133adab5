/**
 * Says when the log has grown: a live subscription of the server, which only signals that there is more to read.
 * Drops are normal (a burst of more than 32 events is one); without a notification there is one look a second. While the
 * log is busy nothing is subscribed, and looks come often: every event of a live subscription is sent and read twice.
 */
import { END } from '@eventstore/db-client';
import { pause } from '../../flow/abort.js';
import { backOff, fullJitter } from '../../flow/backoff.js';
import type { Connection, Timings } from './connection.js';
import { serverFaultOf, isAborted } from './faults.js';
import { filterOf } from './pages.js';

export type ChangeNotifier = ReturnType<typeof createChangeNotifier>;

interface ChangeNotifierOptions {
  readonly connection: Connection;
  readonly prefix: string;
  readonly timings: Timings;
  readonly random: () => number;
  readonly onFault: (fault: Error) => void;
}

/** This number of events within this number of milliseconds makes a busy log. It is looked into often for a while, then subscribed to again. */
const busy = { events: 50, withinMs: 250, lookMs: 20, forMs: 1_000 };

export function createChangeNotifier(options: ChangeNotifierOptions) {
  const { connection, prefix, timings, random, onFault } = options;
  const closing = new AbortController();
  const waiting = new Set<() => void>();
  let version = 0;
  let subscription = new AbortController();
  let listening: Promise<void> | undefined;
  let burst = { since: -Infinity, events: 0 };
  let isBusy = false;
  let stalledSince: number | undefined;

  function notify(): void {
    version += 1;
    for (const wake of [...waiting]) wake();
  }

  function isBurst(): boolean {
    const now = performance.now();
    if (now - burst.since > busy.withinMs) burst = { since: now, events: 0 };
    burst.events += 1;
    return burst.events >= busy.events;
  }

  async function listen(): Promise<void> {
    let failures = 0;
    while (!closing.signal.aborted) {
      subscription = new AbortController();
      const lost = await follow(subscription.signal, () => (failures = 0));
      stalledSince = undefined;
      if (lost === 'busy') {
        isBusy = true;
        await pause(busy.forMs, closing.signal);
        isBusy = false;
        continue;
      }
      // Once for each time that it fails, however long that lasts.
      if (failures === 0 && lost !== undefined) onFault(lost);
      const longest = backOff(failures, { first: timings.firstBackOffMs, most: timings.lastBackOffMs });
      await pause(fullJitter(longest, random), closing.signal);
      failures += 1;
    }
  }

  /** One subscription, to its end. Resolves with what is worth telling. */
  async function follow(signal: AbortSignal, confirmed: () => void): Promise<Error | 'busy' | undefined> {
    try {
      const end = await connection.read({
        start: (client, base) =>
          client.subscribeToAll({ ...base, fromPosition: END, filter: filterOf(prefix) }).on('confirmation', () => {
            confirmed();
            // Events between two subscriptions were not notified.
            notify();
          }),
        signal,
        take: () => {
          stalledSince = undefined;
          notify();
          return !isBurst();
        },
      });
      if (signal.aborted) return undefined;
      return end === 'left' ? 'busy' : new Error('the live subscription of EventStoreDB ended');
    } catch (error) {
      if (connection.isClosed() || isAborted(error)) return undefined;
      return new Error(`the live subscription of EventStoreDB was dropped: ${serverFaultOf(error).text}`);
    }
  }

  return {
    /** Grows with each notification. To be asked before one looks into the log. */
    version: (): number => version,
    notify,
    /** Resolves when there is a newer version (true), when it is time to look anyway (false), or when aborted or closed. */
    next(seen: number, signal: AbortSignal): Promise<boolean> {
      listening ??= listen();
      return new Promise((resolve) => {
        const done = (wasNotified: boolean): void => {
          clearTimeout(look);
          waiting.delete(wake);
          signal.removeEventListener('abort', wake);
          resolve(wasNotified);
        };
        const wake = (): void => done(true);
        const look = setTimeout(() => done(isBusy), isBusy ? Math.min(busy.lookMs, timings.pollMs) : timings.pollMs);
        waiting.add(wake);
        signal.addEventListener('abort', wake);
        if (version !== seen || signal.aborted || closing.signal.aborted) wake();
      });
    },
    /** A read found new events. A subscription that still has not notified of them has stalled. */
    found(wasNotified: boolean): void {
      if (wasNotified) return;
      stalledSince ??= performance.now();
      if (performance.now() - stalledSince <= timings.stalledMs) return;
      onFault(new Error('the live subscription of EventStoreDB said nothing of new events: it is started again'));
      subscription.abort();
    },
    isClosed: (): boolean => closing.signal.aborted,
    async close(): Promise<void> {
      closing.abort();
      subscription.abort();
      notify();
      await listening;
    },
  };
}
