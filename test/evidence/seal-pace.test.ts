/** When the next seal is due. */
import { expect, test } from 'vitest';
import { createSealPace } from '../../src/evidence/seals.js';

const every = 3_600_000;

test.each([
  ['after a whole pause if no seal was made yet', undefined, every],
  ['after the rest of the pause if the newest seal is young', 600_000, every - 600_000],
  ['at once if the newest seal is old', 2 * every, 0],
  ['after a whole pause if the newest seal was dated by a clock that was ahead', -1_000 * every, every],
])('a seal is due %s', (_, age, expected) => {
  let now = 5;
  const pace = createSealPace({ every, monotonic: () => now, age });
  now += expected - 1;
  expect(pace.isDue()).toBe(false);
  now += 1;
  expect(pace.isDue()).toBe(true);
  pace.sealed();
  now += every - 1;
  expect(pace.isDue()).toBe(false);
  now += 1;
  expect(pace.isDue()).toBe(true);
});
