/**
 * Says when the log has grown: a live subscription of the server, whose events are not read but taken as "read on".
 * Drops are normal (a burst of more than 32 events is one); a bell that stays deaf costs one look a second. While the log
 * is busy nobody listens, and looks come often: every event of a live subscription is sent and read a second time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Position } from '../event-store.js';
import type { Connection } from './connection.js';
import { faultOf, isAborted } from './faults.js';
import { liveRequest } from './messages.js';
import type { Timings } from './timings.js';

export interface Bell {
  /** How often it has rung. To be asked before one looks into the log. */
  count(): number;
  /** Resolves when it has rung since it stood at `count`, when it is time to look anyway, or at once when aborted or closed. */
  next(count: number, signal: AbortSignal): Promise<void>;
  /** Rings: something was appended, perhaps. */
  ring(): void;
  /** An event of ours was read there. A bell that goes on not having rung for it is deaf. */
  saw(position: Position): void;
  isClosed(): boolean;
  close(): Promise<void>;
}

export interface BellOptions {
  readonly connection: Connection;
  readonly prefix: string;
  readonly head: () => Promise<Position>;
  readonly timings: Timings;
  readonly random: () => number;
  readonly onFault: (fault: Error) => void;
}

/** So many events within so many milliseconds are a busy log; it is one until it has been quiet for as long. */
const busy = { events: 50, withinMs: 250, lookMs: 20 };

export function createBell({ connection, prefix, head, timings, random, onFault }: BellOptions): Bell {
  const closing = new AbortController();
  const waiting = new Set<() => void>();
  let rung = 0;
  /** Rings for events up to here are not expected any more. Undefined while there is no subscription that could ring. */
  let heard: Position | undefined;
  let deafSince: number | undefined;
  let subscription = new AbortController();
  let listening: Promise<void> | undefined;
  let burst = { since: -Infinity, events: 0 };
  let lastSeen = -Infinity;
  let isResting = false;

  /** Whether enough has been heard to stop listening for a while. */
  function isBurst(): boolean {
    const now = performance.now();
    if (now - burst.since > busy.withinMs) burst = { since: now, events: 0 };
    burst.events += 1;
    return burst.events >= busy.events;
  }

  /** Until the log has been quiet for a while. */
  async function rest(): Promise<void> {
    isResting = true;
    lastSeen = performance.now();
    while (!closing.signal.aborted && performance.now() - lastSeen < busy.withinMs)
      await sleep(busy.withinMs / 4, undefined, { signal: closing.signal }).catch(() => undefined);
    isResting = false;
    burst = { since: -Infinity, events: 0 };
  }

  function ring(): void {
    rung += 1;
    for (const wake of [...waiting]) wake();
  }

  function hear(position: Position): void {
    if (heard === undefined || position > heard) heard = position;
    deafSince = undefined;
  }

  /** For ever: whatever ends a subscription, the next one follows. */
  async function listen(): Promise<void> {
    let failures = 0;
    while (!closing.signal.aborted) {
      subscription = new AbortController();
      const lost = await follow(subscription.signal, () => (failures = 0));
      heard = undefined;
      deafSince = undefined;
      if (lost === 'rest') {
        await rest();
        continue;
      }
      // Once for each time that it fails, however long that lasts.
      if (failures === 0 && lost !== undefined) onFault(lost);
      failures += 1;
      await pause(failures);
    }
  }

  /** One subscription, to its end. Resolves with what is worth telling, or with the wish to rest. */
  async function follow(signal: AbortSignal, confirmed: () => void): Promise<Error | 'rest' | undefined> {
    try {
      const end = await connection.read({
        request: liveRequest(prefix),
        signal,
        take: (answer) => {
          if (answer.kind === 'confirmation') {
            confirmed();
            void expectFromHere(signal);
          }
          if (answer.kind === 'event') hear(answer.event.position);
          // What came between two subscriptions has not rung.
          if (answer.kind !== 'other') ring();
          return answer.kind !== 'event' || !isBurst();
        },
      });
      if (end === 'left' && !signal.aborted) return 'rest';
    } catch (error) {
      if (connection.isClosed() || isAborted(error)) return undefined;
      return new Error(`the live subscription of EventStoreDB was dropped: ${faultOf(error).text}`);
    }
    return signal.aborted ? undefined : new Error('the live subscription of EventStoreDB ended');
  }

  /** What is in the log by now may have been appended before the subscription stood. */
  async function expectFromHere(signal: AbortSignal): Promise<void> {
    try {
      const position = await head();
      if (!signal.aborted) hear(position);
    } catch {
      // Without it nobody can say that the bell is deaf; the looks go on.
    }
  }

  /** Full jitter: many processes shall not come back at the same time. */
  async function pause(failures: number): Promise<void> {
    const ms = random() * Math.min(timings.lastBackOffMs, timings.firstBackOffMs * 2 ** Math.min(failures - 1, 20));
    await sleep(ms, undefined, { signal: closing.signal }).catch(() => undefined);
  }

  return {
    count: () => rung,
    ring,
    next(count, signal) {
      listening ??= listen();
      return new Promise((resolve) => {
        const done = (): void => {
          clearTimeout(look);
          waiting.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const look = setTimeout(done, isResting ? Math.min(busy.lookMs, timings.pollMs) : timings.pollMs);
        waiting.add(done);
        signal.addEventListener('abort', done);
        if (rung !== count || signal.aborted || closing.signal.aborted) done();
      });
    },
    saw(position) {
      lastSeen = performance.now();
      if (heard === undefined || position <= heard) return;
      const now = performance.now();
      deafSince ??= now;
      if (now - deafSince <= timings.deafMs) return;
      onFault(new Error('the live subscription of EventStoreDB told nothing of new events: it is started anew'));
      subscription.abort();
    },
    isClosed: () => closing.signal.aborted,
    async close() {
      closing.abort();
      subscription.abort();
      ring();
      await listening;
    },
  };
}
