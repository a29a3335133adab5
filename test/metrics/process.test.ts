/** What watches the process ends with the service: each start in one process once left its listeners behind. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '../support/integrity-log.js';
import { startLocally } from '../support/local-service.js';

test('a service that is closed, and one that cannot start, leave no listener', async () => {
  const before = process.listenerCount('worker');
  const service = await startLocally(newFolder());
  expect(process.listenerCount('worker')).toBe(before + 1);
  await service.close();
  expect(process.listenerCount('worker')).toBe(before);
  const broken = newFolder();
  writeFileSync(path.join(broken, 'events.db'), 'no database'.repeat(1_000));
  await expect(startLocally(broken)).rejects.toThrow();
  expect(process.listenerCount('worker')).toBe(before);
});
