/** Several processes that append to one register, as to the one in SEAL_DIR, and are killed while they write. */
import { spawn } from 'node:child_process';
import { createSecretKey, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readRegister } from '../../src/recovery/register-file.js';
import { freshFolder } from '../support/service.js';

const folder = freshFolder();
const secret = 'a secret of at least 32 bytes, for a test';
const logId = randomUUID();
afterAll(() => rmSync(folder, { recursive: true }));

/** Appends batches of lines, and reports when each batch is durable. A batch may be larger than one write of Node. */
const program = `
  import { createSecretKey } from 'node:crypto';
  import { writeSync } from 'node:fs';
  import { appendLines } from '${new URL('../../dist/recovery/register-file.js', import.meta.url).href}';
  import { lineOf } from '${new URL('../../dist/recovery/register-line.js', import.meta.url).href}';
  const [file, writer, size, batches] = process.argv.slice(1);
  const owner = { logId: '${logId}', key: createSecretKey('${secret}', 'utf8') };
  const newLine = (id) => lineOf({ stream: 'apikey-' + id, revision: 1n, id, type: 'ApiKeyRevoked', data: '{"key_id":"a"}', metadata: '{}' }, owner);
  for (let batch = 0; batch < Number(batches); batch += 1) {
    const ids = Array.from({ length: Number(size) }, (_, at) => [writer, batch, at].join('-'));
    await appendLines(file, ids.map(newLine));
    writeSync(1, ids.join('\\n') + '\\n');
  }
`;

interface Writer {
  /** Kills the process when it has appended a batch. */
  kill(): Promise<void>;
  /** Returns the ids of lines that are durable. */
  ended(): Promise<readonly string[]>;
}

function startWriter(file: string, name: string, { size, batches }: { size: number; batches: number }): Writer {
  const words = ['--input-type=module', '-e', program, file, name, String(size), String(batches)];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  const closed = once(child, 'close');
  return {
    async kill() {
      if (out === '') await once(child.stdout, 'data');
      child.kill('SIGKILL');
    },
    async ended() {
      await closed;
      return out.split('\n').slice(0, -1);
    },
  };
}

function idsIn(file: string): { readonly ids: readonly string[]; readonly invalid: readonly number[] } {
  const { lines, invalid } = readRegister(file, { logId, key: createSecretKey(secret, 'utf8') });
  return { ids: lines.map(({ event_id }) => event_id), invalid };
}

test('two processes that append to one register never damage a line of the other, however many lines come at once', async () => {
  const file = path.join(folder, 'shared.ndjson');
  const writers = ['one', 'two'].map((name) => startWriter(file, name, { size: 3_000, batches: 4 }));
  const kept = (await Promise.all(writers.map((writer) => writer.ended()))).flat();
  const { ids, invalid } = idsIn(file);
  expect(kept).toHaveLength(24_000);
  expect({ count: ids.length, invalid }).toEqual({ count: kept.length, invalid: [] });
  expect(readFileSync(file, 'utf8').endsWith('\n')).toBe(true);
});

test('a process that is killed while it appends damages no durable line, and at most its own last line', async () => {
  const file = path.join(folder, 'killed.ndjson');
  const kept: string[] = [];
  for (let round = 0; round < 4; round += 1) {
    const victim = startWriter(file, `victim-${round}`, { size: 2_000, batches: 1_000 });
    const other = startWriter(file, `other-${round}`, { size: 10, batches: 40 });
    await victim.kill();
    kept.push(...(await victim.ended()), ...(await other.ended()));
  }
  const { ids, invalid } = idsIn(file);
  const known = new Set(ids);
  expect(kept.filter((id) => !known.has(id))).toEqual([]);
  expect(invalid.length).toBeLessThanOrEqual(4);
});
