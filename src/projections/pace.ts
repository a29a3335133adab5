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
/** But never longer than this, so that the views are not far behind. */
const longestGatherMs = 300;

export interface Pace {
  /** To be awaited after a batch of so many events, which took so many milliseconds. */
  next(this: void, events: number, took: number): Promise<void> | undefined;
  /** Somebody waits: ends the gathering, and the next one if none is under way. */
  hurry(this: void): void;
}

export function createPace(): Pace {
  let hurried = false;
  let go: (() => void) | undefined;
  return {
    next(events, took) {
      const skip = hurried || events < loadFrom || events > loadUpTo;
      hurried = false;
      if (skip) return undefined;
      return new Promise<void>((resolve) => {
        const gather = Math.min(Math.max(gatherMs, gatherFactor * took), longestGatherMs);
        const timer = setTimeout(resolve, gather);
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
