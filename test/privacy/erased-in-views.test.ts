/** Storages beside the live ones, as an erasure sees them: what is abandoned goes first, for the rest it waits. */
import { expect, test } from 'vitest';
import { createOtherStorages } from '../../src/privacy/erased-in-views.js';
import type { Checkpoint } from '../../src/readmodels/read-models.js';

const naming = (storages: Checkpoint['storages']): Checkpoint => ({ logId: '', position: '', eventId: '', storages });

function open(checkpoints: Record<string, Checkpoint>, abandoned: readonly string[] = []) {
  const logged: object[] = [];
  const hasOthers = createOtherStorages({
    views: { checkpoint: (name) => Promise.resolve(checkpoints[name] ?? null) },
    dropAbandoned: () => Promise.resolve(abandoned.forEach((name) => delete checkpoints[name])),
    logger: { info: (about) => logged.push(about) },
  });
  return { hasOthers, logged };
}

test('the live storages alone are no reason to wait', async () => {
  const { hasOthers, logged } = open({ views: naming({ contacts: 3 }) });
  expect(await hasOthers()).toBe(false);
  expect(logged).toEqual([]);
});

test.for(['rebuild', 'old_storages'])('what the checkpoint %s names is', async (name) => {
  const { hasOthers } = open({ [name]: naming({ contacts: 3001 }) });
  expect(await hasOthers()).toBe(true);
});

test('a rebuild that nobody continues is dropped before', async () => {
  const { hasOthers } = open({ rebuild: naming({ contacts: 3001 }) }, ['rebuild']);
  expect(await hasOthers()).toBe(false);
});

test('each wait is logged once', async () => {
  const checkpoints: Record<string, Checkpoint> = { rebuild: naming({ contacts: 3001 }) };
  const { hasOthers, logged } = open(checkpoints);
  await hasOthers();
  await hasOthers();
  expect(logged).toEqual([{ storages: [{ contacts: 3001 }, undefined] }]);
  delete checkpoints['rebuild'];
  expect(await hasOthers()).toBe(false);
  checkpoints['old_storages'] = naming({ 'contacts/3': 3 });
  await hasOthers();
  expect(logged).toHaveLength(2);
});

test('where the abandoned cannot be dropped, nothing is said', async () => {
  const failed = createOtherStorages({
    views: { checkpoint: () => Promise.resolve(null) },
    dropAbandoned: () => Promise.reject(new Error('out of reach')),
    logger: { info: () => undefined },
  });
  await expect(failed()).rejects.toThrow('out of reach');
});
