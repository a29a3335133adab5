/**
 * Pauses between the tries of something that fails: each is twice as long as the one before, up to a bound.
 *
 * ```ts
 * for (let round = 0; !(await tryOnce()); round += 1)
 *   await pause(fullJitter(backOff(round, { first: 100, most: 5_000 }), random), signal);
 * ```
 */

interface BackOff {
  /** Milliseconds of the first pause. */
  readonly first: number;
  /** Milliseconds of the longest pause. */
  readonly most: number;
}

/** Returns the milliseconds to wait after the failure with this number, counted from 0. */
export const backOff = (round: number, { first, most }: BackOff): number => Math.min(most, first * 2 ** round);

/** Returns a random part of the pause, so that many processes that failed together do not come back together. `random` returns 0 to 1. */
export const fullJitter = (milliseconds: number, random: () => number): number => random() * milliseconds;

/** Returns at least half of the pause. For work whose repeats must not follow each other closely. `random` returns 0 to 1. */
export const equalJitter = (milliseconds: number, random: () => number): number => milliseconds * (0.5 + random() / 2);
