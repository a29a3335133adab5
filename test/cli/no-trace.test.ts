/** Commands that only read leave the data folder as it was: no views are made, nothing of SQLite's stays, no symlink is followed. */
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { audience } from '../support/audience.js';
import { freshFolder, startService, type Service } from '../support/service.js';

let service: Service;
let contactId: string;
const long = { timeout: 60_000 };

beforeAll(async () => {
  service = await startService();
  const listId = await service.make('/v1/lists/create', { list_name: 'News' }, 'list_id');
  const contact = { email: 'ada@example.com', status: 'Subscribed' };
  contactId = await service.make(`/v1/contacts/${listId}/create`, contact, 'contact_id');
  expect((await service.get('/v1/lists')).status).toBe(200);
  await service.kill('SIGTERM');
});
afterAll(() => service.close());

function copied(): string {
  const folder = freshFolder();
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(service.dataDir, folder, { recursive: true });
  return folder;
}

const traceOf = (folder: string): unknown =>
  readdirSync(folder)
    .sort()
    .map((name) => {
      const { mtimeMs, size, uid, mode } = statSync(path.join(folder, name));
      return { name, mtimeMs, size, uid, mode };
    });

const reads = (): string[][] => [
  ['audit', 'verify'],
  ['audit', 'history', contactId],
  ['audit', 'at', 'ada@example.com', '--time', '2999-01-01'],
  ['audit', 'events'],
  ['export', 'events', '--out', '-'],
  ['projections', 'status'],
];

test.each([
  ['with its views', [], 0o700],
  ['without views, of which none are made', ['views.db'], 0o700],
  ['that cannot be written to', [], 0o500],
])('a data folder %s stays as it was', long, async (_, removed, mode) => {
  const folder = copied();
  for (const name of removed) rmSync(path.join(folder, name));
  chmodSync(folder, mode);
  const before = traceOf(folder);
  for (const words of reads()) {
    const { code, err } = await audience(['--data-dir', folder, ...words]);
    expect({ words, code, err: code === 0 ? '' : err }).toEqual({ words, code: 0, err: '' });
    expect(traceOf(folder), words.join(' ')).toEqual(before);
  }
  chmodSync(folder, 0o700);
});

test('what a killed service has left beside its stores is read and stays', long, async () => {
  const crashed = await startService();
  onTestFinished(() => crashed.close());
  await crashed.make('/v1/lists/create', { list_name: 'News' }, 'list_id');
  await crashed.kill('SIGKILL');
  const namesBefore = readdirSync(crashed.dataDir).sort();
  const log = readFileSync(path.join(crashed.dataDir, 'events.db'));
  const wal = readFileSync(path.join(crashed.dataDir, 'events.db-wal'));
  const { code, out } = await audience(['--data-dir', crashed.dataDir, 'audit', 'events', '--types', 'ListCreated']);
  expect(code).toBe(0);
  expect(out).toContain('ListCreated');
  expect(readdirSync(crashed.dataDir).sort()).toEqual(namesBefore);
  expect(readFileSync(path.join(crashed.dataDir, 'events.db')).equals(log)).toBe(true);
  expect(readFileSync(path.join(crashed.dataDir, 'events.db-wal')).equals(wal)).toBe(true);
});

test('a seal is not written through a symlink that somebody has put in its place', long, async () => {
  const [folder, shared] = [copied(), copied()];
  const victim = path.join(shared, 'victim');
  writeFileSync(victim, 'precious');
  const out = path.join(shared, 'seal.json');
  symlinkSync(victim, out);
  const refused = await audience(['--data-dir', folder, 'audit', 'seal', '--out', out]);
  expect(refused.code).not.toBe(0);
  const { code } = await audience(['--data-dir', folder, 'audit', 'seal', '--out', out, '--force']);
  expect(code).toBe(0);
  expect(readFileSync(victim, 'utf8')).toBe('precious');
  expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({ format: 'audience-ledger-seal/2' });
  expect(readdirSync(shared).filter((name) => name.startsWith('.seal-'))).toEqual([]);
});
