/** Where pages of histories ended, so that the next page goes on there and does not begin at the beginning. */
import type { Place } from './replay.js';

const keptPlaces = 1_000;
/** Lists and tags of all kept places together. */
const keptMemberships = 50_000;

export interface Places {
  get(key: string): Place | undefined;
  keep(key: string, place: Place): void;
}

/** The last used ones, bounded by number and by what they hold. */
export function createPlaces(): Places {
  const kept = new Map<string, Place>();
  const weightOf = ({ memberships }: Place): number => {
    let weight = 1;
    for (const { tags } of memberships.values()) weight += 1 + tags.size;
    return weight;
  };
  let weight = 0;
  const drop = (key: string): void => {
    const place = kept.get(key);
    if (place !== undefined && kept.delete(key)) weight -= weightOf(place);
  };
  return {
    get(key) {
      const place = kept.get(key);
      if (place === undefined) return undefined;
      kept.delete(key);
      kept.set(key, place);
      return place;
    },
    keep(key, place) {
      drop(key);
      kept.set(key, place);
      weight += weightOf(place);
      for (const oldest of kept.keys()) {
        if (kept.size <= keptPlaces && weight <= keptMemberships) return;
        drop(oldest);
      }
    },
  };
}
