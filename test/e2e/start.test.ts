/** Starting and stopping: the first start, keys, bad configuration, one writer, what the logs say, views that rebuild themselves. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openSqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { someAddress, unique } from '../support/answers.js';
import { exampleEvents, toAppend } from '../support/examples.js';
import { patient } from './patient.js';
import {
  eventually,
  freshFolder,
  runToExit,
  startService,
  type Service,
  type ServiceOptions,
} from '../support/service.js';
import { dropViews, onServers, storeVariables } from '../support/stores.js';

const running: Service[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const service of running.splice(0)) await service.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function started(options?: ServiceOptions): Promise<Service> {
  const service = await startService(options);
  running.push(service);
  return service;
}

function folder(): string {
  const fresh = freshFolder();
  folders.push(fresh);
  return fresh;
}

const modeOf = (file: string): number => statSync(file).mode & 0o777;
const statusWith = async (service: Service, key: string): Promise<number> =>
  (await service.get('/v1/groups', { authorization: `Bearer ${key}` })).status;
const newGroup = (service: Service, name = unique('Group')): Promise<string> =>
  service.make('/v1/groups/create', { group_name: name }, 'group_id');
const groups = async (service: Service): Promise<unknown[]> => [...(await patient(service).get('/v1/groups')).items()];

describe('a service', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  test('makes a secret for its owner only', async ({ skip }) => {
    skip(onServers, 'with EVENTSTORE_URL the secret comes from the environment');
    const inFolder = (name: string): string => path.join(service.dataDir, name);
    for (const file of ['secret', 'events.db']) expect(modeOf(inFolder(file)), file).toBe(0o600);
    const secret = readFileSync(inFolder('secret'), 'utf8').trim();
    expect(secret.length).toBeGreaterThanOrEqual(32);
    expect(service.output()).not.toContain(secret);
  });

  test('says in one line of JSON where it listens', async () => {
    const said = (): string | undefined => /^{.*"msg":"listening"}$/m.exec(service.output())?.[0];
    const line = await eventually(() => Promise.resolve(said()));
    expect(JSON.parse(line)).toMatchObject({ address: service.url() });
  });

  test('keeps no key in clear but the generated one', async () => {
    await newGroup(service);
    expect(existsSync(path.join(service.dataDir, 'api-key.txt'))).toBe(false);
    expect(JSON.stringify(await service.events())).not.toContain(service.key);
  });

  test('readiness tells the state of each part, live does not ask them', async () => {
    const ready = await service.get('/health/ready', { authorization: undefined });
    expect(ready.body).toMatchObject({ statusCode: 200, status: 'Success' });
    for (const part of ['event_store', 'projections', 'mailer']) expect(ready.body).toHaveProperty(['data', part]);
    expect((await service.get('/health/live', { authorization: undefined })).body).toMatchObject({ statusCode: 200 });
  });

  test('refuses a second writer, and leaves the first alone', async ({ skip }) => {
    skip(onServers, 'several processes may write to a log in EventStoreDB');
    const exit = await runToExit(service.dataDir, { API_KEYS: `test:${service.key}` });
    expect(exit.signal).toBeNull();
    expect(exit.code).not.toBe(0);
    expect(exit.output).toMatch(/another|already|lock/i);
    expect(exit.output).not.toMatch(/\n\s+at /);
    await newGroup(service);
    expect(readFileSync(path.join(service.dataDir, 'address'), 'utf8').trim()).toBe(service.url());
  });

  test('is stopped by SIGTERM in good time, with clients still connected', async () => {
    const answered: string[] = [];
    const load = Array.from({ length: 32 }, async () => {
      for (;;)
        try {
          answered.push(await newGroup(service));
        } catch {
          return;
        }
    });
    while (answered.length < 100) await newGroup(service);
    const began = Date.now();
    const exit = await service.kill('SIGTERM');
    expect(exit).toMatchObject({ code: 0, signal: null });
    expect(Date.now() - began).toBeLessThan(10_000);
    await Promise.all(load);
    await service.start();
    const created = (await service.events()).filter(({ type }) => type === 'GroupCreated');
    const logged = new Set(created.map(({ data }) => data['group_id']));
    for (const id of answered) expect(logged.has(id)).toBe(true);
  }, 30_000);

  test('builds views again that are gone', async () => {
    for (let count = 0; count < 5; count += 1) await newGroup(service);
    const before = await groups(service);
    // SIGKILL releases the lock of the writer.
    await service.kill('SIGKILL');
    await dropViews(service.dataDir);
    await service.start();
    expect(await groups(service)).toEqual(before);
    await newGroup(service);
    expect(before.length).toBeGreaterThanOrEqual(5);
  });
});

describe('API keys', () => {
  const [named, bare, spaced] = ['key-of-the-shop', 'bare-key-0123456789', 'third-key'];
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { API_KEYS: undefined } });
  });
  afterAll(() => service.close());

  test('the first start makes one for its owner only: the log has the path of its file, and not the key', async () => {
    const file = path.join(service.dataDir, 'api-key.txt');
    const key = readFileSync(file, 'utf8').trim();
    expect(key.length).toBeGreaterThanOrEqual(24);
    expect(modeOf(file)).toBe(0o600);
    expect(service.output()).toContain(file);
    expect(service.output()).not.toContain(key);
    expect(await statusWith(service, key)).toBe(200);
    expect(await statusWith(service, service.key)).toBe(401);

    // Keys of the environment are valid in addition to stored ones.
    await service.kill('SIGTERM');
    await service.start({ API_KEYS: `test:${service.key},shop:${named}, ${bare} ,desk:${spaced}` });
    expect(await statusWith(service, key)).toBe(200);
    expect(await statusWith(service, service.key)).toBe(200);
  });

  test('API_KEYS takes name:key and bare keys; the actor is the name, or tells nothing of the key', async () => {
    const actors: unknown[] = [];
    for (const key of [named, bare, spaced]) {
      const authorization = `Bearer ${key}`;
      const answer = await service.post('/v1/groups/create', { group_name: unique('Group') }, { authorization });
      expect(answer.status).toBe(200);
      const [event] = await service.events(String(answer.headers['x-request-id']));
      actors.push(event?.metadata['actor']);
    }
    expect([actors[0], actors[2]]).toEqual(['shop', 'desk']);
    const hash = createHash('sha256').update(bare).digest('hex');
    const id = /^(?:key-)?([0-9a-f]{6,32})$/.exec(String(actors[1]))?.[1] ?? '-';
    expect(hash.startsWith(id), String(actors[1])).toBe(true);
    for (const wrong of ['shop', `shop:${named}`, 'desk', '']) expect(await statusWith(service, wrong)).toBe(401);
  });
});

test('bad configuration stops the start with one sentence', async () => {
  const { code, signal, output } = await runToExit(folder(), { PORT: '70000', LOG_LEVEL: 'loud' });
  expect({ code, signal }).toEqual({ code: 1, signal: null });
  expect(output.trim()).toMatch(/^audience-ledger cannot start: .*\bPORT must .*\bLOG_LEVEL must .*$/);
});

test('a log whose beginning cannot be read ends the start with one sentence', async ({ skip }) => {
  skip(onServers, 'the event is put into an embedded log');
  const dataDir = folder();
  const store = await openSqliteEventStore({ file: path.join(dataDir, 'events.db'), clock: Date.now });
  const broken = { ...toAppend(exampleEvents.serviceInitialised), data: '{"log_id":7}' };
  await store.append('service', [broken], { expectedRevision: 'no_stream' });
  await store.close();
  const exit = await runToExit(dataDir, { SECRET: 'a secret that nobody uses, of 32 bytes and more' });
  expect(exit).toMatchObject({ code: 1, signal: null });
  expect(exit.output.trim()).toBe(
    'audience-ledger cannot start: the event log does not begin with its own name: it was altered, or is not a log of this service. Nothing was changed',
  );
});

test('the logs name routes, and neither people nor names nor keys nor addresses asked for', async () => {
  const service = await started({ env: { LOG_LEVEL: 'trace' } });
  const email = someAddress('grace');
  const secrets = ['Hopper', unique('Navy'), unique('Harvard'), 'wrong-key', email, encodeURIComponent(email)];
  const [lastName, list_name, tag_name] = secrets;
  const list = await service.make('/v1/lists/create', { list_name }, 'list_id');
  const body = { email, status: 'Subscribed', lastName, tag_name: [tag_name] };
  await service.post(`/v1/contacts/${list}/upsertcontact`, body);
  await service.post(`/v1/contacts/${list}/create`, body);
  await service.post(`/v1/contacts/${list}/create`, { ...body, phone: email });
  await service.get(`/v1/contacts?email=${encodeURIComponent(email)}`);
  await service.get(`/v1/contacts?email=${email}&limit=0`);
  await service.get(`/v1/contacts/${list}?tag_name=${encodeURIComponent(String(tag_name))}`);
  await service.get(`/nowhere/${email}`);
  await service.get(`/v1/lists/${email}`);
  await service.get('/v1/lists', { authorization: 'Bearer wrong-key' });
  await service.request('POST', '/v1/lists/create', { raw: `{"list_name":"${String(list_name)}` });
  const mail = { from_email: email, to_email: email, subject: String(list_name), mail_template: String(tag_name) };
  const sent = await service.post('/v1/email/send', mail, { 'idempotency-key': 'order-4711' });
  expect(sent.status).toBe(200);
  await service.kill('SIGTERM');
  const output = service.output();
  expect(output.split('\n').length).toBeGreaterThan(10);
  for (const secret of [
    ...secrets,
    service.key,
    'order-4711',
    `/v1/contacts/${list}`,
    '/nowhere',
    '?email=',
    '@example',
  ])
    expect(output).not.toContain(secret);
  expect(output).toMatch(/\/v1\/contacts\/[:{]list_id/);
});

test('views of another log on a server stop the start, and are left alone', async ({ skip }) => {
  skip(!onServers, 'embedded views belong to one process, and are built again');
  const [service, other] = [await started(), await started()];
  for (const one of [service, other]) await newGroup(one);
  const before = await groups(other);
  await service.kill('SIGTERM');
  const { MONGODB_URL } = storeVariables(other.dataDir);
  const exit = await runToExit(service.dataDir, { MONGODB_URL });
  expect(exit.signal).toBeNull();
  expect(exit.code).not.toBe(0);
  expect(exit.output).toMatch(/MONGODB_URL/);
  expect(exit.output).not.toMatch(/\n\s+at /);
  expect(await groups(other)).toEqual(before);
  await other.kill('SIGTERM');
  await other.start();
  expect(await groups(other)).toEqual(before);
});
