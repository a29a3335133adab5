/** Counters of requests, and what happens when there are too many of them. */
import { expect, test } from 'vitest';
import { createRateLimiter } from '../../src/api/http/rate-limit.js';

test('100,000 others do not give a caller a new quota, nor take from it, while it goes on', () => {
  const limiter = createRateLimiter('failures', 2, () => 0);
  for (let other = 0; other < 60_000; other += 1) limiter.take(`early ${other}`);
  expect([1, 2, 3].map(() => limiter.take('guessing').allowed)).toEqual([true, true, false]);
  for (let other = 0; other < 90_000; other += 1) limiter.take(`late ${other}`);
  expect(limiter.take('guessing').allowed).toBe(false);
  expect(limiter.take('new').allowed).toBe(true);
});
