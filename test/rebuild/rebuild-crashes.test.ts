/** Rebuilds and the projector that are killed, or whose views go out of reach, at the worst moment. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { contacts, type ContactDocument } from '../../src/projections/contacts.js';
import { readParked } from '../../src/projector/parked.js';
import { CannotFoldError, type Projection } from '../../src/projections/projection.js';
import { liveProjections } from '../../src/projections/views.js';
import {
  ReadModelsUnavailableError,
  storageOf,
  type Commit,
  type ReadModels,
} from '../../src/readmodels/read-models.js';
import { realTime } from '../support/real-time.js';
import { append, changeProfile, contactId, logOf, unreadable } from './contact-log.js';
import { exampleEvents as e } from '../support/examples.js';
import { documentsOf, freshFold } from '../support/fresh-fold.js';
import { openViews, startProjector } from './rebuilding.js';

/** Read models whose calls fail while `isDown` says so. */
function failing(models: ReadModels, isDown: (call: 'drop' | 'forget' | 'commit' | 'find', name: string) => boolean) {
  const up = (call: 'drop' | 'forget' | 'commit' | 'find', name: string): void => {
    if (isDown(call, name)) throw new ReadModelsUnavailableError('killed');
  };
  const wrapped: ReadModels = {
    ...models,
    async drop(view) {
      up('drop', view.name);
      await models.drop(view);
    },
    async forget(checkpoint) {
      up('forget', checkpoint.name);
      await models.forget(checkpoint);
    },
    async commit(commit) {
      up('commit', commit.checkpoint.name);
      await models.commit(commit);
    },
    async find(view, query) {
      up('find', view.name);
      return models.find(view, query);
    },
  };
  return wrapped;
}

it('a kill while a discarded rebuild is cleared away does not have the next one go on in empty storages', async () => {
  const store = await logOf(600);
  await store.append(`contact-${contactId(0)}`, [unreadable()], { expectedRevision: 'any' });
  for (const survived of [0, 1, 2]) {
    const views = openViews();
    const state = { commits: 0, left: survived };
    const models = failing(views.models, (call, name) => {
      if (name === 'rebuild' && call === 'commit') state.commits += 1;
      // The first one only names the storages.
      return state.commits > 1 && (call === 'drop' || (call === 'forget' && name === 'rebuild')) && state.left-- <= 0;
    });
    const projector = startProjector({ store, views: { ...views, models } });
    await projector.caughtUp();
    const before = await documentsOf(projector.reader);
    const wanted = ['contacts', 'memberships'];
    await expect(projector.rebuild({ views: wanted })).rejects.toThrow('killed');
    state.left = Infinity;
    expect(await projector.rebuild({ views: wanted, park: true })).toMatchObject({ outcome: 'switched' });
    expect(await documentsOf(projector.reader)).toEqual(before);
  }
});

const versioned = (version: number): readonly Projection[] =>
  liveProjections.map((view) => (view.name === 'contacts' ? { ...view, version } : view));

it('a release that is rolled back soon does not have its old storage dropped while it is built again', async () => {
  const store = await logOf(600);
  const views = openViews();
  const { models } = views;
  for (const version of [2, 3]) {
    const release = startProjector({ store, views, projections: versioned(version) });
    await release.caughtUp();
    await release.stop();
  }
  expect((await models.checkpoint('old_storages'))?.storages).toEqual({ 'contacts/2': 2 });
  const dropped: string[] = [];
  let isBuilding = false;
  // The build waits for the drop once it has written something.
  const slow: ReadModels = {
    ...models,
    async drop(view) {
      await models.drop(view);
      if (isBuilding) dropped.push(`${view.name}/${storageOf(view)}`);
    },
    async commit(commit) {
      await models.commit(commit);
      if (commit.checkpoint.name !== 'rebuild' || commit.writes.length === 0) return;
      isBuilding = true;
      while ((await models.checkpoint('old_storages')) !== null) await nextTurn();
    },
  };
  const back = startProjector({
    store,
    views: { ...views, models: slow },
    projections: versioned(2),
    dropAfter: 200,
  });
  const { missing } = await back.until((status) => status.live !== null);
  expect(missing).toEqual(['contacts']);
  expect(await back.rebuild({ views: missing, park: true })).toMatchObject({
    outcome: 'switched',
    views: [{ storage_version: 2001 }],
  });
  expect(dropped).toEqual(['contacts/2']);
  await back.caughtUp();
  expect(await documentsOf(back.reader)).toEqual(await freshFold(store));
});

