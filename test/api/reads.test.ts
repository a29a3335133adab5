/**
 * Checks for every read of the API which writes of this process the read waits for, and how the read answers while a stream
 * is parked. The views do not move until the test folds. Add each new read to `readsOfViews` or to `readsOfLog`.
 */
import { expect, test } from 'vitest';
import { erasureDecider } from '../../src/commands/erasures.js';
import { keyDecider } from '../../src/commands/keys.js';
import { groupsStream, listsStream, recipientOf, suppressionStream, tagsStream } from '../../src/events/streams.js';
import type { Proofs } from '../../src/integrity/service-proofs.js';
import { endpointTable } from '../support/api-description.js';
import { startAuditedService, type AuditedService } from '../support/audited-service.js';
import { allEvents, openLog } from '../support/event-log.js';
import { openHeldViews } from '../support/held-views.js';

type WriteName = keyof ReturnType<typeof writesIn>;

/**
 * How a read answers while a stream is parked for the view. `document`: 503 if it is the stream of the contact, email or
 * address that is asked for. `collection`: the answer is incomplete. `hint`: as before, because the view only says where
 * in the log to look. A parked catalogue is always 503.
 */
type Use = 'document' | 'collection' | 'hint';

interface ReadOfViews {
  /** The query of a GET, or the body of a search. */
  readonly input?: string | object;
  /** The views that the read opens and reads, and no others. */
  readonly views: Readonly<Record<string, Use>>;
  /** The writes that the read waits for, and no others. */
  readonly waitsFor: readonly WriteName[];
}

const ofContact: readonly WriteName[] = ['profile', 'status'];
const ofNames: readonly WriteName[] = ['list', 'otherList', 'tag', 'otherTag', 'listDeleted'];
const ofEmails: readonly WriteName[] = ['email', 'otherEmail', 'newEmail'];
const ofGrowth: readonly WriteName[] = ['list', 'otherList', 'status', 'listDeleted'];
const ofTagUse: readonly WriteName[] = ['tag', 'otherTag', 'tagged', 'listDeleted'];

const names = { lists: 'document', tags: 'document' } as const;
const contact: ReadOfViews = {
  views: { contacts: 'document', suppressions: 'document', ...names },
  waitsFor: [...ofContact, ...ofNames, 'refusal'],
};
const contactInLog: ReadOfViews = { views: { contacts: 'hint' }, waitsFor: ofContact };
const days = 'from=2026-01-01&to=2026-01-02';

const readsOfViews: Readonly<Record<string, ReadOfViews>> = {
  findContact: { ...contact, input: 'email=ada@example.com' },
  getContact: contact,
  listContacts: {
    input: 'tag_name=VIP',
    views: { memberships: 'collection', contacts: 'collection', ...names },
    waitsFor: ['profile', 'otherProfile', 'status', 'tagged', ...ofNames],
  },
  searchContacts: {
    input: { text: 'ada' },
    views: { contact_search: 'collection', contacts: 'collection' },
    waitsFor: ['profile', 'otherProfile', 'strangerProfile', 'status', 'tagged'],
  },
  getGroup: { views: { groups: 'document' }, waitsFor: ['group'] },
  listGroups: { views: { groups: 'collection' }, waitsFor: ['group', 'otherGroup'] },
  getList: { views: { lists: 'document' }, waitsFor: ['list'] },
  listLists: { views: { lists: 'collection' }, waitsFor: ['list', 'otherList', 'listDeleted'] },
  getTag: { views: { tags: 'document' }, waitsFor: ['tag'] },
  listTags: { views: { tags: 'collection' }, waitsFor: ['tag', 'otherTag'] },
  getEmail: { views: { emails: 'document' }, waitsFor: ['email'] },
  listEmails: { views: { emails: 'collection' }, waitsFor: ofEmails },
  listSuppressions: { views: { suppressions: 'collection' }, waitsFor: ['refusal', 'otherRefusal'] },
  getContactHistory: { views: { contacts: 'hint', emails: 'collection' }, waitsFor: [...ofContact, ...ofEmails] },
  getContactReport: { views: { contacts: 'hint', emails: 'hint' }, waitsFor: [...ofContact, ...ofEmails] },
  getContactAt: { ...contactInLog, input: 'time=2026-01-02' },
  getContactProof: contactInLog,
  getEmailHistory: { views: { emails: 'hint' }, waitsFor: ['email'] },
  listReads: { ...contactInLog, input: 'contact={contact}' },
  listEvents: { ...contactInLog, input: 'contact={contact}' },
  exportPerson: { input: 'email=ada@example.com', views: { emails: 'collection' }, waitsFor: ofEmails },
  listListCounts: { views: { lists: 'collection', list_growth: 'collection' }, waitsFor: ofGrowth },
  getListGrowth: { input: days, views: { list_growth: 'collection' }, waitsFor: ofGrowth },
  listTagCounts: { views: { tags: 'collection', tag_use: 'collection' }, waitsFor: ofTagUse },
  getTagUse: { input: days, views: { tag_use: 'collection' }, waitsFor: ofTagUse },
  getEmailOutcomes: { input: days, views: { email_outcomes: 'collection' }, waitsFor: ofEmails },
  listDocuments: {
    views: { contacts: 'collection' },
    waitsFor: ['profile', 'otherProfile', 'strangerProfile', 'status', 'tagged'],
  },
  getDocument: { views: { contacts: 'collection' }, waitsFor: ofContact },
};

