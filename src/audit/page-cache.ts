/** Where pages of histories ended, so that the next page goes on there and does not begin at the beginning. */
import type { ReplayState } from './replay.js';

const keptStates = 1_000;
const keptMemberships = 50_000;

export interface PageCache {
  get(key: string): ReplayState | undefined;
  keep(key: string, state: ReplayState): void;
}

export function createPageCache(): PageCache {
  const kept = new Map<string, ReplayState>();
  const weightOf = ({ memberships }: ReplayState): number => {
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
