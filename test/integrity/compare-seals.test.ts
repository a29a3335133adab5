/** The comparison of seals with the stored tree of a log. */
import { expect, test, vi } from 'vitest';
import { compareWithTree, firstHolding } from '../../src/integrity/compare-seals.js';
import { createMemoryLog } from '../support/memory-log.js';

const wrongRoot = 'f'.repeat(64);

test('many seals are compared in one pass over the block roots, and are returned in their order', async () => {
  const log = createMemoryLog();
  log.fill(2_000);
  const counts = [2_000, 1_999, 1_536, 1_537, 1_000, 257, 256, 255, 1, 700];
  const seals = counts.map((count, index) => log.seal({ seq: 100 - index, count }));
  const wrong = log.seal({ count: 900, root: wrongRoot });
  const longer = log.seal({ count: 2_001, root: wrongRoot });
  const blockRoots = vi.spyOn(log.source.tree, 'blockRoots');
  const compared = await compareWithTree([...seals, wrong, longer], { log, tree: log.source.tree, restores: [] });
  expect(blockRoots).toHaveBeenCalledTimes(1);
  expect(compared.map(({ seal }) => seal)).toEqual([...seals, wrong, longer]);
  expect(compared.map(({ state }) => state)).toEqual([...counts.map(() => 'holds'), 'fails', 'fails']);
  expect(compared.at(-2)?.reason).toMatch(/an event or a block root was altered$/);
});

test('an event that was altered after a seal, in the same block, does not fail the seal', async () => {
  const log = createMemoryLog();
  log.fill(700);
  const seal = log.seal({ count: 300 });
  log.events[400]!.type = 'Forged';
  const [compared] = await compareWithTree([seal], { log, tree: log.source.tree, restores: [] });
  expect(compared?.state).toBe('holds');
});

test('the first seal that holds is searched from the newest on, and no seal after it is compared', async () => {
  const log = createMemoryLog();
  log.fill(900);
  const seals = [log.seal({ count: 800, root: wrongRoot }), log.seal({ count: 600 }), log.seal({ count: 300 })];
  const leavesOf = vi.spyOn(log.source.tree, 'leavesOf');
  expect(await firstHolding(seals, { log, tree: log.source.tree, restores: [] })).toBe(seals[1]);
  expect(leavesOf.mock.calls).toEqual([[3], [2]]);
});
