/** The projector over the real embedded stores: catching up, resuming, rebuilding, poison events, faults. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../src/events/codec.js';
import { openSqliteEventStore, type SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { StoreUnavailableError, type EventReader, type EventToAppend } from '../../src/eventstore/event-store.js';
import { contacts, type ContactDocument } from '../../src/projections/contacts.js';
import { lists } from '../../src/projections/catalogues.js';
import { memberships } from '../../src/projections/memberships.js';
import { parkedView, type ParkedStream } from '../../src/projector/parked.js';
import type { Projection } from '../../src/projections/projection.js';
import type { ProjectorFault } from '../../src/projector/status.js';
import { runProjector } from '../../src/projector/projector.js';
import { liveProjections } from '../../src/projections/views.js';
import { ReadModelsUnavailableError, type ReadModels } from '../../src/readmodels/read-models.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { exampleEvents as e, exampleMetadata, examples, toAppend } from '../support/examples.js';
import { createStatusWatch, type StatusWatch } from '../support/status-watch.js';

interface Running extends Omit<StatusWatch, 'tell'> {
  readonly faults: ProjectorFault[];
  stop(): Promise<void>;
}

let folder: string;
let store: SqliteEventStore;
let models: ReadModels;
let running: Running | undefined;

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'projector-'));
  store = await openSqliteEventStore({ file: path.join(folder, 'events.db'), clock: Date.now });
  models = openSqliteReadModels({ file: path.join(folder, 'views.db') });
  await append('service', e.serviceInitialised);
});
afterEach(async () => {
  await running?.stop();
  await store.close();
  await models.close();
  rmSync(folder, { recursive: true });
});

const appendRaw = (stream: string, ...events: readonly EventToAppend[]) =>
  store.append(stream, events, { expectedRevision: 'any' });
const append = (stream: string, ...events: readonly DomainEvent[]) =>
  appendRaw(stream, ...events.map((event) => toAppend(event)));

const unreadable = (type: string): EventToAppend => ({
  id: randomUUID(),
  type,
  data: JSON.stringify({ contact_id: 'con_01', person: { firstName: 7, city: 'ada@example.com' } }),
  metadata: JSON.stringify(exampleMetadata),
});

interface Parts {
  readonly reader?: EventReader;
  readonly readModels?: ReadModels;
  readonly projections?: readonly Projection[];
  readonly dropAfter?: number;
}

function start({ reader = store, readModels = models, projections = liveProjections, dropAfter }: Parts = {}): Running {
  const stopping = new AbortController();
  const faults: ProjectorFault[] = [];
  const { tell, ...watch } = createStatusWatch(store);
  const done = runProjector({
    reader,
    readModels,
    projections,
    signal: stopping.signal,
    random: () => 0,
    ...(dropAfter === undefined ? {} : { dropAfter }),
    onFault: (fault) => faults.push(fault),
    onProgress: tell,
  });
  running = {
    ...watch,
    faults,
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
  return running;
}

/** All documents of all views, with their positions. */
async function dump(from: ReadModels = models): Promise<Record<string, unknown>> {
  const views: Record<string, unknown> = {};
  for (const view of [...liveProjections, parkedView])
    views[view.name] = (await from.find(view, { limit: 10_000 })).documents;
  return views;
}

async function appendLives(): Promise<void> {
  await append('lists', e.listCreated, e.otherListCreated);
  await append('tags', e.tagCreated, e.otherTagCreated);
  await append('groups', e.groupCreated);
  await append(examples.contactStream, e.contactCreated, e.subscribed, e.tagsAttached);
  await append(examples.emailStream, e.emailRequested, e.dispatchStarted);
  await append(examples.contactStream, e.profileChanged, e.unsubscribed);
  await append(examples.emailStream, e.emailSent);
  await append('lists', e.listDeleted);
}

/** As many contacts, one append each. */
async function appendContacts(count: number, from = 0): Promise<void> {
  const appends = Array.from({ length: count }, (_, index) => {
    const contact_id = `con_${String(from + index).padStart(6, '0')}`;
    return append(
      `contact-${contact_id}`,
      { ...e.contactCreated, data: { ...e.contactCreated.data, contact_id } },
      { ...e.subscribed, data: { ...e.subscribed.data, contact_id } },
    );
  });
  await Promise.all(appends);
}

async function countOf(view: Projection): Promise<number> {
  return (await models.find(view, { limit: 100_000 })).documents.length;
}

