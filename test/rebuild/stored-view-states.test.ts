/** How the views are where no service runs: as their store has them. */
import { expect, test } from 'vitest';
import { parkedView } from '../../src/projector/parked.js';
import { liveProjections } from '../../src/projections/views.js';
import { newRecord, storedViewStates, writeRebuildRecord } from '../../src/rebuild/rebuild-record.js';
import { openViews } from './rebuilding.js';

const parked = {
  view: 'lists',
  stream: 'lists',
  position: '2',
  event_id: 'id',
  event_type: 'ListCreated',
  reason: 'a fault of the test',
};
const rebuild_id = '0197f3a0-0000-4000-8000-000000000001';

async function stored(storages: Readonly<Record<string, number>>) {
  const { models } = openViews();
  await models.prepare(parkedView);
  await models.commit({
    writes: [{ view: parkedView, id: 'lists/lists', document: { ...parked, storage: 1 }, position: '2', loaded: null }],
    checkpoint: { name: 'views', previous: null, next: { logId: 'log', position: '7', eventId: 'id', storages } },
  });
  return models;
}

const nameAndVersion = ({ name, version }: (typeof liveProjections)[number]) => ({ name, version });

test('without views all are missing', async () => {
  const { models } = openViews();
  expect(await storedViewStates(models)).toEqual(
    liveProjections.map((view) => ({
      ...nameAndVersion(view),
      ...{ state: 'missing', storage_version: null, position: '', lag_ms: null, parked: [], rebuild_id: null },
    })),
  );
});

test('a record that this version cannot read is no missing rebuild', async () => {
  const models = await stored({});
  const record = { rebuild_id, views: ['tags'], state: 'paused' };
  await models.putRecord({ name: 'rebuild', value: record, previous: null });
  await expect(storedViewStates(models)).rejects.toThrow(
    'the record of the last rebuild cannot be read by this version',
  );
});

test('a storage of this version is live, also after a rebuild; that of another version is not', async () => {
  const contacts = liveProjections.find(({ name }) => name === 'contacts');
  const storages = { contacts: (contacts?.version ?? 0) * 1_000 + 2, memberships: 999 };
  const states = await storedViewStates(await stored(storages));
  const of = (name: string) => states.find((one) => one.name === name);
  expect(of('contacts')).toMatchObject({ state: 'live', storage_version: storages.contacts, position: '7' });
  expect(of('memberships')).toMatchObject({ state: 'missing', storage_version: null });
});

test('parked streams stand with their view, and a rebuild that is under way with its views', async () => {
  const models = await stored({});
  const record = newRecord({
    rebuild_id,
    views: ['tags'],
    dry_run: false,
    cause: 'request',
    requested_at: '2026-03-01T10:00:00.000Z',
  });
  await writeRebuildRecord(models, () => record);
  const running = await storedViewStates(models);
  expect(running.filter((one) => one.parked.length > 0)).toMatchObject([{ name: 'lists', parked: [parked] }]);
  expect(running.find(({ name }) => name === 'lists')?.parked[0]).not.toHaveProperty('storage');
  expect(running.flatMap((one) => (one.rebuild_id === null ? [] : [one.name]))).toEqual(['tags']);
  await writeRebuildRecord(models, () => ({ ...record, state: 'finished' }));
  expect((await storedViewStates(models)).every((one) => one.rebuild_id === null)).toBe(true);
});
