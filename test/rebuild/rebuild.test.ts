/** Rebuilding views beside the live ones: under writers, resumed, compared, stopped by a poison event, after a change of a projection. */
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { contacts, type ContactDocument } from '../../src/projections/contacts.js';
import { lists } from '../../src/projections/catalogues.js';
import { memberships } from '../../src/projections/memberships.js';
import { parkedView } from '../../src/projector/parked.js';
import { CannotFoldError, type Projection } from '../../src/projections/projection.js';
import { liveProjections } from '../../src/projections/views.js';
import { ReadModelsUnavailableError } from '../../src/readmodels/read-models.js';
import { append, appendContacts, changeProfile, contactId, logOf, unreadable } from './contact-log.js';
import { exampleEvents as e } from '../support/examples.js';
import { contentOf, documentsOf, freshFold } from '../support/fresh-fold.js';
import { openViews, startProjector, type ProjectorParts } from './rebuilding.js';

async function started(parts: Omit<ProjectorParts, 'views'>) {
  const views = openViews();
  const projector = startProjector({ ...parts, views });
  await projector.caughtUp();
  return { ...views, views, projector };
}

const versionsOf = (live: Readonly<Record<string, number>> | null): readonly (number | undefined)[] => [
  live?.['contacts'],
  live?.['memberships'],
];

