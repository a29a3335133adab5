/** Fixed-window request counters in memory, with the IETF `RateLimit` fields (draft-ietf-httpapi-ratelimit-headers). */

const windowMs = 60_000;
/** Bounds the memory: beyond this the oldest counter of the window is dropped. */
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

/** `quota` requests a minute; 0 = off. `now` is in milliseconds, monotonic. */
export function createRateLimiter(name: string, quota: number, now: () => number): RateLimiter {
  if (quota === 0) return { take: () => unlimited };
  const policy = `"${name}";q=${quota};w=${windowMs / 1000}`;
  let counts = new Map<string, number>();
  let windowEnds = 0;
  return {
    take(who) {
      const time = now();
      if (time >= windowEnds) {
        counts = new Map();
        windowEnds = time + windowMs;
      }
      const count = (counts.get(who) ?? 0) + 1;
      counts.set(who, count);
      if (counts.size > maxCounters) {
        const [first = who] = counts.keys();
        counts.delete(first);
      }
      const resetSeconds = Math.max(1, Math.ceil((windowEnds - time) / 1000));
      const limit = `"${name}";r=${Math.max(0, quota - count)};t=${resetSeconds}`;
      return { allowed: count <= quota, resetSeconds, headers: ['RateLimit-Policy', policy, 'RateLimit', limit] };
    },
  };
}
