/** SIGKILL in the middle of erasures, as soon as a step is seen: the next start carries them through, once, and nothing is left. */
import { Database } from '../../src/sqlite/database.js';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { usually } from '../support/amount.js';
import { ok } from '../support/answers.js';
import { onServers } from '../support/stores.js';
import { eventually, startService, type Service } from '../support/service.js';

const mails = 12;
let service: Service;
let list = '';
beforeAll(async () => {
  service = await startService();
  list = await service.make('/v1/lists/create', { list_name: 'News' }, 'list_id');
});
afterAll(() => service.close());

interface Seen {
  /** Types of the events that name the erasure or an e-mail that it erased. */
  readonly types: readonly string[];
  readonly digests: number;
  readonly files: number;
}

/** What of an erasure can be seen from outside. */
const steps: readonly (readonly [string, (seen: Seen) => boolean])[] = [
  ['requested', ({ types }) => types.includes('ErasureRequested')],
  ['contact erased', ({ types }) => types.includes('ContactErased')],
  ['refused mail erased', ({ types }) => types.includes('SuppressionErased')],
  ['an e-mail erased', ({ types }) => types.includes('EmailErased')],
  ['events redacted', ({ digests }) => digests > 0],
  ['files removed', ({ files }) => files < mails],
  ['all but completed', ({ files }) => files === 0],
];

const filesOf = (ids: readonly string[]): number =>
  ids.filter((id) => existsSync(path.join(service.dataDir, 'outbox', `${id}.eml`))).length;

function traces(needle: string): string[] {
  const names = readdirSync(service.dataDir, { recursive: true, encoding: 'utf8' });
  const files = names.map((name) => path.join(service.dataDir, name)).filter((file) => statSync(file).isFile());
  return files.filter((file) => readFileSync(file).includes(needle));
}

async function send(to: string): Promise<string> {
  const body = { from_email: 'ledger@example.com', to_email: to, subject: `For ${to}`, mail_template: '<p>Hello</p>' };
  return String((await ok(service.post('/v1/email/send', body))).headers.location).replace('/v1/email/', '');
}

const rounds = Array.from({ length: usually(3, 200) }, (_, round) => round);

test.skipIf(onServers).each(rounds)('round %i', async (round) => {
  const [name, isSeen] = steps[(round * 2 + 1) % steps.length] ?? ['', () => true];
  const email = `gone-${round}@privat.example`;
  await ok(service.post(`/v1/contacts/${list}/create`, { email, status: 'Subscribed' }));
  await ok(service.post('/v1/suppressions', { email, reason: 'unsubscribe', scope: list, note: `${email} rang` }));
  const ids = await Promise.all(Array.from({ length: mails }, () => send(email)));
  await eventually(async () => (filesOf(ids) === mails ? true : undefined), { what: 'the outbox' });
  const db = new Database(path.join(service.dataDir, 'events.db'), { access: 'read' });
  const after = db.prepareValue<[], number>('select max(position) from events');
  const begin = after.get() ?? 0;
  const ofTypes = db.prepareValue<[number], string>('select type from log where position > ?');
  const ofDigests = db.prepareValue<[number, string], number>(
    'select count(*) from log where position > ? and data like ?',
  );
  const from = begin - 3 * mails - 3;
  const answer = await service.post('/v1/privacy/erasures', { email });
  expect(answer.status).toBe(202);
  const seen = (): Seen => ({
    types: ofTypes.all(begin),
    digests: ofDigests.get(from, '%"sha256:%') ?? 0,
    files: filesOf(ids),
  });
  await vi.waitFor(() => expect(isSeen(seen()), name).toBe(true), { interval: 1, timeout: 20_000 });
  db.close();
  await service.kill('SIGKILL');

  await service.start();
  const shown = await eventually(async () => {
    const { data } = (await ok(service.get(String(answer.headers.location)))).body as { data: Record<string, unknown> };
    return data['status'] === 'completed' ? data : undefined;
  });
  expect(shown).toMatchObject({ contacts: 1, emails: mails });
  const events = (await service.events()).filter(({ position }) => Number(position) > begin);
  const count = (type: string): number => events.filter((event) => event.type === type).length;
  const once = ['ErasureRequested', 'ContactErased', 'SuppressionErased', 'ErasureCompleted'];
  expect([...once, 'EmailErased'].map(count)).toEqual([1, 1, 1, 1, mails]);
  const refused = (await ok(service.post('/v1/suppressions/search', { email }))).body;
  expect(refused).toMatchObject({ data: { active: [{ scope: list, reason: 'unsubscribe' }] } });
  expect(traces(email)).toEqual([]);
  expect(filesOf(ids)).toBe(0);
});
