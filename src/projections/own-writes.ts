/** Reading one's own writes: which documents this process has changed that the views do not show yet, and waiting for them. */
import { ServiceError } from '../errors.js';
import type { DomainEvent } from '../events/codec.js';
import type { Recorded } from '../events/envelope.js';
import type { Projection } from './projection.js';

export interface OwnWrites {
  /** Notes what an append of this process changed. */
  record(events: readonly Recorded<DomainEvent>[]): void;
  /** The views show everything up to this position now. */
  advance(position: string): void;
  /**
   * Resolves when the views show this process's own writes to these and, if given, everything up to `position`.
   * Each of `touched` is `view/id` for a document, `view` for a collection, `view/prefix/` for a part of one, or
   * `stream:name`. Returns undefined at once where nothing is to be waited for. Rejects with ServiceError `unavailable`
   * after 2 s.
   */
  visible(touched: readonly string[], position?: string): Promise<void> | undefined;
  /** Whether the views have come to where the log stood at start. */
  reached(): boolean;
  /** Milliseconds since the oldest own write that the views do not show; 0 when they show all. */
  lag(): number;
  /** Resolves when the lag is below `milliseconds`, or after `patience` milliseconds. */
  relief(milliseconds: number, patience: number): Promise<void>;
  close(): void;
}

/** How long a read waits before it answers that it cannot. */
const patienceMs = 2000;

interface Waiter {
  readonly position: string;
  readonly resolve: () => void;
  readonly timer: NodeJS.Timeout;
}

export interface OwnWritesOptions {
  readonly projections: readonly Projection[];
  /** Head of the log at start: counts as this process's own last write to everything. */
  readonly head: string;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
}

export function createOwnWrites({ projections, head, now }: OwnWritesOptions): OwnWrites {
  const byType = new Map<string, Projection[]>();
  for (const projection of projections)
    for (const type of projection.handles) byType.set(type, [...(byType.get(type) ?? []), projection]);

  /** Position of the last own write by what it touched. */
  const last = new Map<string, string>();
  /** The same in order of writing, to be forgotten from the front. */
  let pending: { readonly touched: string; readonly position: string; readonly time: number }[] = [];
  let first = 0;
  let visiblePosition = '';
  let waiters: Waiter[] = [];

  function note(touched: string, position: string, time: number): void {
    last.set(touched, position);
    pending.push({ touched, position, time });
  }

  function recordOne(event: Recorded<DomainEvent>, time: number): void {
    const { position } = event;
    note(`stream:${event.stream}`, position, time);
    for (const projection of byType.get(event.event.type) ?? []) {
      note(projection.name, position, time);
      for (const key of projection.keys(event)) {
        note(`${projection.name}/${key}`, position, time);
        const slash = key.indexOf('/');
        if (slash >= 0) note(`${projection.name}/${key.slice(0, slash + 1)}`, position, time);
      }
    }
  }

  function forget(): void {
    for (let entry = pending[first]; entry !== undefined && entry.position <= visiblePosition; entry = pending[first]) {
      if (last.get(entry.touched) === entry.position) last.delete(entry.touched);
      first += 1;
    }
    if (first === pending.length) {
      pending = [];
      first = 0;
    } else if (first > 10_000) {
      pending = pending.slice(first);
      first = 0;
    }
  }

  function wait(position: string, patience: number): Promise<boolean> {
    if (position <= visiblePosition) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        waiters = waiters.filter((waiter) => waiter.timer !== timer);
        resolve(false);
      }, patience);
      waiters.push({ position, timer, resolve: () => resolve(true) });
    });
  }

  function lag(): number {
    const oldest = pending[first];
    return oldest === undefined ? 0 : now() - oldest.time;
  }

  return {
    lag,
    reached: () => head <= visiblePosition,
    record(events) {
      const time = now();
      for (const event of events) if (event.position > visiblePosition) recordOne(event, time);
    },
    advance(position) {
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
    visible(touched, position = '') {
      let needed = position > head ? position : head;
      for (const one of touched) {
        const written = last.get(one);
        if (written !== undefined && written > needed) needed = written;
      }
      if (needed <= visiblePosition) return undefined;
      return wait(needed, patienceMs).then((reached) => {
        if (!reached) throw new ServiceError('unavailable', {}, { retryAfter: 1 });
      });
    },
    async relief(milliseconds, patience) {
      const oldest = pending[first];
      if (oldest === undefined || lag() < milliseconds) return;
      await wait(oldest.position, patience);
    },
    close() {
      for (const { timer } of waiters) clearTimeout(timer);
      waiters = [];
    },
  };
}
