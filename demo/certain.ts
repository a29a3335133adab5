/** What happens seldom and still must happen: each is due from a day on, and happens at the next occasion, however few there are. */
import type { World } from './world.js';

/** Days after the begin, or before the end. Returns what is due, once. */
export function createCertain<What>(
  { now, onDay }: Pick<World, 'now' | 'onDay'>,
  entries: readonly (readonly [days: number, What])[],
): () => What | undefined {
  const waiting = entries
    .map(([days, what]) => ({ from: onDay(days), what }))
    .sort((one, other) => one.from - other.from);
  return () => {
    const [next] = waiting;
    return next !== undefined && next.from <= now() ? waiting.shift()?.what : undefined;
  };
}
