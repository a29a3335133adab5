/** `audience restore --in-place` and the next start, on a log that the tools of EventStoreDB put back. In place of these tools, `audience migrate` copies the log to another prefix. */
import { MongoClient } from 'mongodb';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deriveStreamKeys, deriveUnsubscribeKey } from '../../src/events/streams.js';
import { createUnsubscribeTokens } from '../../src/events/unsubscribe-token.js';
import { isRegistered } from '../../src/recovery/registered-events.js';
import { ok, someAddress, unique } from '../support/answers.js';
import { audience, type Ended } from '../support/audience.js';
import { deletePrefix, eventStoreUrl, newPrefix } from '../support/eventstoredb-server.js';
import {
  eventually,
  freshFolder,
  runToExit,
  startService,
  type LoggedEvent,
  type Overrides,
  type Service,
} from '../support/service.js';
import { openSmtp, type SmtpStandIn } from '../support/smtp.js';
import { newDeployment, noServers, type Deployment } from './deployment.js';

/** Whether a restore must not undo the event. */
const isKept = ({ type, data }: LoggedEvent): boolean => isRegistered({ type, data: JSON.stringify(data) });

describe.skipIf(noServers !== undefined)(`a restore${noServers === undefined ? '' : ` (${noServers})`}`, () => {
  const [folder, seals, dataDir] = [freshFolder(), freshFolder(), freshFolder()];
  const prefix = newPrefix();
  const people = { stays: someAddress(), goes: someAddress(), leaves: someAddress() };
  let deployment: Deployment;
  let smtp: SmtpStandIn;
  let env: Overrides;
  let service: Service;
  let key: { readonly id: string; readonly secret: string };
  let rotated: { readonly id: string; readonly before: string; readonly after: string };
  /** Events of the log before the restore that the restore must not undo. */
  let kept: readonly LoggedEvent[];
  let list: string;
  let deferred: string;
  let delivered: number;

  interface Finding {
    readonly level: string;
    readonly finding: string;
    readonly remedy: string | null;
  }
  const examined = async (name: string): Promise<Finding | undefined> => {
    const { findings } = JSON.parse((await cli('doctor', '--json')).out) as {
      readonly findings: readonly (Finding & { readonly name: string })[];
    };
    return findings.find((one) => one.name === name);
  };
  const cli = (...words: readonly string[]): Promise<Ended> => audience(words, { env: { ...env, DATA_DIR: dataDir } });
  const migrate = (from: string, to: string, ofPrefix: string | undefined): Promise<Ended> =>
    cli('migrate', '--from', from, '--to', to, '--prefix', String(ofPrefix));
  const state = (id: string, wanted: string): Promise<true> =>
    eventually(async () => ((await ok(service.get(`/v1/email/${id}`))).field('state') === wanted ? true : undefined), {
      what: `state ${wanted}`,
    });

  beforeAll(async () => {
    deployment = newDeployment();
    smtp = await openSmtp(['recipient 450']);
    env = { ...deployment.env, SMTP_URL: smtp.url, SEAL_DIR: seals, PUBLIC_URL: 'https://mail.example.com' };
    service = await startService({ dataDir, env });
    list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
    for (const email of Object.values(people))
      await ok(service.post(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' }));
    const issued = await ok(service.post('/v1/keys', { name: 'Kiosk', scopes: ['lists:read'] }));
    key = { id: issued.field('key_id'), secret: issued.field('secret') };
    const leaked = await ok(service.post('/v1/keys', { name: 'Shop', scopes: ['lists:read'] }));
    const mail = { from_email: 'a@b.example', to_email: people.stays, subject: 'Hi', mail_template: 'Hi' };
    const location = String((await ok(service.post('/v1/email/send', mail))).headers.location);
    deferred = location.replace('/v1/email/', '');
    await state(deferred, 'deferred');
    await service.kill('SIGTERM');
    expect((await migrate(eventStoreUrl ?? '', folder, env['EVENTSTORE_PREFIX'])).code).toBe(0);

    // After the copy.
    smtp.behave('accept');
    await service.start();
    const erasure = await service.post('/v1/privacy/erasures', { email: people.goes });
    await eventually(async () =>
      (await service.get(String(erasure.headers.location))).field('status') === 'completed' ? true : undefined,
    );
    await ok(service.post('/v1/suppressions', { email: people.stays, scope: list, reason: 'manual' }));
    await ok(service.post(`/v1/keys/${key.id}/revoke`, {}));
    const [id, before] = [leaked.field('key_id'), leaked.field('secret')];
    const after = (await ok(service.post(`/v1/keys/${id}/rotate`, { overlap_seconds: 0 }))).field('secret');
    rotated = { id, before, after };
    const secret = String(env['SECRET']);
    const link = createUnsubscribeTokens(deriveUnsubscribeKey(secret)).make({
      emailId: deferred,
      contactKey: deriveStreamKeys(secret).contactKey(people.leaves),
      listId: list,
    });
    const oneClick = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
    expect((await fetch(`${service.url()}/u/${link}`, { method: 'POST', body: oneClick })).status).toBe(200);
    await state(deferred, 'sent');
    delivered = smtp.messages.length;
    kept = (await service.events()).filter(isKept);
    expect(kept.map(({ type }) => type).toSorted()).toEqual([
      ...['AddressSuppressed', 'AddressSuppressed', 'ApiKeyRevoked', 'ApiKeyRotated'],
      ...['ContactUnsubscribed', 'ErasureRequested'],
    ]);
    await service.kill('SIGKILL');
    expect((await migrate(folder, eventStoreUrl ?? '', prefix)).code).toBe(0);
    env = { ...env, EVENTSTORE_PREFIX: prefix };
  }, 120_000);
  afterAll(async () => {
    await service.close();
    await deployment.close();
    await deletePrefix(eventStoreUrl ?? '', prefix);
    await smtp.close();
    for (const one of [folder, seals, dataDir]) rmSync(one, { recursive: true });
  });

  test('views of events that the log has lost are noticed, and nothing is changed', async () => {
    const refused = await runToExit(dataDir, env, { timeout: 60_000 });
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('drop the MongoDB database of MONGODB_URL');
    expect(await examined('views')).toMatchObject({
      level: 'red',
      remedy: expect.stringContaining('drop the database of MONGODB_URL') as unknown,
    });
  });

  test('what a restore may not undo is done before the first answer, and open e-mails are held', async () => {
    const views = new MongoClient(String(env['MONGODB_URL']));
    await views.db().dropDatabase();
    await views.close();
    // The log is shorter than a block, so that its seals are compared without stored block roots.
    expect(await examined('seals')).toMatchObject({ level: 'green' });
    expect((await examined('register'))?.remedy).toContain('audience restore --in-place');
    expect((await cli('restore', '--in-place')).code).toBe(2);
    const marked = await cli('restore', '--in-place', '--register', path.join(seals, 'register.ndjson'));
    expect(marked).toMatchObject({ code: 0, err: '' });
    expect((await cli('restore', '--in-place', '--without-newer-register')).err).toContain('is already marked');
    expect((await examined('register'))?.remedy).toMatch(/^Start the service/);
    const { count, root } = JSON.parse(marked.out) as { readonly count: number; readonly root: string };

    service = await startService({ dataDir, env });
    const restores = (await service.events()).filter(({ type }) => type === 'LogRestored');
    expect(restores).toMatchObject([{ data: { count, root } }]);
    expect((await service.get(`/v1/contacts?email=${people.goes}`)).status).toBe(404);
    expect((await service.get(`/v1/contacts?email=${people.stays}`)).status).toBe(200);
    const opens = async (secret: string): Promise<number> =>
      (await service.get('/v1/lists', { authorization: `Bearer ${secret}` })).status;
    expect([await opens(key.secret), await opens(rotated.before), await opens(rotated.after)]).toEqual([401, 401, 200]);
    const left = await ok(service.get(`/v1/contacts?email=${people.leaves}`));
    expect(left.body).toMatchObject({ data: { subscriptions: [{ list_id: list, status: 'Unsubscribed' }] } });
    const refused = await ok(service.post('/v1/suppressions/search', { email: people.stays }));
    expect(refused.body).toMatchObject({ data: { active: [{ reason: 'manual' }] } });
    const held = (await ok(service.get('/v1/email?state=held'))).items();
    expect(held).toMatchObject([{ email_id: deferred, last_error: 'restored' }]);
    expect(smtp.messages.length).toBe(delivered);
    expect((await cli('privacy', 'status')).code).toBe(0);
    // The blocks are computed a second behind.
    await eventually(async () => ((await cli('audit', 'verify')).code === 0 ? true : undefined));
  });

  test('what comes back keeps its id and its actor, and gets a new time', async () => {
    const after = (await service.events()).filter(isKept);
    const identities = (events: readonly LoggedEvent[]): readonly string[] =>
      events.map(({ event_id, type, metadata }) => `${event_id} ${type} ${String(metadata['actor'])}`).toSorted();
    expect(identities(after)).toEqual(identities(kept));
    for (const { event_id, metadata } of after) {
      const before = kept.find((one) => one.event_id === event_id);
      expect(Date.parse(String(metadata['at']))).toBeGreaterThan(Date.parse(String(before?.metadata['at'])));
    }
  });

  test('the person is erased again, and nothing of the person is left in MongoDB and in the registers', async () => {
    const requested = kept.find(({ type }) => type === 'ErasureRequested')?.data as { erasure_id: string };
    const erasureId = requested.erasure_id;
    await eventually(async () =>
      (await service.get(`/v1/privacy/erasures/${erasureId}`)).field('status') === 'completed' ? true : undefined,
    );
    const mongo = new MongoClient(String(env['MONGODB_URL']));
    let documents = 0;
    for (const collection of await mongo.db().collections())
      for await (const document of collection.find()) {
        documents += 1;
        expect(JSON.stringify(document)).not.toContain(people.goes);
      }
    await mongo.close();
    expect(documents).toBeGreaterThan(0);
    for (const place of [dataDir, seals])
      for (const name of readdirSync(place, { recursive: true, encoding: 'utf8' })) {
        const file = path.join(place, name);
        if (statSync(file).isFile()) expect(readFileSync(file).includes(people.goes), file).toBe(false);
      }
    const lines = readFileSync(path.join(seals, 'register.ndjson'), 'utf8');
    for (const address of Object.values(people)) expect(lines).not.toContain(address);
    for (const { event_id } of kept) expect(lines).toContain(event_id);
  });

  test('a second start records nothing twice', async () => {
    await service.kill('SIGTERM');
    await service.start();
    const types = (await service.events()).map(({ type }) => type);
    expect(types.filter((type) => type === 'LogRestored')).toHaveLength(1);
    expect(types.filter((type) => type === 'AddressSuppressed')).toHaveLength(2);
  });
});