/** A view with a stream that it has parked and can fold by now, rebuilt and killed where `isHere`, before or after the documents were written. */
async function killedRebuild(isHere: (commit: Commit) => boolean, isWritten: boolean) {
  const store = await logOf(5);
  let isBroken = true;
  const fragile: Projection<ContactDocument> = {
    ...contacts,
    evolve(document, event, key) {
      if (isBroken && event.event.type === 'ContactProfileChanged') throw new CannotFoldError('not today');
      return contacts.evolve(document, event, key);
    },
  };
  const projections = [...liveProjections.filter(({ name }) => name !== 'contacts'), fragile as Projection];
  const views = openViews();
  let kills = 1;
  // Without transactions documents may be written and the checkpoint not.
  const models: ReadModels = {
    ...views.models,
    async commit(commit) {
      if (kills === 0 || !isHere(commit)) return views.models.commit(commit);
      kills -= 1;
      const { writes, checkpoint } = commit;
      const previous = await views.models.checkpoint('elsewhere');
      await views.models.commit({
        writes: isWritten ? writes : [],
        checkpoint: { ...checkpoint, name: 'elsewhere', previous },
      });
      throw new ReadModelsUnavailableError('killed');
    },
  };
  const projector = startProjector({ store, views: { ...views, models }, projections });
  await changeProfile(store, 0);
  await projector.caughtUp();
  isBroken = false;
  await expect(projector.rebuild({ views: ['contacts'] })).rejects.toThrow('killed');
  const contact_id = contactId(0);
  await append(store, `contact-${contact_id}`, { ...e.unsubscribed, data: { ...e.unsubscribed.data, contact_id } });
  await projector.until((status) => status.fault === null);
  await projector.caughtUp();
  return { store, views, projector };
}

const takesUp = ({ writes }: Commit): boolean =>
  writes.some(({ view, document }) => view.name === 'parked' && document === null);
const switches = ({ checkpoint: { name, next } }: Commit): boolean =>
  name === 'views' && next.storages['contacts'] === 3001;

it('a switch that is broken off does not have the live view fold on after what it has parked', async () => {
  const { store, projector } = await killedRebuild((commit) => takesUp(commit) || switches(commit), true);
  // Still parked, visibly; the next rebuild folds it again.
  expect(projector.status().parked).toMatchObject([{ view: 'contacts' }]);
  expect(await projector.rebuild({ views: ['contacts'] })).toMatchObject({ outcome: 'switched' });
  expect(projector.status().parked).toEqual([]);
  expect(await documentsOf(projector.reader)).toEqual(await freshFold(store));
});

it('a kill between a switch and taking up what was parked leaves no stream parked', async () => {
  const { store, views, projector } = await killedRebuild(takesUp, false);
  expect(projector.status().live?.['contacts']).toBe(3001);
  expect(projector.status().parked).toEqual([]);
  expect([...(await readParked(views.models)).keys()]).toEqual([]);
  expect(await documentsOf(projector.reader)).toEqual(await freshFold(store));
});

it('a switch that fails is answered, and does not leave the rebuild waiting for ever', async () => {
  const store = await logOf(5);
  const views = openViews();
  const down = { call: '', name: '' };
  const models = failing(views.models, (call, name) => {
    const isDown = call === down.call && name === down.name;
    if (isDown) down.call = '';
    return isDown;
  });
  const projector = startProjector({ store, views: { ...views, models } });
  await projector.caughtUp();
  const onProgress = ({ stage }: { stage: string }): void => {
    if (stage === 'catching_up') Object.assign(down, { call: 'find', name: 'parked' });
  };
  await expect(projector.rebuild({ park: true }, { onProgress })).rejects.toThrow('killed');
  Object.assign(down, { call: 'commit', name: 'old_storages' });
  await expect(projector.rebuild({})).rejects.toThrow('killed');
  // By then it has been carried out.
  Object.assign(down, { call: 'forget', name: 'rebuild' });
  expect(await projector.rebuild({})).toMatchObject({ outcome: 'switched' });
  expect(await projector.rebuild({})).toMatchObject({ outcome: 'switched' });
  await projector.caughtUp();
  expect(await documentsOf(projector.reader)).toEqual(await freshFold(store));
});

it('an old release that refuses newer views does not keep the lease from the new one', async () => {
  const store = await logOf(1);
  const views = openViews();
  const newer = startProjector({ store, views, projections: versioned(3), leaseMs: 400 });
  await newer.caughtUp();
  await newer.stop();
  const old = startProjector({ store, views, projections: versioned(2), leaseMs: 400 });
  expect((await old.until(({ fault }) => fault !== null)).fault).toContain('a newer version of this service');
  const again = startProjector({ store, views, projections: versioned(3), leaseMs: 400 });
  await again.caughtUp();
  await old.until(({ standby }) => standby);
});

it('a drop that falls due during a switch leaves the storage that was live until readers have noticed', async () => {
  const store = await logOf(3);
  const views = openViews();
  const dropAfter = 200;
  const begun = performance.now();
  const models: ReadModels = {
    ...views.models,
    async commit(commit) {
      await views.models.commit(commit);
      // Noted to be dropped, and the switch takes longer than what is tested: how long a storage is kept.
      if (commit.checkpoint.name === 'old_storages')
        await realTime(Math.max(0, begun + 2 * dropAfter - performance.now()));
    },
  };
  const projector = startProjector({ store, views: { ...views, models }, dropAfter });
  await projector.caughtUp();
  let switchedAt = Infinity;
  void projector.until(({ live }) => live?.['contacts'] === 3001).then(() => (switchedAt = performance.now()));
  expect(await projector.rebuild({ views: ['contacts'] })).toMatchObject({ outcome: 'switched' });
  await vi.waitUntil(async () => (await models.checkpoint('old_storages')) === null, { interval: 5, timeout: 10_000 });
  expect(performance.now() - switchedAt).toBeGreaterThan(dropAfter * 0.9);
});
