/** Pauses that double up to a bound, and their jitter. */
import { expect, test } from 'vitest';
import { backOff, equalJitter, fullJitter } from '../../src/flow/backoff.js';

test('each pause is twice as long as the pause before, up to the longest', () => {
  const pauses = [0, 1, 2, 3, 4, 5].map((round) => backOff(round, { first: 100, most: 1_500 }));
  expect(pauses).toEqual([100, 200, 400, 800, 1_500, 1_500]);
});

test('the pause is the longest pause after thousands of failures', () => {
  expect(backOff(5_000, { first: 100, most: 1_500 })).toBe(1_500);
});

test('full jitter takes any part of a pause', () => {
  expect([0, 0.5, 1].map((random) => fullJitter(400, () => random))).toEqual([0, 200, 400]);
});

test('equal jitter takes at least half of a pause', () => {
  expect([0, 0.5, 1].map((random) => equalJitter(400, () => random))).toEqual([200, 300, 400]);
});
