/** The runner of subscribers: how much at once, what it does after failures, and how it ends. */
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createRunner, runnerTimings } from '../../src/flow/run-subscriber.js';
import type { Subscriber, WorkLease } from '../../src/flow/subscriber.js';
import { realTime } from '../support/real-time.js';

const timings = { ...runnerTimings, wake: 1, firstPause: 10, longestPause: 40, stop: 200 };

/** Works are numbers; handled until the test says so. */
function start(given: Partial<Subscriber<number>> = {}) {
  const faults: string[] = [];
  const waiting: number[] = [];
  const handled: number[] = [];
  let most = 0;
  let now = 0;
  const runner = createRunner<number>(
    {
      name: 'test',
      concurrency: 2,
      grace: 100,
      due: (free) => Promise.resolve({ work: waiting.splice(0, free), rest: 60_000 }),
      async handle(work) {
        most = Math.max(most, (now += 1));
        await nextTurn();
        now -= 1;
        handled.push(work);
      },
      ...given,
    },
    { onFault: (error) => faults.push(String(error)), monotonic: () => performance.now(), random: () => 0.5, timings },
  );
  runner.start();
  onTestFinished(() => runner.close());
  return { runner, faults, waiting, handled, most: () => most };
}

test('as many works at once as allowed, the next as soon as one ends', async () => {
  const { runner, waiting, handled, most } = start();
  waiting.push(1, 2, 3, 4, 5);
  runner.wake();
  await vi.waitUntil(() => handled.length === 5);
  expect([...handled].sort()).toEqual([1, 2, 3, 4, 5]);
  expect([most(), runner.status()]).toEqual([2, { running: 0, canLook: true }]);
});

test('calls of wake while it looks are one more look', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let looks = 0;
  let release = (): void => undefined;
  const { runner } = start({
    due: () => new Promise((resolve) => ((looks += 1), (release = () => resolve({ work: [], rest: 60_000 })))),
  });
  await vi.waitUntil(() => looks === 1);
  for (let count = 0; count < 5; count += 1) runner.wake();
  release();
  await vi.waitUntil(() => looks === 2);
  release();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(looks).toBe(2);
});

test('a look that fails is told once until one goes well, and tried again after longer and longer pauses', async () => {
  const at: number[] = [];
  let broken = true;
  const { runner, faults } = start({
    due() {
      at.push(performance.now());
      return broken ? Promise.reject(new Error('away')) : Promise.resolve({ work: [], rest: 60_000 });
    },
  });
  await vi.waitUntil(() => at.length >= 4);
  runner.wake();
  expect([faults, runner.status().canLook]).toEqual([['Error: away'], false]);
  // 7.5, 15 and 30 ms.
  expect((at[3] ?? 0) - (at[0] ?? 0)).toBeGreaterThan(50);
  broken = false;
  await vi.waitUntil(() => runner.status().canLook);
  broken = true;
  runner.wake();
  await vi.waitUntil(() => faults.length === 2);
});

test('works that fail are told once, and nothing is started until a pause is over', async () => {
  const { runner, waiting, faults, handled } = start({
    handle: (work) => (handled.push(work), work < 3 ? Promise.reject(new Error('no')) : Promise.resolve()),
  });
  waiting.push(1, 2, 3);
  runner.wake();
  await vi.waitUntil(() => handled.length === 3);
  expect(faults).toEqual(['Error: no']);
});

test('the lag is how long a look has been due or work has failed, and 0 once all goes well', async () => {
  let canLook = true;
  let canDo = true;
  const { runner, waiting } = start({
    due: (free) =>
      canLook ? Promise.resolve({ work: waiting.splice(0, free), rest: 60_000 }) : Promise.reject(new Error('away')),
    handle: (work) => (canDo ? Promise.resolve() : (waiting.push(work), Promise.reject(new Error('no')))),
  });
  const lag = (): number => runner.figures().lag;
  await vi.waitUntil(() => lag() === 0);
  for (const breaks of [() => (canLook = false), () => (canDo = false)]) {
    breaks();
    waiting.push(1);
    runner.wake();
    // Longer than the longest pause: a pause alone is no lag that grows.
    await vi.waitUntil(() => lag() > 3 * timings.longestPause);
    [canLook, canDo] = [true, true];
    await vi.waitUntil(() => waiting.length === 0 && lag() === 0);
  }
});

