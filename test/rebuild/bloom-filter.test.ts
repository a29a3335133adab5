/** Ids that were seen are never forgotten, and few others are taken for them. */
import { expect, it } from 'vitest';
import { createSeenIds } from '../../src/rebuild/bloom-filter.js';
import { createUlidSource } from '../../src/app/ulid.js';

it('knows all that it has seen, of that view, and hardly anything else', () => {
  const newUlid = createUlidSource(() => 1_700_000_000_000);
  const seen = createSeenIds();
  const ids = Array.from({ length: 100_000 }, newUlid);
  for (const id of ids) seen.add('contacts', id);
  expect(ids.every((id) => seen.has('contacts', id))).toBe(true);
  const others = Array.from({ length: 100_000 }, newUlid);
  expect(others.filter((id) => seen.has('contacts', id)).length).toBeLessThan(100);
  expect(ids.filter((id) => seen.has('memberships', id)).length).toBeLessThan(100);
});
