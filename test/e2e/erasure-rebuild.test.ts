/** Erasures and rebuilds that were cut off: what nobody continues holds nobody who is erased, and keeps no erasure from its end. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { liveProjections } from '../../src/projections/views.js';
import { openSqliteViews } from '../../src/readmodels/sqlite/read-models.js';
import { runRebuild } from '../../src/rebuild/rebuild.js';
import { embeddedIn, openRebuildStores } from '../../src/stores/stores.js';
import { ok, someAddress, unique } from '../support/answers.js';
import { eventually, startService, type Answer, type Service } from '../support/service.js';
import { onServers } from '../support/stores.js';

const name = 'Halbfertigmann';
const file = (of: string): string => path.join(service.dataDir, of);

let service: Service;
let list = '';
beforeAll(async () => {
  service = await startService();
  list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
});
afterAll(() => service.close());

/** Leaves storages that no record names, as a rebuild that was given up does. */
async function cutOffRebuild(): Promise<void> {
  const stop = new AbortController();
  const stores = await openRebuildStores(embeddedIn({ eventsFile: file('events.db'), viewsFile: file('views.db') }));
  const rebuilding = runRebuild({
    ...stores,
    run: { views: ['contacts'], dryRun: true, acceptDifferences: false, park: false },
    projections: liveProjections,
    requestSwitch: () => Promise.resolve({ outcome: 'behind' }),
    epoch: 1,
    check: () => undefined,
    signal: stop.signal,
    onProgress: () => stop.abort(),
    now: () => performance.now(),
    pause: () => Promise.resolve(),
  });
  await expect(rebuilding.finally(() => stores.close())).rejects.toThrow();
  expect(await isLeft()).toBe(true);
}

async function isLeft(): Promise<boolean> {
  const views = openSqliteViews({ file: file('views.db') });
  return (await views.checkpoint('rebuild').finally(() => views.close())) !== null;
}

const somebody = (): Promise<Answer> =>
  ok(service.post(`/v1/contacts/${list}/create`, { email: someAddress(), status: 'Subscribed', lastName: name }));

async function erased(created: Answer): Promise<void> {
  const asked = await service.post('/v1/privacy/erasures', { email: created.field('email') });
  expect(asked.status).toBe(202);
  const location = String(asked.headers.location);
  await eventually(async () => ((await ok(service.get(location))).field('status') === 'completed' ? true : undefined));
  for (const of of ['views.db', 'views.db-wal']) expect(readFileSync(file(of)).includes(name)).toBe(false);
}

test.skipIf(onServers)('an erasure drops what nobody builds any more', async () => {
  const created = await somebody();
  await ok(service.get(`/v1/contacts/${list}/${created.field('contact_id')}`));
  await cutOffRebuild();
  await erased(created);
  expect(await isLeft()).toBe(false);
});

test.skipIf(onServers)('a start drops what a rebuild that was given up has left', async () => {
  const created = await somebody();
  await service.kill('SIGTERM');
  await cutOffRebuild();
  await service.start();
  await eventually(async () => ((await isLeft()) ? undefined : true));
  expect(service.output()).toContain('a rebuild that nobody continues was dropped');
  await erased(created);
});
