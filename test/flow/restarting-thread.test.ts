/** A thread that dies: when it is started again, and what becomes of requests that it has not answered. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startRestartingThread } from '../../src/flow/restarting-thread.js';
import type { WorkerThreadOptions } from '../../src/flow/worker-thread.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Hooks = Pick<WorkerThreadOptions<string>, 'onMessage' | 'onExit'>;

function open() {
  const threads: (Hooks & { readonly sent: string[] })[] = [];
  const received: string[] = [];
  const deaths: string[] = [];
  let isFull = false;
  const thread = startRestartingThread<string, string>({
    name: 'worker',
    start(hooks) {
      if (isFull) {
        isFull = false;
        throw new Error('no room for another thread');
      }
      const sent: string[] = [];
      threads.push({ ...hooks, sent });
      return {
        send: (message) => sent.push(message),
        async close(within) {
          sent.push(`close ${within}`);
          await Promise.resolve();
          hooks.onExit(undefined);
        },
      };
    },
    onMessage: (message) => received.push(message),
    onDied: (error) => deaths.push(error),
  });
  const last = () => {
    const found = threads.at(-1);
    if (found === undefined) throw new Error('no thread');
    return found;
  };
  const failNextStart = (): void => void (isFull = true);
  return { thread, threads, received, deaths, last, failNextStart };
}

test('sends and receives, also after a restart; while it is dead nothing is sent', () => {
  const { thread, threads, received, deaths, last } = open();
  thread.send('one');
  last().onMessage('two');
  expect({ sent: last().sent, received }).toEqual({ sent: ['one'], received: ['two'] });
  last().onExit(undefined);
  thread.send('lost');
  vi.advanceTimersToNextTimer();
  thread.send('three');
  last().onExit('Error: gone');
  expect(deaths).toEqual(['it ended by itself', 'Error: gone']);
  expect(threads.map(({ sent }) => sent)).toEqual([['one'], ['three']]);
});

test('pauses longer after each death in a row, at most five seconds; work done makes the next death the first one', () => {
  const { thread, threads, last } = open();
  const pauseAfterDeath = (): number => {
    const [before, at] = [threads.length, Date.now()];
    last().onExit('Error: gone');
    while (threads.length === before) vi.advanceTimersByTime(1);
    return Date.now() - at;
  };
  expect(Array.from({ length: 8 }, pauseAfterDeath)).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]);
  thread.worked();
  expect(pauseAfterDeath()).toBe(100);
});

test('answers the requests of each kind in their order', async () => {
  const { thread, last } = open();
  const [counts, names] = [thread.requests<number>(() => -1), thread.requests<string>((reason) => reason)];
  const asked = [counts.ask('count'), names.ask('name'), counts.ask('count again')];
  expect(last().sent).toEqual(['count', 'name', 'count again']);
  counts.answer(1);
  counts.answer(2);
  names.answer('three');
  expect(await Promise.all(asked)).toEqual([1, 'three', 2]);
});

test('a request that a dead thread has not answered, or cannot get, is answered with the reason', async () => {
  const { thread, last } = open();
  const requests = thread.requests((reason) => reason);
  const asked = [requests.ask('one'), requests.ask('two')];
  last().onExit('Error: gone');
  const reason = "the worker's thread died: Error: gone";
  expect(await Promise.all(asked)).toEqual([reason, reason]);
  expect(await requests.ask('three')).toBe('the worker is not running');
  vi.advanceTimersToNextTimer();
  const next = requests.ask('four');
  // None of the requests before: they have their answer.
  requests.answer('the fourth');
  expect(await next).toBe('the fourth');
});

test('is not started again once it is closed, neither when it ends nor when it was dead', async () => {
  const running = open();
  const asked = running.thread.requests((reason) => reason).ask('one');
  await Promise.all([running.thread.close(7), running.thread.close(7)]);
  expect(running.last().sent).toEqual(['one', 'close 7']);
  expect(await asked).toContain('died');
  const dead = open();
  dead.last().onExit('Error: gone');
  await dead.thread.close(7);
  expect(vi.getTimerCount()).toBe(0);
  expect([running, dead].map(({ threads, deaths }) => [threads.length, deaths.length])).toEqual([
    [1, 0],
    [1, 1],
  ]);
});

test('a restart that fails, as on a machine without memory, is tried again later', () => {
  const { threads, deaths, last, failNextStart } = open();
  failNextStart();
  last().onExit('Error: out of memory');
  vi.advanceTimersToNextTimer();
  expect(deaths).toEqual(['Error: out of memory', 'it did not start: no room for another thread']);
  vi.advanceTimersToNextTimer();
  expect(threads).toHaveLength(2);
});
