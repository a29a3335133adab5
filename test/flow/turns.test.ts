/** Turns of a subscriber: one at a time, a pause after each, however it ended. */
import { expect, test } from 'vitest';
import { takeTurns } from '../../src/flow/subscriber.js';

test('a turn is due at once, and then a pause after the end of the last one, also of one that failed', async () => {
  let now = 0;
  let isBroken = false;
  const turn = (): Promise<void> => {
    now += 5;
    return isBroken ? Promise.reject(new Error('away')) : Promise.resolve();
  };
  const { due, handle } = takeTurns({ name: 'test', pause: 100, monotonic: () => now, turn });
  const { signal } = new AbortController();
  expect(await due(1)).toEqual({ work: ['turn'], rest: 100 });
  await handle('turn', signal, signal);
  expect(await due(1)).toEqual({ work: [], rest: 100 });
  now += 99;
  expect(await due(1)).toEqual({ work: [], rest: 1 });
  now += 1;
  isBroken = true;
  expect(await due(1)).toMatchObject({ work: ['turn'] });
  await expect(handle('turn', signal, signal)).rejects.toThrow('away');
  expect(await due(1)).toEqual({ work: [], rest: 100 });
});
