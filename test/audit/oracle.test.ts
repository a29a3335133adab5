/** Thousands of random commands over HTTP under a clock that the test sets: at random times the auditor knows what a plain list of what was done knows. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ContactDocument } from '../../src/projections/contacts.js';
import { command, doAll, emailsOf } from '../support/audit-commands.js';
import { nextChange, worldAt, type Done, type World } from '../support/audit-model.js';
import { startAuditedService, type AuditedService } from '../support/audited-service.js';
import { exampleEvents, toAppend } from '../support/examples.js';
import { freshFold } from '../support/fresh-fold.js';

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
interface AnsweredContact {
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
    consent: member?.consent ?? null,
    by: member?.by ?? deletionOf(journal, { email, list, time }),
    next: nextChange(journal, time, (then) => memberOf(then)?.by),
    tags: tags.sort(byName),
  };
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

async function allPages(service: AuditedService, path: string, limit: number) {
  const items: { type: string; request_id: string }[] = [];
  let cursor = '';
  do {
    const page = await service.get(`${path}&limit=${limit}${cursor}`);
    expect(page.status).toBe(200);
    items.push(...(page.data as typeof items));
    cursor = page.next_cursor === undefined ? '' : `&cursor=${page.next_cursor}`;
  } while (cursor !== '');
  return items.map(({ type, request_id }) => `${type} by ${request_id}`);
}

const iso = (time: number): string => new Date(time).toISOString();
const pathOf = (email: string): string => `/v1/audit/contacts/${encodeURIComponent(email)}`;

interface Asking extends Question {
  readonly service: AuditedService;
  readonly journal: readonly Done[];
  readonly from: number;
  readonly limit: number;
}

async function checkContact({ service, journal, email, list, time, from, limit }: Asking): Promise<void> {
  const path = pathOf(email);
  const answer = await service.get(`${path}/at?time=${iso(time)}`);
  if (!worldAt(journal, Infinity).contacts.has(email)) {
    expect(answer.status).toBe(404);
    return;
  }
  expect(seenContact(answer.data as AnsweredContact)).toEqual(contactOf(journal, email, time));

  const one = await service.get(`${path}/at?time=${iso(time)}&list_id=${list}`);
  const { subscription } = one.data as { subscription: AnsweredSubscription };
  expect(seen(subscription)).toEqual(subscriptionOf(journal, { email, list, time }));

  const history = await allPages(service, `${path}/history?from=${iso(from)}&to=${iso(time)}`, limit);
  const told = worldAt(journal, time).told.filter((item) => item.email === email && item.at >= from);
  expect(history).toEqual(told.map(({ type, request }) => `${type} by ${request}`));
}

async function checkList({ service, journal, list, time }: Asking): Promise<void> {
  const text = await service.text(`/v1/audit/lists/${list}/at?time=${iso(time)}`);
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
  expect(lines.at(-1)).toEqual({ line: 'end', members: members.length });
  const shown = lines.slice(1, -1).map((line) => {
    const { email, status, because, tags } = line as unknown as ShownMember;
    return { email, status, by: because.request_id, tags: tags.map((tag) => tag.tag_name).sort() };
  });
  const byEmail = (a: { email: string }, b: { email: string }): number => (a.email < b.email ? -1 : 1);
  expect(shown.sort(byEmail)).toEqual(members.sort(byEmail));
}

/** The views tell what made each status so in the auditor's words; what they hold of deleted lists is shown to nobody. */
async function checkViews(service: AuditedService): Promise<number> {
  const views = await freshFold(service.store);
  const living = new Set(views['lists']?.map(({ document }) => document['list_id']));
  for (const { document } of views['contacts'] ?? []) {
    const { email, subscriptions } = document as ContactDocument;
    const { data } = await service.get(`${pathOf(email)}/at?time=9999-12-31`);
    const told = (data as AnsweredContact).subscriptions.map(({ list_id, status, because }) => ({
      list_id,
      status,
      because,
    }));
    const held = Object.entries(subscriptions).map(([list_id, { status, because }]) => ({
      list_id,
      status,
      because: expect.objectContaining({ ...because, type: `Contact${status}` }) as unknown,
    }));
    expect(told).toEqual(held.filter(({ list_id }) => living.has(list_id)).sort(byId));
  }
  return views['contacts']?.length ?? 0;
}
const byId = (a: { list_id: string }, b: { list_id: string }): number => (a.list_id < b.list_id ? -1 : 1);

interface ShownMember {
  readonly email: string;
  readonly status: string;
  readonly because: { readonly request_id: string };
  readonly tags: readonly { readonly tag_name: string }[];
}

test('at random times the auditor knows what the list of what was done knows', { timeout: 300_000 }, async () => {
  const service = await startAuditedService();
  await service.store.append('service', [toAppend(exampleEvents.serviceInitialised)], {
    expectedRevision: 'no_stream',
  });
  let runs = 0;
  let done = 0;
  // Time never runs backwards in the streams that all runs share.
  let start = Date.UTC(2026, 0, 1);
  const commands = fc.array(command, { minLength: 300, maxLength: 500, size: 'max' });
  const random = fc.infiniteStream(fc.nat());
  const property = fc.asyncProperty(commands, random, async (given, numbers) => {
    const run = `r${(runs += 1)}`;
    const { journal, everyList, end } = await doAll(service, given, { run, start });
    const pick = (below: number): number => (numbers.next().value as number) % Math.max(1, below);
    const emails = emailsOf(run);
    for (let question = 0; question < 40; question += 1) {
      // The very millisecond of something that was done, the one before or the one after.
      const time = (journal[pick(journal.length)]?.at ?? start) - 1 + pick(3);
      const email = emails[pick(emails.length)] ?? '';
      const list = everyList[pick(everyList.length)] ?? '';
      const from = Math.min(time, (journal[pick(journal.length)]?.at ?? start) - 1 + pick(3));
      const asking = { service, journal, email, list, time, from, limit: 1 + pick(20) };
      await checkContact(asking);
      await checkList(asking);
    }
    done += given.length;
    start = end + 10;
  });
  await fc.assert(property, { numRuns: 8, endOnFailure: true });
  expect(done).toBeGreaterThan(2_000);
  expect(await checkViews(service)).toBeGreaterThan(20);
});
