/** Two rounds of the kill test; `npm run test:crash` plays twenty. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('crash.mjs', import.meta.url));

test('two kills under load lose nothing, tear nothing, and send no e-mail twice without a doubt on record', () => {
  const options = ['--rounds', '2', '--load-ms', '1000', '--drain', '0'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...options], {
    encoding: 'utf8',
    timeout: 80_000,
  });
  // The output names the seed, what was missing, and where the data folder is kept.
  expect({ status, stdout, stderr }).toMatchObject({ status: 0, stderr: '' });
}, 90_000);
