/** Tasks one after the other: their order, their failures, and when a queue is idle. */
import { expect, test } from 'vitest';
import { createKeyedQueue, createSerialQueue } from '../../src/flow/serial.js';

/** Creates tasks that end when the test ends them, and notes which tasks have begun. */
function tasks() {
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  const task = (name: string) => (): Promise<string> => {
    const end = Promise.withResolvers<string>();
    begun.push(name);
    ends.set(name, end);
    return end.promise;
  };
  return {
    begun,
    task,
    end: (name: string): void => ends.get(name)?.resolve(name),
    fail: (name: string): void => ends.get(name)?.reject(new Error(name)),
  };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

test('a task begins when the task before it has ended, and answers its own caller', async () => {
  const { begun, task, end } = tasks();
  const queue = createSerialQueue();
  const results = [queue.run(task('first')), queue.run(task('second'))];
  await nextTurn();
  expect(begun).toEqual(['first']);
  end('first');
  await nextTurn();
  expect(begun).toEqual(['first', 'second']);
  end('second');
  expect(await Promise.all(results)).toEqual(['first', 'second']);
});

test('a failed task rejects for its own caller only, and the next task begins', async () => {
  const { task, end, fail } = tasks();
  const queue = createSerialQueue();
  const first = queue.run(task('first'));
  const second = queue.run(task('second'));
  fail('first');
  await expect(first).rejects.toThrow('first');
  await nextTurn();
  end('second');
  expect(await second).toBe('second');
});

test('a task that throws before its first await does not stop the next one', async () => {
  const queue = createSerialQueue();
  const thrown = queue.run(() => {
    throw new Error('thrown');
  });
  await expect(thrown).rejects.toThrow('thrown');
  expect(await queue.run(() => Promise.resolve('next'))).toBe('next');
});

test('a queue is idle when all its tasks have ended, even if some have failed', async () => {
  const { task, end, fail } = tasks();
  const queue = createSerialQueue();
  const results = Promise.allSettled([queue.run(task('first')), queue.run(task('second'))]);
  let isIdle = false;
  const idle = queue.idle().then(() => (isIdle = true));
  fail('first');
  await nextTurn();
  expect(isIdle).toBe(false);
  end('second');
  await idle;
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
  await queue.idle();
});

test('tasks of different keys do not wait for each other', async () => {
  const { begun, task, end } = tasks();
  const queue = createKeyedQueue<string>();
  const results = [queue.run(['a'], task('a1')), queue.run(['b'], task('b1')), queue.run(['a'], task('a2'))];
  expect(begun).toEqual(['a1', 'b1']);
  end('b1');
  end('a1');
  await nextTurn();
  expect(begun).toEqual(['a1', 'b1', 'a2']);
  end('a2');
  expect(await Promise.all(results)).toEqual(['a1', 'b1', 'a2']);
});

test('a task with several keys waits for the earlier tasks of each of them', async () => {
  const { begun, task, end } = tasks();
  const queue = createKeyedQueue<string>();
  const results = [
    queue.run(['a'], task('a')),
    queue.run(['b'], task('b')),
    queue.run(['a', 'b'], task('both')),
    queue.run(['b'], task('last')),
  ];
  end('a');
  await nextTurn();
  expect(begun).toEqual(['a', 'b']);
  end('b');
  await nextTurn();
  expect(begun).toEqual(['a', 'b', 'both']);
  end('both');
  await nextTurn();
  expect(begun).toEqual(['a', 'b', 'both', 'last']);
  end('last');
  await Promise.all(results);
});
