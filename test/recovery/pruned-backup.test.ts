/** Cuts the power while older backups are removed. A backup under its full name is complete, whatever else was lost. */
import { renameSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { backUp, newLogFolder, newRoot } from '../support/backups.js';
import { ended, noStrace, startTraced } from '../support/power-cuts.js';

const { root, remove } = newRoot();
const program = new URL('../../dist/audience.js', import.meta.url).pathname;
afterAll(remove);

test('a pruned backup cannot come back in part under its full name', async (context) => {
  if (noStrace !== undefined) context.skip(noStrace);
  const log = await newLogFolder(path.join(root, 'data'));
  const folder = path.join(root, 'backups');
  const { folder: killed } = await backUp(log, folder);
  const { folder: pruned } = await backUp(log, folder);
  // A process was killed after it had renamed the backup, and before it flushed the new name.
  const left = path.join(folder, `.gone-${path.basename(killed)}`);
  renameSync(killed, left);

  const trace = path.join(root, 'trace');
  const child = startTraced(trace, [program, 'backup', folder, '--keep', '1'], { DATA_DIR: log.dataDir });
  expect(await ended(child, trace)).toBe(0);
  const [made = ''] = readdirSync(folder).filter((name) => !name.startsWith('.'));
  const calls = readFileSync(trace, 'latin1').split('\n');
  const find = (call: RegExp, from = 0): number => calls.findIndex((text, at) => at >= from && call.test(text));
  const flushOf = (name: string, from = 0): number => find(new RegExp(`fsync\\(\\d+<${name}>`), from);
  const removalIn = (name: string): number => find(new RegExp(`(unlink|rmdir).*${name}`));
  const renameTo = (name: string): number => find(new RegExp(`rename.*"${name}"`));

  const gone = path.join(folder, `.gone-${path.basename(pruned)}`);
  const whole = path.join(folder, made);
  const steps = [
    // The old backup is removed only when its hidden name is durable.
    flushOf(folder),
    removalIn(left),
    // The new backup gets its name once its files are durable.
    flushOf(`${folder}/\\.draft-\\w+/manifest\\.json`),
    renameTo(whole),
    flushOf(folder, renameTo(whole)),
    // The older backup is removed once its hidden name is durable.
    renameTo(gone),
    flushOf(folder, renameTo(gone)),
    removalIn(gone),
  ];
  expect(steps).not.toContain(-1);
  expect(steps).toEqual(steps.toSorted((one, other) => one - other));
});
