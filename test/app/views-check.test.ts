/** The check of embedded views runs again a week later, whatever happened to the one before. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createViewsCheck } from '../../src/app/views-check.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';

const weekMs = 7 * 24 * 60 * 60 * 1_000;

it('checks the views a week after a check was stopped because the file was replaced', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'audience-check-')), 'views.db');
  await openSqliteReadModels({ file }).close();
  let checked = Promise.withResolvers<void>();
  const check = createViewsCheck({
    file,
    onDamage: () => undefined,
    logger: {
      info: () => checked.resolve(),
      error: (facts: object) => checked.reject(new Error(JSON.stringify(facts))),
    },
    clock: () => 1,
  });
  onTestFinished(() => check.close());
  check.start();
  await checked.promise;
  await check.stop();
  checked = Promise.withResolvers();
  vi.advanceTimersByTime(weekMs - 1);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1);
  await checked.promise;
});
