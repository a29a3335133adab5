/** The folder of seals: what is found in it, and that nothing there is replaced. */
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { copySeals, keepSeal, newestSeal, sealsIn } from '../../src/evidence/seal-folder.js';
import { createSeal, type Seal } from '../../src/evidence/seal.js';
import { newFolder } from '../support/evidence-log.js';

const { privateKey: key } = generateKeyPairSync('ed25519');

function sealAt(sealedAt: string, count: number): Seal {
  const verification = {
    ...{ intact: true, log_id: 'a-log', count, position: String(count) },
    ...{ event_id: '6f1e0f0a-8c1b-4b52-9d0e-3a7c5b2d1e4f', head: 'a'.repeat(64), root: 'b'.repeat(64) },
  } as const;
  return createSeal({ verification, key, now: Date.parse(sealedAt) });
}

test('the newest seal is the one that was made last, and what is no seal does no harm', () => {
  const folder = path.join(newFolder(), 'seals');
  expect(newestSeal(folder)).toBeUndefined();
  const newest = sealAt('2026-03-02T00:00:00.000Z', 5);
  const files = [newest, sealAt('2026-03-01T23:59:59.999Z', 7)].map((seal) => keepSeal(folder, seal));
  writeFileSync(path.join(folder, 'zzz.json'), '{"format":"audience-ledger-seal/1"}');
  writeFileSync(path.join(folder, 'notes.txt'), 'no seal');
  expect(newestSeal(folder)).toEqual(newest);
  expect(sealsIn(folder).map(({ seal }) => seal?.count)).toEqual([7, 5, undefined]);
  expect(path.basename(files[0] ?? '')).toBe('2026-03-02T00-00-00.000Z.json');
  expect(statSync(folder).mode & 0o077).toBe(0);
});

test('a seal is never replaced', () => {
  const folder = newFolder();
  const file = keepSeal(folder, sealAt('2026-03-02T00:00:00.000Z', 5));
  const before = readFileSync(file, 'utf8');
  expect(() => keepSeal(folder, sealAt('2026-03-02T00:00:00.000Z', 6))).toThrow('is there already');
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('what is missing in the second place is copied, nothing there is replaced', async () => {
  const [folder, copies] = [newFolder(), path.join(newFolder(), 'copies')];
  const names = ['2026-03-01T00:00:00.000Z', '2026-03-02T00:00:00.000Z'].map((time, at) =>
    path.basename(keepSeal(folder, sealAt(time, at + 1))),
  );
  writeFileSync(path.join(folder, 'other.json'), '{}');
  await expect(copySeals(folder, copies)).rejects.toThrow('ENOENT');
  mkdirSync(copies);
  writeFileSync(path.join(copies, names[0] ?? ''), 'as it was');
  await copySeals(folder, copies);
  expect(readdirSync(copies).sort()).toEqual(names);
  expect(readFileSync(path.join(copies, names[0] ?? ''), 'utf8')).toBe('as it was');
  expect(newestSeal(copies)).toEqual(newestSeal(folder));
  await copySeals(path.join(folder, 'none'), copies);
});

test.each([0, 1, 200])('a copy that a crash cut off after %i bytes is made whole', async (bytes) => {
  const [folder, copies] = [newFolder(), newFolder()];
  for (const day of ['01', '02']) keepSeal(folder, sealAt(`2026-03-${day}T00:00:00.000Z`, Number(day)));
  await copySeals(folder, copies);
  const [, newest = ''] = readdirSync(copies).sort();
  truncateSync(path.join(copies, newest), bytes);
  expect(sealsIn(copies).map(({ seal }) => seal?.count)).toEqual([1, undefined]);
  keepSeal(folder, sealAt('2026-03-03T00:00:00.000Z', 3));
  await copySeals(folder, copies);
  expect(sealsIn(copies).map(({ text }) => text)).toEqual(sealsIn(folder).map(({ text }) => text));
});
