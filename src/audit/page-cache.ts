/** Where the next page of a history begins: the states of contacts at the ends of pages, the last used ones. */
import type { TimelineState } from './timeline.js';

const keptStates = 1_000;
/** With their tags. Each may hold an event of its own. */
const keptMemberships = 20_000;

export interface PageCache {
  get(key: string): TimelineState | undefined;
  keep(key: string, state: TimelineState): void;
}

export function createPageCache(): PageCache {
  const kept = new Map<string, TimelineState>();
  const weightOf = ({ memberships }: TimelineState): number => {
    let weight = 1;
    for (const { tags } of memberships.values()) weight += 1 + tags.size;
    return weight;
  };
  let weight = 0;
  const drop = (key: string): void => {
    const state = kept.get(key);
    if (state !== undefined && kept.delete(key)) weight -= weightOf(state);
  };
  return {
    get(key) {
      const state = kept.get(key);
      if (state === undefined) return undefined;
      kept.delete(key);
      kept.set(key, state);
      return state;
    },
    keep(key, state) {
      drop(key);
      kept.set(key, state);
      weight += weightOf(state);
      for (const oldest of kept.keys()) {
        if (kept.size <= keptStates && weight <= keptMemberships) return;
        drop(oldest);
      }
    },
  };
}
