/** E-mails to be looked at although the worklist does not show them as due: claims of unknown outcome, and attempts of runs that have ended. */
import type { DueEmail } from './worklist.js';
import type { Runs } from './runs.js';

/** Attempts that are looked for at a time. */
const limit = 10_000;

export interface OrphansOptions {
  /** E-mails that are being sent. */
  readonly sending: (limit: number) => Promise<readonly DueEmail[]>;
  readonly runs: Pick<Runs, 'isOwn' | 'endOf'>;
  readonly monotonic: () => number;
  /** Milliseconds between two looks. */
  readonly pause: number;
  /** Monotonic; none are looked for after this time. */
  readonly until: number;
}

export type Orphans = ReturnType<typeof createOrphans>;

export function createOrphans({ sending, runs, monotonic, pause, until }: OrphansOptions) {
  const orphans = new Map<string, DueEmail>();
  let next = -Infinity;

  return {
    /** Looks for more, if it is time. Rejects where views, leases or log cannot be read. */
    async find(): Promise<void> {
      const now = monotonic();
      if (now > until || now < next) return;
      next = now + pause;
      const found = (await sending(limit)).filter(({ run_id }) => run_id !== null && !runs.isOwn(run_id));
      const ended = new Map<string, boolean>();
      for (const runId of new Set(found.map(({ run_id }) => run_id ?? '')))
        ended.set(runId, (await runs.endOf(runId)) !== undefined);
      for (const entry of found) if (ended.get(entry.run_id ?? '') === true) orphans.set(entry.stream, entry);
    },
    all: (): readonly DueEmail[] => [...orphans.values()],
    has: (stream: string): boolean => orphans.has(stream),
    add: (entry: DueEmail): void => void orphans.set(entry.stream, entry),
    /** False: it was none. */
    remove: (stream: string): boolean => orphans.delete(stream),
  };
}
