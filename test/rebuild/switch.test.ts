/** The one command that a rebuild gives the projector: when it makes new storages live, and what it leaves alone. */
import { expect, it } from 'vitest';
import { contacts } from '../../src/projections/contacts.js';
import type { NewStorages } from '../../src/rebuild/switch.js';
import { append, appendContacts, changeProfile, contactId, logOf, unreadable } from './contact-log.js';
import { exampleEvents as e } from '../support/examples.js';
import { documentsOf, freshFold } from '../support/fresh-fold.js';
import { openViews, startProjector } from './rebuilding.js';

/** A projector, and storages of `contacts` that were built up to where it is. */
async function built(contactCount = 5) {
  const store = await logOf(contactCount);
  const views = openViews();
  const projector = startProjector({ store, views });
  await projector.caughtUp();
  const interruption = new AbortController();
  const interrupted = projector.rebuild(
    { views: ['contacts'] },
    { signal: interruption.signal, onProgress: ({ stage }) => stage === 'catching_up' && interruption.abort() },
  );
  await expect(interrupted).rejects.toThrow('aborted');
  const checkpoint = await views.models.checkpoint('rebuild');
  if (checkpoint === null) throw new Error('nothing was built');
  const storages: NewStorages = { checkpoint, epoch: 1, park: false };
  return { store, models: views.models, projector, storages };
}

it('folds the last events and makes the new storages live', async () => {
  const { store, models, projector, storages } = await built();
  await appendContacts(store, { count: 400, from: 5 });
  await projector.caughtUp();
  expect(await projector.requestSwitch(storages)).toEqual({ outcome: 'switched' });
  expect(projector.status().live).toMatchObject({ contacts: 3001, memberships: 2 });
  expect(await models.checkpoint('rebuild')).toBeNull();
  expect(await documentsOf(projector.reader)).toEqual(await freshFold(store));
});

it('misses at most 1,000 events: else it is behind, and the rebuild folds on and asks again', async () => {
  const { store, projector, storages } = await built();
  await appendContacts(store, { count: 501, from: 5 });
  await projector.caughtUp();
  expect(await projector.requestSwitch(storages)).toEqual({ outcome: 'behind' });
  expect(projector.status().live).toMatchObject({ contacts: 3 });
  expect(await projector.rebuild({ views: ['contacts'] })).toMatchObject({ outcome: 'switched' });
  expect(projector.status().live).toMatchObject({ contacts: 3001 });
  expect(await documentsOf(projector.reader)).toEqual(await freshFold(store));
});

it('refuses storages that another rebuild builds by now', async () => {
  const { store, models, projector, storages } = await built();
  const previous = storages.checkpoint;
  const next = { ...previous, storages: { contacts: 3002 } };
  await models.commit({ writes: [], checkpoint: { name: 'rebuild', previous, next, epoch: 2 } });
  expect(await projector.requestSwitch(storages)).toMatchObject({ outcome: 'failed' });
  expect(projector.status().live).toMatchObject({ contacts: 3 });
  const { position } = await changeProfile(store, 1);
  await projector.caughtUp();
  expect((await projector.reader.get(contacts, contactId(1)))?.position).toBe(position);
});

it('answers with the poison event that is among the last events, and the live view goes on', async () => {
  const { store, projector, storages } = await built();
  const stream = `contact-${contactId(0)}`;
  const { position } = await store.append(stream, [unreadable()], { expectedRevision: 'any' });
  await projector.caughtUp();
  expect(await projector.requestSwitch(storages)).toMatchObject({
    outcome: 'poison',
    poison: { view: 'contacts', stream, position },
  });
  expect(projector.status().live).toMatchObject({ contacts: 3 });
});

it('takes storages that are ahead of the live view, and folds nothing into them twice', async () => {
  const store = await logOf(5);
  const views = openViews();
  const state = { isStuck: false };
  const models: typeof views.models = {
    ...views.models,
    async commit(commit) {
      if (state.isStuck && commit.checkpoint.name === 'views' && commit.writes.length > 0) throw new Error('stuck');
      await views.models.commit(commit);
    },
  };
  const projector = startProjector({ store, views: { ...views, models } });
  await projector.caughtUp();
  state.isStuck = true;
  const contact_id = contactId(0);
  const unsubscribed = { ...e.unsubscribed, data: { ...e.unsubscribed.data, contact_id } };
  const { position } = await append(store, `contact-${contact_id}`, unsubscribed);
  await projector.until(({ fault }) => fault?.includes('stuck') === true);
  expect(await projector.rebuild({ views: ['contacts', 'list_growth'] })).toMatchObject({ outcome: 'switched' });
  expect((await projector.reader.get(contacts, contact_id))?.position).toBe(position);
  expect((await models.checkpoint('views'))?.position).not.toBe(position);
  state.isStuck = false;
  await projector.caughtUp();
  expect(await documentsOf(projector.reader)).toEqual(await freshFold(store));
});

it('the old storage is fed no more', async () => {
  const { store, models, projector, storages } = await built();
  const before = await models.get(contacts, contactId(1));
  await projector.requestSwitch(storages);
  const { position } = await changeProfile(store, 1);
  await projector.caughtUp();
  expect((await projector.reader.get(contacts, contactId(1)))?.position).toBe(position);
  expect(await models.get(contacts, contactId(1))).toEqual(before);
});
