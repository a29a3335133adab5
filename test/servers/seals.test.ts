/** Seals and kept links of several processes on EventStoreDB and MongoDB: one process seals, another one takes over, and what was altered beside the views is found. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { unique } from '../support/answers.js';
import { audience, type Ended } from '../support/audience.js';
import { storageName } from '../../src/readmodels/find-plan.js';
import { blockId, evidenceView, sealedHeadId } from '../../src/evidence/link-blocks.js';
import { openEventStoreDb } from '../../src/eventstore/eventstoredb/event-store.js';
import type { Document } from '../../src/readmodels/read-models.js';
import { newDeployment, noServers, type Deployment } from './deployment.js';
import { said } from '../support/event-log.js';
import { deletePrefix, newPrefix } from '../support/eventstoredb-server.js';
import { eventually, freshFolder, runToExit, type Overrides, type Service } from '../support/service.js';

interface Ready {
  readonly data: { readonly evidence?: { readonly count: number } };
}

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

  const auditOf = ({ dataDir }: Service, ...words: readonly string[]): Promise<Ended> =>
    audience(['audit', ...words], {
      env: { ...deployment.env, DATA_DIR: dataDir, SEAL_DIR: path.join(folder, 'copies') },
    });

  test('one process seals at a time, another one takes over after a crash, and a copy that was cut off is made whole', async () => {
    const copies = path.join(folder, 'copies');
    mkdirSync(copies);
    const key = path.join(folder, 'key.pem');
    writeFileSync(key, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const sealing = { ROLES: 'projector', SEAL_EVERY: '1s', SEAL_DIR: copies, SEAL_KEY: key };
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
    expect(readdirSync(copies).length).toBeGreaterThanOrEqual(3);

    const newest = readdirSync(path.join(first.dataDir, 'seals')).sort().at(-1) ?? '';
    const whole = readFileSync(path.join(first.dataDir, 'seals', newest), 'utf8');
    writeFileSync(path.join(copies, newest), whole.slice(0, 100));
    expect((await auditOf(first, 'seals')).out).toContain('no: it is no seal that can be read');
    await first.start();
    await sealedBy(first, before + 1);
    await first.kill('SIGTERM');
    expect(readFileSync(path.join(copies, newest), 'utf8')).toBe(whole);

    const files = readdirSync(copies).map((name) => path.join(copies, name));
    expect(files).toHaveLength(seals(first) + seals(second));
    expect(await auditOf(first, 'seals')).toMatchObject({ code: 0 });
    expect(await auditOf(first, 'verify', '--seal', ...files)).toMatchObject({ code: 0 });
  }, 120_000);

  test('what is altered beside the views, or cut off in the log, is found by verify and by a start; what came since is not sealed yet', async () => {
    const service = await deployment.start();
    for (let number = 0; number < 3; number += 1) await newGroup(service);
    await eventually(
      async () => ((await service.get('/health/ready')).body as Ready).data.evidence?.count === 4 || undefined,
      {
        what: 'the links',
      },
    );
    await service.kill('SIGTERM');
    expect(JSON.parse((await auditOf(service, 'verify', '--json')).out)).toMatchObject({
      ...{ intact: true, count: 4, linked: 4, sealed_head: { checked: true, count: 4 } },
    });

    const refused = async (env: Overrides = {}): Promise<string> => {
      const exit = await runToExit(service.dataDir, { ...deployment.env, ...env });
      expect(exit).toMatchObject({ code: 1, signal: null });
      return exit.output;
    };
    const client = new MongoClient(String(deployment.env['MONGODB_URL']));
    const documents = client.db().collection<{ _id: string; document?: Document }>(storageName(evidenceView));
    const byOthers = 'is not one that was made with the secret of this log';
    const attacks: readonly [
      id: string,
      change: (document: Document) => Document | undefined,
      found: string,
      start: string,
    ][] = [
      [sealedHeadId, (head) => ({ ...head, mac: 'a'.repeat(64) }), byOthers, byOthers],
      [sealedHeadId, (head) => ({ ...head, count: 3 }), byOthers, byOthers],
      [sealedHeadId, () => undefined, 'has no sealed head', 'has no sealed head'],
      [
        blockId(0),
        ({ leaves, ...block }) => ({
          ...block,
          leaves: String(leaves).replace(/^(.{64}).{64}/, `$1${'0'.repeat(64)}`),
        }),
        'event 2 does not fit its link',
        'up to event 4 is not the one of its sealed head',
      ],
    ];
    for (const [_id, change, found, start] of attacks) {
      const before = await documents.findOne({ _id });
      const document = change(before?.document ?? {});
      if (document === undefined) await documents.deleteOne({ _id });
      else await documents.updateOne({ _id }, { $set: { document } });
      const { code, out } = await auditOf(service, 'verify');
      expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining(found) as string });
      const output = await refused();
      expect(output).toContain('the links beside the views were altered');
      expect(output).toContain(start);
      await documents.replaceOne({ _id }, before ?? {}, { upsert: true });
    }
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
    expect(verified).toMatchObject({ code: 1, out: expect.stringContaining('it was shortened') as string });
    expect(await refused(cut)).toContain('cannot start');
    await deletePrefix(String(deployment.env['EVENTSTORE_URL']), shorter);

    const log = openEventStoreDb({
      url: String(deployment.env['EVENTSTORE_URL']),
      prefix: String(deployment.env['EVENTSTORE_PREFIX']),
    });
    await log.append('other', [{ ...said('later'), metadata: '{"at":"2027-01-01T00:00:00.000Z"}' }], {
      expectedRevision: 'no_stream',
    });
    await log.close();
    const { code, out } = await auditOf(service, 'verify');
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringContaining('The last 1 events are not sealed yet.') as string,
    });
  }, 120_000);
});
