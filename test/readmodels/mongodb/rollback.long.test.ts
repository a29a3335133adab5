/** What a replica set takes back must not have moved a checkpoint: the primary loses its followers, takes a write that nobody else has, and another member takes over. */
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openMongoReadModels } from '../../../src/readmodels/mongodb/read-models.js';
import {
  ReadModelsUnavailableError,
  type DocumentWrite,
  type ReadModels,
  type View,
} from '../../../src/readmodels/read-models.js';
import { noMongo, openTestDatabase, testMongoUrl, type TestDatabase } from '../../support/mongodb.js';
import { checkpoint, position } from '../../contract/checkpoints.js';

const view: View = { name: 'things', version: 1, indexes: [{ fields: ['n'] }] };
const own = 'rollback';
const timeouts = { connecting: 2_000, reading: 2_000, writing: 1_000 };

interface Members {
  readonly primary: MongoClient;
  readonly others: readonly MongoClient[];
  close(): Promise<void>;
}

/** Undefined: no replica set of three whose fail points are on. */
async function membersOf(url: string): Promise<Members | undefined> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 5_000 });
  const hello = await client.db('admin').command({ hello: 1 });
  await client.close();
  const hosts = (hello['hosts'] ?? []) as readonly string[];
  if (hosts.length !== 3) return undefined;
  const clients = hosts.map((host) => new MongoClient(`mongodb://${host}/?directConnection=true`));
  const close = async (): Promise<void> => void (await Promise.all(clients.map((one) => one.close())));
  const isPrimary = hosts.map((host) => host === hello['primary']);
  const [primary] = clients.filter((_, number) => isPrimary[number]);
  const allowed = await primary
    ?.db('admin')
    .command({ getParameter: 1, enableTestCommands: 1 })
    .catch(() => undefined);
  if (primary !== undefined && allowed?.['enableTestCommands'] === true)
    return { primary, others: clients.filter((_, number) => isPrimary[number] !== true), close };
  await close();
  return undefined;
}

const members = testMongoUrl === undefined ? undefined : await membersOf(testMongoUrl);

if (testMongoUrl === undefined || members === undefined)
  describe('MongoDB read models through a rollback', () => {
    it('keep document and checkpoint together', ({ skip }) =>
      skip(testMongoUrl === undefined ? noMongo : 'TEST_MONGODB_URL is no replica set of three with fail points'));
  });
else throughRollback(testMongoUrl, members);

function throughRollback(serverUrl: string, { primary, others, close }: Members): void {
  describe('MongoDB read models through a rollback', () => {
    let database: TestDatabase;
    let models: ReadModels;
    const replication = (mode: 'alwaysOn' | 'off'): Promise<unknown> =>
      Promise.all(
        others.map((one) =>
          one.db('admin').command({ configureFailPoint: 'stopReplProducer', mode }, { timeoutMS: 0 }),
        ),
      );

    beforeAll(async () => {
      database = openTestDatabase(serverUrl);
      models = openMongoReadModels({ url: database.url, timeouts });
      await models.prepare(view);
      await models.commit({ writes: [], checkpoint: { name: own, previous: null, next: checkpoint(0) } });
    });
    afterAll(async () => {
      await replication('off');
      await models.close();
      await database.close();
      await close();
    });

    /** As a projector folds: what the documents hold already is not written again. */
    async function fold(from: number, to: number): Promise<void> {
      const there = (await models.load(view, ['one'])).get('one');
      const isFolded = there !== undefined && there.position >= position(1);
      const write: DocumentWrite = { view, id: 'one', document: { n: 1 }, position: position(1), loaded: null };
      const writes = isFolded ? [] : [write];
      await models.commit({ writes, checkpoint: { name: own, previous: checkpoint(from), next: checkpoint(to) } });
    }
    const eventually = (action: () => Promise<unknown>): Promise<unknown> => vi.waitFor(action, { timeout: 30_000 });

    it('never move a checkpoint past a document that was taken back', async () => {
      await replication('alwaysOn');
      await expect(fold(0, 1)).rejects.toThrow(ReadModelsUnavailableError);
      // The primary has the document, and no other member.
      expect(await primary.db(database.client.db().databaseName).collection('things_v1').countDocuments()).toBe(1);
      const [next] = others;
      const seen = await models.load(view, ['one']);
      // Another member takes over, without what it lacks.
      await eventually(async () => {
        await next?.db('admin').command({ replSetStepUp: 1, skipDryRun: true });
      });
      await next
        ?.db('admin')
        .command({ replSetAbortPrimaryCatchUp: 1 })
        .catch(() => undefined);
      await replication('off');
      // What was loaded before is committed now.
      const write: DocumentWrite = { view, id: 'one', document: { n: 1 }, position: position(1), loaded: null };
      const writes = seen.get('one') === undefined ? [write] : [];
      const standing = { name: own, previous: checkpoint(0), next: checkpoint(2) };
      await eventually(() => models.commit({ writes, checkpoint: standing }));
      expect(await models.checkpoint(own)).toEqual(checkpoint(2));
      expect((await models.load(view, ['one'])).get('one')?.position).toBe(position(1));
    });
  });
}
