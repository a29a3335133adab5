/** The stores as a rebuild opens them: others get their turn. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { liveProjections } from '../../src/projections/views.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { runProjector } from '../../src/projector/projector.js';
import { embeddedIn, openRebuildStores, storesOf } from '../../src/stores/stores.js';
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
  const stores = await openRebuildStores(embeddedIn({ eventsFile: files.events, viewsFile: files.views }));
  expect(stores.bounds?.documents).toBeLessThan(5_000);
  await stores.close();
  await log.close();
});

it('refuses a log that was put back to an earlier day while its views were built for the first time', async () => {
  const folder = newFolder();
  const files = { events: path.join(folder, 'events.db'), views: path.join(folder, 'views.db') };
  const backup = path.join(folder, 'backup.db');
  const stores = storesOf(embeddedIn({ eventsFile: files.events, viewsFile: files.views }));
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
  const stop = new AbortController();
  await runProjector({
    reader: log,
    readModels: models,
    projections: liveProjections,
    signal: stop.signal,
    random: () => 0,
    shortLog: { events: 1, characters: 1 },
    onFault: () => undefined,
    onProgress: ({ live }) => (live === null ? undefined : stop.abort()),
  });
  await models.close();
  await stores.refuseForeignViews(log, {});
  await log.close();
  cpSync(backup, files.events);
  const earlier = await open();
  await expect(stores.refuseForeignViews(earlier, {})).rejects.toThrow('restored or shortened');
  await earlier.close();
});
