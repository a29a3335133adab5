/** A rebuild without a service, whose projector loses the views to a service, or meets a fault that passes. */
import { expect, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import type { StoreSettings } from '../../src/stores/stores.js';
import { rebuildWithProjector } from '../../src/rebuild/direct-rebuild.js';
import { ReadModelsUnavailableError, type ReadModels } from '../../src/readmodels/read-models.js';
import { logOf } from './contact-log.js';
import { openViews } from './rebuilding.js';

/** Of views that several processes share. */
const shared: StoreSettings = {
  events: { kind: 'embedded', file: '' },
  views: { kind: 'mongodb', url: '' },
};

/** `timeoutMs`: how long the projector may stand still. */
async function rebuilt(changed: (models: ReadModels) => Partial<ReadModels>, timeoutMs: number) {
  const reader = await logOf(3);
  const { models } = openViews();
  return await rebuildWithProjector({
    settings: shared,
    reader: { ...reader, wake: () => undefined },
    readModels: { ...models, ...changed(models) },
    ...{ views: ['contacts'], mode: 'switch' },
    onProgress: () => undefined,
    monotonic: () => performance.now(),
    newUuid: randomUUID,
    signal: new AbortController().signal,
    close: models.close,
    timeoutMs,
  });
}

test('ends when a service takes the views meanwhile, instead of waiting for a switch that nobody carries out', async () => {
  let isTaken = false;
  let refused = (): void => undefined;
  const standby = new Promise<void>((resolve) => (refused = resolve));
  const rebuilding = rebuilt(
    (models) => ({
      async lease(name, holder, ttl) {
        if (name !== 'projector' || !isTaken) return await models.lease(name, holder, ttl);
        refused();
        return null;
      },
      async commit(commit) {
        if (commit.checkpoint.name === 'rebuild') {
          isTaken = true;
          await standby;
        }
        await models.commit(commit);
      },
    }),
    200,
  );
  await expect(rebuilding).rejects.toMatchObject({ type: 'in_use' });
});

test('goes on after a fault that passes', async () => {
  let faults = 1;
  const result = await rebuilt(
    (models) => ({
      async commit(commit) {
        if (commit.checkpoint.name === 'views' && (faults -= 1) === 0) throw new ReadModelsUnavailableError('a moment');
        await models.commit(commit);
      },
    }),
    60_000,
  );
  expect(result.outcome).toBe('switched');
});
