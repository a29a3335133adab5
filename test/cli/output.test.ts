/** What is written to standard output has arrived, or the command fails and says so. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createErrorOutput, createOutput, type OutputStream } from '../../src/cli/output.js';
import { audience, notRecorded } from '../support/audience.js';
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

describe('control characters', () => {
  /** ESC, a line break, CR, DEL, a C1 control and a character that turns the direction. */
  const hostile = 'a\u001b]0;b\u0007\n\r\u007f\u009b\u202ec';
  const shown = 'a\\u001b]0;b\\u0007\\u000a\\u000d\\u007f\\u009b\\u202ec';
  const isRaw = (text: string): boolean => /[\p{Cc}\u202e]/u.test(text.replaceAll('\n', ''));

  test('control characters in a file name that the command prints are shown as codes', async () => {
    const file = path.join(newFolder(), `${hostile}.ndjson`);
    const { code, out, err } = await audience(['--data-dir', folder, 'export', 'events', '--out', file]);
    expect([code, err]).toEqual([0, notRecorded]);
    expect(existsSync(file)).toBe(true);
    expect(out).toContain(`${shown}.ndjson`);
    expect(isRaw(out)).toBe(false);
  });

  test.each([
    ['a file that cannot be written', ['export', 'events', '--out', `/nowhere/${hostile}`]],
    ['an unknown thing to export', ['export', hostile]],
    ['an unknown option', ['audit', `--${hostile}`]],
    ['a wrong value', ['audit', 'events', '--types', hostile]],
    ['a seal that is missing', ['audit', 'verify', '--seal', `/nowhere/${hostile}`]],
    ['a folder that cannot be made', ['backup', `/dev/null/${hostile}`]],
    ['a file that is missing', ['import', 'events', `/nowhere/${hostile}`]],
    ['an address of no log', ['migrate', '--from', hostile, '--to', `/nowhere/${hostile}`]],
  ])('control characters in %s are shown as codes', async (_name, words) => {
    for (const json of [[], ['--json']]) {
      const { code, out, err } = await audience(['--data-dir', folder, ...words, ...json]);
      expect(code).not.toBe(0);
      expect(isRaw(out + err)).toBe(false);
      expect(err).not.toContain('\n\r');
    }
  });

  test('control characters in text for people become codes, styles and lines of the command stay, and data is not changed', async () => {
    const pieces: (string | Uint8Array)[] = [];
    const write = (piece: string | Uint8Array, done?: (error?: Error | null) => void): boolean => {
      pieces.push(piece);
      done?.();
      return true;
    };
    const stream = (isTTY: boolean): OutputStream => ({ isTTY, write: write as OutputStream['write'] });
    const data = Buffer.from(hostile);
    const styled = '\u001b[1m\u001b[31ma\u001b[39m\u001b[22m';
    await createOutput(stream(true)).write(`${styled}\tb\u009b\u001b[2J\n`);
    await createOutput(stream(false)).write(`${styled}\n`);
    await createOutput(stream(true)).write(data);
    createErrorOutput({ isTTY: true, write }).write('\r[##] a\u009b\u001b[K');
    createErrorOutput({ isTTY: false, write }).write('\r\u001b[31m\n');
    expect(pieces).toEqual([
      `${styled}\tb\\u009b\\u001b[2J\n`,
      '\\u001b[1m\\u001b[31ma\\u001b[39m\\u001b[22m\n',
      data,
      '\r[##] a\\u009b\u001b[K',
      '\\u000d\\u001b[31m\n',
    ]);
  });
});
