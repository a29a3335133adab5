/** Observations, and the listeners that get them. */
import { expect, test } from 'vitest';
import { createObserve, measured } from '../../src/flow/observe.js';

test('tells each listener of the kind in order, and then ends what had begun', () => {
  const told: string[] = [];
  const observe = createObserve([
    { shown: (position) => told.push(`first ${position}`) },
    { commit: () => told.push('another kind') },
    { shown: (position) => told.push(`second ${position}`) },
  ]);
  observe.shown('7', { end: (position) => told.push(`ended ${position}`) });
  expect(told).toEqual(['first 7', 'second 7', 'ended 7']);
});

test('takes observations that nobody listens to', () => {
  const observe = createObserve([]);
  observe.commit({ appends: 1, milliseconds: 2 });
  expect(observe.begin).toBeUndefined();
});

test('tells how long a round trip took, also if it failed, and only to the listeners of its own service', async () => {
  const [own, other]: [object[], object[]] = [[], []];
  const observe = createObserve([{ roundTrip: (trip) => own.push(trip) }]);
  createObserve([{ roundTrip: (trip) => other.push(trip) }]);
  const trip = { store: 'mongodb', operation: 'read' } as const;
  expect(await measured(observe, trip, () => Promise.resolve('answer'))).toBe('answer');
  const fault = new Error('the server is away');
  await expect(measured(observe, trip, () => Promise.reject(fault))).rejects.toBe(fault);
  const told = { ...trip, milliseconds: expect.any(Number) as unknown };
  expect(own).toEqual([told, told]);
  expect(other).toEqual([]);
});

test('runs a round trip that nobody observes', async () => {
  const trip = { store: 'eventstoredb', operation: 'append' } as const;
  expect(await measured(undefined, trip, () => Promise.resolve('answer'))).toBe('answer');
});
