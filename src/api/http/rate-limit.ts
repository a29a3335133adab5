/** Fixed-window request counters in memory, with the IETF `RateLimit` fields (draft-ietf-httpapi-ratelimit-headers). */

const windowMs = 60_000;
/** Bounds the memory. At least this many callers with quota left are counted, and as many without. */
const maxCounters = 100_000;

export interface RateLimiter {
  take(who: string): RateVerdict;
}

export interface RateVerdict {
  readonly allowed: boolean;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSeconds: number;
  readonly headers: readonly string[];
}

const unlimited: RateVerdict = { allowed: true, resetSeconds: 1, headers: [] };

/** Allows `quota` requests a minute, or any number if it is 0. `now` is in milliseconds, monotonic. */
export function createRateLimiter(name: string, quota: number, now: () => number): RateLimiter {
  if (quota === 0) return { take: () => unlimited };
  const policy = `"${name}";q=${quota};w=${windowMs / 1000}`;
  let counts = createCounts(quota);
  let windowEnds = 0;
  return {
    take(who) {
      const time = now();
      if (time >= windowEnds) {
        counts = createCounts(quota);
        windowEnds = time + windowMs;
      }
      const count = counts.add(who);
      const resetSeconds = Math.max(1, Math.ceil((windowEnds - time) / 1000));
      const limit = `"${name}";r=${Math.max(0, quota - count)};t=${resetSeconds}`;
      return { allowed: count <= quota, resetSeconds, headers: ['RateLimit-Policy', policy, 'RateLimit', limit] };
    },
  };
}

/**
 * Creates counters of requests by caller. Callers that spent their quota have a table of their own. New callers with one
 * request each, however many, therefore evict none of them, and none gets a new quota.
 */
function createCounts(quota: number): { add(who: string): number } {
  const within = createTable();
  const spent = createTable();
  return {
    add(who) {
      const count = (spent.get(who) ?? within.get(who) ?? 0) + 1;
      (count < quota ? within : spent).set(who, count);
      return count;
    },
  };
}

/** Creates a table that keeps at least the `maxCounters` callers that were used last, and at most twice as many, in two generations. */
function createTable() {
  let young = new Map<string, number>();
  let old = new Map<string, number>();
  return {
    get: (who: string): number | undefined => young.get(who) ?? old.get(who),
    set(who: string, count: number): void {
      if (young.size >= maxCounters && !young.has(who)) {
        old = young;
        young = new Map();
      }
      young.set(who, count);
    },
  };
}