/** Their answers do not depend on views. */
const readsOfLog: Readonly<Record<string, string>> = {
  getListAt: 'time=2026-01-02',
  getListDiff: 'from=2026-01-01&to=2026-01-02',
  getEvent: '',
  getEventProof: '',
  listSeals: '',
  listViews: '',
  listProjections: '',
  getRebuild: '',
  listApiKeys: '',
  getOwnApiKey: '',
  listErasures: '',
  getErasure: '',
  getLive: '',
  getReady: '',
  getIdentity: `nonce=${'0'.repeat(32)}`,
  getOpenApi: '',
  getDocs: '',
  getMetrics: '',
};

const reads = endpointTable.filter(({ effect }) => effect === 'read');

interface World {
  readonly service: AuditedService;
  readonly views: Awaited<ReturnType<typeof openHeldViews>>;
  readonly group: string;
  readonly otherGroup: string;
  readonly list: string;
  readonly otherList: string;
  readonly tag: string;
  readonly otherTag: string;
  readonly contact: string;
  readonly email: string;
  readonly otherEmail: string;
  readonly emailStream: string;
  readonly position: string;
}

const ada = { email: 'ada@example.com', status: 'Subscribed', firstName: 'Ada', tag_name: ['VIP'] };
const adam = { email: 'adam@example.com', status: 'Subscribed', firstName: 'Adam', tag_name: ['VIP'] };
const adele = { email: 'adele@example.com', status: 'Subscribed', firstName: 'Adele', tag_name: ['VIP'] };
const message = { from_email: 'shop@example.com', subject: 'Hello', mail_template: '<p>Hello</p>' };

/** Writes that change the answers of some reads, in this order. */
const writesIn = ({ group, otherGroup, list, otherList, tag, otherTag, email, otherEmail }: World) =>
  ({
    group: [`/v1/groups/${group}/update`, { group_name: 'Friends, renamed' }],
    otherGroup: [`/v1/groups/${otherGroup}/update`, { group_name: 'Foes, renamed' }],
    list: [`/v1/lists/${list}/update`, { list_name: 'News, renamed' }],
    otherList: [`/v1/lists/${otherList}/update`, { list_name: 'Offers, renamed' }],
    tag: [`/v1/tags/${tag}/update`, { tag_name: 'vip' }],
    otherTag: [`/v1/tags/${otherTag}/update`, { tag_name: 'Press, renamed' }],
    profile: [`/v1/contacts/${list}/upsertcontact`, { ...ada, firstName: 'Augusta' }],
    otherProfile: [`/v1/contacts/${list}/upsertcontact`, { ...adam, firstName: 'Adamo' }],
    strangerProfile: [`/v1/contacts/${otherList}/upsertcontact`, { ...adele, firstName: 'Adela' }],
    tagged: [`/v1/contacts/tags/${list}/add`, { contact_email: adam.email, tag_name: ['Press, renamed'] }],
    status: [`/v1/contacts/${list}/updatestatus`, { contact_email: ada.email, status: 'Unsubscribed' }],
    email: [`/v1/email/${email}/cancel`, {}],
    otherEmail: [`/v1/email/${otherEmail}/cancel`, {}],
    newEmail: ['/v1/email/send', { ...message, to_email: ada.email }],
    refusal: ['/v1/suppressions', { email: ada.email, scope: list, reason: 'manual' }],
    otherRefusal: ['/v1/suppressions', { email: adam.email, scope: list, reason: 'manual' }],
    listDeleted: [`/v1/lists/${otherList}/delete`, {}],
  }) satisfies Record<string, readonly [path: string, body: object]>;

