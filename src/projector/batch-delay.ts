/** Under load the projector waits a moment between batches: one commit of many events costs far less than many of a few. */

/** A smaller batch is no load, a larger one needs no more events: the next one is folded at once. */
const load = { from: 24, upTo: 2_000 };
const leastMs = 60;
/** A batch that takes long is followed by twice as long a wait: the more events then share one write of a document. */
const factor = 2;
/** How far the views may fall behind: by the batch before, the wait, and a batch after it that takes as long again. */
const mostBehindMs = 400;

export type BatchDelay = ReturnType<typeof createBatchDelay>;

/** `now` tells milliseconds, monotonic. */
export function createBatchDelay(now: () => number) {
  let startedAt = now();
  let flushed = false;
  let end: (() => void) | undefined;
  return {
    begin(): void {
      startedAt = now();
    },
    wait(events: number): Promise<void> | undefined {
      const took = now() - startedAt;
      const delay = Math.min(Math.max(leastMs, factor * took), mostBehindMs - 2 * took);
      const skip = flushed || events < load.from || events > load.upTo || delay <= 0;
      flushed = false;
      if (skip) return undefined;
      return new Promise((resolve) => {
        end = () => {
          clearTimeout(timer);
          end = undefined;
          resolve();
        };
        const timer = setTimeout(end, delay);
      });
    },
    /** A request waits for the views: ends the delay, or skips the next one. */
    flush(): void {
      if (end === undefined) flushed = true;
      else end();
    },
  };
}

/** A function, so that the compiler does not rely on an earlier check: an abort happens between two awaits. */
export const aborted = (signal: AbortSignal): boolean => signal.aborted;
