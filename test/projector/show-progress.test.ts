/** What readers see of a projector's reports. */
import { expect, test } from 'vitest';
import { createOwnWrites } from '../../src/projector/read-your-writes.js';
import { createShowProgress } from '../../src/projector/show-progress.js';
import { initialStatus } from '../../src/projector/status.js';
import type { Storages } from '../../src/projector/storage.js';

function open() {
  const used: { readonly live: Storages; readonly visible: string }[] = [];
  const moved: string[] = [];
  const ownWrites = createOwnWrites({ projections: [], head: '', now: () => 0 });
  const show = createShowProgress({
    views: { use: (live) => used.push({ live, visible: ownWrites.visiblePosition() }) },
    ownWrites,
    onMoved: (from) => moved.push(from),
  });
  const report = (change: Partial<typeof initialStatus>): void => show({ ...initialStatus, ...change });
  return { report, used, moved, ownWrites };
}

test('a projector on standby shows nothing', () => {
  const { report, used, moved, ownWrites } = open();
  report({ standby: true, position: '07', caughtUp: true, live: { lists: 1 } });
  expect({ used, moved, visible: ownWrites.visiblePosition() }).toEqual({ used: [], moved: [], visible: '' });
});

test('the storages are read before their position counts as visible, and named again only when they have changed', () => {
  const { report, used, ownWrites } = open();
  report({ position: '', live: null });
  report({ position: '07', live: { lists: 1 } });
  report({ position: '08', live: { lists: 1 } });
  report({ position: '09', live: { lists: 2 } });
  expect(used).toEqual([
    { live: { lists: 1 }, visible: '' },
    { live: { lists: 2 }, visible: '08' },
  ]);
  expect(ownWrites.visiblePosition()).toBe('09');
});

test('tells from where the views have moved, and once that they have caught up without having moved', () => {
  const { report, moved } = open();
  report({ position: '07' });
  report({ position: '07' });
  report({ position: '07', caughtUp: true });
  report({ position: '07', caughtUp: false });
  report({ position: '07', caughtUp: true });
  report({ position: '09', caughtUp: true });
  expect(moved).toEqual(['', '07', '07']);
});
