/** Slots: how many there are, how many one key may hold, and who is next. */
import { expect, test } from 'vitest';
import { createSlots, keyOf, ownedBy, slotsByName } from '../../src/flow/slots.js';

const options = { running: 2, runningOfKey: 1, waiting: 8, patience: 60_000, retryAfter: 5 };
const status = (name: string) => new Map(slotsByName()).get(name);

test('one key cannot take the slots of other keys', async () => {
  const slots = createSlots('two', options);
  const taken: string[] = [];
  const closeFirst = await slots.take('greedy');
  const second = slots.take('greedy').then((close) => {
    taken.push('greedy');
    return close;
  });
  const closeOther = await slots.take('other');
  expect(taken).toEqual([]);
  expect(status('two')).toEqual({ running: 2, waiting: 1 });
  closeFirst();
  (await second)();
  closeOther();
  expect(status('two')).toEqual({ running: 0, waiting: 0 });
});

test('a key at its limit does not hold up the keys behind it in line', async () => {
  const slots = createSlots('line', options);
  const closeGreedy = await slots.take('greedy');
  const closeOther = await slots.take('other');
  const order: string[] = [];
  const waiting = ['greedy', 'third'].map((key) =>
    slots.take(key).then((close) => {
      order.push(key);
      return close;
    }),
  );
  closeOther();
  (await waiting[1])?.();
  expect(order).toEqual(['third']);
  closeGreedy();
  (await waiting[0])?.();
  expect(order).toEqual(['third', 'greedy']);
});

test('one key waits in at most a quarter of the line', async () => {
  const slots = createSlots('quarter', options);
  const close = await slots.take('greedy');
  const waiting = [slots.take('greedy'), slots.take('greedy')];
  await expect(slots.take('greedy')).rejects.toMatchObject({ code: 'unavailable', retryAfter: 5 });
  (await slots.take('other'))();
  close();
  for (const one of waiting) (await one)();
});

test('a waiter that gives up or waits too long leaves the line and frees its share of it', async () => {
  const slots = createSlots('impatient', { ...options, patience: 5 });
  const close = await slots.take('key');
  await expect(slots.take('key')).rejects.toMatchObject({ code: 'unavailable' });
  const gone = new AbortController();
  const waits = slots.take('key', gone.signal);
  gone.abort(new Error('gone'));
  await expect(waits).rejects.toThrow('gone');
  expect(status('impatient')).toEqual({ running: 1, waiting: 0 });
  close();
  close();
  expect(status('impatient')).toEqual({ running: 0, waiting: 0 });
});

test('work inside a request takes its slot from the key that owns the signal', () => {
  const { signal } = new AbortController();
  expect(keyOf(ownedBy('shop', signal))).toBe('shop');
  expect(keyOf(undefined)).toBeUndefined();
});
