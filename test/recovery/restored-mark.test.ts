import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { deriveRestoredKey } from '../../src/events/streams.js';
import { demandOwnMark, markRestored, restoredIn, type RestoredMark } from '../../src/recovery/restored-mark.js';

const key = deriveRestoredKey('a secret of the tests, long enough for a key');
const unsigned = { event_id: randomUUID(), log_id: 'log', count: 7, root: 'a'.repeat(64) };
const log = { logId: 'log', key, rootAt: () => Promise.resolve<string | undefined>(unsigned.root) };

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'restored-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
const fileIn = (folder: string): string => path.join(folder, 'restored.json');
function written(): RestoredMark {
  const folder = newFolder();
  markRestored(folder, unsigned, key);
  const mark = restoredIn(folder, { exists: () => true });
  if (mark === undefined) throw new Error('there is no mark');
  return mark;
}

test('accepts a mark that was written with the secret of the log, also on a store that keeps no tree', async () => {
  await demandOwnMark(written(), log);
  await demandOwnMark(written(), { ...log, rootAt: () => Promise.resolve(undefined) });
});

test.each<Partial<RestoredMark>>([
  { count: 6 },
  { root: 'b'.repeat(64) },
  { event_id: randomUUID() },
  { mac: 'c'.repeat(64) },
])('refuses a mark in which a member was changed (%o)', async (change) => {
  const mark = { ...written(), ...change };
  const rootAt = () => Promise.resolve(mark.root);
  await expect(demandOwnMark(mark, { ...log, rootAt })).rejects.toThrow('altered or forged');
});

test('refuses a mark that was written with another secret', async () => {
  const other = deriveRestoredKey('another secret of the tests, long enough for a key');
  await expect(demandOwnMark(written(), { ...log, key: other })).rejects.toThrow('altered or forged');
});

test('refuses the mark of another log, of other events, and of more events than the log has', async () => {
  const otherLog = 'restored.json is of another log';
  await expect(demandOwnMark(written(), { ...log, logId: 'other' })).rejects.toThrow(otherLog);
  await expect(demandOwnMark(written(), { ...log, logId: undefined })).rejects.toThrow(otherLog);
  const rootAt = () => Promise.resolve('b'.repeat(64));
  await expect(demandOwnMark(written(), { ...log, rootAt })).rejects.toThrow(otherLog);
  const tooShort = () => Promise.reject(new RangeError('the tree has no event 7'));
  await expect(demandOwnMark(written(), { ...log, rootAt: tooShort })).rejects.toThrow(otherLog);
});

test('refuses a mark without a MAC', () => {
  const folder = newFolder();
  markRestored(folder, unsigned, key);
  expect(JSON.parse(readFileSync(fileIn(folder), 'utf8'))).toEqual({ ...unsigned, mac: expect.any(String) as string });
  writeFileSync(fileIn(folder), JSON.stringify(unsigned));
  expect(() => restoredIn(folder, { exists: () => true })).toThrow('cannot be read');
});
