/** What somebody does to the log while the service runs gets into no answer that is called evidence, and ends the service. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { AlteredLogError } from '../../src/evidence/guard.js';
import { sealsName } from '../../src/evidence/seal-folder.js';
import { Database } from '../../src/sqlite/database.js';
import { appends, logOf } from './attacks.js';
import { audience } from '../support/audience.js';
import { newFolder } from '../support/evidence-log.js';
import { addContacts, getFrom, startLocally } from '../support/local-service.js';

/** With contacts, and closed at the end. */
async function running(contacts: number, env: NodeJS.ProcessEnv = { SEAL_EVERY: '0' }) {
  const folder = newFolder();
  const service = await startLocally(folder, env);
  onTestFinished(() => service.close());
  const emails = await addContacts(folder, contacts);
  const found: AlteredLogError[] = [];
  void service.altered?.then((error) => found.push(error));
  const get = (target: string) => getFrom(folder, target);
  // A start answers 503 until its views have caught up.
  await expect.poll(async () => (await get('/health/ready')).status, { timeout: 20_000 }).toBe(200);
  return { folder, service, found, emails, get };
}

const auditOf = (email: string, what: string): string => `/v1/audit/contacts/${encodeURIComponent(email)}/${what}`;

/** Made by the command line, as the service keeps its own. */
async function sealIn(folder: string): Promise<void> {
  const out = path.join(folder, 'seal.json');
  expect(await audience(['audit', 'seal', '--out', out, '--data-dir', folder])).toMatchObject({ code: 0 });
  const seal = readFileSync(out, 'utf8');
  const { sealed_at } = JSON.parse(seal) as { sealed_at: string };
  mkdirSync(path.join(folder, sealsName), { recursive: true });
  writeFileSync(path.join(folder, sealsName, `${sealed_at.replaceAll(':', '-')}.json`), seal);
}

const change = (folder: string, sql: string): void => new Database(logOf(folder)).exec(sql).close();

test('a page names no seal where an event of the person was altered, in a block whose root is kept', async () => {
  const { folder, found, emails, get } = await running(130);
  await sealIn(folder);
  const [first = '', second = ''] = emails;
  const page = await get(auditOf(first, 'report'));
  expect(page.status).toBe(200);
  expect(await page.json()).toHaveProperty('data.seal.sealed_at');
  // The first two are the name of the log and the list; then each contact has two.
  change(folder, `update events set data = replace(data, '${first}', 'eve@example.com') where position = 3`);
  expect((await get(auditOf(first, 'report'))).status).toBe(503);
  expect((await get(auditOf(second, 'report'))).status).toBe(503);
  expect(String(found[0])).toContain('event 3 does not fit its link');
});

const append = async (folder: string, how: keyof typeof appends): Promise<void> => {
  const secret = readFileSync(path.join(folder, 'secret'), 'utf8').trim();
  await appends[how]({ folder, older: folder, sealed: 0, secret });
};

const asked: Readonly<Record<string, string>> = {
  'its readiness': '/health/ready',
  'a proof': 'proof',
  'a page': 'report',
  'a history': 'history',
  'the feed': '/v1/audit/events?limit=200',
  'who looked': '/v1/audit/access',
};

test.each(Object.entries(asked))(
  'an event that somebody else appends is found when %s is asked for',
  async (_, what) => {
    // Else the record of who looked would be refused.
    const { folder, found, emails, get } = await running(2, { SEAL_EVERY: '0', ACCESS_LOG: 'off' });
    const honest = (await (await get('/health/ready')).json()) as { data: { evidence: { count: number } } };
    expect(honest.data.evidence.count).toBe(6);
    await append(folder, what === 'proof' ? 'with a right link and the secret' : 'with a right link');
    const answer = await get(what.startsWith('/') ? what : auditOf(emails[1] ?? '', what));
    expect(answer.status).toBe(503);
    const told = await answer.text();
    expect(told).not.toContain('another-id');
    if (what === '/health/ready') expect(told).toContain('"count":6,');
    await vi.waitFor(() => expect(found).toHaveLength(1));
    expect(String(found[0])).toContain(
      'the events after number 6 are not covered by the end that this service left: somebody else wrote them.',
    );
  },
);

test('what somebody else appends is not sealed, though it was made with the secret', async () => {
  const { folder, service, found } = await running(2, { SEAL_EVERY: '24h' });
  await append(folder, 'with a right link and the secret');
  await service.close();
  expect(found).toHaveLength(1);
  const seals = path.join(folder, sealsName);
  expect(existsSync(seals) ? readdirSync(seals) : []).toEqual([]);
});

test('what ends a running service says where the difference lies, in the words of a start, and accuses no honest event', async () => {
  const cases = [
    [`delete from events where position > 4`, 'the log ends after event 4, but ', ' is of 6 events: it was shortened'],
    [
      `update events set chain = zeroblob(32) where position = 6`,
      'the history up to event 6 is not the one of ',
      ': the difference lies at or before event 6',
    ],
    [
      `insert into events select 7, stream_id, 99, 'x', type, data, metadata, '', chain from events where position = 6`,
      'the events after number 6 are not covered by ',
      ': somebody else wrote them',
    ],
  ] as const;
  for (const [sql, begin, end] of cases) {
    const { folder, found, get } = await running(2);
    change(folder, sql);
    expect((await get('/health/ready')).status).toBe(503);
    await vi.waitFor(() => expect(found).toHaveLength(1));
    expect(String(found[0])).toContain(`while the service ran: ${begin}the end that this service left${end}`);
  }
});

test('a start says that SEAL_DIR has a seal of more events than the log', async () => {
  const copies = newFolder();
  const env = { SEAL_EVERY: '24h', SEAL_DIR: copies };
  const { folder, service } = await running(1, env);
  await service.close();
  const older = path.join(newFolder(), 'data');
  cpSync(folder, older, { recursive: true });
  const goesOn = await startLocally(folder, env);
  await addContacts(folder, 3);
  await goesOn.close();
  const said: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => said.push(line) });
  const again = await startLocally(older, env, { logger });
  onTestFinished(() => again.close());
  await vi.waitFor(() => expect(said.join()).toContain('SEAL_DIR has a seal of more events than the log'));
  expect(JSON.parse(said.find((line) => line.includes('SEAL_DIR')) ?? '')).toMatchObject({ count: 11, events: 4 });
});
