/** A log that the tools of EventStoreDB have put back, in place of which stands a copy of before under another prefix: what `audience restore --in-place` and the start after it do. */
import { MongoClient } from 'mongodb';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ok, someAddress, unique } from '../support/answers.js';
import { audience, type Ended } from '../support/audience.js';
import { deletePrefix, eventStoreUrl, newPrefix } from '../support/eventstoredb-server.js';
import { eventually, freshFolder, runToExit, startService, type Overrides, type Service } from '../support/service.js';
import { openSmtp, type SmtpStandIn } from '../support/smtp.js';
import { newDeployment, noServers, type Deployment } from './deployment.js';

describe.skipIf(noServers !== undefined)(`a restore${noServers === undefined ? '' : ` (${noServers})`}`, () => {
  const [folder, seals, dataDir] = [freshFolder(), freshFolder(), freshFolder()];
  const prefix = newPrefix();
  const people = { stays: someAddress(), goes: someAddress() };
  let deployment: Deployment;
  let smtp: SmtpStandIn;
  let env: Overrides;
  let service: Service;
  let key: { readonly id: string; readonly secret: string };
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
    env = { ...deployment.env, SMTP_URL: smtp.url, SEAL_DIR: seals };
    service = await startService({ dataDir, env });
    const list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
    for (const email of Object.values(people))
      await ok(service.post(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' }));
    const issued = await ok(service.post('/v1/keys', { name: 'Kiosk', scopes: ['lists:read'] }));
    key = { id: issued.field('key_id'), secret: issued.field('secret') };
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
    await state(deferred, 'sent');
    delivered = smtp.messages.length;
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
    expect((await cli('restore', '--in-place', '--without-newer-register')).err).toContain('is marked already');
    expect((await examined('register'))?.remedy).toMatch(/^Start the service/);
    const { count, root } = JSON.parse(marked.out) as { readonly count: number; readonly root: string };

    service = await startService({ dataDir, env });
    const restores = (await service.events()).filter(({ type }) => type === 'LogRestored');
    expect(restores).toMatchObject([{ data: { count, root } }]);
    expect((await service.get(`/v1/contacts?email=${people.goes}`)).status).toBe(404);
    expect((await service.get(`/v1/contacts?email=${people.stays}`)).status).toBe(200);
    expect((await service.get('/v1/lists', { authorization: `Bearer ${key.secret}` })).status).toBe(401);
    const refused = await ok(service.post('/v1/suppressions/search', { email: people.stays }));
    expect(refused.body).toMatchObject({ data: { active: [{ reason: 'manual' }] } });
    const held = (await ok(service.get('/v1/email?state=held'))).items();
    expect(held).toMatchObject([{ email_id: deferred, last_error: 'restored' }]);
    expect(smtp.messages.length).toBe(delivered);
    expect((await cli('privacy', 'status')).code).toBe(0);
    // The blocks are computed a second behind.
    await eventually(async () => ((await cli('audit', 'verify')).code === 0 ? true : undefined));
  });

  test('a second start records nothing twice', async () => {
    await service.kill('SIGTERM');
    await service.start();
    const types = (await service.events()).map(({ type }) => type);
    expect(types.filter((type) => type === 'LogRestored')).toHaveLength(1);
    expect(types.filter((type) => type === 'AddressSuppressed')).toHaveLength(1);
  });
});
