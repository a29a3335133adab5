/** Counters of requests, and what happens when there are too many of them. */
import { expect, test } from 'vitest';
import { createRateLimiter } from '../../src/api/http/rate-limit.js';

test('a caller that spent its quota gets no new one when 100,000 other callers come', () => {
  const limiter = createRateLimiter('failures', 2, () => 0);
  expect(['guesses', 'guesses', 'guesses'].map((who) => limiter.take(who).allowed)).toEqual([true, true, false]);
  for (let other = 0; other < 110_000; other += 1) limiter.take(`other ${other}`);
  expect(limiter.take('guesses').allowed).toBe(false);
  expect(limiter.take('new').allowed).toBe(true);
});

test('the count of a caller goes on although 100,000 other callers come after its first request', () => {
  const limiter = createRateLimiter('default', 4, () => 0);
  const allowed = [limiter.take('goes on').allowed];
  for (let other = 1; other <= 240_000; other += 1) {
    limiter.take(`other ${other}`);
    if (other % 80_000 === 0) allowed.push(limiter.take('goes on').allowed);
  }
  expect([...allowed, limiter.take('goes on').allowed]).toEqual([true, true, true, true, false]);
});

test('100,000 callers that spend their quota do not change the quota of another caller', () => {
  const limiter = createRateLimiter('default', 3, () => 0);
  limiter.take('careful');
  for (let other = 0; other < 100_001; other += 1)
    for (let times = 0; times < 3; times += 1) limiter.take(`o ${other}`);
  expect(limiter.take('careful').headers[3]).toContain('r=1');
});
