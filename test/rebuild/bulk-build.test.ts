/** A bulk build ends where folding in the ordinary way ends, whatever happens on the way. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DomainEvent } from '../../src/events/codec.js';
import type { EventReader, StoredEvent } from '../../src/eventstore/event-store.js';
import { bulkBuild, type BulkBuildInput } from '../../src/rebuild/bulk-build.js';
import { foldBatch, handlersOf, PoisonEventError } from '../../src/projector/fold.js';
import { memberships } from '../../src/projections/memberships.js';
import { parkedId, parkedView, readParked } from '../../src/projector/parked.js';
import type { Projection } from '../../src/projections/projection.js';
import { liveProjections } from '../../src/projections/views.js';
import type { Checkpoint, Commit, ReadModels } from '../../src/readmodels/read-models.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { usually } from '../support/amount.js';
import { exampleEvents, examplePosition, exampleSalt, toAppend } from '../support/examples.js';
import { noMongo, openTestDatabase, testMongoUrl } from '../support/mongodb.js';

const openEmpty = (): ReadModels => openSqliteReadModels({ file: ':memory:' });

/** Fed by many streams, and two documents for each event. */
const busy: Projection = {
  name: 'busy',
  version: 1,
  personal: false,
  indexes: [{ fields: ['count'] }],
  arrayIndexes: ['contacts'],
  handles: ['ContactSubscribed', 'ContactUnsubscribed'],
  keys: ({ event: { data } }) =>
    'contact_id' in data && 'list_id' in data ? [data.list_id, `${data.list_id}/all`] : [],
  evolve: (document, { event: { data } }) => {
    const contacts = Array.isArray(document?.['contacts']) ? (document['contacts'] as readonly string[]) : [];
    const fresh = 'contact_id' in data && !contacts.includes(data.contact_id) ? [data.contact_id] : [];
    return { count: Number(document?.['count'] ?? 0) + 1, contacts: [...contacts, ...fresh] };
  },
};
const projections = [...liveProjections, busy];

type Fact = readonly [stream: string, event: DomainEvent | 'unreadable' | 'unknown'];

const few = fc.nat({ max: 3 });
/** In any order, so that many an event cannot be folded. */
const fact: fc.Arbitrary<Fact> = fc
  .record({ kind: fc.nat({ max: 23 }), contact: few, list: few, tag: few })
  .map(({ kind, contact, list, tag }) => factOf(kind, { contact, list, tag }));

function factOf(kind: number, { contact, list, tag }: { contact: number; list: number; tag: number }): Fact {
  const contact_id = `con_${contact}`;
  const stream = `contact-${contact}`;
  const ofList = { list_id: `lst_${list}`, list_name: `List ${list}` };
  const ofTag = { tag_id: `tag_${tag}`, tag_name: `Tag ${tag}` };
  const email = { email_id: `eml_${tag}` };
  const facts: readonly Fact[] = [
    [stream, 'unreadable'],
    [stream, 'unknown'],
    ['lists', { type: 'ListCreated', data: ofList }],
    ['lists', { type: 'ListDeleted', data: ofList }],
    ['tags', { type: 'TagCreated', data: ofTag }],
    ['tags', { type: 'TagDeleted', data: ofTag }],
    [`email-${tag}`, { type: 'EmailRequested', data: { ...exampleEvents.emailRequested.data, ...email } }],
    [`email-${tag}`, { type: 'EmailSent', data: { ...exampleEvents.emailSent.data, ...email } }],
    [stream, { type: 'TagsDetached', data: { contact_id, list_id: ofList.list_id, tags: [ofTag] } }],
    [stream, { type: 'ContactUnsubscribed', data: { contact_id, ...ofList, previous_status: null } }],
    [
      stream,
      { type: 'ContactProfileChanged', data: { contact_id, person: { salt: exampleSalt, city: `City ${tag}` } } },
    ],
    [stream, { type: 'TagsAttached', data: { contact_id, list_id: ofList.list_id, tags: [ofTag] } }],
  ];
  return facts[kind] ?? [stream, { type: 'ContactSubscribed', data: { contact_id, ...ofList, previous_status: null } }];
}

