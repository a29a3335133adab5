/** The stores as a rebuild opens them: others get their turn, and the lease its renewal. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { createLease } from '../../src/projector/lease.js';
import type { ReadModels, View } from '../../src/readmodels/read-models.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { openRebuildStores, withPauses } from '../../src/stores/rebuild-stores.js';

const view: View = { name: 'things', version: 1, indexes: [] };

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'rebuild-stores-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it.each(['prepare', 'drop'] as const)(
  'the lease is held after a %s that took longer than it is valid',
  async (slow) => {
    let time = 0;
    const ttl = 40;
    const models = openSqliteReadModels({ file: path.join(newFolder(), 'views.db'), now: () => time });
    const stopThread = (): void => {
      const until = performance.now() + ttl;
      while (performance.now() < until);
      time += 2 * ttl;
    };
    const slowly: ReadModels = {
      ...models,
      async [slow]() {
        stopThread();
      },
    };
    const lease = createLease({ readModels: models, name: 'rebuild', holder: 'one', ttl, now: () => time });
    await lease.hold(new AbortController().signal);
    await withPauses(slowly)[slow](view);
    expect(() => lease.check()).not.toThrow();
    await lease.close();
    await models.close();
  },
);

it('writes little at once where the projector waits for the same file, in whichever process', async () => {
  const folder = newFolder();
  const files = { events: path.join(folder, 'events.db'), views: path.join(folder, 'views.db') };
  const log = await openSqliteEventStore({ file: files.events, clock: () => 0 });
  const stores = await openRebuildStores({
    events: { kind: 'embedded', file: files.events },
    views: { kind: 'embedded', file: files.views },
  });
  expect(stores.bounds?.documents).toBeLessThan(5_000);
  await stores.close();
  await log.close();
});
