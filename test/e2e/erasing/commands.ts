/** Random commands about unmistakable people, done over HTTP. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { usually } from '../../support/amount.js';
import { ok } from '../../support/answers.js';
import { eventually, type Answer, type Overrides, type Service } from '../../support/service.js';
import type { ServiceClock } from './service-clock.js';
import { textKinds, type Person, type Texts } from './unmistakable-people.js';

const peopleCount = 10;
const slots = 3;
const profileFields = ['firstName', 'lastName', 'phone', 'address', 'city', 'state', 'country', 'zipcode'] as const;
const spellings = ['own', 'upper', 'lower'] as const;
type Spelling = (typeof spellings)[number];

export const somebody = fc.nat(peopleCount - 1);
export const spelling = fc.constantFrom(...spellings);

/** Of these some often, some seldom. */
const shares = {
  create: 6,
  upsert: 9,
  status: 4,
  attach: 3,
  detach: 2,
  mail: 6,
  group: 1,
  list: 1,
  tag: 1,
  'drop list': 1,
  'drop tag': 1,
} as const;
type What = keyof typeof shares;
const whats = Object.entries(shares).flatMap(([what, share]) => Array<What>(share).fill(what as What));

const day = 86_400_000;

export const command = fc.record({
  what: fc.constantFrom(...whats),
  person: somebody,
  slot: fc.nat(slots - 1),
  tags: fc.uniqueArray(fc.nat(slots - 1), { minLength: 1, maxLength: 2 }),
  subscribed: fc.boolean(),
  fields: fc.subarray([...profileFields]),
  kind: fc.constantFrom(...textKinds),
  consent: fc.boolean(),
  spelling,
  /** How often an e-mail repeats itself. The longest has 300,000 bytes. */
  length: fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 20, 300, 10_000),
  /** Milliseconds; none: several commands at one time. */
  later: fc.constantFrom(0, 0, 0, 1, 60_000, day / 4, 2 * day),
});
type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

export interface World {
  readonly service: Service;
  readonly clock: ServiceClock;
  readonly texts: Texts;
  readonly people: readonly Person[];
  /** Ids of living lists by slot. */
  readonly lists: Map<number, string>;
  /** Of all that there ever were. */
  readonly everyList: Set<string>;
  /** Names of living tags by slot. */
  readonly tags: Map<number, string>;
}

export const newWorld = (service: Service, clock: ServiceClock, texts: Texts): World => ({
  service,
  clock,
  texts,
  people: texts.people(peopleCount),
  lists: new Map(),
  everyList: new Set(),
  tags: new Map(),
});

export const spelt = ({ email }: Person, as: Spelling): string =>
  as === 'upper' ? email.toUpperCase() : as === 'lower' ? email.toLowerCase() : email;

/** Milliseconds: an attempt to send that took longer is deferred, and another one follows a second later. */
const longestAttempt = 60_000;
const beforeJump = usually(settled, () => Promise.resolve());

/** One after the other, each at its time. */
export async function doAll(world: World, commands: readonly Command[]): Promise<void> {
  for (const given of commands) {
    if (given.later > longestAttempt) await beforeJump(world);
    world.clock.pass(given.later);
    const person = world.people[given.person];
    if (person !== undefined)
      await turns[given.what]({ ...world, given, person, email: spelt(person, given.spelling) });
  }
}

/** Nothing moves while the clock stands still. */
export async function settled({ service, clock }: World): Promise<void> {
  const moves = ({ state, next_attempt_at: next }: Readonly<Record<string, unknown>>): boolean =>
    ['requested', 'sending'].includes(String(state)) ||
    (state === 'deferred' && String(next) <= new Date(clock.now()).toISOString());
  const unsettled = ['requested', 'sending', 'deferred'].map((state) => `/v1/email?limit=200&state=${state}`);
  await eventually(async () => {
    const pages = await Promise.all(unsettled.map((one) => ok(service.get(one))));
    return pages.some((page) => page.items().some(moves)) ? undefined : true;
  });
}

interface Turn extends World {
  readonly given: Command;
  readonly person: Person;
  readonly email: string;
}

const turns: Readonly<Record<What, (turn: Turn) => Promise<unknown>>> = {
  create: (turn) => save(turn, 'create', {}),
  upsert: (turn) => save(turn, 'upsertcontact', { tag_name: tagNames(turn) }),
  async status(turn) {
    const body = { contact_email: turn.email, status: statusOf(turn), ...consentOf(turn) };
    await post(turn, `/v1/contacts/${await list(turn)}/updatestatus`, body);
  },
  attach: async (turn) => post(turn, `/v1/contacts/tags/${await list(turn)}/add`, tagged(turn)),
  detach: async (turn) => post(turn, `/v1/contacts/tags/${await list(turn)}/remove`, tagged(turn)),
  mail: (turn) => mail(turn),
  async list(turn) {
    const id = await list(turn);
    await post(turn, `/v1/lists/${id}/update`, { list_name: `List ${turn.texts.text('plain')}` });
  },
  async tag(turn) {
    const tag_name = `Tag ${turn.texts.text('plain')}`;
    const { status } = await post(turn, '/v1/tags/create', { tag_name });
    if (status === 200) turn.tags.set(turn.given.slot, tag_name);
  },
  async 'drop list'(turn) {
    const id = turn.lists.get(turn.given.slot);
    if (id === undefined) return;
    await post(turn, `/v1/lists/${id}/delete`, {});
    turn.lists.delete(turn.given.slot);
  },
  async 'drop tag'(turn) {
    const name = turn.tags.get(turn.given.slot);
    const { service, tags, given } = turn;
    const found = (await service.get('/v1/tags?limit=200')).items().find(({ tag_name }) => tag_name === name);
    if (found === undefined) return;
    await post(turn, `/v1/tags/${String(found['tag_id'])}/delete`, {});
    tags.delete(given.slot);
  },
  group: (turn) => post(turn, '/v1/groups/create', { group_name: `Group ${turn.texts.text('plain')}` }),
};

