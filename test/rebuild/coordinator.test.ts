/** The coordinator of rebuilds with threads that the test ends: requests when others come first, fail, or lead. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { newRecord, readRebuildRecord, writeRebuildRecord } from '../../src/rebuild/rebuild-record.js';
import { ReadModelsUnavailableError, type ReadModels } from '../../src/readmodels/read-models.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { embeddedIn } from '../../src/stores/stores.js';
import { createRebuildCoordinator, type RebuildThreadOptions } from '../../src/rebuild/coordinator.js';

const patience = { timeout: 20_000, interval: 5 };
const switched = { outcome: 'switched', views: [] } as const;
const checked = { outcome: 'checked', views: [] } as const;
const leading = { leading: true, missing: [] };
const progress = {
  ...({ stage: 'filling', position: '1', until: '2', share: 0.5, events: 1 } as const),
  ...{ events_per_second: 1, seconds_left: 1, documents_compared: 0 },
};
const noLead = { leading: false, missing: [] };

function startCoordinator(readModels: ReadModels, isShared = false) {
  const threads: RebuildThreadOptions[] = [];
  const closed: (readonly string[])[] = [];
  let unstarted = 0;
  const coordinator = createRebuildCoordinator({
    settings: embeddedIn({ eventsFile: '', viewsFile: '' }),
    readModels,
    isShared,
    holder: 'test',
    log: () => undefined,
    clock: () => 0,
    monotonic: () => performance.now(),
    newUuid: randomUUID,
    onDamage: () => undefined,
    startThread(options) {
      if (unstarted-- > 0) throw new Error('no memory');
      threads.push(options);
      return {
        async close() {
          closed.push(options.run.views);
          options.onEnd('it was stopped');
        },
      };
    },
  });
  const nth = async (count: number): Promise<RebuildThreadOptions> => {
    await vi.waitFor(() => expect(threads).toHaveLength(count), patience);
    const thread = threads[count - 1];
    if (thread === undefined) throw new Error('no thread');
    return thread;
  };
  const failStarts = (count: number): void => {
    unstarted = count;
  };
  return { coordinator, threads, closed, nth, failStarts };
}

async function open(wrap: (models: ReadModels) => ReadModels = (models) => models, isShared = false) {
  const folder = mkdtempSync(path.join(tmpdir(), 'rebuild-coordinator-'));
  const file = path.join(folder, 'views.db');
  const started = startCoordinator(wrap(openSqliteReadModels({ file })), isShared);
  const others = openSqliteReadModels({ file });
  onTestFinished(async () => {
    await started.coordinator.close();
    await others.close();
    rmSync(folder, { recursive: true });
  });
  return { ...started, others, file };
}

const request = { views: ['lists'], dryRun: true, acceptDifferences: false };
const foreign = newRecord({
  rebuild_id: '00000000-0000-4000-8000-000000000001',
  views: ['tags'],
  dry_run: false,
  cause: 'request',
  requested_at: new Date(0).toISOString(),
});

it('a start that needs views puts an open request off, and carries it out afterwards', async () => {
  const { coordinator, nth } = await open();
  const { rebuild_id } = await coordinator.request(request);
  coordinator.become({ leading: true, missing: ['contacts'] });
  const first = await nth(1);
  expect(first.run).toMatchObject({ views: ['contacts'], park: true });
  expect(await coordinator.status()).toMatchObject({ cause: 'start', views: ['contacts'] });
  await expect(coordinator.request(request)).rejects.toMatchObject({ code: 'rebuild_running' });
  coordinator.become({ leading: true, missing: [] });
  first.onEnd(switched);
  expect((await nth(2)).run).toMatchObject({ views: ['lists'], dryRun: true, park: false });
  expect(await coordinator.status()).toMatchObject({ rebuild_id, state: 'running' });
  expect(await coordinator.status()).not.toHaveProperty('postponed');
  (await nth(2)).onEnd(checked);
  await vi.waitFor(
    async () => expect(await coordinator.status()).toMatchObject({ rebuild_id, state: 'finished' }),
    patience,
  );
  expect((await coordinator.request(request)).rebuild_id).not.toBe(rebuild_id);
});

it('a request that a start put off outlives a second start of that kind', async () => {
  const { coordinator, nth, others } = await open();
  const { rebuild_id } = await coordinator.request(request);
  for (const id of [randomUUID(), randomUUID()])
    await writeRebuildRecord(others, () => ({ ...foreign, rebuild_id: id, cause: 'start', state: 'finished' }));
  coordinator.become(leading);
  await nth(1);
  expect(await coordinator.status()).toMatchObject({ rebuild_id });
});

it('writes the progress where other processes show it', async () => {
  const { coordinator, nth, others } = await open(undefined, true);
  await coordinator.request(request);
  coordinator.become(leading);
  (await nth(1)).onProgress(progress);
  expect(coordinator.progress()).toEqual(progress);
  await vi.waitFor(async () => expect(await readRebuildRecord(others)).toMatchObject({ progress }), patience);
});

it('does not open a rebuild again that another process has finished while this one was suspended', async () => {
  let reads = 0;
  const counted = (models: ReadModels): ReadModels => ({
    ...models,
    readRecord(name) {
      reads += 1;
      return models.readRecord(name);
    },
  });
  const { coordinator, nth, others } = await open(counted, true);
  await coordinator.request(request);
  coordinator.become(leading);
  const thread = await nth(1);
  await writeRebuildRecord(others, ({ record }) => record && { ...record, state: 'finished', outcome: 'checked' });
  const finished = await readRebuildRecord(others);
  const before = reads;
  thread.onProgress(progress);
  await vi.waitUntil(() => reads > before, patience);
  // All that the embedded views do is done within this turn.
  await new Promise((resolve) => setImmediate(resolve));
  expect(await readRebuildRecord(others)).toEqual(finished);
});

it('begins no thread when the lead was lost while the beginning was written down', async () => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let puts = 0;
  const { coordinator, threads, others } = await open((models) => ({
    ...models,
    async putRecord(record) {
      puts += 1;
      if (puts === 2) await released;
      return await models.putRecord(record);
    },
  }));
  await coordinator.request(request);
  coordinator.become(leading);
  await vi.waitFor(() => expect(puts).toBe(2), patience);
  coordinator.become(noLead);
  release();
  // The process that leads now finds the rebuild running.
  await vi.waitFor(async () => expect(await readRebuildRecord(others)).toMatchObject({ state: 'running' }), patience);
  await new Promise((resolve) => setImmediate(resolve));
  expect(threads).toEqual([]);
});

it('writes nothing over the record of another, and nothing more once it leads no more', async () => {
  const { coordinator, nth, others, closed } = await open();
  await coordinator.request(request);
  coordinator.become(leading);
  const first = await nth(1);
  const finished = { ...foreign, state: 'finished' } as const;
  await writeRebuildRecord(others, ({ record }) => (record === undefined ? undefined : { ...record, state: 'failed' }));
  await writeRebuildRecord(others, () => finished);
  first.onEnd(switched);
  // All that the embedded views do is done within this turn.
  await new Promise((resolve) => setImmediate(resolve));
  expect(await readRebuildRecord(others)).toEqual(finished);
  await writeRebuildRecord(others, () => foreign);
  // The record that is stored now is carried out.
  coordinator.become({ leading: true, missing: [] });
  expect((await nth(2)).run.views).toEqual(['tags']);
  await writeRebuildRecord(others, ({ record }) =>
    record === undefined ? undefined : { ...record, fault: 'of the other' },
  );
  coordinator.become(noLead);
  await vi.waitFor(() => expect(closed).toHaveLength(1), patience);
  coordinator.become(leading);
  await nth(3);
  expect(await readRebuildRecord(others)).toMatchObject({
    rebuild_id: foreign.rebuild_id,
    state: 'running',
    fault: null,
  });
});

it('gives a request up after ten interruptions, and the next one has ten of its own', { timeout: 60_000 }, async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { coordinator, threads } = await open();
  coordinator.become(leading);
  const interruptAll = async (): Promise<number> => {
    const before = threads.length;
    await coordinator.request(request);
    for (let look = 0; look < 40; look += 1) {
      await vi.advanceTimersByTimeAsync(30_000);
      if ((await coordinator.status())?.state === 'failed') break;
      threads.at(-1)?.onEnd('it fell');
      await vi.advanceTimersByTimeAsync(0);
    }
    return threads.length - before;
  };
  expect(await interruptAll()).toBe(10);
  expect(await interruptAll()).toBe(10);
});

it('asks the projector for the switch as soon as there is one', async () => {
  const { coordinator, nth } = await open();
  await coordinator.request(request);
  coordinator.become(leading);
  const { requestSwitch } = await nth(1);
  const checkpoint = { logId: 'log', position: '1', eventId: 'e', storages: { lists: 2 } };
  const built = { checkpoint, epoch: 1, park: false };
  expect(await requestSwitch(built)).toEqual({ outcome: 'failed', reason: 'no projector runs in this process' });
  coordinator.attach({ requestSwitch: () => Promise.resolve({ outcome: 'switched' }) });
  expect(await requestSwitch(built)).toEqual({ outcome: 'switched' });
});

it('a thread that cannot be started is tried again', async () => {
  const { coordinator, nth, others, failStarts } = await open();
  failStarts(1);
  await coordinator.request(request);
  coordinator.become(leading);
  await vi.waitFor(
    async () => expect(await readRebuildRecord(others)).toMatchObject({ fault: 'its thread did not start: Error' }),
    patience,
  );
  (await nth(1)).onEnd(switched);
  await vi.waitFor(async () => expect(await readRebuildRecord(others)).toMatchObject({ state: 'finished' }), patience);
});

it.each([
  ['it began', 1],
  ['its end was written', 2],
])('a rebuild whose process was killed before %s is finished by the next process', async (_, writes) => {
  let left = writes;
  const killed = (): Promise<never> => Promise.reject(new ReadModelsUnavailableError('killed'));
  const first = await open((models) => ({
    ...models,
    putRecord: (record) => ((left -= 1) < 0 ? killed() : models.putRecord(record)),
  }));
  const { rebuild_id } = await first.coordinator.request(request);
  first.coordinator.become(leading);
  if (writes > 1) (await first.nth(1)).onEnd(checked);
  await vi.waitUntil(() => left < 0, patience);
  const second = startCoordinator(openSqliteReadModels({ file: first.file }));
  second.coordinator.become(leading);
  (await second.nth(1)).onEnd(checked);
  const finished = { rebuild_id, state: 'finished' };
  await vi.waitFor(async () => expect(await readRebuildRecord(first.others)).toMatchObject(finished), patience);
  await second.coordinator.close();
});

it('starts no rebuild while the file of the views is replaced, whatever the old projector reports', async () => {
  const { coordinator, nth, threads, closed } = await open();
  await coordinator.request(request);
  coordinator.become(leading);
  await nth(1);
  await coordinator.whileStopped(async () => {
    expect(closed).toHaveLength(1);
    coordinator.become({ leading: true, missing: ['contacts'] });
    await new Promise((resolve) => setImmediate(resolve));
    expect(threads).toHaveLength(1);
  });
  coordinator.become({ leading: true, missing: ['contacts'] });
  expect((await nth(2)).run).toMatchObject({ views: ['contacts'], park: true });
});