async function createWorld(): Promise<World> {
  const { store } = await openLog();
  const views = await openHeldViews(store);
  const { queries, analytics, suppressed, ownWrites } = views;
  const service = await startAuditedService({
    store,
    queries,
    ownWrites,
    parts: {
      ...{ analytics, suppressed },
      proofs: proofs as unknown as Proofs,
      keys: { ...unused, all: async () => keyDecider.initial, lastUse: async () => null },
      erasures: { ...unused, all: async () => erasureDecider.initial.all },
      rebuilds: { ...unused, status: async () => undefined },
      views: () => ({ position: '', lag: 0, live: {}, missing: [], parked: [] }),
      prove: () => 'proof',
      readMetrics: async () => ({ contentType: 'text/plain', text: '' }),
    },
  });
  const make = async (path: string, body: object): Promise<Readonly<Record<string, string>>> => {
    const answer = await service.post(path, body);
    expect(answer).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) });
    return { ...(answer as unknown as Record<string, string>), ...(answer.data as Record<string, string>) };
  };
  const idOf = async (field: string, path: string, body: object): Promise<string> =>
    (await make(path, body))[field] ?? '';
  const [group, otherGroup, list, otherList, tag, otherTag] = [
    await idOf('group_id', '/v1/groups/create', { group_name: 'Friends' }),
    await idOf('group_id', '/v1/groups/create', { group_name: 'Foes' }),
    await idOf('list_id', '/v1/lists/create', { list_name: 'News' }),
    await idOf('list_id', '/v1/lists/create', { list_name: 'Offers' }),
    await idOf('tag_id', '/v1/tags/create', { tag_name: 'VIP' }),
    await idOf('tag_id', '/v1/tags/create', { tag_name: 'Press' }),
  ];
  const contact = await idOf('contact_id', `/v1/contacts/${list}/upsertcontact`, ada);
  await make(`/v1/contacts/${list}/upsertcontact`, adam);
  await make(`/v1/contacts/${otherList}/upsertcontact`, adele);
  const email = await idOf('email_id', '/v1/email/send', { ...message, to_email: ada.email });
  const otherEmail = await idOf('email_id', '/v1/email/send', { ...message, to_email: adam.email });
  await make('/v1/suppressions', { email: ada.email, scope: otherList, reason: 'manual' });
  await views.noteWrites();
  await views.fold();
  const [first] = await allEvents(store);
  const emailStream = (await views.queries.placeOfEmail(email))?.stream ?? '';
  return {
    ...{ service, views, group, otherGroup, list, otherList, tag, otherTag, contact, email, otherEmail, emailStream },
    position: first?.position ?? '',
  };
}

