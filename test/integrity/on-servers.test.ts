/** The watch over a log on EventStoreDB, composed as in the service, on the stand-in and SQLite. */
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { AlteredLogError } from '../../src/eventstore/log-source.js';
import { openIntegrity, startIntegrity } from '../../src/app/integrity.js';
import { openEventStoreDb } from '../../src/eventstore/eventstoredb/event-store.js';
import type { EventToAppend } from '../../src/eventstore/event-store.js';
import type { Frontier } from '../../src/eventstore/tree.js';
import { createRunner } from '../../src/flow/run-subscriber.js';
import { createSeal } from '../../src/integrity/seal.js';
import { keepSeal, openSealKey } from '../../src/integrity/seal-store.js';
import { followBlocks, storedTree } from '../../src/integrity/server-blocks.js';
import { createLease } from '../../src/projector/lease.js';
import type { ReadModels } from '../../src/readmodels/read-models.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { startStandIn, type StandIn } from '../eventstoredb/stand-in/stand-in.js';
import { newPrefix } from '../support/eventstoredb-server.js';
import { newFolder, serviceInitialised } from '../support/integrity-log.js';

const week = 7 * 24 * 60 * 60_000;
const secret = 'the secret of a log on servers';

let standIn: StandIn;
beforeAll(async () => {
  standIn = await startStandIn();
});
afterAll(() => standIn.close());

/** A log with so many events, views, and folders for seals, which several processes share. */
async function newDeployment(events: number) {
  const prefix = newPrefix();
  const log = openEventStoreDb({ url: standIn.url, prefix });
  onTestFinished(() => log.close());
  const initialised = serviceInitialised();
  const { log_id: logId } = JSON.parse(initialised.data) as { readonly log_id: string };
  await log.append('service', [initialised], { expectedRevision: 'no_stream' });
  const appended: EventToAppend[] = [initialised];
  async function append(count: number): Promise<void> {
    for (let done = 0; done < count; done += 200) {
      const said = Array.from({ length: Math.min(200, count - done) }, (_, at) => ({
        ...{ id: randomUUID(), type: 'Said', data: JSON.stringify({ text: `word ${at}` }) },
        metadata: '{"at":"2026-01-01T00:00:00.000Z"}',
      }));
      await log.append(`words-${randomUUID()}`, said, { expectedRevision: 'no_stream' });
      appended.push(...said);
    }
  }
  await append(events - 1);
  const copies = newFolder();
  return {
    ...{ log, logId, append, copies, models: newModels() },
    alter: (ordinal: number) => standIn.alter(appended[ordinal - 1]?.id ?? '', '{"text":"forged"}'),
  };
}
type Deployment = Awaited<ReturnType<typeof newDeployment>>;

function newModels(): ReadModels {
  const models = openSqliteReadModels({ file: path.join(newFolder(), 'views.db') });
  onTestFinished(() => models.close());
  return models;
}

const leaseOf = (models: ReadModels, name: string) =>
  createLease({ readModels: models, name, holder: randomUUID(), ttl: 1_000, now: () => performance.now() });

/** Starts the follower of the blocks. */
function follow({ log }: Deployment, models: ReadModels) {
  const stopping = new AbortController();
  const lease = leaseOf(models, 'blocks');
  let reached: Frontier | undefined;
  const ended = followBlocks({
    ...{ reader: log, readModels: models, lease, signal: stopping.signal },
    onProgress: (frontier) => (reached = frontier),
    onFault: () => undefined,
  });
  const stop = async (): Promise<void> => {
    stopping.abort();
    await ended;
    await lease.close();
  };
  onTestFinished(stop);
  return {
    stop,
    reached: () => reached,
    hasReached: (count: number) =>
      vi.waitFor(() => expect(reached?.count).toBe(count), { interval: 5, timeout: 20_000 }),
  };
}

interface ProcessOptions {
  readonly models?: ReadModels;
  readonly reached?: () => Frontier | undefined;
  readonly dataDir?: string;
  readonly roles?: readonly ('projector' | 'api')[];
  readonly every?: number;
  readonly isLeased?: boolean;
  readonly isReady?: boolean;
}

