/** Leases that share a connection to the views. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { leasesOf } from '../../src/stores/own-lease.js';

it('gives leases again once the views can be opened', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'own-lease-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const folder = path.join(root, 'later');
  const openLease = leasesOf(async () => openSqliteReadModels({ file: path.join(folder, 'views.db') }));
  await expect(openLease('seals', 1_000)).rejects.toThrow();
  mkdirSync(folder);
  const lease = await openLease('seals', 1_000);
  const other = await openLease('retention', 1_000);
  await lease?.close();
  // The connection stays until the last of them is closed.
  expect(await other?.hold(AbortSignal.timeout(5_000))).toBeTypeOf('number');
  await other?.close();
});
