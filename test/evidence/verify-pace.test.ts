import { expect, test } from 'vitest';
import { createVerifyPace } from '../../src/evidence/verify-pace.js';

const minute = 60_000;

test('verification goes on each minute, waits while much is written, and ten minutes at most', () => {
  let time = 0;
  let events = 5_000_000;
  const isDue = createVerifyPace(() => time);
  const after = (added: number): boolean => {
    time += minute;
    events += added;
    return isDue(events);
  };
  expect(isDue(events)).toBe(true);
  expect([after(0), after(60_000)]).toEqual([true, true]);
  expect(Array.from({ length: 11 }, () => after(600_000))).toEqual([...Array<boolean>(9).fill(false), true, false]);
  expect([after(1), after(600_000), after(0)]).toEqual([true, false, true]);
});
