/** Waits that can end early: a pause, and the wait for a promise until a signal aborts or a time is over. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after this number of milliseconds, or as soon as the signal aborts. Never rejects. */
export const pause = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined);

/**
 * Resolves or rejects as the work does, or when the signal aborts with what `otherwise` returns or throws. Default: the
 * reason of the signal is thrown. The work itself goes on, and its later result is ignored.
 */
export function unlessAborted<Result, Otherwise = never>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
  otherwise: () => Otherwise = () => {
    throw signal?.reason;
  },
): Promise<Result | Otherwise> {
  if (signal === undefined) return work;
  return firstOf(work, otherwise, (end) => {
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
    return () => signal.removeEventListener('abort', end);
  });
}

/**
 * Resolves or rejects as the work does, or after this number of milliseconds with what `otherwise` returns or throws. The
 * work itself goes on, and its later result is ignored.
 */
export const within = <Result, Otherwise>(
  milliseconds: number,
  work: Promise<Result>,
  otherwise: () => Otherwise,
): Promise<Result | Otherwise> =>
  firstOf(work, otherwise, (end) => {
    const timer = setTimeout(() => {
      // After a busy turn, the timer and the answer may be due at once. Let the answer win.
      setImmediate(end);
    }, milliseconds);
    return () => clearTimeout(timer);
  });

const over = Symbol('over');

/** `watch` is called with a function that ends the wait, and returns a function that stops watching. */
async function firstOf<Result, Otherwise>(
  work: Promise<Result>,
  otherwise: () => Otherwise,
  watch: (end: () => void) => () => void,
): Promise<Result | Otherwise> {
  const { promise: ended, resolve } = Promise.withResolvers<typeof over>();
  const unwatch = watch(() => resolve(over));
  try {
    const first = await Promise.race([ended, work]);
    return first === over ? otherwise() : first;
  } finally {
    unwatch();
  }
}
