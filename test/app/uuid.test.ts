/** The UUIDs of events and requests: random ones, of version 4. */
import { expect, test } from 'vitest';
import { createUuidSource } from '../../src/app/uuid.js';

const next = createUuidSource();
const many = Array.from({ length: 5_000 }, () => next());

test('each has the form of RFC 9562 and tells its version and variant', () => {
  for (const uuid of many)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('no two are the same, and every digit beside these two takes all values', () => {
  expect(new Set(many).size).toBe(many.length);
  for (let at = 0; at < 36; at += 1) {
    const seen = new Set(many.map((uuid) => uuid[at])).size;
    expect(seen, `place ${at}`).toBe([8, 13, 14, 18, 23].includes(at) ? 1 : at === 19 ? 4 : 16);
  }
});
