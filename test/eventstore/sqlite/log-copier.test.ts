/** The process that copies the log for a backup. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Database } from '../../../src/sqlite/database.js';
import { openLog, said } from '../../support/event-log.js';

const program = fileURLToPath(new URL('../../../dist/eventstore/sqlite/log-copier.js', import.meta.url));

test('ends with the process that started it, however long the copy would take', async () => {
  const { store, file } = await openLog();
  await store.append('a', [said()], { expectedRevision: 'no_stream' });
  await store.close();
  const other = new Database(file);
  // The copy waits for it.
  other.pragma('locking_mode = exclusive');
  other.exec('begin exclusive');
  const child = spawn(process.execPath, [program, file, `${file}.copy`], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.end();
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  other.close();
});
