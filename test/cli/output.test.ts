/** What is written to standard output has arrived, or the command fails and says so. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anEvent, initialised, newFolder, openFolder } from '../support/migrating.js';

const program = fileURLToPath(new URL('../../dist/audience.js', import.meta.url));
let folder = '';

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'output-'));
  const store = await openFolder(folder);
  await store.append('service', [initialised()], { expectedRevision: 'no_stream' });
  const some = Array.from({ length: 100 }, (_, n) => anEvent(JSON.stringify({ n, text: 'x'.repeat(2_000) })));
  await store.append('s-1', some, { expectedRevision: 'no_stream' });
  await store.close();
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** `shell`: what starts the program as `"$@"`. */
async function ended(shell: string, words: readonly string[], out: number | 'ignore' = 'ignore') {
  const command = [process.execPath, program, '--data-dir', folder, ...words];
  const child = spawn('/bin/sh', ['-c', shell, 'sh', ...command], { cwd: tmpdir(), stdio: ['ignore', out, 'pipe'] });
  let err = '';
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString('utf8')));
  await once(child, 'close');
  return { code: child.exitCode, err };
}

test('the built program may be run as it is, as npx does', () => {
  expect(statSync(program).mode & 0o111).toBe(0o111);
});

const commands = [
  ['audit', 'verify'],
  ['audit', 'verify', '--json'],
  ['audit', 'events'],
  ['export', 'events', '--out', '-'],
  ['export', 'events', '--format', 'csv', '--out', '-'],
  ['--help'],
];

describe('a full disk is exit code 1, and is told', () => {
  test.runIf(existsSync('/dev/full')).each(commands.map((words) => [words]))(
    '%j',
    { timeout: 60_000 },
    async (words) => {
      const { code, err } = await ended('exec "$@" > /dev/full', words);
      expect({ code, err: err.trim().split('\n') }).toEqual({
        code: 1,
        err: ['Standard output cannot be written to (ENOSPC): what arrived there is not whole.'],
      });
    },
  );

  test('a write that is cut short does not pass for a whole one', { timeout: 60_000 }, async () => {
    const file = path.join(newFolder(), 'cut');
    const out = openSync(file, 'w', 0o600);
    // Blocks of 512 bytes. Node leaves the signal that comes with the limit unheard.
    const { code, err } = await ended('ulimit -f 100 && exec "$@"', ['export', 'events', '--out', '-'], out);
    closeSync(out);
    expect(statSync(file).size).toBeLessThan(200_000);
    expect(code).toBe(1);
    expect(err).toContain('(EFBIG)');
    expect(err).not.toContain('Exported');
  });
});

test('a reader that is gone is no failure', { timeout: 60_000 }, async () => {
  const { code, err } = await ended('{ "$@"; echo "ended with $?" >&2; } | head -c 1', [
    'export',
    'events',
    '--out',
    '-',
  ]);
  expect({ code, err }).toEqual({ code: 0, err: 'ended with 0\n' });
});
