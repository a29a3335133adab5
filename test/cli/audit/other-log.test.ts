/** A seal of another log says nothing about this log. Commands say so before they compare anything, and blame nobody. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createSeal } from '../../../src/integrity/seal.js';
import { audience } from '../../support/audience.js';
import { exported, newFolder, runVerifier } from '../../support/integrity-log.js';
import { personOf, sealKey, secret, writePast } from '../../support/proofs.js';

const otherId = '0e6f4a3c-7d2b-4f18-9a5e-3c1d8b7f6a20';

/** A seal over this number of events of another log. */
function otherSeal(folder: string, count: number): string {
  const root = 'ab'.repeat(32);
  const file = path.join(folder, `other-${count}.json`);
  const seal = createSeal({ log_id: otherId, seq: 1, restores: 0, count, root, final: false }, sealKey, 0);
  writeFileSync(file, JSON.stringify(seal));
  return file;
}

test.each([5, 5_000])('a seal over %s events of another log', async (count) => {
  const folder = newFolder();
  const log = await writePast(folder);
  const seal = otherSeal(folder, count);
  const { email } = personOf(1);
  const out = path.join(folder, 'out');
  const file = await exported(log);
  const on = async (...words: readonly string[]) => {
    const ended = await audience(['--data-dir', folder, ...words], { env: { SECRET: secret } });
    return { code: ended.code, output: ended.out + ended.err };
  };
  const intoNew = ['--data-dir', path.join(newFolder(), 'new'), 'import', 'events', file, '--seal', seal];
  const asked = {
    verify: () => on('audit', 'verify', '--seal', seal),
    report: () => on('audit', 'report', email, '--seal', seal, '--out', out),
    prove: () => on('audit', 'prove', email, '--seal', seal, '--out', out),
    consistency: () => on('audit', 'consistency', seal, seal, '--out', out),
    import: () => on(...intoNew),
    'verify.mjs': () => runVerifier(file, seal),
  };
  for (const [what, ask] of Object.entries(asked)) {
    const { code, output } = await ask();
    expect(code, what).not.toBe(0);
    expect(output, what).toContain(`is of the log ${otherId}, `);
    expect(output, what).not.toMatch(/altered|as it was written|shortened|difference lies|THE RECORD|intact/i);
  }
  const { code, output } = await on('audit', 'verify', '--json', '--seal', seal);
  expect(code).toBe(1);
  expect(JSON.parse(output)).toMatchObject({ difference: { kind: 'log' }, seals: [{ state: 'fails' }] });
});
