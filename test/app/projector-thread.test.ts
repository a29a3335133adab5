/** The projector in its thread, over the files that main opens. */
import { Database } from '../../src/sqlite/database.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqliteEventStore, type SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { contacts } from '../../src/projections/contacts.js';
import { lists } from '../../src/projections/catalogues.js';
import { memberships } from '../../src/projections/memberships.js';
import type { ProjectorFault } from '../../src/projector/status.js';
import type { FromProjector } from '../../src/app/projector-worker.js';
import { startProjectorThread, type ProjectorThread } from '../../src/app/projector-thread.js';
import { embeddedIn, type StoreSettings } from '../../src/stores/stores.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { exampleEvents as e, toAppend } from '../support/examples.js';
import { freshFold } from '../support/fresh-fold.js';
import { realTime } from '../support/real-time.js';

let folder: string;
let store: SqliteEventStore;
let thread: ProjectorThread | undefined;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'projector-thread-'));
  store = await openSqliteEventStore({ file: path.join(folder, 'events.db'), clock: Date.now });
  await store.append('service', [toAppend(e.serviceInitialised)], { expectedRevision: 'no_stream' });
});
afterEach(async () => {
  await thread?.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

const embeddedStores = (viewsFile: string): StoreSettings =>
  embeddedIn({ eventsFile: path.join(folder, 'events.db'), viewsFile });

function start(viewsFile: string) {
  const faults: ProjectorFault[] = [];
  let look = (): void => undefined;
  const started = startProjectorThread({
    settings: embeddedStores(viewsFile),
    isShared: false,
    holder: 'test',
    onDamage: () => undefined,
    onProgress: () => look(),
    onFault: (fault) => {
      faults.push(fault);
      look();
    },
  });
  thread = started;
  const until = (condition: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        if (condition()) resolve();
      };
      look();
    });
  return { faults, until, thread: started };
}

it('folds what was appended, reports it when others can see it, and ends in order', async () => {
  const viewsFile = path.join(folder, 'views.db');
  const reader = openSqliteReadModels({ file: viewsFile, readOnly: true });
  const projector = start(viewsFile);
  store.onCommitted(projector.thread.notify);
  const { position } = await store.append('lists', [toAppend(e.listCreated)], { expectedRevision: 'no_stream' });
  await projector.until(() => projector.thread.status().position >= position);
  expect((await reader.get(lists, 'lst_01'))?.position).toBe(position);
  expect(projector.thread.status()).toMatchObject({ folded: 2, parked: [], fault: null, unknown: {} });
  await projector.thread.close();
  await projector.thread.close();
  expect(projector.faults).toEqual([]);
  await reader.close();
});

it('is started again when its thread dies, and says so', async () => {
  const viewsFile = path.join(folder, 'views.db');
  writeFileSync(viewsFile, 'this is no database at all, and long enough to be read as the header of one. '.repeat(10));
  const projector = start(viewsFile);
  await projector.until(() => projector.faults.length > 0);
  expect(projector.faults[0]).toMatchObject({ kind: 'worker_died' });
  expect(projector.thread.status().fault).toContain('ReadModelsUnavailableError');
  rmSync(viewsFile);
  const head = await store.head();
  await projector.until(() => projector.thread.status().position === head);
  expect(projector.thread.status().fault).toBeNull();
});

it('goes on where a thread was killed in the middle of folding, and ends with what one undisturbed pass gives', async () => {
  const killedFile = path.join(folder, 'killed.db');
  const begun = start(killedFile);
  const first = await store.head();
  await begun.until(() => begun.thread.status().position === first);
  await begun.thread.close();
  const ids = Array.from({ length: 6_000 }, (_, index) => `con_${String(index).padStart(6, '0')}`);
  await Promise.all(
    ids.map((contact_id) => {
      const created = toAppend({ ...e.contactCreated, data: { ...e.contactCreated.data, contact_id } });
      const subscribed = toAppend({ ...e.subscribed, data: { ...e.subscribed.data, contact_id } });
      return store.append(`contact-${contact_id}`, [created, subscribed], { expectedRevision: 'no_stream' });
    }),
  );
  const head = await store.head();
  const worker = new Worker(new URL('../../dist/app/projector-worker.js', import.meta.url), {
    workerData: { settings: embeddedStores(killedFile), isShared: false, holder: 'killed' },
  });
  await new Promise<void>((resolve) => {
    worker.on('message', (message: FromProjector) => {
      if (message.type === 'progress' && message.status.folded > 0) resolve();
    });
  });
  await worker.terminate();

  const documentsOf = async (viewsFile: string) => {
    const models = openSqliteReadModels({ file: viewsFile });
    const found = [];
    for (const view of [contacts, memberships]) found.push((await models.find(view, { limit: 10_000 })).documents);
    await models.close();
    return found;
  };
  const [some] = await documentsOf(killedFile);
  expect(some?.length).toBeLessThan(6_000);
  const projector = start(killedFile);
  await projector.until(() => projector.thread.status().position === head);
  expect(projector.faults).toEqual([]);
  await projector.thread.close();
  const resumed = await documentsOf(killedFile);
  expect(resumed[0]).toHaveLength(6_000);
  const undisturbed = await freshFold(store);
  expect(resumed).toEqual([contacts, memberships].map(({ name }) => undisturbed[name]));
});

it('waits with its commit while somebody else makes indexes for seconds, and fails nothing', async () => {
  const viewsFile = path.join(folder, 'views.db');
  const projector = start(viewsFile);
  const head = await store.head();
  await projector.until(() => projector.thread.status().position === head);
  const other = new Database(viewsFile);
  other.exec('BEGIN IMMEDIATE');
  const { position } = await store.append('lists', [toAppend(e.listCreated)], { expectedRevision: 'no_stream' });
  projector.thread.notify(position);
  // Longer than SQLite waits for another connection: that wait is what is tested, and nothing tells of it.
  await realTime(2_500);
  other.exec('ROLLBACK');
  other.close();
  await projector.until(() => projector.thread.status().position >= position);
  expect(projector.faults).toEqual([]);
});
