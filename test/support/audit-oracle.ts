/** What an auditor must answer, worked out from a plain list of what was done, whatever way the auditor is asked. */
import { expect } from 'vitest';
import { emailsOf } from './audit-commands.js';
import { nextChange, worldAt, type Done, type World } from './audit-model.js';

/** Times are ISO 8601. */
export interface Auditor {
  /** Undefined: nothing is known of the address. */
  contactAt(email: string, time: string): Promise<unknown>;
  /** Undefined: the contact was never in the list. */
  inListAt(email: string, time: string, list: string): Promise<unknown>;
  history(email: string, range: HistoryRange): Promise<readonly Told[]>;
  /** Lines of JSON. */
  listAt(list: string, time: string): Promise<string>;
}

interface HistoryRange {
  readonly from: string;
  readonly to: string;
  /** Items a page, where there are pages. */
  readonly limit: number;
}

export interface Told {
  readonly type: string;
  readonly request_id: string;
}

/** The parts of an answer that the model knows. */
interface Answered {
  readonly because: { readonly request_id: string } | null;
  readonly next_change: { readonly request_id: string } | null;
}
interface AnsweredSubscription extends Answered {
  readonly list_id: string;
  readonly list_name: string | null;
  readonly status: string | null;
  readonly consent: { readonly source: string; readonly because: { readonly request_id: string } } | null;
  readonly tags: readonly (Answered & { readonly tag_name: string })[];
}
export interface AnsweredContact {
  readonly existed: boolean;
  readonly profile: (Answered & { readonly firstName: string | null }) | null;
  readonly next_change?: Answered['next_change'];
  readonly subscriptions: readonly AnsweredSubscription[];
}

const reasons = ({ because, next_change }: Answered) => ({
  by: because?.request_id ?? null,
  next: next_change?.request_id ?? null,
});
const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : 1);
const seen = ({ list_id, list_name, status, consent, tags, ...reason }: AnsweredSubscription) => ({
  list_id,
  list_name,
  status,
  consent: consent && { source: consent.source, by: consent.because.request_id },
  ...reasons(reason),
  tags: tags.map((tag) => ({ name: tag.tag_name, ...reasons(tag) })).sort(byName),
});

/** One question: who, which list, when. */
interface Question {
  readonly email: string;
  readonly list: string;
  readonly time: number;
}

function subscriptionOf(journal: readonly Done[], { email, list, time }: Question) {
  const world = worldAt(journal, time);
  const memberOf = ({ contacts }: World) => contacts.get(email)?.in.get(list);
  const member = memberOf(world);
  const tags = [...(member?.tags ?? [])].map(([tag, by]) => ({
    name: world.tags.get(tag) ?? '',
    by,
    next: nextChange(journal, time, (then) => memberOf(then)?.tags.get(tag)),
  }));
  return {
    list_id: list,
    // A deleted list keeps its last name.
    list_name: nameOf(journal, list, time),
    status: member?.status ?? null,
    // Also after the deletion of the list.
    consent: (member ?? memberOf(beforeDeletion(journal, list, time)))?.consent ?? null,
    by: member?.by ?? deletionOf(journal, { email, list, time }),
    next: nextChange(journal, time, (then) => memberOf(then)?.by),
    tags: tags.sort(byName),
  };
}

function beforeDeletion(journal: readonly Done[], list: string, time: number): World {
  const end = journal.findIndex((done) => done.at <= time && done.do === 'delete list' && done.id === list);
  return worldAt(journal.slice(0, Math.max(end, 0)), Infinity);
}

function nameOf(journal: readonly Done[], list: string, time: number): string | null {
  const named = lastOf(journal, time, (done) => done.do === 'name list' && done.id === list);
  return named?.do === 'name list' ? named.name : null;
}

const lastOf = (journal: readonly Done[], time: number, fits: (done: Done) => boolean) =>
  journal.findLast((done) => done.at <= time && fits(done));

/** What ended a subscription that there had been. */
function deletionOf(journal: readonly Done[], { email, list, time }: Question): string | null {
  const was = lastOf(journal, time, (done) => done.do === 'status' && done.email === email && done.list === list);
  const end = lastOf(journal, time, (done) => done.do === 'delete list' && done.id === list);
  return was === undefined ? null : (end?.request ?? null);
}

