/** One run at a time per key; who comes during a run shares the next one. */
import { expect, test } from 'vitest';
import { createSingleFlight } from '../../src/flow/single-flight.js';

function manual() {
  const runs: { readonly key: string; readonly end: (failure?: Error) => void }[] = [];
  const ask = createSingleFlight(
    (key: string) =>
      new Promise<number>((resolve, reject) => {
        const number = runs.length;
        runs.push({ key, end: (failure) => (failure === undefined ? resolve(number) : reject(failure)) });
      }),
  );
  return { runs, ask };
}

test('who asks during a run gets the result of the next one, together with the others', async () => {
  const { runs, ask } = manual();
  const first = ask('a');
  const later = [ask('a'), ask('a')];
  expect(runs).toHaveLength(1);
  runs[0]?.end();
  expect(await first).toBe(0);
  expect(runs).toHaveLength(2);
  runs[1]?.end();
  expect(await Promise.all(later)).toEqual([1, 1]);
});

test('a run that fails fails for those who began it, and the next one begins', async () => {
  const { runs, ask } = manual();
  const first = ask('a');
  const later = ask('a');
  runs[0]?.end(new Error('away'));
  await expect(first).rejects.toThrow('away');
  runs[1]?.end();
  expect(await later).toBe(1);
});

test('keys do not wait for each other, and what has ended is forgotten', async () => {
  const { runs, ask } = manual();
  const both = [ask('a'), ask('b')];
  for (const { end } of runs) end();
  expect(await Promise.all(both)).toEqual([0, 1]);
  const again = ask('a');
  expect(runs.map(({ key }) => key)).toEqual(['a', 'b', 'a']);
  runs[2]?.end();
  expect(await again).toBe(2);
});
