/** The owner of the `.env` that the command line reads. */
import { chownSync, lchownSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readEnvFile } from '../../src/app/env-file.js';
import { CommandFailedError } from '../../src/failures.js';
import { audienceProcess } from '../support/audience.js';

function newFolder(text?: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'env-file-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  if (text !== undefined) writeFileSync(path.join(folder, '.env'), text);
  return folder;
}

const me = process.geteuid?.() ?? 0;

function read(folder: string, uid: number | undefined, env: Record<string, string | undefined> = {}) {
  const notices: string[] = [];
  readEnvFile({ folder, env, uid, onNotice: (notice) => notices.push(notice) });
  return { env, notices };
}

const failing = (folder: string, uid: number): unknown => {
  try {
    return read(folder, uid);
  } catch (error) {
    return error;
  }
};

test('a .env of the current user sets the variables that the environment lacks', () => {
  const folder = newFolder('PORT=1\nHOST="two words" # a comment\nEMPTY=x\n');
  expect(read(folder, me, { PORT: '2', EMPTY: '' })).toEqual({
    env: { PORT: '2', HOST: 'two words', EMPTY: '' },
    notices: [],
  });
  expect(read(newFolder(), me)).toEqual({ env: {}, notices: [] });
});

test('a .env that cannot be read is ignored with a notice', () => {
  const folder = newFolder();
  symlinkSync('nowhere', path.join(folder, '.env'));
  expect(read(folder, me)).toEqual({ env: {}, notices: [expect.stringContaining('cannot be read')] });
});

test('a .env of another user is refused with exit code 2, and its owner is named', (context) => {
  if (me !== 0) context.skip('only root can give files away');
  const folder = newFolder('AUDIENCE_URL=http://127.0.0.1:1\n');
  chownSync(path.join(folder, '.env'), 65_534, 65_534);
  const error = failing(folder, 1);
  expect(error).toBeInstanceOf(CommandFailedError);
  expect(error).toMatchObject({ exitCode: 2, type: 'env_file' });
  expect(String(error)).toMatch(
    /\.env belongs to (nobody \()?uid 65534\)?, neither to you \((.*)uid 1\)?\) nor to root/,
  );
  // Files have no such owner on Windows.
  expect(read(folder, undefined).env).toEqual({ AUDIENCE_URL: 'http://127.0.0.1:1' });
});

test('a .env that is a link is refused if the link or its target belongs to another user, but root may own both', (context) => {
  if (me !== 0) context.skip('only root can give files away');
  const target = path.join(newFolder('PORT=1\n'), '.env');
  const folder = newFolder();
  const link = path.join(folder, '.env');
  symlinkSync(target, link);
  expect(read(folder, 1).env).toEqual({ PORT: '1' });
  lchownSync(link, 65_534, 65_534);
  expect(failing(folder, 1)).toMatchObject({ exitCode: 2 });
  lchownSync(link, 1, 1);
  chownSync(target, 65_534, 65_534);
  expect(failing(folder, 1)).toMatchObject({ exitCode: 2 });
});

test(
  'a command stops at the .env of another user, and goes on with --no-env-file',
  { timeout: 60_000 },
  async (context) => {
    if (me !== 0) context.skip('only root can give files away');
    const cwd = newFolder('AUDIENCE_URL=http://127.0.0.1:1\n');
    const status = ['--data-dir', cwd, 'keys', 'list', '--json'];
    expect(await audienceProcess(status, { cwd })).toMatchObject({ code: 1 });
    chownSync(path.join(cwd, '.env'), 65_534, 65_534);
    const { code, out, err } = await audienceProcess(status, { cwd });
    expect({ code, answer: JSON.parse(out) }).toEqual({
      code: 2,
      answer: { error: { type: 'env_file', message: expect.stringContaining('--no-env-file') } },
    });
    expect(err).toContain('uid 65534');
    const without = await audienceProcess(['--no-env-file', ...status], { cwd });
    expect(without).toMatchObject({ code: 1, err: expect.stringContaining('No service runs on this data folder') });
  },
);

test(
  'a mail server keeps its report when .env belongs to another user, because the command ends with 75',
  { timeout: 60_000 },
  async (context) => {
    if (me !== 0) context.skip('only root can give files away');
    const cwd = newFolder('AUDIENCE_URL=http://127.0.0.1:1\n');
    chownSync(path.join(cwd, '.env'), 65_534, 65_534);
    const report = ['email', 'report', 'bounce@mail.example.com'];
    expect(await audienceProcess(report, { cwd })).toMatchObject({
      code: 75,
      err: expect.stringContaining('uid 65534') as unknown,
    });
  },
);