describe('folding', () => {
  it('catches up, then follows; what it reports is visible', async () => {
    await appendLives();
    const projector = start();
    expect(await projector.caughtUp()).toMatchObject({ folded: 15, rebuilding: false, parked: [], fault: null });
    expect((await models.get<ContactDocument>(contacts, 'con_01'))?.document.lastName).toBe('Lovelace');
    const { position } = await append('groups', { ...e.groupCreated, data: { group_id: 'grp_02', group_name: 'B' } });
    const status = await projector.until((now) => now.position >= position);
    expect(status).toMatchObject({ position, at: exampleMetadata.at });
    expect((await models.checkpoint('views'))?.position).toBe(position);
    expect(projector.faults).toEqual([]);
  });

  it('gives every document the position of the last event folded into it', async () => {
    await append('lists', e.listCreated);
    const created = await append(examples.contactStream, e.contactCreated);
    const subscribed = await append(examples.contactStream, e.subscribed);
    const changed = await append(examples.contactStream, e.profileChanged);
    await append(examples.contactStream, e.consentRecorded);
    await start().caughtUp();
    expect(created.position < subscribed.position).toBe(true);
    expect((await models.get(contacts, 'con_01'))?.position).toBe(changed.position);
    expect((await models.get(memberships, 'lst_01/con_01'))?.position).toBe(subscribed.position);
  });

  it('counts events of unknown types and goes on', async () => {
    await appendRaw('later', { ...unreadable('ContactMerged'), data: '{}' }, { ...unreadable('ContactMerged') });
    await append('lists', e.listCreated);
    const { unknown, parked } = await start().caughtUp();
    expect(unknown).toEqual({ ContactMerged: 2 });
    expect(parked).toEqual([]);
    expect(await countOf(lists as Projection)).toBe(1);
  });

  it('resumes after a stop without folding anything twice', async () => {
    await appendLives();
    const first = start();
    await first.caughtUp();
    await first.stop();
    await appendContacts(3);
    expect(await start().caughtUp()).toMatchObject({ folded: 6, rebuilding: false });
  });

  it('keeps its subscription while there is no old storage to drop', async () => {
    let subscriptions = 0;
    const reader: EventReader = {
      ...store,
      subscribe(options) {
        subscriptions += 1;
        return store.subscribe(options);
      },
    };
    const projector = start({ reader, dropAfter: 1 });
    const begun = performance.now();
    for (let count = 0; count < 3 || performance.now() - begun < 20; count += 1) {
      await appendContacts(1, count);
      await projector.caughtUp();
    }
    expect(subscriptions).toBe(1);
  });

  it('waits on an empty log and begins with its first event', async () => {
    const empty = await openSqliteEventStore({ file: path.join(folder, 'empty.db'), clock: Date.now });
    const projector = start({ reader: empty });
    await projector.until((now) => now.caughtUp);
    await empty.append('service', [toAppend(e.serviceInitialised)], { expectedRevision: 'no_stream' });
    expect(await projector.until((now) => now.folded === 1)).toMatchObject({ caughtUp: true, fault: null });
    expect((await models.checkpoint('views'))?.logId).toBe('log-example');
    await projector.stop();
    await empty.close();
  });
});

describe('faults', () => {
  /** Read models whose n-th commit does something else. */
  const withCommit = (nth: number, instead: ReadModels['commit']): ReadModels => {
    let commits = 0;
    return { ...models, commit: (commit) => ((commits += 1) === nth ? instead(commit) : models.commit(commit)) };
  };
  const gone = (): never => {
    throw new ReadModelsUnavailableError('gone');
  };

  it.each<[string, (commit: Parameters<ReadModels['commit']>[0]) => Promise<void>]>([
    ['before it was written', async () => gone()],
    ['after it was written', async (commit) => models.commit(commit).then(gone)],
    [
      'with the documents written and the checkpoint not moved',
      async ({ writes }) => {
        const next = { logId: 'x', position: 'x', eventId: 'x', storages: {} };
        await models.commit({ writes, checkpoint: { name: 'elsewhere', previous: null, next } });
        gone();
      },
    ],
  ])('a commit that dies %s has every effect once', async (_, instead) => {
    const projector = start({ readModels: withCommit(2, instead) });
    await projector.caughtUp();
    await appendLives();
    await appendContacts(200);
    await projector.caughtUp();
    expect(projector.faults.map(({ kind }) => kind)).toEqual(['unavailable']);
    expect(projector.status().fault).toBeNull();
    const other = openSqliteReadModels({ file: path.join(folder, 'fresh.db') });
    const live = await dump();
    await projector.stop();
    await start({ readModels: other }).caughtUp();
    expect(live).toEqual(await dump(other));
    await other.close();
  });

  it('keeps trying while the log is out of reach, and says so', async () => {
    await append('lists', e.listCreated);
    let failures = 3;
    const reader: EventReader = {
      ...store,
      subscribe: (options) => {
        if ((failures -= 1) >= 0) throw new StoreUnavailableError('no log');
        return store.subscribe(options);
      },
    };
    const projector = start({ reader });
    await projector.until(({ fault }) => fault === 'StoreUnavailableError: no log');
    expect(await projector.caughtUp()).toMatchObject({ fault: null, folded: 2 });
    expect(projector.faults.map(({ kind }) => kind)).toEqual(['unavailable', 'unavailable', 'unavailable']);
  });

  it('a second projector on the same views conflicts and neither doubles anything', async () => {
    const first = start();
    await first.caughtUp();
    const others = openSqliteReadModels({ file: path.join(folder, 'views.db') });
    const second = start({ readModels: others });
    await appendLives();
    await appendContacts(200);
    await Promise.all([first.caughtUp(), second.caughtUp()]);
    expect(await countOf(memberships as Projection)).toBe(201);
    await first.stop();
    await second.stop();
    await others.close();
  });
});

