/** The difference of a list between two times is what comparing the list at both gives. */
import { expect, test } from 'vitest';
import type { MemberAt, MemberChange } from '../../src/audit/list-answers.js';
import { diffAsCsv, diffAsLines } from '../../src/audit/list-diff-lines.js';
import type { ContactEvent } from '../../src/events/contact.js';
import { auditedLog, second, type AuditedLog } from '../support/auditing.js';
import { exampleEvents as e, exampleSalt, examples } from '../support/examples.js';

const { list, otherList, tag } = examples;
const signal = new AbortController().signal;

async function all<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

async function membersAt(log: AuditedLog, time: number): Promise<readonly MemberAt[]> {
  const found = await log.audit.listAt({ list: list.list_id, time: second(time), signal });
  return (await all(found.members())).flat();
}

const diffOf = (log: AuditedLog, from: number, to: number) =>
  log.audit.listDiff({ list: list.list_id, from: second(from), to: second(to), signal });

async function changesOf(log: AuditedLog, from: number, to: number): Promise<readonly MemberChange[]> {
  return (await all((await diffOf(log, from, to)).changes())).flat();
}

/** Without reasons and lives, by id. */
function compared(then: readonly MemberAt[], now: readonly MemberAt[]) {
  const absent = { status: null, tags: [] };
  const side = (members: readonly MemberAt[], id: string) => members.find(({ contact_id }) => contact_id === id);
  const kindOf = (before: unknown, after: unknown): string =>
    before === undefined ? 'joined' : after === undefined ? 'left' : 'changed';
  const ids = [...new Set([...then, ...now].map(({ contact_id }) => contact_id))].sort();
  return ids
    .map((contact_id) => {
      const [before, after] = [side(then, contact_id), side(now, contact_id)];
      const { status: status_before, tags: tags_before } = before ?? absent;
      const { status, tags } = after ?? absent;
      return { contact_id, change: kindOf(before, after), status_before, status, tags_before, tags };
    })
    .filter((one) => JSON.stringify([one.status, one.tags]) !== JSON.stringify([one.status_before, one.tags_before]));
}

const withoutReason = (changes: readonly MemberChange[]) =>
  changes
    .map(({ because: _, email: __, created_at: ___, erased_at: ____, ...change }) => change)
    .sort((a, b) => (a.contact_id < b.contact_id ? -1 : 1));

const person = (id: string): ContactEvent => ({
  type: 'ContactCreated',
  data: { contact_id: id, person: { salt: exampleSalt, email: `${id}@example.com` } },
});

/** Repeatable. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

interface Person {
  status: 'Subscribed' | 'Unsubscribed' | null;
  isTagged: boolean;
  isHere: boolean;
}

const untouched: Person = { status: null, isTagged: false, isHere: false };

type Random = (below: number) => number;

/** What happens to somebody next. */
function nextEvents(one: Person & { readonly id: string }, random: Random): readonly ContactEvent[] {
  const entry = one.isHere ? [] : [person(one.id)];
  one.isHere = true;
  const elsewhere: ContactEvent = {
    type: 'ContactSubscribed',
    data: { contact_id: one.id, ...otherList, previous_status: null },
  };
  const others = random(4) === 0 ? [elsewhere] : [];
  if (one.status !== null && random(3) === 0) {
    one.isTagged = !one.isTagged;
    const type = one.isTagged ? 'TagsAttached' : 'TagsDetached';
    return [...entry, { type, data: { contact_id: one.id, ...list, tags: [tag] } }, ...others];
  }
  const previous_status = one.status;
  one.status = previous_status === 'Subscribed' ? 'Unsubscribed' : 'Subscribed';
  return [
    ...entry,
    { type: `Contact${one.status}`, data: { contact_id: one.id, ...list, previous_status } },
    ...others,
  ];
}

test.for([1, 2, 3, 4, 5, 6])('as two lists at a time, compared: history %i', async (seed) => {
  const random = randomFrom(seed);
  const log = await auditedLog();
  await log.at(0, e.listCreated, e.otherListCreated, e.tagCreated);
  const people = Array.from({ length: 8 }, (_, at) => ({ id: `con_${seed}${at}`, ...untouched }));
  const moments = 30;
  for (let time = 1; time < moments; time += 1)
    for (const one of people.slice(random(people.length)).slice(0, 1))
      for (const event of nextEvents(one, random)) await log.append(`contact-${one.id}`, event, { at: second(time) });
  const lists = await Promise.all(Array.from({ length: moments }, (_, time) => membersAt(log, time)));
  for (let from = 0; from < moments; from += 3)
    for (let to = from; to < moments; to += 2)
      expect(withoutReason(await changesOf(log, from, to))).toEqual(compared(lists[from] ?? [], lists[to] ?? []));
});

test('who left with the list, and before it was there, has no reason of their own', async () => {
  const log = await auditedLog();
  await log.at(1, e.listCreated);
  await log.at(2, e.contactCreated, e.subscribed);
  await log.at(3, e.listDeleted);
  expect(await diffOf(log, 0, 2)).toMatchObject({ state_before: 'not_created', state: 'living' });
  expect(await changesOf(log, 0, 2)).toMatchObject([
    { change: 'joined', status_before: null, status: 'Subscribed', because: { type: 'ContactSubscribed' } },
  ]);
  expect(await changesOf(log, 2, 3)).toMatchObject([
    { change: 'left', status_before: 'Subscribed', status: null, because: null },
  ]);
  expect(await changesOf(log, 0, 3)).toEqual([]);
  expect(await changesOf(log, 2, 2)).toEqual([]);
});

test('lines and CSV say the same', async () => {
  const log = await auditedLog();
  await log.at(0, e.listCreated);
  await log.at(1, e.contactCreated, e.subscribed);
  await log.at(2, e.unsubscribed);
  const lines = (await all(diffAsLines(await diffOf(log, 1, 2)))).join('').trimEnd().split('\n');
  expect(lines.map((text) => JSON.parse(text) as unknown)).toMatchObject([
    { line: 'list', list_id: list.list_id, state_before: 'living', state: 'living' },
    { line: 'change', change: 'changed', status_before: 'Subscribed', status: 'Unsubscribed' },
    { line: 'end', joined: 0, left: 0, changed: 1 },
  ]);
  const rows = (await all(diffAsCsv(await diffOf(log, 1, 2)))).join('').split('\r\n');
  expect(rows[0]).toMatch(/^contact_id,email,change,/);
  expect(rows[1]).toContain(',changed,Subscribed,Unsubscribed,[],[],');
  expect(rows).toHaveLength(3);
});
