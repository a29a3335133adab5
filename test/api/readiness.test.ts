/** When a start says that the service listens. */
import { expect, test } from 'vitest';
import type { Readiness } from '../../src/api/resources/parts.js';
import { untilReady } from '../../src/api/readiness.js';
import { initialStatus } from '../../src/projector/status.js';
import { createOwnWrites } from '../../src/projector/read-your-writes.js';

const waiting = { monotonic: () => 0, signal: new AbortController().signal };

test('a start asks the log nothing while it knows that the views are behind: the projector needs the processor', async () => {
  const head = '0000000000000007';
  const ownWrites = createOwnWrites({ projections: [], head, now: () => 0 });
  let looks = 0;
  const status = () => {
    looks += 1;
    if (looks === 5) ownWrites.advance(head);
    return { ...initialStatus, projector: 'leading', fault: null, live: {} } as const;
  };
  let asked = 0;
  const ask = (): Promise<Readiness> => {
    asked += 1;
    return Promise.resolve({ ready: ownWrites.reached(), parts: {} });
  };
  const views = { ownWrites, status, damaged: () => [] };
  expect(await untilReady(ask, { ...waiting, views })).toBe(true);
  expect(asked).toBe(1);
});

test('a start waits no longer when the views have come no closer for ten seconds', async () => {
  let now = 0;
  const ownWrites = createOwnWrites({ projections: [], head: '0000000000000007', now: () => now });
  const status = () => ({ ...initialStatus, projector: 'leading', fault: null, live: {} }) as const;
  const monotonic = (): number => (now += 1_000);
  const ask = (): Promise<Readiness> => Promise.reject(new Error('the log is not to be read'));
  expect(await untilReady(ask, { ...waiting, monotonic, views: { ownWrites, status, damaged: () => [] } })).toBe(false);
  expect(now).toBeGreaterThan(10_000);
});
