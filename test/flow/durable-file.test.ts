/** Small files that are complete or absent, and belong to the owner of their folder. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createDurably,
  createPrivately,
  makeSubfolder,
  removeDrafts,
  writeDurably,
} from '../../src/flow/durable-file.js';

function newFolder(): string {
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'durable-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const nobody = 65_534;

test('root gives a new file to the owner and the group of its folder', (context) => {
  if (process.geteuid?.() !== 0) context.skip('only root can give files away');
  const folder = newFolder();
  fs.chownSync(folder, nobody, 4_321);
  const file = (name: string): string => path.join(folder, name);
  writeDurably(file('written'), 'a');
  createDurably(file('created'), 'b');
  createPrivately(file('private.db'));
  makeSubfolder(file('inside'));
  createDurably(path.join(folder, 'inside', 'deep'), 'c');
  for (const name of ['written', 'created', 'private.db', 'inside', 'inside/deep']) {
    const { uid, gid, mode } = fs.statSync(file(name));
    expect({ name, uid, gid, rights: mode & 0o077 }).toEqual({ name, uid: nobody, gid: 4_321, rights: 0 });
  }
});

test('root does not write through a link that the owner of the folder planted', (context) => {
  if (process.geteuid?.() !== 0) context.skip('only root can give files away');
  const [folder, elsewhere] = [newFolder(), newFolder()];
  const target = path.join(elsewhere, 'target');
  fs.writeFileSync(target, 'untouched');
  fs.chownSync(folder, nobody, nobody);
  const file = path.join(folder, 'written');
  fs.symlinkSync(target, `${file}.${process.pid}.tmp`);
  writeDurably(file, 'new');
  expect(fs.readFileSync(file, 'utf8')).toBe('new');
  expect(fs.lstatSync(file).isFile()).toBe(true);
  expect(fs.readFileSync(target, 'utf8')).toBe('untouched');
  expect(fs.statSync(target).uid).toBe(0);
});

describe('drafts', () => {
  test('a draft that cannot be completed is removed, because it may hold a secret', () => {
    const folder = newFolder();
    fs.mkdirSync(path.join(folder, 'taken'));
    fs.writeFileSync(path.join(folder, 'taken', 'inside'), '');
    expect(() => writeDurably(path.join(folder, 'taken'), 'secret')).toThrow();
    expect(fs.readdirSync(folder)).toEqual(['taken']);
  });

  test('only old drafts of known files are removed, and no links or folders', () => {
    const folder = newFolder();
    const names = ['secret.1.tmp', 'secret.22.tmp', 'secret.tmp', 'secret.1.tmp.txt', 'notes.1.tmp', 'secret'];
    for (const name of names) fs.writeFileSync(path.join(folder, name), name);
    fs.symlinkSync('secret', path.join(folder, 'secret.3.tmp'));
    fs.mkdirSync(path.join(folder, 'secret.4.tmp'));
    const isOurs = (name: string): boolean => name === 'secret';
    fs.utimesSync(path.join(folder, 'secret.1.tmp'), 1_000, 1_000);
    removeDrafts(folder, { isOurs, olderThan: 1_000_000 });
    const all = [...names, 'secret.3.tmp', 'secret.4.tmp'];
    expect(fs.readdirSync(folder).sort()).toEqual(all.filter((name) => name !== 'secret.1.tmp').sort());
    removeDrafts(path.join(folder, 'gone'), { isOurs, olderThan: 0 });
  });
});

const hasStrace = spawnSync('strace', ['-V']).status === 0;

test.skipIf(!hasStrace)('the name of each new folder is flushed in its parent (seen by strace)', () => {
  const folder = newFolder();
  const made = path.join(folder, 'one', 'two');
  const module = new URL('../../dist/flow/durable-file.js', import.meta.url).href;
  const program = `const { makeFolder } = await import(${JSON.stringify(module)}); makeFolder(${JSON.stringify(made)});`;
  const node = [process.execPath, '--input-type=module', '-e', program];
  const { stderr, status } = spawnSync('strace', ['-f', '-y', '-e', 'trace=mkdir,mkdirat,fsync', ...node], {
    encoding: 'utf8',
  });
  expect(status).toBe(0);
  const calls = stderr.split('\n').filter((line) => line.includes(folder) && line.includes('= 0'));
  const flushed = calls.filter((line) => line.includes('fsync')).map((line) => /<(.+)>/.exec(line)?.[1]);
  expect(flushed.sort()).toEqual([fs.realpathSync(folder), path.join(fs.realpathSync(folder), 'one')]);
});
