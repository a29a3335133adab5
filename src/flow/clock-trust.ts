/** Judges whether the wall clock of this machine can be relied on, by comparing it with the monotonic clock. */

/** Both clocks at one moment, in milliseconds. */
export interface ClockReading {
  readonly wall: number;
  readonly monotonic: number;
}

/**
 * The state of the clock.
 *
 * - `trusted`: decisions that cannot be undone may depend on the clock.
 * - `jumped`: the clock was set back, or forward by at most a day, or it starts behind the last time that was known to be
 *   right. The clock is trusted after ten minutes without another jump.
 * - `ahead`: the clock is more than a day ahead of the last time that was known to be right. The clock is trusted after
 *   24 hours without a jump, or once an operator confirms it.
 *
 * `reference` is the last reading that was known to be right. The monotonic clock tells how much time has passed since.
 */
export type ClockTrust =
  | { readonly status: 'trusted'; readonly reference: ClockReading }
  | {
      readonly status: 'jumped' | 'ahead';
      readonly reference: ClockReading;
      readonly observed: ClockReading;
      readonly since: number;
    };

const minute = 60_000;
const day = 24 * 60 * minute;

/** A move of less than this against the monotonic clock is not a jump, because NTP slews the clock. */
const jumpMs = minute;
/** How far ahead of the reference a trusted clock may be. */
const aheadMs = day;
/** How long the clock must go without a jump before it is trusted. */
const steadyMs = { jumped: 10 * minute, ahead: day };

/** Returns how far the wall clock has moved against the monotonic clock since an earlier reading, in milliseconds. */
const movedSince = (earlier: ClockReading, now: ClockReading): number =>
  now.wall - earlier.wall - (now.monotonic - earlier.monotonic);

/** Returns the state of the clock at the start. `reference` is the time that was last known to be right, in milliseconds since 1970. */
export function watchedClock(now: ClockReading, reference: number | undefined): ClockTrust {
  const start = { wall: reference ?? now.wall, monotonic: now.monotonic };
  const isAhead = now.wall - start.wall > aheadMs;
  if (!isAhead && start.wall - now.wall < jumpMs) return { status: 'trusted', reference: now };
  return { status: isAhead ? 'ahead' : 'jumped', reference: start, observed: now, since: now.monotonic };
}

/** Returns the state of the clock after another reading. */
export function clockRead(trust: ClockTrust, now: ClockReading): ClockTrust {
  const { reference } = trust;
  const observed = trust.status === 'trusted' ? reference : trust.observed;
  if (Math.abs(movedSince(observed, now)) >= jumpMs) {
    const status = movedSince(reference, now) > aheadMs ? 'ahead' : 'jumped';
    return { status, reference, observed: now, since: now.monotonic };
  }
  // Later readings replace earlier ones, so that many small corrections do not add up to a jump.
  const isStale = now.monotonic - observed.monotonic >= steadyMs.jumped;
  if (trust.status === 'trusted') return isStale ? { status: 'trusted', reference: now } : trust;
  if (now.monotonic - trust.since >= steadyMs[trust.status]) return clockConfirmed(now);
  return isStale ? { ...trust, observed: now } : trust;
}

/** Returns the state of a clock that is trusted at once, because an operator says that it is right. */
export const clockConfirmed = (now: ClockReading): ClockTrust => ({ status: 'trusted', reference: now });

/** Returns the state of the clock after another process noted that `noted` is right, in milliseconds since 1970. */
export function clockNoted(trust: ClockTrust, now: ClockReading, noted: number): ClockTrust {
  if (trust.status !== 'ahead' || now.wall - noted > aheadMs) return trust;
  return { ...trust, status: 'jumped', reference: { wall: noted, monotonic: now.monotonic } };
}

/**
 * Returns the time that events are dated by, in milliseconds since 1970. A clock that has jumped back is not believed until
 * it is trusted: events that were dated too early would seem old once the clock is right, and be erased or given up.
 */
export function bestTime(trust: ClockTrust, now: ClockReading): number {
  const isBehind = trust.status === 'jumped' && movedSince(trust.reference, now) <= -jumpMs;
  return isBehind ? trust.reference.wall + now.monotonic - trust.reference.monotonic : now.wall;
}

/** Returns the milliseconds until the clock is trusted if it does not jump again; 0 if it is trusted. */
export const trustedIn = (trust: ClockTrust, now: ClockReading): number =>
  trust.status === 'trusted' ? 0 : Math.max(0, trust.since + steadyMs[trust.status] - now.monotonic);