/** Done, or refused by a rule. */
async function post(
  { service }: Pick<Turn, 'service'>,
  path: string,
  body: object,
  headers: Overrides = {},
): Promise<Answer> {
  const answer = await service.post(path, body, headers);
  expect([200, 400], `${path}: ${answer.text}`).toContain(answer.status);
  return answer;
}

const list = (turn: Turn): Promise<string> => listIn(turn, turn.given.slot);

/** Its id; made where the slot has none. */
export async function listIn({ service, lists, everyList, texts }: World, slot: number): Promise<string> {
  const known = lists.get(slot);
  if (known !== undefined) return known;
  const id = await service.make('/v1/lists/create', { list_name: `List ${texts.text('plain')}` }, 'list_id');
  lists.set(slot, id);
  everyList.add(id);
  return id;
}

const statusOf = ({ given }: Turn): string => (given.subscribed ? 'Subscribed' : 'Unsubscribed');

/** A tag that there is not comes into being. */
function tagNames({ given, tags, texts }: Turn): readonly string[] {
  return given.tags.map((slot) => {
    const name = tags.get(slot) ?? `Tag ${texts.text('plain')}`;
    tags.set(slot, name);
    return name;
  });
}

const tagged = (turn: Turn) => ({ contact_email: turn.email, tag_name: tagNames(turn) });

/** A new text, which is from now on this person's. */
function said(person: Person, text: string): string {
  person.texts.push(text);
  return text;
}

function consentOf({ given, person, texts }: Turn): object {
  if (!given.consent) return {};
  const statement = said(person, texts.text(given.kind)) + ' yes'.repeat(given.length % 100);
  return { consent: { source: said(person, texts.text('plain')), statement, ip: said(person, texts.ip()) } };
}

async function save(turn: Turn, verb: 'create' | 'upsertcontact', more: object): Promise<void> {
  const { given, person, texts, email } = turn;
  const profile = given.fields.map((field) => [
    field,
    said(person, field === 'phone' ? texts.phone() : texts.text(field === 'zipcode' ? 'plain' : given.kind)),
  ]);
  const fields = Object.fromEntries(profile) as Readonly<Record<string, string>>;
  const body = { email, status: statusOf(turn), ...fields, ...consentOf(turn), ...more };
  const answer = await post(turn, `/v1/contacts/${await list(turn)}/${verb}`, body);
  if (answer.status !== 200) return;
  person.contactId = answer.field('contact_id');
  person.ids.add(person.contactId);
}

async function mail(turn: Turn): Promise<void> {
  const { given, person, texts } = turn;
  const [subject, text] = [said(person, texts.text(given.kind)), said(person, texts.text(given.kind))];
  const variables = given.consent ? { variables: { name: said(person, texts.text(given.kind)) } } : {};
  const mail_template = `<p>${text}</p>`.repeat(given.length) + (given.consent ? '{{name}}' : '');
  const headers = given.subscribed ? { 'idempotency-key': texts.text('plain') } : {};
  await sendTo(turn, person, { to_email: turn.email, subject, mail_template, ...variables }, headers);
}

async function sendTo(
  by: Pick<Turn, 'service'>,
  person: Person,
  email: object,
  headers: Overrides = {},
): Promise<void> {
  const answer = await post(by, '/v1/email/send', { from_email: 'news@sender.example', ...email }, headers);
  if (answer.status !== 200) return;
  person.emails += 1;
  person.ids.add(String(answer.headers.location).replace('/v1/email/', ''));
}

/** The last event of the contact is then one with something personal. */
export async function saySomething({ service, texts }: World, person: Person, listId: string): Promise<void> {
  for (const kind of ['plain', 'accented'] as const) {
    const body = { email: person.email, status: 'Subscribed', lastName: said(person, texts.text(kind)) };
    await post({ service }, `/v1/contacts/${listId}/upsertcontact`, body);
  }
}

/** As somebody new, of whom other things are said than before. */
export async function comeBack({ service, texts }: World, person: Person, listId: string): Promise<void> {
  const { email } = person;
  const body = { email, status: 'Subscribed', firstName: said(person, texts.text('quoted')) };
  const created = await post({ service }, `/v1/contacts/${listId}/create`, body);
  expect(created.status, created.text).toBe(200);
  person.contactId = created.field('contact_id');
  person.ids.add(person.contactId);
  const subject = said(person, texts.text('accented'));
  const mail_template = `<p>${said(person, texts.text('plain'))}</p>`;
  await sendTo({ service }, person, { to_email: email, subject, mail_template });
}
