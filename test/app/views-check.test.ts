/** When the views are checked: after a start, every week, and also after a check that was stopped. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createViewsCheck } from '../../src/app/views-check.js';
import { groups } from '../../src/projections/catalogues.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';

const weekMs = 7 * 24 * 60 * 60 * 1_000;

/** Makes a file with so many groups, and what checks it. */
async function checkOf(count: number) {
  const folder = mkdtempSync(path.join(tmpdir(), 'views-check-'));
  const file = path.join(folder, 'views.db');
  const models = openSqliteReadModels({ file });
  await models.prepare(groups);
  await models.commit({
    writes: Array.from({ length: count }, (_, at) => ({
      view: groups,
      id: `grp_${at}`,
      document: { group_name: `group ${at}` },
      position: '1',
      loaded: null,
    })),
    checkpoint: {
      name: 'views',
      previous: null,
      next: { logId: 'log', position: '1', eventId: 'e', storages: { groups: groups.version } },
    },
  });
  await models.close();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const logger = { info: vi.fn(), error: vi.fn() };
  const check = createViewsCheck({ file, logger, clock: () => 0, onDamage: (damage) => expect.fail(damage.message) });
  onTestFinished(async () => {
    await check.close();
    vi.useRealTimers();
    rmSync(folder, { recursive: true });
  });
  return { check, logger };
}

const untilCalled = (log: ReturnType<typeof vi.fn>): Promise<void> =>
  vi.waitFor(() => expect(log).toHaveBeenCalled(), { timeout: 20_000 });

test('the views were never checked again after a check was stopped, as when the file is replaced', async () => {
  const { check, logger } = await checkOf(3);
  check.start();
  await check.stop();
  logger.info.mockClear();
  vi.advanceTimersByTime(weekMs);
  await untilCalled(logger.info);
  expect(logger.info).toHaveBeenCalledWith(expect.objectContaining({ documents: 3 }), 'the views were checked');
});

test('a check that is stopped logs no error', async () => {
  const { check, logger } = await checkOf(20_000);
  check.start();
  await check.stop();
  expect(logger.info).not.toHaveBeenCalled();
  expect(logger.error).not.toHaveBeenCalled();
});