describe('a rebuild', () => {
  it('under writers and readers: nobody reads less than before, and what is live then equals a fresh fold', async () => {
    const store = await logOf(300);
    const { projector } = await started({ store });
    let writing = true;
    let written = 300;
    const writer = (async () => {
      while (writing) {
        await appendContacts(store, { count: 8, from: written });
        written += 8;
        await changeProfile(store, 1);
      }
    })();
    const seen: string[] = [];
    const reader = (async () => {
      while (writing) {
        const shown = projector.status().position;
        const document = await projector.reader.get<ContactDocument>(contacts, contactId(1));
        if (document === undefined) throw new Error('a contact was gone');
        seen.push(document.position);
        const last = await projector.reader.find(memberships, { limit: 1, sort: 'id', descending: true });
        expect((last.documents[0]?.position ?? '') <= projector.status().position).toBe(true);
        expect(document.position <= projector.status().position || shown === '').toBe(true);
        await nextTurn();
      }
    })();
    const result = await projector.rebuild({});
    writing = false;
    await Promise.all([writer, reader]);
    expect(result).toMatchObject({ outcome: 'switched' });
    if (result.outcome !== 'switched') return;
    expect(result.views.map(({ differing }) => differing)).toEqual(liveProjections.map(() => 0));
    expect(seen).toEqual([...seen].sort());
    await projector.caughtUp();
    expect(projector.faults).toEqual([]);
    expect(versionsOf(projector.status().live)).toEqual([3001, 2001]);
    expect(await documentsOf(projector.reader)).toEqual(await freshFold(store));
  });

  it('drops the old storage when every reader has had the time to notice', async () => {
    const store = await logOf(3);
    const { projector, models } = await started({ store, dropAfter: 1 });
    await projector.rebuild({ views: ['contacts'] });
    expect(versionsOf(projector.status().live)).toEqual([3001, 2]);
    // The note is removed after the storage was dropped.
    const isDropped = async (): Promise<boolean> => (await models.checkpoint('old_storages')) === null;
    await vi.waitUntil(isDropped, { interval: 5, timeout: 30_000 });
    await expect(models.get(contacts, contactId(0))).rejects.toThrow(ReadModelsUnavailableError);
    expect(await projector.reader.get(contacts, contactId(0))).toBeDefined();
  }, 60_000);

  it('as a dry run says the same and leaves everything as it is', async () => {
    const store = await logOf(20);
    const { projector, models } = await started({ store });
    const result = await projector.rebuild({ views: ['contacts'], dryRun: true });
    expect(result).toMatchObject({
      outcome: 'checked',
      views: [{ name: 'contacts', storage_version: 3001, documents: 20, live_documents: 20, differing: 0 }],
    });
    if (result.outcome !== 'checked') return;
    expect(result.views[0]?.hash).toBe((await contentOf(models, contacts as Projection)).hash);
    expect(versionsOf(projector.status().live)).toEqual([3, 2]);
    await expect(models.get({ ...contacts, version: 3001 }, contactId(0))).rejects.toThrow('no such table');
    expect(await models.checkpoint('rebuild')).toBeNull();
  });

  it('that finds differences names them and leaves the live view alone', async () => {
    const store = await logOf(20);
    const { projector, models } = await started({ store });
    const stored = await models.get<ContactDocument>(contacts, contactId(7));
    const checkpoint = await models.checkpoint('views');
    if (stored === undefined || checkpoint === null) throw new Error('nothing to change');
    const { id, document, position } = stored;
    const altered = { ...document, firstName: 'Eve' };
    await models.commit({
      writes: [{ view: contacts, id, document: altered, position, loaded: position }],
      checkpoint: { name: 'elsewhere', previous: null, next: checkpoint },
    });
    const result = await projector.rebuild({ views: ['contacts'] });
    expect(result).toMatchObject({ outcome: 'differs', views: [{ differing: 1, differences: [contactId(7)] }] });
    expect(versionsOf(projector.status().live)).toEqual([3, 2]);
    expect((await projector.reader.get<ContactDocument>(contacts, id))?.document.firstName).toBe('Eve');
    const accepted = await projector.rebuild({ views: ['contacts'], acceptDifferences: true });
    expect(accepted).toMatchObject({ outcome: 'switched', views: [{ differing: 1, is_changed: false }] });
    expect((await projector.reader.get<ContactDocument>(contacts, id))?.document.firstName).not.toBe('Eve');
  });

  it('never ended once a storage that it had built was damaged, because each run continued with that storage', async () => {
    const store = await logOf(300);
    const { projector, models, file } = await started({ store });
    const kill = new AbortController();
    const onProgress = (): void => kill.abort();
    await expect(projector.rebuild({}, { onProgress, signal: kill.signal })).rejects.toThrow();
    const db = new DatabaseSync(file);
    expect(db.prepare("UPDATE contacts_v3001 SET document = '{}'").run().changes).toBeGreaterThan(0);
    db.close();
    await changeProfile(store, 1);
    await projector.caughtUp();
    await expect(projector.rebuild({})).rejects.toThrow('does not match its checksum');
    expect(await models.checkpoint('rebuild')).toBeNull();
    expect(await projector.rebuild({})).toMatchObject({ outcome: 'switched' });
  });

  it('killed at random goes on where it was', async () => {
    const store = await logOf(900);
    const { projector } = await started({ store });
    const read: number[] = [];
    let outcome: string | undefined;
    for (let attempt = 0; outcome === undefined; attempt += 1) {
      const kill = new AbortController();
      let pages = 0;
      let events = 0;
      const onProgress = (progress: { events: number }): void => {
        events = Math.max(events, progress.events);
        if (attempt < 4 && (pages += 1) > Math.random() * 2) kill.abort();
      };
      outcome = await projector.rebuild({}, { onProgress, signal: kill.signal }).then(
        (result) => result.outcome,
        () => undefined,
      );
      read.push(events);
    }
    expect(outcome).toBe('switched');
    expect(read.length).toBeGreaterThan(1);
    // The last one did not start again from the first event.
    expect(read.at(-1)).toBeLessThan(1_802);
    expect(await documentsOf(projector.reader)).toEqual(await freshFold(store));
  });
});