const neverCalled = (): never => {
  throw new Error('no read calls this');
};
const unused = { newId: neverCalled, newSecret: neverCalled, change: neverCalled, request: neverCalled };
const proofs = {
  prove: async () => ({}),
  proveEvent: async () => ({}),
  placeOf: async () => ({}),
  sealStates: async () => ({ items: [], log: {} }),
  tree: { ordinalsAt: async (positions: readonly string[]) => positions.map(() => undefined) },
  pageSeals: () => ({ holding: [], failing: undefined, demandInTree: async () => Infinity }),
};

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends the read of this name. */
async function ask(world: World, name: string, input: string | object = ''): Promise<Answer> {
  const { service, group, list, tag, contact, email } = world;
  const values: Readonly<Record<string, string>> = {
    ...{ group_id: group, list_id: list, tag_id: tag, contact_id: contact, contact, email_id: email },
    ...{ name: 'contacts', id: contact, position: world.position, erasure_id: 'ers_01' },
  };
  const filled = (text: string): string => text.replaceAll(/\{(\w+)\}/g, (_, key: string) => values[key] ?? '');
  const path = filled(reads.find(({ id }) => id === name)?.path ?? '');
  const response = await (typeof input === 'object'
    ? fetch(service.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(input),
      })
    : fetch(`${service.url}${path}?${filled(input)}`, { headers: { authorization: `Bearer ${service.key}` } }));
  const text = await response.text();
  // The answer also says how far the views are, which is not compared.
  const compared = text.replaceAll(/"emails_until":"\d*"/g, '"emails_until":""');
  return { status: response.status, body: isJson(response) ? (JSON.parse(compared) as Answer['body']) : { text } };
}

const isJson = ({ headers }: Response): boolean => headers.get('content-type')?.startsWith('application/json') ?? false;

test('every read has an entry here', () => {
  expect(Object.keys({ ...readsOfViews, ...readsOfLog }).sort()).toEqual(reads.map(({ id }) => id).sort());
});

test('a read opens the views that it reads, and no others', async () => {
  const world = await createWorld();
  const { opened, read } = world.views;
  for (const [name, { input, views }] of Object.entries(readsOfViews)) {
    opened.clear();
    read.clear();
    expect(await ask(world, name, input), name).toMatchObject({ status: 200 });
    expect({ name, opened: [...opened].sort() }).toEqual({ name, opened: Object.keys(views).sort() });
    // Names are cached while the views do not move.
    for (const view of Object.keys(names)) if (opened.has(view)) read.add(view);
    expect({ name, read: [...read].sort() }).toEqual({ name, read: Object.keys(views).sort() });
  }
});

test('a read of the log opens no view', async () => {
  const world = await createWorld();
  world.views.opened.clear();
  for (const [name, input] of Object.entries(readsOfLog)) {
    expect((await ask(world, name, input)).status, name).toBeLessThan(500);
    expect([...world.views.opened], name).toEqual([]);
  }
});

test('a read waits for the writes of this process that change its answer', async () => {
  const world = await createWorld();
  const { views, service } = world;
  const waited = new Map<string, string[]>(Object.keys(readsOfViews).map((name) => [name, []]));
  for (const [write, [path, body]] of Object.entries(writesIn(world))) {
    expect((await service.post(path, body)).status, write).toBeLessThan(300);
    await views.noteWrites();
    const answers = new Map<string, Promise<Answer>>();
    const waiting: Promise<Answer>[] = [];
    for (const [name, { input }] of Object.entries(readsOfViews)) {
      const begins = new Promise<true>((resolve) => views.ownWrites.onWaiting(() => resolve(true)));
      const answer = ask(world, name, input);
      if ((await Promise.race([begins, answer])) === true) {
        waited.get(name)?.push(write);
        waiting.push(answer);
      } else answers.set(name, answer);
    }
    await views.fold();
    for (const answer of await Promise.all(waiting)) expect(answer).toMatchObject({ status: 200 });
    // An answer that did not wait is as good as one that is asked for now.
    for (const [name, answer] of answers)
      expect(await ask(world, name, readsOfViews[name]?.input), `${name} after ${write}`).toEqual(await answer);
  }
  for (const [name, { waitsFor }] of Object.entries(readsOfViews))
    expect({ name, waitsFor: waited.get(name)?.sort() }).toEqual({ name, waitsFor: [...waitsFor].sort() });
});

const cataloguesOf: Readonly<Record<string, readonly string[]>> = {
  ...{ groups: [groupsStream], lists: [listsStream], tags: [tagsStream] },
  ...{ list_growth: [listsStream], tag_use: [listsStream, tagsStream] },
};