/** A log whose contacts are all created at its beginning. */
function logOf(facts: readonly Fact[]): {
  readonly events: readonly StoredEvent[];
  readonly reader: BulkBuildInput['reader'];
} {
  const created = [0, 1, 2].map((contact): Fact => {
    const { data, type } = exampleEvents.contactCreated;
    return [`contact-${contact}`, { type, data: { ...data, contact_id: `con_${contact}` } }];
  });
  const all: readonly Fact[] = [['service', exampleEvents.serviceInitialised], ...created, ...facts];
  const events = all.map(([stream, event], index): StoredEvent => {
    const place = { stream, revision: BigInt(index), position: examplePosition(index + 1) };
    if (event === 'unknown') return { ...toAppend(exampleEvents.listCreated), type: 'SomethingNew', ...place };
    if (event === 'unreadable') return { ...toAppend(exampleEvents.subscribed), data: '{"contact_id":7}', ...place };
    return { ...toAppend(event), ...place };
  });
  async function* readAll({ after = '', signal }: Parameters<EventReader['readAll']>[0] = {}) {
    const left = events.filter(({ position }) => position > after);
    for (let start = 0; start < left.length && signal?.aborted !== true; start += 5) {
      await Promise.resolve();
      yield left.slice(start, start + 5);
    }
  }
  async function* readStream(stream: string) {
    await Promise.resolve();
    yield events.filter((event) => event.stream === stream);
  }
  return { events, reader: { readAll, readStream } };
}

/** As the projector does it, batch by batch. */
async function foldOrdinarily(events: readonly StoredEvent[]): Promise<ReadModels> {
  const models = openEmpty();
  for (const view of [...projections, parkedView]) await models.prepare(view);
  let previous: Checkpoint | null = null;
  for (let start = 0; start < events.length; start += 3) {
    const batch = events.slice(start, start + 3);
    const parked = await readParked(models);
    const fold = await foldBatch({
      events: batch,
      handlers: handlersOf(projections),
      readModels: models,
      parked,
      park: true,
    });
    const next: Checkpoint = { logId: 'log', position: batch.at(-1)?.position ?? '', eventId: '', storages: {} };
    await models.commit({ writes: fold.writes, checkpoint: { name: 'ordinary', previous, next } });
    previous = next;
  }
  return models;
}

const ids = [0, 1, 2, 3].flatMap((number) => [
  ...[`con_${number}`, `lst_${number}`, `lst_${number}/all`, `tag_${number}`, `eml_${number}`],
  ...[0, 1, 2, 3].map((contact) => `lst_${number}/con_${contact}`),
]);

/** All documents with their positions, tombstones included, and what the indexes find. */
async function contentOf(models: ReadModels): Promise<unknown> {
  const content: unknown[] = [[...(await readParked(models))].sort()];
  for (const view of projections) {
    const { documents } = await models.find(view, { limit: 1_000 });
    content.push([view.name, documents, [...(await models.load(view, ids))].sort()]);
  }
  const arrays: readonly (readonly [Projection, string, string])[] = [
    [busy, 'contacts', 'con_0'],
    [memberships, 'tag_ids', 'tag_0'],
    [memberships, 'tag_ids', 'tag_1'],
  ];
  for (const [view, field, value] of arrays)
    content.push(await models.find(view, { contains: { field, value }, limit: 100 }));
  content.push(await models.find(busy, { sort: 'count', limit: 100 }));
  return content;
}

interface Trouble {
  /** What becomes of a commit: lost, written in part, or written without anybody hearing of it. */
  readonly outcome: 'lost' | 'half' | 'unheard' | 'aborted';
  /** So many commits, or pages, go well. */
  readonly after: number;
}
const trouble: fc.Arbitrary<Trouble> = fc.record({
  outcome: fc.constantFrom('lost', 'half', 'unheard', 'aborted'),
  after: fc.nat({ max: 4 }),
});

