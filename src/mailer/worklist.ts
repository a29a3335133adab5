/** The head of the worklist, read in portions while many e-mails wait: reading it at the end of each attempt would cost more than the attempt. */
import { iso, type DueEmail } from './job.js';

export interface WorklistOptions {
  /** Open e-mails with something to do not after `now` (ISO 8601, milliseconds), longest due first. */
  readonly due: (now: string, limit: number) => Promise<readonly DueEmail[]>;
  readonly clock: () => number;
  readonly monotonic: () => number;
  readonly timings: { readonly poll: number; readonly stale: number };
  /** Milliseconds for which an e-mail is not to be looked at, Infinity while it is worked on. */
  readonly pauseOf: (stream: string) => number;
  /** How many have a pause, at most: they may still stand at the head, and must not hide what is behind them. */
  readonly paused: () => number;
}

/** E-mails that are read at a time, at least. */
const portion = 200;

export function createWorklist({ due, clock, monotonic, timings, pauseOf, paused }: WorklistOptions) {
  let entries: readonly DueEmail[] = [];
  let staleAt = -Infinity;
  let pauseEnds = Infinity;

  async function read(free: number): Promise<void> {
    const limit = Math.max(free + 1, portion) + paused();
    const listed = await due(iso(clock() + timings.poll), limit);
    staleAt = monotonic() + timings.stale;
    const pauses = listed.map(({ stream }) => pauseOf(stream));
    entries = listed.filter((_, index) => pauses[index] === 0);
    pauseEnds = monotonic() + pauses.reduce((least, pause) => (pause > 0 ? Math.min(least, pause) : least), Infinity);
  }

  return {
    /** More than `free` where there are so many. Some may be due a little later; none has a pause. */
    async head(free: number): Promise<readonly DueEmail[]> {
      if (entries.length <= free || monotonic() >= staleAt) await read(free);
      return entries;
    },
    /** They are worked on now. */
    remove(taken: ReadonlySet<unknown>): void {
      entries = entries.filter((entry) => !taken.has(entry));
    },
    /** Milliseconds until the first pause of one that was left out is over. */
    rest: (): number => Math.max(0, pauseEnds - monotonic()),
  };
}
