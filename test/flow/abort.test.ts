/** Waits that end early: nothing is left behind, neither a listener nor a timer nor an unhandled rejection. */
import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pause, unlessAborted, within } from '../../src/flow/abort.js';

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});
afterEach(async () => {
  vi.useRealTimers();
  // Node reports an unhandled rejection at the end of the turn.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;
const late = (): never => {
  throw new Error('too late');
};

test('a pause ends as soon as its signal aborts', async () => {
  const controller = new AbortController();
  const paused = pause(3_600_000, controller.signal);
  controller.abort();
  await paused;
  expect(listeners(controller.signal)).toBe(0);
});

test('a pause ends at once if its signal has already aborted', async () => {
  await pause(3_600_000, AbortSignal.abort());
});

test('an abort rejects with the reason of the signal, and a later failure of the work is ignored', async () => {
  const controller = new AbortController();
  const work = Promise.withResolvers<string>();
  const result = unlessAborted(work.promise, controller.signal);
  controller.abort(new Error('stopped'));
  await expect(result).rejects.toThrow('stopped');
  work.reject(new Error('failed later'));
  expect(listeners(controller.signal)).toBe(0);
});

test('a signal that has already aborted wins against work that has already failed', async () => {
  const result = unlessAborted(Promise.reject(new Error('failed')), AbortSignal.abort(new Error('stopped')));
  await expect(result).rejects.toThrow('stopped');
});

test('an abort resolves with the value of the fallback if there is one', async () => {
  const controller = new AbortController();
  const result = unlessAborted(new Promise<string>(() => undefined), controller.signal, () => 'left');
  controller.abort();
  expect(await result).toBe('left');
});

test('work that ends before the abort decides, and its signal keeps no listener', async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve('done'), signal)).toBe('done');
  await expect(unlessAborted(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed');
  expect(listeners(signal)).toBe(0);
});

test('work that does not end in time ends the wait, and its later failure is ignored', async () => {
  vi.useFakeTimers();
  const work = Promise.withResolvers<string>();
  const thrown = expect(within(1_000, work.promise, late)).rejects.toThrow('too late');
  const resolved = within(1_000, work.promise, () => 'none');
  await vi.advanceTimersByTimeAsync(1_001);
  await thrown;
  expect(await resolved).toBe('none');
  work.reject(new Error('failed later'));
});

test('work that ends in time decides, and no timer is left', async () => {
  vi.useFakeTimers();
  expect(await within(1_000, Promise.resolve('done'), late)).toBe('done');
  await expect(within(1_000, Promise.reject(new Error('failed')), late)).rejects.toThrow('failed');
  expect(vi.getTimerCount()).toBe(0);
});

test('an answer that came while the process was busy wins against a time-out in the same turn', async () => {
  const { port1, port2 } = new MessageChannel();
  const answer = new Promise<string>((resolve) => port1.addEventListener('message', () => resolve('answered')));
  port1.start();
  const result = within(1, answer, late);
  port2.postMessage('answer');
  for (const end = performance.now() + 20; performance.now() < end;);
  expect(await result).toBe('answered');
  port1.close();
});
