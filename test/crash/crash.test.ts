/** One round of the kill test, ten in `npm run test:long`; `npm run test:crash` plays twenty. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { usually } from '../support/amount.js';

const script = fileURLToPath(new URL('crash.mjs', import.meta.url));

test(
  'kills under load lose nothing, tear nothing, and send no e-mail twice without a doubt on record',
  () => {
    const options = ['--rounds', usually('1', '10'), '--load-ms', '500', '--drain', '0'];
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...options], {
      encoding: 'utf8',
      timeout: usually(80_000, 600_000),
    });
    // The output names the seed, what was missing, and where the data folder is kept.
    expect({ status, stdout, stderr }).toMatchObject({ status: 0, stderr: '' });
  },
  usually(90_000, 610_000),
);
