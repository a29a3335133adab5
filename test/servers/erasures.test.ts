/** Erasures by several processes on EventStoreDB and MongoDB: asked of one, carried through by another; before and after a scavenge, and when one is killed meanwhile. */
import { BACKWARDS, END, EventStoreDBClient } from '@eventstore/db-client';
import { MongoClient } from 'mongodb';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { liveProjections } from '../../src/projections/views.js';
import { createLiveReader } from '../../src/projector/live-reader.js';
import { ok, untimed } from '../support/answers.js';
import { audience, type Ended } from '../support/audience.js';
import { newDeployment, noServers, type Deployment } from './deployment.js';
import { eventStoreUrl } from '../support/eventstoredb-server.js';
import { documentsOf, freshFold } from '../support/fresh-fold.js';
import { eventually, freshFolder, type Answer, type Service } from '../support/service.js';

const nobody = 'smtp://127.0.0.1:1';
const other = 'other@privat.example';
const nothingMissing = { applied: [], reported: [] };

describe.skipIf(noServers !== undefined)(`erasures${noServers === undefined ? '' : ` (${noServers})`}`, () => {
  let deployment: Deployment;
  let folder: string;
  let number = 0;
  beforeEach(() => {
    deployment = newDeployment();
    folder = freshFolder();
  });
  afterEach(async () => {
    await deployment.close();
    rmSync(folder, { recursive: true });
  }, 60_000);

  const cli = ({ dataDir, key }: Service, ...words: readonly string[]): Promise<Ended> =>
    audience(words, { env: { ...deployment.env, DATA_DIR: dataDir, AUDIENCE_KEY: key } });
  const newList = (service: Service): Promise<string> =>
    service.make('/v1/lists/create', { list_name: `List ${(number += 1)}` }, 'list_id');

  async function send(service: Service, to_email: string, subject: string): Promise<string> {
    const body = { from_email: 'ledger@example.com', to_email, subject, mail_template: `<p>${subject}</p>` };
    return String((await ok(service.post('/v1/email/send', body))).headers.location);
  }

  async function request(service: Service, email: string): Promise<Answer> {
    const answer = await service.post('/v1/privacy/erasures', { email, reason: 'requested' });
    expect(answer.status).toBe(202);
    return answer;
  }
  const completed = (service: Service, answer: Answer): Promise<Record<string, unknown>> =>
    eventually(
      async () => {
        const { data } = (await ok(service.get(String(answer.headers.location)))).body as {
          data: Record<string, unknown>;
        };
        return data['status'] === 'completed' ? data : undefined;
      },
      { within: 40_000, what: 'the erasure' },
    );

  /** What is left in the log, as the server itself yields it, and in the views. */
  const traces = async (needle: string) => ({ log: await tracesInLog(needle), views: await tracesInViews(needle) });

  async function tracesInLog(needle: string): Promise<number> {
    const { EVENTSTORE_PREFIX: prefix = '' } = deployment.env;
    const names = [prefix, `$$${prefix}`, `~redacted-${prefix}`];
    const client = EventStoreDBClient.connectionString(eventStoreUrl ?? '');
    let count = 0;
    for await (const { event } of client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 2_000 })) {
      const isOurs = names.some((name) => event?.streamId.startsWith(name));
      if (isOurs && JSON.stringify(event?.data).includes(needle)) count += 1;
    }
    await client.dispose();
    return count;
  }

  async function tracesInViews(needle: string): Promise<number> {
    const mongo = new MongoClient(deployment.env['MONGODB_URL'] ?? '');
    let count = 0;
    for (const collection of await mongo.db().collections())
      for await (const document of collection.find()) if (JSON.stringify(document).includes(needle)) count += 1;
    await mongo.close();
    return count;
  }

  const typesOf = async (erasureId: string): Promise<string[]> => {
    const types: string[] = [];
    for await (const batch of deployment.log.readAll())
      for (const { type, data } of batch) if (data.includes(erasureId)) types.push(type);
    return types;
  };

  async function expectTrueViews(): Promise<void> {
    const { log, views } = deployment;
    const head = await log.head();
    await eventually(async () => ((await views.checkpoint('views'))?.position ?? '') >= head || undefined);
    // After a rebuild these are others.
    const live = createLiveReader(views, liveProjections);
    live.use((await views.checkpoint('views'))?.storages ?? {});
    expect(await documentsOf(live)).toEqual(await freshFold(log));
  }

  test('asked of one, carried through by another; seals of before hold, and a scavenge changes no answer', async () => {
    const projector = await deployment.start({ ROLES: 'projector,mailer' });
    const api = await deployment.start({ ROLES: 'api' });
    const secret = 'Quastenflosser';
    const email = `Zelda.${secret}@privat.example`;
    const list = await newList(api);
    const consent = { source: 'form', statement: `Ich, ${secret}, will es`, ip: '203.0.113.7' };
    const created = await ok(
      api.post(`/v1/contacts/${list}/create`, { email, firstName: secret, status: 'Subscribed', consent }),
    );
    await ok(api.post(`/v1/contacts/${list}/create`, { email: other, status: 'Subscribed' }));
    await ok(
      api.post(`/v1/contacts/${list}/upsertcontact`, { email, city: secret, status: 'Subscribed', tag_name: ['VIP'] }),
    );
    const mails = await Promise.all([1, 2, 3].map((at) => send(api, email, `${secret} ${at}`)));
    await send(api, other, 'Hello');
    for (const mail of mails)
      await eventually(async () => ((await api.get(mail)).field('state') === 'sent' ? true : undefined));
    const outbox = (): readonly string[] => readdirSync(path.join(projector.dataDir, 'outbox'));
    expect(outbox()).toHaveLength(4);
    const seal = path.join(folder, 'seal.json');
    expect(await cli(projector, 'audit', 'seal', '--out', seal)).toMatchObject({ code: 0 });
    const ofOthers = async (): Promise<readonly string[]> => {
      const paths = [`contacts?email=${other}`, `audit/contacts/${other}/history`];
      return await Promise.all(paths.map(async (one) => untimed((await ok(api.get(`/v1/${one}`))).text)));
    };
    const others = await ofOthers();
    expect(await traces(secret)).not.toMatchObject({ log: 0, views: 0 });

    const [answer, again] = await Promise.all([request(api, email), request(api, email.toUpperCase())]);
    expect(again.headers.location).toBe(answer.headers.location);
    expect(await completed(api, answer)).toMatchObject({ contacts: 1, emails: 3 });
    expect((await traces(secret)).views).toBe(0);
    expect(outbox()).toHaveLength(1);
    expect(await ofOthers()).toEqual(others);
    expect((await api.get(`/v1/contacts?email=${email}`)).status).toBe(404);
    expect(readFileSync(path.join(projector.dataDir, 'register.ndjson'), 'utf8')).toContain(answer.field('erasure_id'));
    const back = await ok(api.post(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' }));
    expect(back.field('contact_id')).not.toBe(created.field('contact_id'));
    const second = await request(api, email);
    expect(await completed(api, second)).toMatchObject({ contacts: 1, emails: 0 });

    const statuses = async (): Promise<readonly boolean[]> => {
      const { code, out } = await cli(api, 'privacy', 'status', '--json');
      expect(code).toBe(0);
      const { erasures, ...rest } = JSON.parse(out) as { erasures: { waits_for_scavenge: boolean }[] };
      expect(rest).toMatchObject({ missing: nothingMissing, digests: [] });
      return erasures.map(({ waits_for_scavenge }) => waits_for_scavenge);
    };
    const verified = async (): Promise<unknown> => {
      const { code, out } = await cli(projector, 'audit', 'verify', '--json', '--seal', seal);
      expect(code, out).toBe(0);
      return JSON.parse(out) as unknown;
    };
    const logged = async (): Promise<unknown[]> => {
      const all: unknown[] = [];
      for await (const batch of deployment.log.readAll()) all.push(...batch);
      return all;
    };
    const history = async (): Promise<string> =>
      untimed((await ok(api.get(`/v1/audit/contacts/${encodeURIComponent(email)}/history`))).text);
    const before = { statuses: await statuses(), log: await logged(), verified: await verified(), history: '' };
    before.history = await history();
    expect(before.statuses).toEqual([true, true]);
    expect(before.verified).toMatchObject({ intact: true, findings: [], seals: [{ state: 'holds' }] });
    expect(before.history).toContain('The person was erased');
    expect(before.history).not.toMatch(/"unreadable":(true|\[\{)/);
    await expectTrueViews();
    expect(await cli(api, 'projections', 'rebuild', 'all')).toMatchObject({ code: 0 });

    expect(await cli(api, 'privacy', 'status', '--scavenge')).toMatchObject({ code: 0, err: /Started: / });
    await eventually(async () => ((await traces(secret)).log === 0 ? true : undefined), { within: 60_000 });
    expect(await statuses()).toEqual([false, false]);
    // Since then only who looked was written.
    expect((await logged()).slice(0, before.log.length)).toEqual(before.log);
    expect(await verified()).toMatchObject({ intact: true, findings: [], seals: [{ state: 'holds' }] });
    expect(await traces(secret)).toEqual({ log: 0, views: 0 });
    expect(await history()).toBe(before.history);
    expect(await ofOthers()).toEqual(others);
    await expectTrueViews();
  }, 180_000);

  test('of two that could carry it through one is killed meanwhile: the other one goes on, and it ends once', async () => {
    const runners = [await deployment.start({ ROLES: 'projector' }), await deployment.start({ ROLES: 'projector' })];
    const api = await deployment.start({ ROLES: 'api', SMTP_URL: nobody });
    const list = await newList(api);
    for (const victim of [0, 1]) {
      const email = `gone-${victim}@privat.example`;
      await ok(api.post(`/v1/contacts/${list}/create`, { email, firstName: `Gone ${victim}`, status: 'Subscribed' }));
      for (let from = 0; from < 64; from += 16)
        await Promise.all(Array.from({ length: 16 }, (_, at) => send(api, email, `Gone ${victim}: ${from + at}`)));
      const answer = await request(api, email);
      const id = answer.field('erasure_id');
      await eventually(async () => ((await typesOf(id)).includes('ContactErased') ? true : undefined));
      await runners[victim]?.kill('SIGKILL');
      expect(await completed(api, answer)).toMatchObject({ contacts: 1, emails: 64 });
      expect(await typesOf(id)).toEqual(['ErasureRequested', 'ContactErased', 'ErasureCompleted']);
      await runners[victim]?.start();
      expect(await traces(`Gone ${victim}`)).toMatchObject({ views: 0 });
      const status = await cli(api, 'privacy', 'status', '--json');
      expect(JSON.parse(status.out)).toMatchObject({ missing: nothingMissing, digests: [] });
    }
    expect(await cli(api, 'audit', 'verify', '--json')).toMatchObject({ code: 0 });
    await expectTrueViews();
  }, 180_000);
});
