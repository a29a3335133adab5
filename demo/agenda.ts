/** What is going to happen, in the order of its times; what happens may put more on it. Its clock stands still between two things, and never goes back. */

/** Milliseconds since the epoch. */
type Time = number;

interface Entry {
  readonly at: Time;
  /** Of two at one time, the one that was put there first is first. */
  readonly order: number;
  readonly act: () => void | Promise<void>;
}

export interface Agenda {
  now(): Time;
  /** Something takes this long: the clock moves on. */
  takes(milliseconds: number): void;
  /** What should have happened already happens next. */
  plan(at: Time, act: Entry['act']): void;
  /** One after the other, and none at `until` or later. `onDone` is called after each. */
  run(until: Time, onDone: () => void): Promise<void>;
}

export function createAgenda(begin: Time): Agenda {
  /** A binary heap: no entry is before its parent, which is at half its place. */
  const heap: Entry[] = [];
  let now = begin;
  let order = 0;

  const isBefore = (one: Entry, other: Entry): boolean =>
    one.at < other.at || (one.at === other.at && one.order < other.order);

  function plan(at: Time, act: Entry['act']): void {
    const entry = { at, order: (order += 1), act };
    let place = heap.push(entry) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isBefore(entry, above)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = entry;
  }

  function takeFirst(): Entry | undefined {
    const [first] = heap;
    const last = heap.pop();
    if (last !== undefined && heap.length > 0) sink(last);
    return first;
  }

  /** Puts an entry in the place of the first one. */
  function sink(entry: Entry): void {
    let place = 0;
    for (;;) {
      const [left, right] = [heap[2 * place + 1], heap[2 * place + 2]];
      const isRight = left !== undefined && right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (child === undefined || !isBefore(child, entry)) break;
      heap[place] = child;
      place = 2 * place + (isRight ? 2 : 1);
    }
    heap[place] = entry;
  }

  return {
    now: () => now,
    takes: (milliseconds) => void (now += milliseconds),
    plan,
    async run(until, onDone) {
      for (let entry = takeFirst(); entry !== undefined && entry.at < until; entry = takeFirst()) {
        now = Math.max(now, entry.at);
        if (now >= until) return;
        await entry.act();
        onDone();
      }
    },
  };
}
