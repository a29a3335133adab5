/** When the clock of a machine is trusted. */
import { describe, expect, test } from 'vitest';
import {
  bestTime,
  clockConfirmed,
  clockNoted,
  clockRead,
  trustedIn,
  watchedClock,
  type ClockTrust,
} from '../../src/flow/clock-trust.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;
const start = Date.parse('2026-03-01T10:00:00.000Z');

/** A machine whose clock a test sets. */
function machine(reference: number | undefined = start) {
  let [wall, monotonic] = [start, 0];
  const now = () => ({ wall, monotonic });
  let trust: ClockTrust = watchedClock(now(), reference);
  const read = (): ClockTrust => (trust = clockRead(trust, now()));
  return {
    now,
    read,
    status: () => read().status,
    /** Lets time pass, and looks every second or at the end of long times. */
    pass(milliseconds: number) {
      const step = Math.max(1_000, milliseconds / 1_000);
      for (let passed = 0; passed < milliseconds; passed += step) {
        wall += step;
        monotonic += step;
        read();
      }
    },
    set(by: number) {
      wall += by;
      read();
    },
    take(change: (trust: ClockTrust) => ClockTrust) {
      trust = change(trust);
    },
  };
}

describe('a clock that is watched', () => {
  test.each([
    ['without anything to compare it with', undefined],
    ['at the time that was last known', start],
    ['a day after it', start - day],
    ['less than a minute before it', start + minute - 1],
  ])('is trusted from the start %s', (_, reference) => {
    expect(machine(reference).status()).toBe('trusted');
  });

  test('is trusted after ten minutes if it starts a minute or more behind', () => {
    const { status, pass } = machine(start + year);
    expect(status()).toBe('jumped');
    pass(10 * minute);
    expect(status()).toBe('trusted');
  });

  test.each([
    ['starts a year behind', start + year, 0, start + year],
    ['was set back by a year', start, -year, start],
  ])('dates events by the monotonic clock while it is not trusted if it %s', (_, reference, by, expected) => {
    const { read, now, set, pass } = machine(reference);
    set(by);
    pass(5 * minute);
    expect(bestTime(read(), now())).toBe(expected + 5 * minute);
    pass(5 * minute);
    expect(bestTime(read(), now())).toBe(now().wall);
  });

  test.each([
    ['forward', hour],
    ['a year ahead', year],
  ])('dates events by itself if it was set %s', (_, by) => {
    const { read, now, set } = machine();
    set(by);
    expect(bestTime(read(), now())).toBe(start + by);
  });

  test('is trusted after 24 hours if it starts more than a day ahead', () => {
    const { status, pass } = machine(start - day - 1);
    expect(status()).toBe('ahead');
    pass(day - minute);
    expect(status()).toBe('ahead');
    pass(minute);
    expect(status()).toBe('trusted');
  });

  test.each([
    ['forward', minute],
    ['back', -minute],
    ['back by a year', -year],
  ])('is not trusted for ten minutes after it was set %s by a minute or more', (_, by) => {
    const { status, set, pass } = machine();
    pass(hour);
    set(by);
    expect(status()).toBe('jumped');
    pass(10 * minute - 1_000);
    expect(status()).toBe('jumped');
    pass(1_000);
    expect(status()).toBe('trusted');
  });

  test('stays trusted while it is corrected by less than a minute', () => {
    const { status, set, pass } = machine();
    for (let round = 0; round < 20; round += 1) {
      set(59_000);
      expect(status()).toBe('trusted');
      pass(10 * minute);
    }
  });

  test('is not trusted after ten minutes if it was set more than a day ahead', () => {
    const { status, set, pass } = machine();
    pass(hour);
    set(year);
    expect(status()).toBe('ahead');
    pass(hour);
    expect(status()).toBe('ahead');
  });

  test('is trusted ten minutes after it was set back to the right time', () => {
    const { status, set, pass } = machine();
    set(year);
    expect(status()).toBe('ahead');
    pass(hour);
    set(-year);
    expect(status()).toBe('jumped');
    pass(10 * minute);
    expect(status()).toBe('trusted');
  });

  test('waits ten minutes more after each jump', () => {
    const { status, set, pass } = machine();
    for (let round = 0; round < 5; round += 1) {
      set(2 * minute);
      pass(9 * minute);
      expect(status()).toBe('jumped');
    }
    pass(minute);
    expect(status()).toBe('trusted');
  });

  test('is trusted at once when it is confirmed, and not after the next jump', () => {
    const { status, set, take, now } = machine(start - year);
    take(() => clockConfirmed(now()));
    expect(status()).toBe('trusted');
    set(-year);
    expect(status()).toBe('jumped');
  });

  test('is no longer ahead once another process knows the time', () => {
    const { status, take, now } = machine(start - year);
    take((trust) => clockNoted(trust, now(), start - 2 * day));
    expect(status()).toBe('ahead');
    take((trust) => clockNoted(trust, now(), start));
    expect(status()).toBe('jumped');
  });

  test('says how long it takes until it is trusted', () => {
    const { read, now, set, pass } = machine();
    expect(trustedIn(read(), now())).toBe(0);
    set(hour);
    pass(minute);
    expect(trustedIn(read(), now())).toBe(9 * minute);
  });
});
