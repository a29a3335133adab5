/** What `npm run demo` can be asked, and which folders it leaves alone. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findDemo, makeDemo } from '../../demo/folder.js';
import { readOptions } from '../../demo/options.js';

const now = Date.UTC(2026, 4, 1, 14, 30);
const options = { folder: '', people: 60, seed: 7, until: Date.UTC(2026, 4, 1) };

function freshPlace(): string {
  const place = mkdtempSync(path.join(tmpdir(), 'demo-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  return place;
}

test('without options: ten thousand people, to the begin of today', () => {
  expect(readOptions([], now)).toEqual({
    folder: path.resolve('demo-data'),
    people: 10_000,
    seed: 1,
    until: Date.UTC(2026, 4, 1),
  });
  expect(readOptions(['--until', '2026-02-28', '--people', '60'], now)).toMatchObject({
    people: 60,
    until: Date.UTC(2026, 1, 28),
  });
  expect(readOptions(['--help'], now)).toBeUndefined();
});

test.each([
  ['--people', '3'],
  ['--people', 'many'],
  ['--seed', '-1'],
  ['--until', '2026-02-31'],
  ['--until', 'now'],
  ['--faster'],
])('refuses %s %s', (...args) => {
  expect(() => readOptions(args, now)).toThrow(expect.objectContaining({ name: 'UsageError' }));
});

test('a folder that is there whole is found; one that is not of the demo is refused', async () => {
  const folder = path.join(freshPlace(), 'demo-data');
  expect(findDemo(folder)).toBeUndefined();
  const made = await makeDemo({ ...options, folder }, (half) => {
    mkdirSync(half);
    return Promise.resolve({ events: 3, supportKey: 'demo-support' });
  });
  expect(made).toEqual({ people: 60, seed: 7, until: '2026-05-01', events: 3, support_key: 'demo-support' });
  expect(findDemo(folder)).toEqual(made);
  expect(() => findDemo(path.dirname(folder))).toThrow(/not made by the demo/);
});

test('what a run left half-made is made again', async () => {
  const folder = path.join(freshPlace(), 'demo-data');
  const half = `${folder}.half`;
  mkdirSync(half);
  writeFileSync(path.join(half, 'secret'), 'of the run before');
  const make = (given: string) => {
    mkdirSync(given);
    return Promise.reject(new Error('stopped'));
  };
  await expect(makeDemo({ ...options, folder }, make)).rejects.toThrow('stopped');
  expect(findDemo(folder)).toBeUndefined();
});
