import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { createSnapshots, snapshotName } from '../../src/stores/catalogue-snapshots.js';
import { createCommandHandler } from '../../src/commands/handle.js';
import { listDecider, type CatalogueState } from '../../src/commands/catalogue.js';
import type { LoadedState } from '../../src/commands/batch.js';
import { codec } from '../../src/events/codec.js';
import { openSqliteEventStore, type SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { exampleMetadata, toAppend } from '../support/examples.js';

let folder: string;
let store: SqliteEventStore;
const faults: unknown[] = [];

beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'snapshots-'));
  store = await openSqliteEventStore({ file: path.join(folder, 'events.db'), clock: Date.now });
  faults.length = 0;
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const views = (name = 'views.db') => openSqliteReadModels({ file: path.join(folder, name) });
const snapshots = (models = views()) =>
  createSnapshots({ reader: store, models, onFault: (error) => faults.push(error) });

/** Appends so many list creations and returns the catalogue after them. */
async function grow(count: number, before?: LoadedState<CatalogueState>): Promise<LoadedState<CatalogueState>> {
  let folded = before ?? { state: listDecider.initial, revision: -1n, position: '', at: '' };
  for (let made = 0; made < count; made += 500) {
    const events = Array.from({ length: Math.min(500, count - made) }, () => {
      const id = randomUUID();
      return { type: 'ListCreated' as const, data: { list_id: `lst_${id}`, list_name: `List ${id}` } };
    });
    const expectedRevision = folded.revision < 0n ? 'no_stream' : folded.revision;
    const { revision, position } = await store.append(
      'lists',
      events.map((event) => toAppend(event)),
      { expectedRevision },
    );
    folded = {
      state: events.reduce((state, event) => listDecider.evolve(state, event, { at: '' }), folded.state),
      revision,
      position,
      at: exampleMetadata.at,
    };
  }
  return folded;
}

const made = mkdtempSync(path.join(os.tmpdir(), 'snapshots-'));
afterAll(() => rmSync(made, { recursive: true, force: true }));
let large: LoadedState<CatalogueState> | undefined;

/** Puts a log with 10,000 lists, the same for each test, in the place of the store. */
async function grown(): Promise<LoadedState<CatalogueState>> {
  const isMade = large !== undefined;
  const catalogue = (large ??= await grow(10_000));
  await store.close();
  cpSync(isMade ? made : folder, isMade ? folder : made, { recursive: true });
  store = await openSqliteEventStore({ file: path.join(folder, 'events.db'), clock: Date.now });
  return catalogue;
}

const contents = ({ state }: LoadedState<CatalogueState>) => ({
  names: new Map(state.nameById.entries()),
  ids: new Map(state.idByNameKey.entries()),
});

test('a kept catalogue comes back as it was, and the log goes on from there', async () => {
  const kept = await grown();
  const first = snapshots();
  await first.save('lists', kept);
  await first.close();
  const loaded = await snapshots().load('lists');
  expect(loaded).toMatchObject({ revision: kept.revision, position: kept.position, at: kept.at });
  expect(loaded && contents(loaded)).toEqual(contents(kept));
  // The events after the snapshot complete it.
  const later = await grow(3, kept);
  let state = loaded?.state ?? listDecider.initial;
  for await (const batch of store.readStream('lists', { from: kept.revision + 1n }))
    for (const stored of batch) {
      const { event } = codec.decode(stored);
      if (listDecider.knows(event)) state = listDecider.evolve(state, event, { at: '' });
    }
  expect(contents({ ...later, state })).toEqual(contents(later));
  expect(faults).toEqual([]);
});

test('a handler that begins with a snapshot knows what came after it', async () => {
  const kept = await grown();
  const later = await grow(1, kept);
  const [[newest] = ['']] = [...later.state.nameById.entries()].slice(-1);
  const handler = createCommandHandler({
    store,
    decider: listDecider,
    sources: { now: Date.now, newEventId: () => randomUUID(), newSalt: () => '' },
    random: Math.random,
    sleep: () => Promise.resolve(),
    cacheSize: 1,
  });
  const adopted = await handler.adopt('lists', kept);
  expect(adopted.revision).toBe(later.revision);
  expect(handler.known('lists')?.state.nameById.get(newest)).toBeDefined();
  const id = randomUUID();
  const context = { correlationId: id, causationId: id, requestId: id, actor: 'test' };
  const renamed = handler.execute({ stream: 'lists', command: { type: 'Rename', id: newest, name: 'New' }, context });
  await expect(renamed).resolves.toMatchObject({ events: [{ type: 'ListRenamed' }] });
});

test('a kept catalogue remembers the keys of creates; one without them is not used', async () => {
  const creation = { key_hash: 'a1'.repeat(16), request_hash: 'b2'.repeat(16) };
  const event = { type: 'ListCreated' as const, data: { list_id: 'lst_keyed', list_name: 'Keyed' } };
  const before = await grown();
  const appended = await store.append('lists', [toAppend(event)], { expectedRevision: before.revision });
  const kept = {
    ...before,
    ...appended,
    state: listDecider.evolve(before.state, event, { at: '', idempotency: creation }),
  };
  const models = views();
  await snapshots(models).save('lists', kept);
  const loaded = await snapshots(models).load('lists');
  expect(loaded?.state.creations.toJS()).toEqual({ lst_keyed: creation });
  expect(loaded?.state.idByKeyHash.get(creation.key_hash)).toBe('lst_keyed');

  const { value, version } = (await models.readRecord(snapshotName('lists'))) ?? { value: {}, version: '' };
  const { creations: _, ...earlier } = { creations: [], ...(value as object) };
  await models.putRecord({ name: snapshotName('lists'), value: earlier, previous: version });
  expect(await snapshots(models).load('lists')).toBeUndefined();
  await snapshots(models).save('lists', kept);
  expect(await snapshots(models).load('lists')).toBeDefined();
  expect(faults).toEqual([]);
});

test('little news are not worth a snapshot', async () => {
  const models = views();
  await snapshots(models).save('lists', await grow(100));
  expect(await models.readRecord(snapshotName('lists'))).toBeNull();
});

test('a snapshot of another log is not believed', async () => {
  const kept = await grown();
  const models = views();
  await snapshots(models).save('lists', kept);
  await store.close();
  rmSync(path.join(folder, 'events.db'));
  store = await openSqliteEventStore({ file: path.join(folder, 'events.db'), clock: Date.now });
  await grow(10_000);
  expect(await snapshots(models).load('lists')).toBeUndefined();
});

test('read models that fail cost a longer start and nothing else', async () => {
  const models = views();
  await models.close();
  const broken = snapshots(models);
  expect(await broken.load('lists')).toBeUndefined();
  await broken.save('lists', await grow(1));
  expect(faults).toHaveLength(2);
});
