/** Under load the projector gathers what comes within a moment: one commit of many events costs far less than many of a few. */
import { setTimeout as sleep } from 'node:timers/promises';

/** A batch of fewer events is no load: the next one is folded at once. */
const loadFrom = 24;
/** A batch of more events is large enough: gathering would only make the views fall behind. */
const loadUpTo = 2_000;
/** How long events are gathered under load, unless somebody waits for them. Milliseconds. */
const gatherMs = 60;
/** Where a batch takes longer, as with documents that are large, so many times as long: the more events then share one writing of a document. */
const gatherFactor = 2;
/** So far the views may be behind: gathering, after a batch that events had to wait for, and before one that takes as long again. Where that is no longer so, events gather by themselves while batches are folded. */
const mostBehindMs = 400;

const gathering = (took: number): number => Math.min(Math.max(gatherMs, gatherFactor * took), mostBehindMs - 2 * took);

export interface Pace {
  /** A batch is begun. */
  begin(this: void): void;
  /** To be awaited after a batch of so many events. */
  next(this: void, events: number): Promise<void> | undefined;
  /** Somebody waits: ends the gathering, and the next one if none is under way. */
  hurry(this: void): void;
}

/** `now` tells milliseconds, monotonic. */
export function createPace(now: () => number): Pace {
  let begun = now();
  let hurried = false;
  let go: (() => void) | undefined;
  return {
    begin() {
      begun = now();
    },
    next(events) {
      const wait = gathering(now() - begun);
      const skip = hurried || events < loadFrom || events > loadUpTo || wait <= 0;
      hurried = false;
      if (skip) return undefined;
      return new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, wait);
        go = () => {
          clearTimeout(timer);
          resolve();
        };
      }).then(() => {
        go = undefined;
      });
    },
    hurry() {
      if (go === undefined) hurried = true;
      else go();
    },
  };
}

/** Not narrowed by an earlier look: an abort happens between two awaits. */
export const aborted = (signal: AbortSignal): boolean => signal.aborted;

/** Resolves after so long, or when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch (error) {
    if (!aborted(signal)) throw error;
  }
}