/** Starts what one process starts for its log. */
async function startProcess(deployment: Deployment, options: ProcessOptions = {}) {
  const {
    models = deployment.models,
    reached = () => undefined,
    dataDir = newFolder(),
    roles = ['projector'],
  } = options;
  const { every, isLeased, isReady } = { every: 3_600_000, isLeased: false, isReady: true, ...options };
  const time = { wall: Date.UTC(2026, 0, 1), monotonic: 5 };
  const lines: string[] = [];
  const note = (facts: unknown, message = String(facts)): void => void lines.push(message);
  const context = {
    config: { dataDir, seals: { every, copies: deployment.copies, key: undefined, keysBefore: [] } },
    ...{ secret, restored: undefined, logger: { info: note, warn: note, error: note } },
    clock: () => (isLeased ? Date.now() : time.wall),
    monotonic: () => (isLeased ? performance.now() : time.monotonic),
  } as const;
  const start = await startIntegrity(deployment.log, context as never);
  const lease = isLeased ? leaseOf(models, 'seals') : undefined;
  const integrity = await openIntegrity(start, {
    ...context,
    openLease: () => Promise.resolve(lease),
    roles: new Set(roles),
    store: deployment.log,
    logId: deployment.logId,
    tree: storedTree({ readModels: models, reader: deployment.log }),
    reached,
    readModels: () => Promise.resolve(models),
    alteredStore: new Promise(() => undefined),
  } as never);
  if (isReady) integrity.start();
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    await integrity.close();
  };
  onTestFinished(close);
  let message: string | undefined;
  void integrity.altered.then((error) => (message = error.message));
  const { signal } = new AbortController();
  return {
    ...{ integrity, time, lines, dataDir, close, seals: integrity.seals, altered: () => message },
    turn: () => integrity.subscriber?.handle('turn', signal, signal),
    /** Resolves once the log was compared with its newest seal. */
    compared: () => vi.waitFor(() => expect(integrity.seals.newest()).toBeDefined(), { interval: 5, timeout: 20_000 }),
    sealed: () => lines.filter((line) => line === 'the log was sealed').length,
    verified: () => lines.filter((line) => line === 'the event log was verified').length,
  };
}

test('a seal covers what the follower has read, when it is due and on demand', async () => {
  const deployment = await newDeployment(300);
  const follower = follow(deployment, deployment.models);
  await follower.hasReached(300);
  const { turn, seals, time, dataDir } = await startProcess(deployment, { reached: follower.reached });
  await turn();
  expect(seals.newest()).toBeUndefined();
  time.monotonic += 3_600_000;
  await turn();
  expect(seals.newest()).toMatchObject({ seq: 1, count: 300, restores: 0, final: false, log_id: deployment.logId });
  await deployment.append(10);
  await follower.hasReached(310);
  expect(await seals.sealNow()).toMatchObject({ seq: 2, count: 310 });
  expect(await seals.sealNow(), 'the newest one does').toMatchObject({ seq: 2 });
  expect(readdirSync(path.join(dataDir, 'seals'))).toHaveLength(2);
});

test('a process goes on with the number after the newest seal of the others', async () => {
  const deployment = await newDeployment(40);
  const dataDir = newFolder();
  const first = await startProcess(deployment, { dataDir });
  expect(await first.seals.sealNow()).toMatchObject({ seq: 1 });
  await first.close();
  const second = await startProcess(deployment, { dataDir, roles: ['api'] });
  await second.compared();
  expect(second.integrity.subscriber).toBeUndefined();
  await deployment.append(5);
  expect(await second.seals.sealNow()).toMatchObject({ seq: 2, count: 45 });
});

test('nothing is sealed while the follower has not reached the newest seal, as after the views were deleted', async () => {
  const deployment = await newDeployment(600);
  const follower = follow(deployment, deployment.models);
  await follower.hasReached(600);
  const dataDir = newFolder();
  const first = await startProcess(deployment, { dataDir, reached: follower.reached });
  await first.seals.sealNow();
  await first.close();
  await follower.stop();

  const models = newModels();
  const second = await startProcess(deployment, { dataDir, models });
  second.time.monotonic += 3_600_000;
  await second.turn();
  expect(second.seals.newest()).toBeUndefined();
  expect(await second.seals.sealNow()).toBeUndefined();
  expect(second.sealed()).toBe(0);
  await follow(deployment, models).hasReached(600);
  await second.compared();
  expect(second.seals.newest()).toMatchObject({ seq: 1, count: 600 });
  expect(second.altered()).toBeUndefined();
});

test('a final seal, which the log has from before it was moved to servers, forbids no further events', async () => {
  const deployment = await newDeployment(40);
  const dataDir = newFolder();
  const first = await startProcess(deployment, { dataDir });
  const seal = await first.seals.sealNow();
  await first.close();
  if (seal === undefined) throw new Error('no seal was made');
  const seals = { copies: undefined, key: undefined };
  const key = openSealKey({ dataDir, seals }, { onMade: () => undefined });
  keepSeal(dataDir, createSeal({ ...seal, seq: 2, final: true }, key, Date.now()));
  await deployment.append(5);
  const second = await startProcess(deployment, { dataDir });
  await second.compared();
  expect(second.seals.newest()).toMatchObject({ seq: 2, final: true });
  expect(await second.seals.sealNow()).toMatchObject({ seq: 3, count: 45, final: false });
  expect(second.altered()).toBeUndefined();
});