function contactOf(journal: readonly Done[], email: string, time: number) {
  const contact = worldAt(journal, time).contacts.get(email);
  const next = nextChange(journal, time, ({ contacts }) => contacts.get(email)?.by);
  const lists = [...(contact?.in.keys() ?? [])].sort();
  return {
    existed: contact !== undefined,
    profile: contact === undefined ? null : { firstName: contact.firstName, by: contact.by, next },
    creation: contact === undefined ? next : null,
    subscriptions: lists.map((list) => subscriptionOf(journal, { email, list, time })),
  };
}

const seenContact = ({ existed, profile, next_change, subscriptions }: AnsweredContact) => ({
  existed,
  profile: profile === null ? null : { firstName: profile.firstName, ...reasons(profile) },
  creation: next_change?.request_id ?? null,
  subscriptions: subscriptions.map(seen),
});

const iso = (time: number): string => new Date(time).toISOString();

/** What was done under one name, and until when. */
interface Story {
  readonly run: string;
  readonly journal: readonly Done[];
  readonly everyList: readonly string[];
  /** Before everything. */
  readonly start: number;
}

/** A question at random, at the very millisecond of something that was done, the one before or the one after. */
export function questionOn({ run, journal, everyList, start }: Story, pick: (below: number) => number) {
  const emails = emailsOf(run);
  const moment = (): number => (journal[pick(journal.length)]?.at ?? start) - 1 + pick(3);
  const time = moment();
  return {
    journal,
    time,
    email: emails[pick(emails.length)] ?? '',
    list: everyList[pick(everyList.length)] ?? '',
    from: Math.min(time, moment()),
    limit: 1 + pick(20),
  };
}

interface Asking extends Question {
  readonly auditor: Auditor;
  readonly journal: readonly Done[];
  readonly from: number;
  readonly limit: number;
}

export async function checkContact({ auditor, journal, email, list, time, from, limit }: Asking): Promise<void> {
  const answer = await auditor.contactAt(email, iso(time));
  if (!worldAt(journal, Infinity).contacts.has(email)) {
    expect(answer).toBeUndefined();
    return;
  }
  expect(seenContact(answer as AnsweredContact)).toEqual(contactOf(journal, email, time));

  const one = await auditor.inListAt(email, iso(time), list);
  if (!journal.some((done) => done.do === 'status' && done.email === email && done.list === list))
    expect(one).toBeUndefined();
  else {
    const { subscription } = one as { subscription: AnsweredSubscription };
    expect(seen(subscription)).toEqual(subscriptionOf(journal, { email, list, time }));
  }

  const history = await auditor.history(email, { from: iso(from), to: iso(time), limit });
  const told = worldAt(journal, time).told.filter((item) => item.email === email && item.at >= from);
  expect(history.map((item) => `${item.type} by ${item.request_id}`)).toEqual(
    told.map(({ type, request }) => `${type} by ${request}`),
  );
}

export async function checkList({ auditor, journal, list, time }: Asking): Promise<void> {
  const text = await auditor.listAt(list, iso(time));
  const lines = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const world = worldAt(journal, time);
  const members = [...world.contacts].flatMap(([email, contact]) => {
    const member = contact.in.get(list);
    if (member === undefined) return [];
    const tags = [...member.tags.keys()].map((tag) => world.tags.get(tag) ?? '').sort();
    return [{ email, status: member.status, by: member.by, tags }];
  });
  const state = world.lists.has(list) ? 'living' : nameOf(journal, list, time) === null ? 'not_created' : 'deleted';
  expect(lines[0]).toMatchObject({ line: 'list', list_id: list, list_name: nameOf(journal, list, time), state });
  expect(lines.at(-1)).toEqual({ line: 'end', members: members.length, seal: null });
  const shown = lines.slice(1, -1).map((line) => {
    const { email, status, because, tags } = line as unknown as ShownMember;
    return { email, status, by: because.request_id, tags: tags.map((tag) => tag.tag_name).sort() };
  });
  const byEmail = (a: { email: string }, b: { email: string }): number => (a.email < b.email ? -1 : 1);
  expect(shown.sort(byEmail)).toEqual(members.sort(byEmail));
}

interface ShownMember {
  readonly email: string;
  readonly status: string;
  readonly because: { readonly request_id: string };
  readonly tags: readonly { readonly tag_name: string }[];
}
