/** Seals and stored blocks of several processes on EventStoreDB and MongoDB. */
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { unique } from '../support/answers.js';
import { audience, type Ended } from '../support/audience.js';
import { storageName } from '../../src/readmodels/find-plan.js';
import { blocksView, pageId, type BlocksPage } from '../../src/integrity/server-blocks.js';
import { eventsPerBlock } from '../../src/eventstore/tree.js';
import { openEventStoreDb } from '../../src/eventstore/eventstoredb/event-store.js';
import { newDeployment, noServers, type Deployment } from './deployment.js';
import { deletePrefix, newPrefix } from '../support/eventstoredb-server.js';
import { eventually, freshFolder, runToExit, type Overrides, type Service } from '../support/service.js';

const newGroup = (service: Service): Promise<string> =>
  service.make('/v1/groups/create', { group_name: unique('Group') }, 'group_id');

describe.skipIf(noServers !== undefined)(`seals${noServers === undefined ? '' : ` (${noServers})`}`, () => {
  let deployment: Deployment;
  let folder: string;
  beforeEach(() => {
    deployment = newDeployment();
    folder = freshFolder();
  });
  afterEach(async () => {
    await deployment.close();
    rmSync(folder, { recursive: true });
  }, 60_000);

  const keyFile = (): string => path.join(folder, 'key.pem');
  const auditOf = ({ dataDir }: Service, ...words: readonly string[]): Promise<Ended> =>
    audience(['audit', ...words], {
      env: {
        ...{ ...deployment.env, DATA_DIR: dataDir, SEAL_DIR: path.join(folder, 'copies') },
        ...(existsSync(keyFile()) && { SEAL_KEY: keyFile() }),
      },
    });

  test('one process seals at a time, another one takes over after a crash, and a copy that was cut off is made whole', async () => {
    const copies = path.join(folder, 'copies');
    mkdirSync(copies);
    writeFileSync(keyFile(), generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const sealing = { ROLES: 'projector', SEAL_EVERY: '1s', SEAL_DIR: copies, SEAL_KEY: keyFile() };
    const first = await deployment.start(sealing);
    const second = await deployment.start(sealing);
    const api = await deployment.start({ ROLES: 'api' });
    const seals = (service: Service): number => service.output().split('the log was sealed').length - 1;
    const sealedBy = (service: Service, count: number): Promise<true> =>
      eventually(
        async () => {
          await newGroup(api);
          return seals(service) >= count || undefined;
        },
        { what: 'a seal' },
      );

    await sealedBy(first, 2);
    await first.kill('SIGKILL');
    const before = seals(first);
    expect(seals(second)).toBe(0);
    await sealedBy(second, 2);
    await second.kill('SIGTERM');
    expect(readdirSync(copies).filter((name) => name.startsWith('seal-')).length).toBeGreaterThanOrEqual(3);

    const newest = readdirSync(path.join(first.dataDir, 'seals')).sort().at(-1) ?? '';
    const whole = readFileSync(path.join(first.dataDir, 'seals', newest), 'utf8');
    writeFileSync(path.join(copies, newest), whole.slice(0, 100));
    expect((await auditOf(first, 'seals')).out).toContain('ignored: it is not a JSON object');
    await first.start();
    await sealedBy(first, before + 1);
    await first.kill('SIGTERM');
    expect(readFileSync(path.join(copies, newest), 'utf8')).toBe(whole);

    const files = readdirSync(copies)
      .filter((name) => name.startsWith('seal-'))
      .map((name) => path.join(copies, name));
    expect(files).toHaveLength(seals(first) + seals(second));
    expect(await auditOf(first, 'seals')).toMatchObject({ code: 0 });
    expect(await auditOf(first, 'verify', '--seal', ...files)).toMatchObject({ code: 0 });
  }, 120_000);

  test('a block root that was altered beside the views, and events that were cut off, are found by verify and by a start', async () => {
    const service = await deployment.start();
    for (let done = 0; done < eventsPerBlock; done += 64)
      await Promise.all(Array.from({ length: 64 }, () => newGroup(service)));
    const stored = async (): Promise<BlocksPage | undefined> =>
      (await deployment.views.get<BlocksPage>(blocksView, pageId(0)))?.document;
    await eventually(stored, { what: 'the block' });
    await service.kill('SIGTERM');
    const intact = await auditOf(service, 'verify', '--json');
    expect(JSON.parse(intact.out)).toMatchObject({ intact: true, count: eventsPerBlock + 1 });

    const refused = async (env: Overrides = {}): Promise<string> => {
      const exit = await runToExit(service.dataDir, { ...deployment.env, ...env });
      expect(exit).toMatchObject({ code: 1, signal: null });
      return exit.output;
    };
    const client = new MongoClient(String(deployment.env['MONGODB_URL']));
    const pages = client.db().collection<{ _id: string; document: BlocksPage }>(storageName(blocksView));
    const [block] = (await stored())?.blocks ?? [];
    const put = async (root: string | undefined): Promise<unknown> =>
      await pages.updateOne({ _id: pageId(0) }, { $set: { 'document.blocks.0.root': root } });
    await put('a'.repeat(64));
    const found = await auditOf(service, 'verify');
    expect(found).toMatchObject({
      code: 1,
      out: expect.stringContaining('the stored root of the block of events 1 to 256') as string,
    });
    expect(await refused()).toContain('are not those that were sealed');
    await put(block?.root);
    expect(await auditOf(service, 'verify')).toMatchObject({ code: 0 });
    const page = await pages.findOne({ _id: pageId(0) });
    await pages.deleteMany({});
    const unchecked = await auditOf(service, 'seals');
    expect(unchecked).toMatchObject({ code: 2, out: expect.stringContaining('not_checked') as string });
    if (page !== null) await pages.insertOne(page);
    expect(await auditOf(service, 'seals')).toMatchObject({ code: 0 });
    await client.close();

    const shorter = newPrefix();
    const target = openEventStoreDb({ url: String(deployment.env['EVENTSTORE_URL']), prefix: shorter });
    let copied = 0;
    for await (const events of deployment.log.readAll({ limit: 3 }))
      for (const { stream, ...event } of events) {
        await target.append(stream, [event], { expectedRevision: 'any' });
        copied += 1;
      }
    await target.close();
    expect(copied).toBe(3);
    const cut = { EVENTSTORE_PREFIX: shorter };
    const verified = await audience(['audit', 'verify'], {
      env: { ...deployment.env, ...cut, DATA_DIR: service.dataDir },
    });
    expect(verified).toMatchObject({ code: 1, out: expect.stringContaining('the log was shortened') as string });
    expect(await refused(cut)).toContain('cannot start');
    await deletePrefix(String(deployment.env['EVENTSTORE_URL']), shorter);
  }, 120_000);
});