test('an event that was altered before the newest seal is found in the background', async () => {
  const deployment = await newDeployment(30);
  const dataDir = newFolder();
  const first = await startProcess(deployment, { dataDir });
  await first.seals.sealNow();
  await first.close();
  deployment.alter(20);
  const second = await startProcess(deployment, { dataDir });
  expect((await second.integrity.altered).message).toMatch(
    /^the event log was altered: the first 30 events are not those that were sealed .* audience audit verify tells more$/,
  );
  expect(second.seals.newest()).toBeUndefined();
});

test('an event that was altered after the follower read it gets no seal', async () => {
  const deployment = await newDeployment(30);
  const follower = follow(deployment, deployment.models);
  await follower.hasReached(30);
  const { seals, integrity, turn, time, sealed } = await startProcess(deployment, { reached: follower.reached });
  await turn();
  deployment.alter(29);
  time.monotonic += 3_600_000;
  await expect(turn()).rejects.toThrow('up to event 30, is not the one that was read before');
  expect((await integrity.altered).message).toContain('up to event 30, is not the one that was read before');
  await expect(seals.sealNow()).rejects.toBeInstanceOf(AlteredLogError);
  expect(sealed()).toBe(0);
});

test('the log is verified once a week by one of the processes', async () => {
  const deployment = await newDeployment(30);
  const [first, second] = [await startProcess(deployment), await startProcess(deployment)];
  await first.turn();
  expect(first.verified()).toBe(1);
  const record = await deployment.models.readRecord('verified');
  expect(record?.value).toEqual({ log_id: deployment.logId, at: first.time.wall, count: 30 });
  await second.turn();
  second.time.wall += week - 1;
  await second.turn();
  expect(second.verified()).toBe(0);
  second.time.wall += 1;
  await second.turn();
  await second.turn();
  expect(second.verified()).toBe(1);
  await first.turn();
  expect(first.verified()).toBe(1);
});

test('the log is not verified before the process is ready, because that would delay its readiness', async () => {
  const { integrity, turn, verified } = await startProcess(await newDeployment(30), { isReady: false });
  await turn();
  expect(verified()).toBe(0);
  integrity.start();
  await turn();
  expect(verified()).toBe(1);
});

test('the verification finds an event of a stored block that was altered, and is not noted as done', async () => {
  const deployment = await newDeployment(300);
  const follower = follow(deployment, deployment.models);
  await follower.hasReached(300);
  await vi.waitFor(async () => {
    const tree = storedTree({ readModels: deployment.models, reader: deployment.log });
    expect(await tree.blockRoots(1)).toHaveLength(1);
  });
  deployment.alter(100);
  const { turn, integrity, verified } = await startProcess(deployment, { reached: follower.reached });
  await expect(turn()).rejects.toThrow('the stored root of the block of events 1 to 256');
  expect((await integrity.altered).message).toContain('events 1 to 256');
  expect(await deployment.models.readRecord('verified')).toBeNull();
  expect(verified()).toBe(0);
});

test('a stop makes a seal also without periodic seals', async () => {
  const deployment = await newDeployment(30);
  const { integrity, sealed, verified, seals } = await startProcess(deployment, { every: 0, isLeased: true });
  if (integrity.subscriber === undefined) throw new Error('this process does not seal');
  const runner = createRunner(integrity.subscriber, {
    ...{ monotonic: () => performance.now(), random: () => 0.5, onFault: () => undefined },
  });
  runner.start();
  await vi.waitFor(() => expect(verified()).toBe(1), { interval: 5, timeout: 20_000 });
  expect(sealed()).toBe(0);
  await runner.close();
  expect(seals.newest()).toMatchObject({ seq: 1, count: 30 });
});

test('one process seals at a time, and another one takes over', async () => {
  const deployment = await newDeployment(30);
  const dataDir = newFolder();
  const start = async () => {
    const started = await startProcess(deployment, { dataDir, every: 10, isLeased: true });
    const { subscriber } = started.integrity;
    if (subscriber === undefined) throw new Error('this process does not seal');
    const faults: unknown[] = [];
    const runner = createRunner(subscriber, {
      monotonic: () => performance.now(),
      random: () => 0.5,
      onFault: (error) => faults.push(error),
    });
    runner.start();
    onTestFinished(() => runner.close());
    return { ...started, runner, faults };
  };
  const sealing = (one: { sealed(): number }, count: number) =>
    vi.waitFor(() => expect(one.sealed()).toBe(count), { interval: 5, timeout: 20_000 });
  const first = await start();
  await sealing(first, 1);
  const second = await start();
  await deployment.append(1);
  await sealing(first, 2);
  expect(second.sealed()).toBe(0);
  await first.runner.close();
  await deployment.append(1);
  await sealing(second, 1);
  expect(second.seals.newest()).toMatchObject({ seq: 3, count: 32 });
  expect([...first.faults, ...second.faults, first.altered(), second.altered()]).toEqual([undefined, undefined]);
});