describe('a log without views', () => {
  const shortLog = { events: 10, characters: Infinity };

  it('a long log without views is left to a rebuild, and no view is shown before all are built', async () => {
    const store = await logOf(200);
    const stream = `contact-${contactId(0)}`;
    await store.append(stream, [unreadable()], { expectedRevision: 'any' });
    const views = openViews();
    const first = startProjector({ store, views, shortLog });
    const names = liveProjections.map(({ name }) => name);
    expect(await first.until((status) => status.live !== null)).toMatchObject({ missing: names, rebuilding: true });
    const kill = new AbortController();
    const onProgress = ({ events }: { events: number }): void => (events > 100 ? kill.abort() : undefined);
    await expect(first.rebuild({ park: true }, { onProgress, signal: kill.signal })).rejects.toThrow('aborted');
    await first.stop();
    // A process that is killed during the build leaves the build to the next process.
    const projector = startProjector({ store, views, shortLog });
    await appendContacts(store, { count: 1, from: 200 });
    expect(await projector.caughtUp()).toMatchObject({ missing: names, rebuilding: true });
    await expect(projector.reader.get(contacts, contactId(1))).rejects.toThrow('has not been built yet');
    const read: number[] = [];
    const counted = { onProgress: ({ events }: { events: number }) => void read.push(events) };
    expect(await projector.rebuild({ park: true }, counted)).toMatchObject({ outcome: 'switched' });
    expect(Math.max(...read)).toBeLessThan(400);
    expect(await projector.until(({ rebuilding }) => !rebuilding)).toMatchObject({ missing: [] });
    expect(projector.status().parked).toMatchObject([
      { view: 'contact_search', stream },
      { view: 'contacts', stream },
    ]);
    expect(projector.faults.filter(({ kind }) => kind === 'parked')).toHaveLength(2);
    expect(await projector.reader.get(contacts, contactId(200))).toBeDefined();
  });

  it('a short log without views is folded at once, and its views are shown when they show all events', async () => {
    const store = await logOf(4);
    const shown: (readonly [string, boolean])[] = [];
    const views = openViews();
    const head = await store.head();
    const projector = startProjector({ store, views, shortLog });
    const { live } = await projector.until((status) => {
      shown.push([status.position, status.live === null]);
      return status.live !== null;
    });
    expect(Object.keys(live ?? {})).toHaveLength(liveProjections.length);
    expect(
      shown.filter(([position]) => position !== '').every(([position, isUnknown]) => position === head && !isUnknown),
    ).toBe(true);
    expect(await documentsOf(projector.reader)).toEqual(await freshFold(store));
  });
});

