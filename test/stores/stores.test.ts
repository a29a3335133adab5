/** The stores as a rebuild opens them: others get their turn. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { liveProjections } from '../../src/projections/views.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { buildInitially } from '../../src/rebuild/bulk-build.js';
import { openRebuildStores, refuseForeignViews } from '../../src/stores/stores.js';
import { append, appendContacts } from '../rebuild/contact-log.js';
import { exampleEvents } from '../support/examples.js';

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

it('refuses a log that was put back to an earlier day while its views were built for the first time', async () => {
  const folder = newFolder();
  const files = { events: path.join(folder, 'events.db'), views: path.join(folder, 'views.db') };
  const backup = path.join(folder, 'backup.db');
  const settings = {
    events: { kind: 'embedded', file: files.events },
    views: { kind: 'embedded', file: files.views },
  } as const;
  const open = () => openSqliteEventStore({ file: files.events, clock: () => 0 });
  const write = async (from: number): Promise<void> => {
    const log = await open();
    if (from === 0) await append(log, 'service', exampleEvents.serviceInitialised);
    await appendContacts(log, { count: 5, from });
    await log.close();
  };
  await write(0);
  cpSync(files.events, backup);
  await write(5);
  const log = await open();
  const models = openSqliteReadModels({ file: files.views });
  const killed = new Error('killed');
  const building = buildInitially({
    reader: log,
    readModels: {
      ...models,
      async commit(commit) {
        if (commit.checkpoint.name === 'views') throw killed;
        await models.commit(commit);
      },
    },
    projections: liveProjections,
    signal: new AbortController().signal,
    check: () => undefined,
    onProgress: () => undefined,
  });
  await expect(building).rejects.toThrow(killed);
  await models.close();
  await refuseForeignViews(settings, log, {});
  await log.close();
  cpSync(backup, files.events);
  const earlier = await open();
  await expect(refuseForeignViews(settings, earlier, {})).rejects.toThrow('restored or shortened');
  await earlier.close();
});
