/** The service and its evidence: an honest log raises no alarm, whatever it went through; an altered or shortened one is not served. */
import { copyFileSync, cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Database } from '../../src/sqlite/database.js';
import { afterEach, expect, test } from 'vitest';
import { unique } from '../support/answers.js';
import { newFolder, verified } from '../support/evidence-log.js';
import { eventually, runToExit, startService, type Service } from '../support/service.js';
import { dropViews, onServers } from '../support/stores.js';

const embeddedOnly = 'the embedded log keeps its chain itself';
const running: Service[] = [];
afterEach(async () => {
  for (const service of running.splice(0)) await service.close();
});

async function started(): Promise<Service> {
  const service = await startService();
  running.push(service);
  return service;
}

const logOf = (service: Service): string => path.join(service.dataDir, 'events.db');
const newGroup = (service: Service): Promise<string> =>
  service.make('/v1/groups/create', { group_name: unique('Group') }, 'group_id');

async function citedEvent(service: Service): Promise<unknown> {
  const { body } = await service.get('/health/ready', { authorization: undefined });
  return (body as { data: { evidence?: unknown } }).data.evidence;
}

test('an honest log is verified at every start: after kills, without views', async ({ skip }) => {
  skip(onServers, embeddedOnly);
  const service = await started();
  const writing = Array.from({ length: 16 }, async () => {
    for (let count = 0; count < 100_000; count += 1)
      try {
        await newGroup(service);
      } catch {
        return;
      }
  });
  for (let count = 0; count < 50; count += 1) await newGroup(service);
  await service.kill('SIGKILL');
  await Promise.all(writing);
  await service.start();
  const { count, head, position } = await verified(logOf(service));
  expect(count).toBeGreaterThan(50);
  expect(await citedEvent(service)).toEqual({ count, head, position, verified: true, fault: null });
  await newGroup(service);
  expect(await citedEvent(service)).toMatchObject({ count: count + 1 });
  await service.kill('SIGTERM');

  await dropViews(service.dataDir);
  await service.start();
  expect(await citedEvent(service)).toMatchObject({ count: count + 1, verified: true });
  expect(await verified(logOf(service))).toMatchObject({ intact: true, count: count + 1, linked: true });
}, 120_000);

test('an altered log is refused, says what and where and what to do, and is left as it is', async ({ skip }) => {
  skip(onServers, embeddedOnly);
  const service = await started();
  for (let count = 0; count < 5; count += 1) await newGroup(service);
  await service.get('/v1/groups');
  await service.kill('SIGTERM');
  const backup = path.join(newFolder(), 'events.db');
  copyFileSync(logOf(service), backup);
  const cases: [sql: string, says: RegExp][] = [
    [`update events set data = replace(data, 'Group', 'Grope') where position = 3`, /event 3 .*position 0*3:/],
    ['delete from events where position = 4', /event 4 is missing/],
    [`update streams set name = 'servicf' where name = 'service'`, /event 1 does not fit its link/],
    [`update events set type = 'ServiceInitialized' where position = 1`, /event 1 does not fit its link/],
    ['delete from events where position >= 5', /another end of stream groups|shortened/],
    [
      `delete from events where position >= 5; update streams set revision = 2 where name = 'groups'`,
      /ends at position 0*4, .*shortened.*views\.db/,
    ],
  ];
  for (const [sql, says] of cases) {
    new Database(logOf(service)).exec(sql).close();
    const before = readFileSync(logOf(service));
    const exit = await runToExit(service.dataDir, { API_KEYS: `test:${service.key}` }, { timeout: 30_000 });
    expect(exit, sql).toMatchObject({ code: 1, signal: null });
    expect(exit.output, sql).toMatch(says);
    expect(exit.output).toMatch(/Nothing was changed/);
    expect(exit.output).not.toMatch(/\n\s+at |listens/);
    expect(readFileSync(logOf(service)).equals(before), sql).toBe(true);
    for (const suffix of ['-wal', '-shm']) rmSync(logOf(service) + suffix, { force: true });
    cpSync(backup, logOf(service));
  }
  // Put back, it is served again.
  await service.start();
  expect(await citedEvent(service)).toMatchObject({ count: 6, verified: true });
  expect(existsSync(path.join(service.dataDir, 'views.db'))).toBe(true);
}, 120_000);

test('a log that is rewritten while the service runs stops it, whether it writes or is only asked for its health', async ({
  skip,
}) => {
  skip(onServers, embeddedOnly);
  const ask: readonly ((service: Service) => Promise<unknown>)[] = [
    (service) => service.post('/v1/groups/create', { group_name: 'After' }),
    (service) => service.get('/health/ready', { authorization: undefined }),
  ];
  for (const meet of ask) {
    const service = await started();
    await newGroup(service);
    new Database(logOf(service)).exec(`update events set type = 'x', chain = zeroblob(32) where position = 2`).close();
    await meet(service).catch(() => undefined);
    const exit = await eventually(async () => (isAlive(service.pid()) ? undefined : service.output()));
    expect(exit).toContain(
      'the event log was altered while the service ran: the history up to event 2 is not the one of the end that this service left',
    );
    expect(exit).toContain('stopping: the event log was altered');
    const db = new Database(logOf(service), { access: 'read' });
    expect(db.prepareValue('select count(*) from events').get()).toBe(2);
    db.close();
  }
}, 60_000);

test('an event that is altered while the service runs gets into no proof and no seal: the service stops', async ({
  skip,
}) => {
  skip(onServers, embeddedOnly);
  const service = await started();
  const list = await service.make('/v1/lists/create', { list_name: unique('List') }, 'list_id');
  const contact = { email: 'ada@example.com', firstName: 'Ada', status: 'Subscribed' };
  expect((await service.post(`/v1/contacts/${list}/create`, contact)).status).toBe(200);
  await service.post('/v1/lists/create', { list_name: unique('List') });
  await eventually(async () => ((await citedEvent(service)) as { verified: boolean }).verified || undefined);
  new Database(logOf(service)).exec(`update events set data = replace(data, 'Ada', 'Eve') where position = 3`).close();
  const { status } = await service.get('/v1/audit/contacts/ada%40example.com/proof');
  expect(status).toBe(503);
  const output = await eventually(async () => (isAlive(service.pid()) ? undefined : service.output()));
  expect(output).toContain('the event log was altered: event 3 does not fit its link');
  expect(existsSync(path.join(service.dataDir, 'seals'))).toBe(false);
}, 60_000);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