class Killed extends Error {}

function troubled(models: ReadModels, { outcome, after }: Trouble): ReadModels {
  let left = after;
  const commit = async (commit: Commit): Promise<void> => {
    if (outcome === 'aborted' || (left -= 1) >= 0) return models.commit(commit);
    // Documents without their checkpoint.
    const writes = commit.writes.filter((_, index) => index % 2 === after % 2);
    const elsewhere = { ...commit.checkpoint, name: randomUUID(), previous: null };
    if (outcome === 'half') await models.commit({ writes, checkpoint: elsewhere });
    if (outcome === 'unheard') await models.commit(commit);
    throw new Killed();
  };
  return { ...models, commit };
}

interface BuildRun
  extends Pick<BulkBuildInput, 'reader' | 'until'>, Partial<Pick<BulkBuildInput, 'park' | 'onProgress' | 'signal'>> {
  readonly models: ReadModels;
}

/** Goes on from the checkpoint as it stands. */
async function build({ models, park = true, ...run }: BuildRun): Promise<Checkpoint> {
  return bulkBuild({
    readModels: models,
    projections,
    name: 'build',
    from: await models.checkpoint('build'),
    park,
    bounds: { documents: 6, characters: 1_500 },
    check: () => undefined,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    ...run,
  });
}

/** Whether it was killed or aborted. */
async function buildInto(
  models: ReadModels,
  log: Pick<BulkBuildInput, 'reader' | 'until'>,
  happening: Trouble,
): Promise<void> {
  const stop = new AbortController();
  let pages = 0;
  const onProgress = (): void => {
    pages += 1;
    if (happening.outcome === 'aborted' && pages > happening.after) stop.abort(new Killed());
  };
  try {
    await build({ models: troubled(models, happening), ...log, signal: stop.signal, onProgress });
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  }
}

/** Histories and troubles at random; `open` gives empty read models each time. */
async function endsAsOrdinarily(numRuns: number, open: () => Promise<ReadModels>): Promise<void> {
  const facts = fc.array(fact, { minLength: 5, maxLength: 80, size: 'max' });
  const property = fc.asyncProperty(facts, fc.array(trouble, { maxLength: 4 }), async (given, troubles) => {
    const { events, reader } = logOf(given);
    const until = examplePosition(events.length - 2);
    const ordinary = await foldOrdinarily(events.slice(0, -2));
    const models = await open();
    for (const happening of troubles) await buildInto(models, { reader, until }, happening);
    const checkpoint = await build({ models, reader, until });
    expect(await contentOf(models)).toEqual(await contentOf(ordinary));
    expect(checkpoint).toMatchObject({ logId: 'log-example', position: until, eventId: events.at(-3)?.id });
    expect(await models.checkpoint('build')).toEqual(checkpoint);
    // Once more, and a little further: now into views that are whole.
    const further = examplePosition(events.length);
    await build({ models, reader, until: further });
    await ordinary.close();
    const whole = await foldOrdinarily(events);
    expect(await contentOf(models)).toEqual(await contentOf(whole));
    await whole.close();
    await models.close();
  });
  await fc.assert(property, { numRuns, endOnFailure: true });
}

