/** Ids that were added are always found, and few others. */
import { expect, it } from 'vitest';
import { createBloomFilter } from '../../src/flow/bloom-filter.js';
import { createUlidSource } from '../../src/stores/ids.js';

it('has all ids that were added, of that view, and hardly any other', () => {
  const newUlid = createUlidSource(() => 1_700_000_000_000);
  const filter = createBloomFilter(2 ** 26);
  const ids = Array.from({ length: 100_000 }, newUlid);
  for (const id of ids) filter.add('contacts', id);
  expect(ids.every((id) => filter.has('contacts', id))).toBe(true);
  const others = Array.from({ length: 100_000 }, newUlid);
  expect(others.filter((id) => filter.has('contacts', id)).length).toBeLessThan(100);
  expect(ids.filter((id) => filter.has('memberships', id)).length).toBeLessThan(100);
});
