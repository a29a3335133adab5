/** States that are asked for at a scrape: what fails or hangs takes nothing else away. */
import { Registry } from '@prometheus-io/client';
import { afterEach, expect, test, vi } from 'vitest';
import { cached, watchStates, type StateMetric } from '../../src/metrics/states.js';

afterEach(() => void vi.useRealTimers());

const metric = (name: string, read: StateMetric<object>['read'], more: object = {}): StateMetric<object> => ({
  name,
  help: 'A test.',
  read,
  ...more,
});

test('one that fails, hangs or is not known here is left out, and there again later', async () => {
  vi.useFakeTimers();
  const registry = new Registry();
  let isWell = false;
  const whenWell = (otherwise: () => number | undefined | Promise<number>) => () => (isWell ? 1 : otherwise());
  const metrics = [
    metric(
      'fails',
      whenWell(() => Promise.reject(new Error('away'))),
    ),
    metric(
      'throws',
      whenWell(() => JSON.parse('') as number),
    ),
    metric(
      'hangs',
      whenWell(() => new Promise<number>(() => undefined)),
    ),
    metric(
      'elsewhere',
      whenWell(() => undefined),
    ),
    metric('known', () => [[{ kind: 'a' }, 2]], { labels: ['kind'] }),
    metric('counted_total', () => 3, { isCounter: true }),
  ];
  watchStates(registry, metrics, {});
  const scrape = async (): Promise<readonly string[]> => {
    const text = registry.metrics();
    await vi.advanceTimersByTimeAsync(1_001);
    return (await text).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  };
  expect(await scrape()).toEqual(['known{kind="a"} 2', 'counted_total 3']);
  isWell = true;
  expect(await scrape()).toEqual([
    'fails 1',
    'throws 1',
    'hangs 1',
    'elsewhere 1',
    'known{kind="a"} 2',
    'counted_total 3',
  ]);
});

test('what costs much is asked for once in a while, and at once after a failure', async () => {
  vi.useFakeTimers();
  let asked = 0;
  const read = cached(15_000, async () => {
    asked += 1;
    if (asked === 1) throw new Error('away');
    return asked;
  });
  await expect(read()).rejects.toThrow('away');
  expect([await read(), await read()]).toEqual([2, 2]);
  vi.advanceTimersByTime(15_000);
  expect(await read()).toBe(3);
});
