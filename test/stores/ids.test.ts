import { expect, test } from 'vitest';
import { createSaltSource, createUlidSource } from '../../src/stores/ids.js';

test('26 characters of Crockford base 32, the first ten of them the time', () => {
  const next = createUlidSource(() => 1_469_918_176_385);
  expect(next()).toMatch(/^01ARYZ6S41[0-9A-HJKMNP-TV-Z]{16}$/);
});

test('increasing within a millisecond, and when the clock is set back', () => {
  const times = [5, 5, 5, 3, 4, 6, 6, 2];
  let at = 0;
  const next = createUlidSource(() => times[Math.min(at++, times.length - 1)] ?? 0);
  const ids = Array.from({ length: 5_000 }, next);
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

test('two sources at the same time do not meet', () => {
  const [one, two] = [createUlidSource(() => 7), createUlidSource(() => 7)];
  expect(new Set([...Array.from({ length: 1_000 }, one), ...Array.from({ length: 1_000 }, two)]).size).toBe(2_000);
});

test('salts are 16 random bytes in hex, each another', () => {
  const next = createSaltSource();
  const salts = Array.from({ length: 1_000 }, next);
  for (const salt of salts) expect(salt).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(salts).size).toBe(salts.length);
});
