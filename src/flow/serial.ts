/** Runs tasks one after the other: all of them, or those that share a key. */

interface SerialQueue {
  /** Runs the task after all earlier ones have ended, whether these succeeded or failed. Resolves or rejects as the task does. */
  run<Result>(task: () => Promise<Result>): Promise<Result>;
  /** Resolves when all tasks so far have ended. Never rejects. */
  idle(): Promise<void>;
}

interface KeyedQueue<Key> {
  /** Runs the task after all earlier ones that share a key with this one. A task without an earlier one starts at once. */
  run<Result>(keys: Iterable<Key>, task: () => Promise<Result>): Promise<Result>;
  /** Resolves when all tasks so far have ended. Never rejects. */
  idle(): Promise<void>;
}

export function createSerialQueue(): SerialQueue {
  const queue = createKeyedQueue<'all'>();
  return { run: (task) => queue.run(['all'], task), idle: queue.idle };
}

/**
 * Creates a queue of tasks that have one key or several, such as the addresses that they change.
 *
 * ```ts
 * const queue = createKeyedQueue<string>();
 * await queue.run([address], () => save(contact));
 * ```
 */
export function createKeyedQueue<Key>(): KeyedQueue<Key> {
  /** The last task of each key that has a task. */
  const last = new Map<Key, Promise<unknown>>();

  function earlier(keys: Iterable<Key>): Promise<unknown>[] | undefined {
    let found: Promise<unknown>[] | undefined;
    for (const key of keys) {
      const task = last.get(key);
      if (task !== undefined) (found ??= []).push(task);
    }
    return found;
  }

  return {
    async run(keys, task) {
      const before = earlier(keys);
      const running = before === undefined ? task() : Promise.allSettled(before).then(() => task());
      for (const key of keys) last.set(key, running);
      try {
        return await running;
      } finally {
        for (const key of keys) if (last.get(key) === running) last.delete(key);
      }
    },
    async idle() {
      await Promise.allSettled(last.values());
    },
  };
}