describe('a bulk build', () => {
  it('ends as folding in the ordinary way does, whatever is killed on the way', async () => {
    await endsAsOrdinarily(usually(15, 60), () => Promise.resolve(openEmpty()));
  });

  it('does so in MongoDB', async ({ skip }) => {
    if (testMongoUrl === undefined) return skip(noMongo);
    const database = openTestDatabase(testMongoUrl);
    const { openMongoReadModels } = await import('../../src/readmodels/mongodb/read-models.js');
    await endsAsOrdinarily(usually(3, 12), async () => {
      await database.client.db().dropDatabase();
      return openMongoReadModels({ url: database.url });
    });
    await database.close();
  }, 60_000);

  it('drops what the views held when it begins anew', async () => {
    const models = openEmpty();
    const { events, reader } = logOf([factOf(23, { contact: 0, list: 0, tag: 0 })]);
    const until = examplePosition(events.length);
    await build({ models, reader, until });
    await models.forget({ name: 'build', previous: await models.checkpoint('build') });
    await build({ models, reader, until });
    expect((await models.load(busy, ['lst_0'])).get('lst_0')?.document).toEqual({ count: 1, contacts: ['con_0'] });
    await models.close();
  });

  it('tells how far it has come, and parks streams', async () => {
    const models = openEmpty();
    const { events, reader } = logOf([
      ['contact-1', 'unknown'],
      ['contact-1', 'unreadable'],
      ['contact-2', 'unknown'],
    ]);
    const told: (readonly [string, number])[] = [];
    const until = examplePosition(events.length);
    await build({ models, reader, until, onProgress: ({ position, events }) => told.push([position, events]) });
    expect(told).toEqual([
      [examplePosition(5), 5],
      [examplePosition(7), 7],
    ]);
    const concerned = projections.filter(({ handles }) => handles.includes('ContactSubscribed'));
    const ids = concerned.map(({ name }) => parkedId(name, 'contact-1'));
    expect([...(await readParked(models)).keys()].sort()).toEqual(ids.sort());
    await models.close();
  });

  it('folds what stands before a poison event, though the stream is parked already when it goes on', async () => {
    const models = openEmpty();
    const subscribed = factOf(23, { contact: 0, list: 0, tag: 0 });
    const { events, reader } = logOf([subscribed, ['contact-0', 'unreadable'], subscribed]);
    const until = examplePosition(events.length);
    const commit = async ({ writes, checkpoint }: Commit): Promise<void> => {
      const ahead = writes.filter(({ view }) => view.name === parkedView.name);
      await models.commit({ writes: ahead, checkpoint: { ...checkpoint, name: 'elsewhere' } });
      throw new Killed();
    };
    await expect(build({ models: { ...models, commit }, reader, until })).rejects.toThrow(Killed);
    await build({ models, reader, until });
    const ordinary = await foldOrdinarily(events);
    expect(await contentOf(models)).toEqual(await contentOf(ordinary));
    expect((await models.load(busy, ['lst_0'])).get('lst_0')?.document).toEqual({ count: 1, contacts: ['con_0'] });
    await ordinary.close();
    await models.close();
  });

  it('ends with the poison event, its place, and nothing of its body', async () => {
    const models = openEmpty();
    const { events, reader } = logOf([['contact-1', 'unreadable']]);
    const poisoned = await build({ models, reader, until: examplePosition(events.length), park: false }).catch(
      (error: unknown) => error,
    );
    if (!(poisoned instanceof PoisonEventError)) throw new Error('no poison event', { cause: poisoned });
    const { view, reason } = poisoned.poison;
    const { position, id: event_id, type: event_type, stream } = events.at(-1) ?? {};
    expect(poisoned.poison).toEqual({ view, reason, position, event_id, event_type, stream });
    expect(projections.map(({ name }) => name)).toContain(view);
    expect(poisoned.message).toBe(`${view}, position ${examplePosition(events.length)}: ${reason}`);
    expect(JSON.stringify(poisoned)).not.toContain('contact_id":7');
    await models.close();
  });

  it('asks before each change whether it still may', async () => {
    const models = openEmpty();
    const { events, reader } = logOf([]);
    let left = 10;
    const check = (): void => {
      if ((left -= 1) < 0) throw new Killed();
    };
    const input = { readModels: models, projections, name: 'build', from: null, reader, park: false };
    const signal = new AbortController().signal;
    const building = bulkBuild({
      ...input,
      until: examplePosition(events.length),
      check,
      signal,
      onProgress: () => undefined,
    });
    await expect(building).rejects.toThrow(Killed);
    await models.close();
  });
});