test('a read is refused or says that it is incomplete while a stream is parked', async () => {
  const world = await createWorld();
  const { views, service, emailStream } = world;
  const own = service.streamOf(ada.email);
  const streamOf: Readonly<Record<string, string>> = {
    ...{ emails: emailStream, email_outcomes: emailStream, suppressions: suppressionStream(recipientOf(own)) },
  };
  for (const [name, { input, views: uses }] of Object.entries(readsOfViews)) {
    const before = await ask(world, name, input);
    const isUnavailable = expect.objectContaining({ status: 503 });
    const isIncomplete = expect.objectContaining({ status: 200, body: expect.objectContaining({ incomplete: true }) });
    const whenParked = async (view: string, stream: string) => {
      views.parked.push({ view, stream });
      const answer = await ask(world, name, input);
      views.parked.pop();
      return answer;
    };
    for (const [view, use] of Object.entries(uses)) {
      const about = `${name} while a stream of ${view} is parked`;
      for (const stream of cataloguesOf[view] ?? [])
        expect(await whenParked(view, stream), about).toEqual(isUnavailable);
      if (view in cataloguesOf && !['list_growth', 'tag_use'].includes(view)) continue;
      const stream = streamOf[view] ?? own;
      const other = use === 'collection' ? isIncomplete : before;
      expect(await whenParked(view, `${stream}-of-another`), about).toEqual(other);
      expect(await whenParked(view, stream), about).toEqual(use === 'document' ? isUnavailable : other);
    }
    expect(await ask(world, name, input)).toEqual(before);
  }
});

test('a page of a list lacks a contact whose document may be out of date', async () => {
  const world = await createWorld();
  const emails = async () =>
    ((await ask(world, 'listContacts')).body['data'] as { email: string }[]).map(({ email }) => email);
  expect(await emails()).toEqual([ada.email, adam.email]);
  world.views.parked.push({ view: 'contacts', stream: world.service.streamOf(ada.email) });
  expect(await emails()).toEqual([adam.email]);
});

test('the documents of a parked catalogue are answered as they are stored', async () => {
  const { service, views, list } = await createWorld();
  views.parked.push({ view: 'lists', stream: listsStream });
  expect(await service.get('/v1/views/lists')).toMatchObject({ status: 200, incomplete: true });
  expect(await service.get(`/v1/views/lists/${list}`)).toMatchObject({ status: 200, incomplete: true });
});

test('an id that is not found is answered with 503 while its stream may be parked', async () => {
  const { service, views } = await createWorld();
  views.parked.push({ view: 'contacts', stream: 'contact-x' }, { view: 'emails', stream: 'email-x' });
  for (const path of ['audit/contacts/con_x/history', 'audit/emails/eml_x/history', 'views/emails/eml_x'])
    expect((await service.get(`/v1/${path}`)).status, path).toBe(503);
});

test('a history says that it has found the emails that were just sent', async () => {
  const { service, views, contact: contactId } = await createWorld();
  await service.post('/v1/email/send', { ...message, to_email: ada.email });
  await views.noteWrites();
  const begins = new Promise((resolve) => views.ownWrites.onWaiting(() => resolve('waits')));
  const history = service.get(`/v1/audit/contacts/${contactId}/history`);
  expect(await Promise.race([begins, history])).toBe('waits');
  await views.fold();
  expect(await history).toMatchObject({ status: 200, emails_until: await service.store.head() });
});

test('an email that was just sent can be canceled', async () => {
  const { service, views } = await createWorld();
  const sent: object = await service.post('/v1/email/send', { ...message, to_email: adam.email });
  await views.noteWrites();
  const begins = new Promise((resolve) => views.ownWrites.onWaiting(() => resolve('waits')));
  const canceled = service.post(`/v1/email/${(sent as { email_id: string }).email_id}/cancel`, {});
  expect(await Promise.race([begins, canceled])).toBe('waits');
  await views.fold();
  expect((await canceled).status).toBe(200);
});
