/** What happens seldom and still must happen: each is due from a day on, and happens at the next occasion, however few there are. */
import { hour, type World } from './world.js';

const morning = 8 * hour;

/** Days after the begin, or before the end: from the morning of that day on. Returns what is due, once. */
export function createCertain<What>(
  { now, onDay }: Pick<World, 'now' | 'onDay'>,
  entries: readonly (readonly [days: number, What])[],
): () => What | undefined {
  const waiting = entries
    .map(([days, what]) => ({ from: onDay(days) + morning, what }))
    .sort((one, other) => one.from - other.from);
  return () => {
    const [next] = waiting;
    return next !== undefined && next.from <= now() ? waiting.shift()?.what : undefined;
  };
}