describe('rebuilding', () => {
  it('from zero equals live', async () => {
    const projector = start();
    await projector.caughtUp();
    await appendLives();
    await appendContacts(50);
    await projector.caughtUp();
    const live = await dump();
    await projector.stop();
    await models.forget({ name: 'views', previous: await models.checkpoint('views') });
    await start().caughtUp();
    expect(await dump()).toEqual(live);
  });

  it('of a view that is new says so, and that nothing is wrong', async () => {
    await appendLives();
    const first = start({ projections: liveProjections.slice(1) });
    await first.caughtUp();
    await first.stop();
    const second = start();
    await second.caughtUp();
    const [{ name, version } = { name: '', version: 0 }] = liveProjections;
    const message = `These views are new or changed, and are built: ${name} version ${version}`;
    expect(second.faults).toEqual([{ kind: 'new_views', message }]);
  });

  it('when the checkpoint is of another log, loudly', async () => {
    await appendLives();
    const first = start();
    await first.caughtUp();
    await first.stop();
    const other = await openSqliteEventStore({ file: path.join(folder, 'other.db'), clock: Date.now });
    const initialised = { ...e.serviceInitialised, data: { ...e.serviceInitialised.data, log_id: 'log-other' } };
    const events = [toAppend(initialised)];
    const { position } = await other.append('service', events, { expectedRevision: 'no_stream' });
    const projector = start({ reader: other });
    await projector.until((now) => now.caughtUp && now.position === position);
    expect(projector.faults).toEqual([
      { kind: 'rebuild', message: 'The views are rebuilt: the views were folded from another log' },
    ]);
    expect(await countOf(contacts as Projection)).toBe(0);
    expect((await models.checkpoint('views'))?.logId).toBe('log-other');
    await projector.stop();
    await other.close();
  });

  it('when the log was restored: another event stands at the checkpoint', async () => {
    await appendLives();
    const first = start();
    await first.caughtUp();
    await first.stop();
    const checkpoint = await models.checkpoint('views');
    if (checkpoint === null) throw new Error('no checkpoint');
    const next = { ...checkpoint, eventId: randomUUID() };
    await models.commit({ writes: [], checkpoint: { name: 'views', previous: checkpoint, next } });
    const projector = start();
    await projector.until((now) => now.caughtUp && now.folded > 0);
    expect(projector.faults[0]?.message).toContain('restored or altered');
  });
});

describe('poison events', () => {
  it('park the stream for the views that handle it, visibly and without personal data, and others go on', async () => {
    await append(examples.contactStream, e.contactCreated);
    const { position } = await appendRaw(examples.contactStream, unreadable('ContactProfileChanged'));
    await append(examples.contactStream, e.subscribed, e.profileChanged);
    await appendContacts(1);
    const projector = start();
    const { parked } = await projector.caughtUp();
    const place = { stream: examples.contactStream, position, event_type: 'ContactProfileChanged' };
    expect(parked).toMatchObject(['contacts', 'contact_search'].map((view) => ({ view, ...place })));
    expect(JSON.stringify([parked, projector.faults])).not.toContain('example.com');
    expect(projector.faults).toMatchObject([{ kind: 'parked' }, { kind: 'parked' }]);
    // Its view stands before the poison event; the other view of the same stream, and other streams, go on.
    expect((await models.get<ContactDocument>(contacts, 'con_01'))?.document).toMatchObject({
      lastName: null,
      subscriptions: {},
    });
    expect(await models.get(memberships, 'lst_01/con_01')).toBeDefined();
    expect(await models.get(memberships, 'lst_01/con_000000')).toBeDefined();
  });

  it('stay parked over a restart, in the commit of their batch', async () => {
    await append(examples.contactStream, e.subscribed);
    const first = start();
    const { parked } = await first.caughtUp();
    await first.stop();
    expect(parked.map(({ view, reason }) => [view, reason])).toEqual([
      ['contacts', 'ContactSubscribed without its document'],
    ]);
    const id = `contacts/${examples.contactStream}`;
    expect((await models.get<ParkedStream>(parkedView, id))?.document).toEqual(parked[0]);
    const second = start();
    await append(examples.contactStream, e.unsubscribed);
    expect((await second.caughtUp()).parked).toEqual(parked);
    expect(second.faults).toEqual([]);
  });

  it('are tried again before: documents that could not be loaded well once do not park anything', async () => {
    await append('lists', e.listCreated);
    const first = start();
    await first.caughtUp();
    await first.stop();
    await append('lists', e.listDeleted);
    let loads = 0;
    const stale: ReadModels = {
      ...models,
      load: (view, ids) => ((loads += 1) === 1 ? Promise.resolve(new Map()) : models.load(view, ids)),
    };
    expect((await start({ readModels: stale }).caughtUp()).parked).toEqual([]);
    expect(await countOf(lists as Projection)).toBe(0);
  });
});