test('the time that another process had the lease is no lag', async () => {
  let held = false;
  let grant = (): void => undefined;
  let look = (): void => undefined;
  const { runner } = start({
    due: () => new Promise((resolve) => (look = () => resolve({ work: [], rest: 60_000 }))),
    lease: {
      hold: () => new Promise((resolve) => (grant = () => ((held = true), resolve(1)))),
      isHeld: () => held,
      onLost: () => undefined,
      close: () => Promise.resolve(),
    },
  });
  // Lag is time: this one must be told from what follows.
  await realTime(500);
  runner.wake();
  expect(runner.figures().lag).toBe(0);
  grant();
  await nextTurn();
  expect(runner.figures().holds).toBe(true);
  expect(runner.figures().lag).toBeLessThan(250);
  look();
});

test('close starts nothing more, gives what runs its time, and then aborts it', async () => {
  const ended: string[] = [];
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const { runner, waiting } = start({
    grace: 30,
    async handle(work, signal) {
      if (work === 1) return void (await released.then(() => ended.push('in time')));
      await once(signal, 'abort').then(() => ended.push('aborted'));
    },
  });
  waiting.push(1, 2, 3);
  runner.wake();
  await vi.waitUntil(() => runner.status().running === 2);
  const closing = Promise.all([runner.close(), runner.close()]);
  release();
  await closing;
  expect(ended).toEqual(['in time', 'aborted']);
  expect(waiting).toEqual([3]);
});

test('a store that does not answer does not keep the process', async () => {
  const { runner, waiting } = start({ grace: 10, handle: () => new Promise(() => undefined) });
  waiting.push(1);
  runner.wake();
  await vi.waitUntil(() => runner.status().running === 1);
  await runner.close();
});

test('with a lease nothing is looked for before it is held; where it is lost, work is aborted and the lease asked for again', async () => {
  let holds = 0;
  let held = false;
  let lose = (): void => undefined;
  let grant = (): void => undefined;
  const closed: boolean[] = [];
  const lease: WorkLease = {
    hold: () => new Promise((resolve) => ((holds += 1), (grant = () => ((held = true), resolve(holds))))),
    isHeld: () => held,
    onLost: (listener) => (lose = listener),
    close: () => Promise.resolve(void closed.push(true)),
  };
  const aborted: number[] = [];
  const { runner, waiting } = start({
    lease,
    handle: async (work, signal) => void (await once(signal, 'abort').then(() => aborted.push(work))),
  });
  waiting.push(1);
  await vi.waitUntil(() => holds === 1);
  expect(waiting).toEqual([1]);
  grant();
  await vi.waitUntil(() => runner.status().running === 1);
  held = false;
  lose();
  await vi.waitUntil(() => aborted.length === 1 && holds === 2);
  grant();
  await runner.close();
  expect(closed).toEqual([true]);
});

test('a subscriber wakes its own runner, and does its last when it is closed, before its lease is given back', async () => {
  const order: string[] = [];
  let wake = (): void => undefined;
  const { runner, waiting, handled } = start({
    attach: (given) => (wake = given.wake),
    close: () => Promise.resolve(void order.push('close')),
    lease: {
      hold: () => Promise.resolve(1),
      isHeld: () => true,
      onLost: () => undefined,
      close: () => Promise.resolve(void order.push('lease')),
    },
  });
  await vi.waitUntil(() => runner.status().canLook);
  waiting.push(1);
  wake();
  await vi.waitUntil(() => handled.length === 1);
  await runner.stop();
  waiting.push(2);
  wake();
  expect(order).toEqual([]);
  await Promise.all([runner.close(), runner.close()]);
  expect([order, waiting]).toEqual([['close', 'lease'], [2]]);
});

test('an end that a store holds up does not keep the process, and one that fails is told', async () => {
  const hanging = start({ close: () => new Promise(() => undefined) });
  const failing = start({ close: () => Promise.reject(new Error('no')) });
  await Promise.all([hanging.runner.close(), failing.runner.close()]);
  expect([hanging.faults, failing.faults]).toEqual([[], ['Error: no']]);
});
