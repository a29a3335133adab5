/** Drills on EventStoreDB and MongoDB: a rolling restart under load, and a restore from seal to seal. The embedded drills are in test/integrity/honest.test.ts. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { blocksCheckpoint } from '../../src/integrity/server-blocks.js';
import { openEventStoreDb } from '../../src/eventstore/eventstoredb/event-store.js';
import type { EventReader } from '../../src/eventstore/event-store.js';
import { eventsPerBlock } from '../../src/eventstore/tree.js';
import { readSeals } from '../integrity/attacks.js';
import { unique } from '../support/answers.js';
import { audience, type Ended } from '../support/audience.js';
import { deletePrefix, eventStoreUrl, newPrefix } from '../support/eventstoredb-server.js';
import { eventually, freshFolder, startService, type Overrides, type Service } from '../support/service.js';
import { newDeployment, noServers, type Deployment } from './deployment.js';

const newGroup = (service: Service): Promise<string> =>
  service.make('/v1/groups/create', { group_name: unique('Group') }, 'group_id');

interface LeaseOrCheckpoint {
  readonly _id: string;
  readonly epoch: number;
  readonly holder?: string;
  readonly checkpoint?: { readonly position: string };
}

/** Records each change of the lease and of the checkpoint of the follower, in the order of the database. */
async function watchFollower(url: string) {
  const client = new MongoClient(url);
  const changes: { readonly collection: string; readonly document: LeaseOrCheckpoint }[] = [];
  const stream = client.db().watch<LeaseOrCheckpoint>([], { fullDocument: 'whenAvailable' });
  const known = new Map<string, LeaseOrCheckpoint>();
  stream.on('change', (change) => {
    if (!('documentKey' in change) || !('ns' in change)) return;
    const { coll: collection } = change.ns as { readonly coll: string };
    if (String(change.documentKey._id) !== blocksCheckpoint || change.operationType === 'delete') return;
    const id = collection;
    const changed: Partial<LeaseOrCheckpoint> =
      change.operationType === 'update' ? (change.updateDescription.updatedFields ?? {}) : (change.fullDocument ?? {});
    const document = { ...known.get(id), ...changed } as LeaseOrCheckpoint;
    known.set(id, document);
    changes.push({ collection, document });
  });
  // The stream begins with the answer to its first command.
  await stream.tryNext().catch(() => undefined);
  return {
    of: (collection: string) => changes.filter((one) => one.collection === collection).map(({ document }) => document),
    close: async () => {
      await stream.close();
      await client.close();
    },
  };
}

async function countedGroups(log: EventReader) {
  const groups = new Set<string>();
  let count = 0;
  for await (const events of log.readAll())
    for (const { type, data } of events) {
      count += 1;
      if (type === 'GroupCreated') groups.add((JSON.parse(data) as { readonly group_id: string }).group_id);
    }
  return { count, groups };
}

/** Demands that each epoch of the lease had one holder, and that no process stored blocks after another one had taken over. */
function expectOneFollower(leases: readonly LeaseOrCheckpoint[], commits: readonly LeaseOrCheckpoint[]): void {
  const holders = new Map<number, Set<string>>();
  for (const { epoch, holder = '' } of leases) holders.set(epoch, (holders.get(epoch) ?? new Set()).add(holder));
  for (const [epoch, ofEpoch] of holders) expect([epoch, ofEpoch.size]).toEqual([epoch, 1]);
  expect(commits.map(({ epoch }) => epoch)).toEqual(commits.map(({ epoch }) => epoch).sort((a, b) => a - b));
  expect(new Set(commits.map(({ epoch }) => epoch)).size).toBeGreaterThan(1);
  const positions = commits.map(({ checkpoint }) => checkpoint?.position ?? '');
  expect(positions).toEqual([...new Set(positions)].sort());
  for (const { epoch } of commits) expect(holders.has(epoch) || epoch === 1).toBe(true);
}

