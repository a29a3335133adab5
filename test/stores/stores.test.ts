/** The stores as a rebuild opens them: others get their turn. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { openRebuildStores } from '../../src/stores/stores.js';

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'rebuild-stores-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

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
