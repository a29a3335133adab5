/** The wait between two batches of the projector. */
import { afterEach, expect, test, vi } from 'vitest';
import { createBatchDelay } from '../../src/projector/batch-delay.js';

afterEach(() => {
  vi.useRealTimers();
});

test('under load the projector waits between batches, unless somebody waits for the views', async () => {
  vi.useFakeTimers();
  const delay = createBatchDelay(Date.now);
  expect(delay.wait(3)).toBeUndefined();
  expect(delay.wait(5_000)).toBeUndefined();
  let done = false;
  const waiting = delay.wait(100)?.then(() => (done = true));
  await vi.advanceTimersByTimeAsync(30);
  expect(done).toBe(false);
  delay.flush();
  await waiting;
  // A flush while nothing waits spares the next wait.
  delay.flush();
  expect(delay.wait(100)).toBeUndefined();
});

test.each([
  { took: 1, waits: 60 },
  { took: 100, waits: 200 },
  { took: 150, waits: 100 },
  { took: 190, waits: 20 },
])('a batch that took $took ms is followed by $waits ms of waiting', async ({ took, waits }) => {
  vi.useFakeTimers();
  let done = false;
  const delay = createBatchDelay(Date.now);
  delay.begin();
  vi.setSystemTime(Date.now() + took);
  const waiting = delay.wait(100)?.then(() => (done = true));
  await vi.advanceTimersByTimeAsync(waits - 1);
  expect(done).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await waiting;
  expect(done).toBe(true);
});

test('where a batch takes so long that the views are far behind, the next one follows at once', () => {
  vi.useFakeTimers();
  const delay = createBatchDelay(Date.now);
  delay.begin();
  vi.setSystemTime(Date.now() + 250);
  expect(delay.wait(100)).toBeUndefined();
});
