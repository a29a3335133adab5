/** Erasures and rebuilds that were cut off: what nobody continues holds nobody who is erased, and keeps no erasure from its end. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RebuildRun } from '../../src/rebuild/answers.js';
import { rebuildDirectly } from '../../src/rebuild/direct-rebuild.js';
import { openSqliteViews } from '../../src/readmodels/sqlite/read-models.js';
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

/** As Ctrl-C and a kill leave it. `prepare`: beside the running service, as before an update. */
async function cutOffRebuild(mode: RebuildRun['mode']): Promise<void> {
  const stop = new AbortController();
  const settings = {
    events: { kind: 'embedded', file: file('events.db') },
    views: { kind: 'embedded', file: file('views.db') },
  } as const;
  const run = { views: ['contacts'], mode, onProgress: () => stop.abort() };
  const clocks = { monotonic: () => performance.now(), newUuid: randomUUID };
  await expect(rebuildDirectly({ settings, ...run, ...clocks, signal: stop.signal })).rejects.toThrow();
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
  await cutOffRebuild('prepare');
  await erased(created);
  expect(await isLeft()).toBe(false);
});

test.skipIf(onServers)('a start drops what a rebuild without a service has left', async () => {
  const created = await somebody();
  await service.kill('SIGTERM');
  await cutOffRebuild('check');
  await service.start();
  await eventually(async () => ((await isLeft()) ? undefined : true));
  expect(service.output()).toContain('a rebuild that nobody continues was dropped');
  await erased(created);
});