describe('an event that cannot be folded', () => {
  it('stops the rebuild with its place, and the live view is untouched', async () => {
    const store = await logOf(5);
    const stream = `contact-${contactId(0)}`;
    const { position } = await store.append(stream, [unreadable()], { expectedRevision: 'any' });
    const { projector, models } = await started({ store });
    const before = await contentOf(models, contacts);
    const viewsOfParked = () =>
      projector
        .status()
        .parked.map(({ view }) => view)
        .sort();
    expect(viewsOfParked()).toEqual(['contact_search', 'contacts']);
    expect(await projector.rebuild({})).toMatchObject({
      outcome: 'poison',
      poison: { view: 'contacts', stream, position, event_type: 'ContactProfileChanged' },
    });
    expect(versionsOf(projector.status().live)).toEqual([3, 2]);
    expect(viewsOfParked()).toEqual(['contact_search', 'contacts']);
    expect(await contentOf(projector.reader, contacts as Projection)).toEqual(before);
    expect(await models.checkpoint('rebuild')).toBeNull();
  });

  it('while both are folded ends the rebuild, and the live views go on', async () => {
    const store = await logOf(5);
    const { projector } = await started({ store });
    let appended: Promise<unknown> | undefined;
    const result = await projector.rebuild(
      {},
      {
        onProgress({ stage }) {
          if (stage !== 'catching_up') return;
          appended ??= store.append(`contact-${contactId(0)}`, [unreadable()], { expectedRevision: 'any' });
        },
      },
    );
    await appended;
    await projector.caughtUp();
    // Met before the switch or after it: never in between.
    if (result.outcome === 'poison') expect(versionsOf(projector.status().live)).toEqual([3, 2]);
    else expect(versionsOf(projector.status().live)).toEqual([3001, 2001]);
    expect(projector.status().parked).toMatchObject([{ view: 'contacts' }, { view: 'contact_search' }]);
    const { position } = await changeProfile(store, 1);
    await projector.caughtUp();
    expect((await projector.reader.get(contacts, contactId(1)))?.position).toBe(position);
  });

  it('is folded by a rebuild once it can be, and parks again if it must', async () => {
    const store = await logOf(5);
    const stream = `contact-${contactId(2)}`;
    let isBroken = true;
    const fragile: Projection<ContactDocument> = {
      ...contacts,
      evolve(document, event, key) {
        if (isBroken && event.event.type === 'ContactUnsubscribed') throw new CannotFoldError('not today');
        return contacts.evolve(document, event, key);
      },
    };
    const projections = [...liveProjections.filter(({ name }) => name !== 'contacts'), fragile as Projection];
    const unsubscribe = () =>
      append(store, stream, { ...e.unsubscribed, data: { ...e.unsubscribed.data, contact_id: contactId(2) } });
    const { projector, models } = await started({ store, projections });
    await unsubscribe();
    expect((await projector.caughtUp()).parked).toHaveLength(1);
    isBroken = false;
    expect(await projector.rebuild({ views: ['contacts'] })).toMatchObject({
      outcome: 'switched',
      views: [{ is_changed: true, differing: 1, differences: [contactId(2)] }],
    });
    expect(projector.status().parked).toEqual([]);
    expect((await models.find(parkedView, { limit: 10 })).documents).toEqual([]);
    const read = await projector.reader.get<ContactDocument>(fragile, contactId(2));
    expect(read?.document.subscriptions['lst_01']?.status).toBe('Unsubscribed');
    isBroken = true;
    await unsubscribe();
    expect((await projector.caughtUp()).parked).toHaveLength(1);
    expect(projector.faults.map(({ kind }) => kind)).toEqual(['parked', 'parked']);
  });
});

describe('a changed projection', () => {
  const others = liveProjections.filter(({ name }) => name !== 'lists');
  const changed: Projection = {
    ...(lists as Projection),
    version: lists.version + 1,
    evolve: (document, event, key) => {
      const next = lists.evolve(document as never, event, key);
      return next === null ? null : { ...next, is_changed: true };
    },
  };

  it('is built beside the others, which are served meanwhile', async () => {
    const store = await logOf(10);
    const first = await started({ store });
    await first.projector.stop();
    const projector = startProjector({ store, views: first.views, projections: [...others, changed] });
    const { missing, live } = await projector.until((status) => status.live !== null);
    expect(missing).toEqual(['lists']);
    expect(live).not.toHaveProperty('lists');
    await expect(projector.reader.get(changed, 'lst_01')).rejects.toThrow('has not been built yet');
    await appendContacts(store, { count: 1, from: 10 });
    await projector.caughtUp();
    expect(await projector.reader.get(contacts, contactId(10))).toBeDefined();
    expect(await projector.rebuild({ views: missing, park: true })).toMatchObject({ outcome: 'switched' });
    expect(projector.status().missing).toEqual([]);
    expect((await projector.reader.get(changed, 'lst_01'))?.document).toMatchObject({ is_changed: true });
    expect(projector.faults.map(({ kind }) => kind)).toEqual(['new_views']);
  });

  it('that is new leaves no note of old storages, for which erasures would wait', async () => {
    const store = await logOf(1);
    const views = openViews();
    const before = startProjector({ store, views, projections: others });
    await before.caughtUp();
    await before.stop();
    const projector = startProjector({ store, views });
    const { missing } = await projector.until((status) => status.live !== null);
    expect(missing).toEqual(['lists']);
    expect(await projector.rebuild({ views: missing, park: true })).toMatchObject({ outcome: 'switched' });
    expect(await views.models.checkpoint('old_storages')).toBeNull();
  });
});