describe.skipIf(noServers !== undefined)(`drills${noServers === undefined ? '' : ` (${noServers})`}`, () => {
  let deployment: Deployment;
  let folder: string;
  let env: Overrides;
  const copies = (): string => path.join(folder, 'copies');
  beforeEach(() => {
    deployment = newDeployment();
    folder = freshFolder();
    mkdirSync(copies());
    const key = path.join(folder, 'key.pem');
    writeFileSync(key, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
    env = { ...deployment.env, SEAL_EVERY: '1s', SEAL_DIR: copies(), SEAL_KEY: key };
  });
  afterEach(async () => {
    await deployment.close();
    rmSync(folder, { recursive: true });
  }, 60_000);
  const cli = (more: Overrides, ...words: readonly string[]): Promise<Ended> =>
    audience(words, { env: { ...env, ...more } });

  test('a rolling restart of three processes under load loses nothing, and one process at a time follows the log and seals it', async () => {
    const services = [await deployment.start(env)];
    const follower = await watchFollower(String(env['MONGODB_URL']));
    services.push(await deployment.start(env), await deployment.start(env));
    const running = new Set(services);
    const answered: string[] = [];
    const stop = new AbortController();
    const writing = Array.from({ length: 12 }, async (_, at) => {
      for (let count = at; !stop.signal.aborted; count += 1) {
        const service = [...running][count % running.size];
        if (service !== undefined)
          await newGroup(service).then(
            (id) => answered.push(id),
            () => undefined,
          );
      }
    });
    const nextBlock = async (): Promise<void> => {
      const stored = (): number => follower.of('checkpoints').length;
      const before = stored();
      await eventually(() => Promise.resolve(stored() > before || undefined), { what: 'the next block' });
    };
    for (const service of services) {
      await nextBlock();
      running.delete(service);
      expect(await service.kill('SIGTERM')).toMatchObject({ code: 0 });
      await service.start();
      running.add(service);
    }
    await nextBlock();
    stop.abort();
    await Promise.all(writing);

    const { count, groups } = await countedGroups(deployment.log);
    expect(answered.length).toBeGreaterThan(4 * eventsPerBlock);
    expect(answered.filter((id) => !groups.has(id))).toEqual([]);
    const sealed = await eventually(() => {
      try {
        const seals = readSeals(copies());
        return Promise.resolve(seals.at(-1)?.count === count ? seals : undefined);
      } catch {
        // A copy is written under its own name, so a part of it may be there.
        return Promise.resolve(undefined);
      }
    });
    await Promise.all(services.map((service) => service.kill('SIGTERM')));
    // Seals are compared by time here, because their numbers are what is examined.
    const byTime = sealed.toSorted((one, other) => Date.parse(one.sealed_at) - Date.parse(other.sealed_at));
    expect(byTime.map(({ seq }) => seq)).toEqual(sealed.map((_, at) => at + 1));
    expect(byTime.map((seal) => seal.count)).toEqual(
      sealed.map((seal) => seal.count).sort((one, other) => one - other),
    );
    const verified = await cli({ DATA_DIR: services[0]?.dataDir }, 'audit', 'verify', '--json');
    expect(verified.code, verified.out + verified.err).toBe(0);
    expect(JSON.parse(verified.out)).toMatchObject({ intact: true, count });

    expectOneFollower(follower.of('leases'), follower.of('checkpoints'));
    await follower.close();
  }, 240_000);

  test('after a restore in place, seals of removed events are excused, and every other seal matches', async () => {
    const dataDir = path.join(folder, 'data');
    mkdirSync(dataDir);
    const service = await startService({ dataDir, env });
    const sealed = (running: Service): Promise<number> =>
      eventually(
        async () => {
          let count = 0;
          for await (const events of log.readAll()) count += events.length;
          expect(running.output()).not.toContain('altered');
          return readSeals(copies()).some((seal) => seal.count === count) ? count : undefined;
        },
        { what: 'a seal' },
      );
    let { log } = deployment;
    for (let made = 0; made < 5; made += 1) await newGroup(service);
    const kept = await sealed(service);
    await service.kill('SIGTERM');
    const backup = path.join(folder, 'backup');
    const migrate = (from: string, to: string, prefix: string | undefined): Promise<Ended> =>
      cli({ DATA_DIR: dataDir }, 'migrate', '--from', from, '--to', to, '--prefix', String(prefix));
    expect((await migrate(eventStoreUrl ?? '', backup, env['EVENTSTORE_PREFIX'])).code).toBe(0);
    await service.start();
    for (let made = 0; made < 5; made += 1) await newGroup(service);
    const removed = await sealed(service);
    expect(removed).toBeGreaterThan(kept);
    await service.kill('SIGKILL');

    // The tools of EventStoreDB put the log back in its place. Here the backup gets another prefix.
    const prefix = newPrefix();
    try {
      expect((await migrate(backup, eventStoreUrl ?? '', prefix)).code).toBe(0);
      const views = new MongoClient(String(env['MONGODB_URL']));
      await views.db().dropDatabase();
      await views.close();
      const restored = { DATA_DIR: dataDir, EVENTSTORE_PREFIX: prefix };
      const marked = await cli(restored, 'restore', '--in-place', '--without-newer-register');
      expect(marked.code, marked.err).toBe(0);
      log = openEventStoreDb({ url: eventStoreUrl ?? '', prefix });
      await service.start({ EVENTSTORE_PREFIX: prefix });
      for (let made = 0; made < 2; made += 1) await newGroup(service);
      const count = await sealed(service);
      await service.kill('SIGTERM');
      const verified = await cli(restored, 'audit', 'verify', '--json');
      expect(verified.code, verified.out + verified.err).toBe(0);
      const { seals, restores } = JSON.parse(verified.out) as {
        readonly seals: readonly { readonly count: number; readonly restores: number; readonly state: string }[];
        readonly restores: readonly unknown[];
      };
      expect(restores).toMatchObject([{ count: kept, isValid: true }]);
      const stateOf = (events: number, after: number): string | undefined =>
        seals.find((seal) => seal.count === events && seal.restores === after)?.state;
      expect([stateOf(kept, 0), stateOf(removed, 0), stateOf(count, 1)]).toEqual(['holds', 'excused', 'holds']);
      await log.close();
    } finally {
      await service.close();
      await deletePrefix(eventStoreUrl ?? '', prefix);
    }
  }, 120_000);
});
