/** Reading one's own writes: what this process has changed that the views do not show yet, and waiting for it. */
import { ServiceError } from '../errors.js';
import type { DomainEvent } from '../events/codec.js';
import type { AppendedEvents } from '../events/envelope.js';
import type { Projection } from '../projections/projection.js';
import { handlersOf } from './fold.js';
import { createGeneration } from './touched.js';

export type OwnWrites = ReturnType<typeof createOwnWrites>;

/** The number of own writes that are kept apart; beyond it they count as one write that touches every document, so that memory stays bounded. */
const mostPending = 20_000;
/** How long a read waits before it answers that it cannot. */
export const readTimeoutMs = 2000;
/** Milliseconds within which writes share one entry of the lag. */
const lagStepMs = 5;

interface Waiter {
  readonly position: string;
  readonly resolve: () => void;
  readonly timer: NodeJS.Timeout;
}

/** Writes, one after the other: the first at `time`, the last at `position`. */
interface LagEntry {
  readonly time: number;
  position: string;
}

interface OwnWritesOptions {
  readonly projections: readonly Projection[];
  /** Head of the log at start: counts as this process's own last write to everything. */
  readonly head: string;
  readonly now: () => number;
}

export function createOwnWrites({ projections, head, now }: OwnWritesOptions) {
  const byType = handlersOf(projections);

  /** Writes are indexed in two generations: the older one is dropped as a whole when the views have passed its last write. */
  let older = createGeneration();
  let recent = createGeneration();
  /** Of the writes that are not visible, oldest first. */
  let lagEntries: LagEntry[] = [];
  let visiblePosition = '';
  /** No read may show less: counts as a write to everything. */
  let leastVisible = head;
  /** Once visible, the views have caught up with the start. */
  let goal = head;
  let waiters: Waiter[] = [];
  let whenWaiting = (): void => undefined;

  function noteTime(position: string): void {
    const last = lagEntries.at(-1);
    const time = now();
    if (last === undefined || time - last.time >= lagStepMs) lagEntries.push({ time, position });
    else if (position > last.position) last.position = position;
  }

  /** The views are far behind: the writes so far count as one to everything. */
  function collapse(): void {
    const [oldest] = lagEntries;
    const position = older.newest > recent.newest ? older.newest : recent.newest;
    if (position > leastVisible) leastVisible = position;
    if (oldest !== undefined) lagEntries = [{ time: oldest.time, position }];
    older = createGeneration();
    recent = createGeneration();
  }

  function forget(): void {
    while (lagEntries[0] !== undefined && lagEntries[0].position <= visiblePosition) lagEntries.shift();
    for (let round = 0; round < 2 && older.newest <= visiblePosition; round += 1) {
      older = recent;
      recent = createGeneration();
    }
  }

  function wait(position: string, timeout: number): Promise<boolean> {
    if (position <= visiblePosition) return Promise.resolve(true);
    whenWaiting();
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        waiters = waiters.filter((waiter) => waiter.timer !== timer);
        resolve(false);
      }, timeout);
      waiters.push({ position, timer, resolve: () => resolve(true) });
    });
  }

  function lag(): number {
    const [oldest] = lagEntries;
    return oldest === undefined ? 0 : now() - oldest.time;
  }

  return {
    /** Milliseconds since the oldest own write that the views do not show, give or take 5; 0 when they show all. */
    lag,
    /** The views show everything up to here, as far as is known. */
    visiblePosition: (): string => visiblePosition,
    isAwaited: (): boolean => waiters.length > 0,
    /** The views are being built again and have reached this position: what they showed before counts as own write to everything. */
    restartAt(position: string): void {
      if (visiblePosition > leastVisible) leastVisible = visiblePosition;
      goal = leastVisible;
      visiblePosition = position;
    },
    /** Calls the listener whenever a request begins to wait for the views. */
    onWaiting(listener: () => void): void {
      whenWaiting = listener;
    },
    /** Whether the views have come to where the log stood at start, or to what they showed before they were built again. */
    reached: (): boolean => goal <= visiblePosition,
    /** Notes what an append of this process changed. */
    record(append: AppendedEvents<DomainEvent>): void {
      if (append.position <= visiblePosition) return;
      noteTime(append.position);
      recent.note(append, byType);
      if (older.size() + recent.size() > mostPending) collapse();
    },
    /** An answer rested on the log up to this position without writing anything: no read may be older. */
    requireAtLeast(position: string): void {
      if (position > visiblePosition && position > leastVisible) leastVisible = position;
    },
    /** The views show everything up to this position now. */
    advance(position: string): void {
      if (position <= visiblePosition) return;
      visiblePosition = position;
      forget();
      if (waiters.length === 0) return;
      const reached = waiters.filter((waiter) => waiter.position <= position);
      waiters = waiters.filter((waiter) => waiter.position > position);
      for (const { timer, resolve } of reached) {
        clearTimeout(timer);
        resolve();
      }
    },
    /** Returns the newest position that this process has written or shown, which is what a read that begins now may depend on. */
    newest(): string {
      let newest = visiblePosition > leastVisible ? visiblePosition : leastVisible;
      if (older.newest > newest) newest = older.newest;
      if (recent.newest > newest) newest = recent.newest;
      return newest;
    },
    /**
     * Returns the position of the last write to what the key names (see touched.ts), or undefined if the views show it.
     * Returns `upTo` if a later write hides earlier writes.
     */
    pending(view: string, key: string, upTo: string): string | undefined {
      if (upTo <= visiblePosition) return undefined;
      let needed = leastVisible;
      const before = older.lastWrite(view, key);
      const after = recent.lastWrite(view, key);
      if (before > needed) needed = before;
      if (after > needed) needed = after;
      if (needed > upTo) needed = upTo;
      return needed <= visiblePosition ? undefined : needed;
    },
    /** Resolves with true when the views show everything up to the position, or with false after `timeout` milliseconds. */
    wait,
    /** Resolves when the views show everything up to the position. @throws ServiceError `unavailable` after 2 s */
    async shows(position: string): Promise<void> {
      const needed = position > leastVisible ? position : leastVisible;
      if (!(await wait(needed, readTimeoutMs))) throw new ServiceError('unavailable', {}, { retryAfter: 1 });
    },
    /** Resolves when the lag is below `milliseconds`, or after `timeout` milliseconds. */
    async waitForLag(milliseconds: number, timeout: number): Promise<void> {
      const [oldest] = lagEntries;
      if (oldest === undefined || lag() < milliseconds) return;
      await wait(oldest.position, timeout);
    },
    close(): void {
      for (const { timer } of waiters) clearTimeout(timer);
      waiters = [];
    },
  };
}
