/** A list at a time: given what happened, these were its members. */
import { describe, expect, test } from 'vitest';
import type { MemberAt } from '../../src/audit/list-answers.js';
import type { ListAt } from '../../src/audit/list-at.js';
import { listAsCsv, listAsLines } from '../../src/audit/list-lines.js';
import type { DomainEvent } from '../../src/events/codec.js';
import { exampleEvents as e, examples, exampleSalt, toAppend } from '../support/examples.js';
import { auditedLog, contactStream, second, type AuditedLog } from '../support/auditing.js';

const { list, otherList, tag, otherTag, contact_id } = examples;

async function at(log: AuditedLog, number: number, listId = list.list_id) {
  const signal = new AbortController().signal;
  const found = await log.audit.listAt({ list: listId, time: second(number), signal });
  const members: MemberAt[] = [];
  for await (const some of found.members()) members.push(...some);
  return { state: found.state, name: found.list_name, because: found.because?.type ?? null, members };
}

const person = (id: string, email: string): DomainEvent => ({
  type: 'ContactCreated',
  data: { contact_id: id, person: { salt: exampleSalt, email } },
});
const enters = (id: string, status: 'Subscribed' | 'Unsubscribed', into = list): DomainEvent => ({
  type: `Contact${status}`,
  data: { contact_id: id, ...into, previous_status: null },
});

test('members with status, tags, and what made the status so', async () => {
  const log = await auditedLog();
  await log.at(0, e.listCreated, e.tagCreated, e.otherTagCreated);
  await log.at(1, e.contactCreated, e.subscribed, e.tagsAttached);
  await log.append('contact-b', person('con_02', 'bob@example.com'), { at: second(2) });
  const position = await log.append('contact-b', enters('con_02', 'Unsubscribed'), {
    at: second(2),
    request_id: 'r-2',
  });
  await log.at(3, e.unsubscribed, e.tagsDetached);
  const ada = { contact_id, email: 'Ada@example.com' };
  expect((await at(log, 2)).members).toMatchObject([
    { ...ada, status: 'Subscribed', tags: [tag], because: { type: 'ContactSubscribed', at: second(1) } },
    {
      contact_id: 'con_02',
      email: 'bob@example.com',
      status: 'Unsubscribed',
      tags: [],
      because: { type: 'ContactUnsubscribed', at: second(2), actor: 'example', request_id: 'r-2', position },
    },
  ]);
  expect((await at(log, 1)).members).toHaveLength(1);
  expect((await at(log, 3)).members[0]).toMatchObject({ ...ada, status: 'Unsubscribed', tags: [] });
});

test('of other lists nothing', async () => {
  const log = await auditedLog();
  await log.at(0, e.listCreated, e.otherListCreated, e.contactCreated, enters(contact_id, 'Subscribed', otherList));
  expect((await at(log, 1)).members).toEqual([]);
  expect((await at(log, 1, otherList.list_id)).members).toHaveLength(1);
});

test('the address of somebody who entered long after the creation', async () => {
  const log = await auditedLog();
  await log.at(0, e.listCreated, e.contactCreated);
  await log.append('contact-b', person('con_02', 'bob@example.com'), { at: second(1) });
  await log.at(2, e.subscribed);
  expect((await at(log, 2)).members).toMatchObject([{ email: 'Ada@example.com' }]);
});

test('more members than one piece holds, each once and in the order of entering', async () => {
  const log = await auditedLog();
  await log.at(0, e.listCreated);
  for (let number = 0; number < 250; number += 1) {
    const id = `con_${number}`;
    const events = [person(id, `p${number}@example.com`), enters(id, 'Subscribed')].map((event) => toAppend(event));
    await log.store.append(`contact-${number}`, events, { expectedRevision: 'no_stream' });
  }
  const { members } = await at(log, 1);
  expect(members.map((member) => member.email)).toEqual(members.map((_, number) => `p${number}@example.com`));
  expect(members).toHaveLength(250);
});

describe('names and deletions', () => {
  test('the list by its name then; before its creation and after its deletion nobody is in it', async () => {
    const log = await auditedLog();
    await log.at(1, e.listCreated, e.contactCreated, e.subscribed);
    await log.at(2, {
      type: 'ListRenamed',
      data: { list_id: list.list_id, list_name: 'News', previous_name: list.list_name },
    });
    await log.at(3, { type: 'ListDeleted', data: { list_id: list.list_id, list_name: 'News' } });
    expect(await at(log, 0)).toEqual({ state: 'not_created', name: null, because: null, members: [] });
    expect(await at(log, 1)).toMatchObject({ state: 'living', name: 'Newsletter', because: 'ListCreated' });
    expect(await at(log, 2)).toMatchObject({ state: 'living', name: 'News', because: 'ListRenamed', members: [{}] });
    expect(await at(log, 3)).toEqual({ state: 'deleted', name: 'News', because: 'ListDeleted', members: [] });
  });

  test('tags by their names then, without the deleted', async () => {
    const log = await auditedLog();
    const both: DomainEvent = {
      type: 'TagsAttached',
      data: { contact_id, list_id: list.list_id, tags: [tag, otherTag] },
    };
    await log.at(0, e.listCreated, e.tagCreated, e.otherTagCreated, e.contactCreated, e.subscribed, both);
    await log.at(1, { type: 'TagRenamed', data: { ...tag, tag_name: 'Gold', previous_name: tag.tag_name } });
    await log.at(2, { type: 'TagDeleted', data: otherTag });
    expect((await at(log, 0)).members[0]?.tags).toEqual([tag, otherTag]);
    expect((await at(log, 1)).members[0]?.tags).toEqual([{ ...tag, tag_name: 'Gold' }, otherTag]);
    expect((await at(log, 2)).members[0]?.tags).toEqual([{ ...tag, tag_name: 'Gold' }]);
  });

  test('what was written after a deletion never counted, whatever the clocks say', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.tagCreated, e.contactCreated, e.subscribed);
    await log.at(9, e.tagDeleted);
    await log.at(4, e.tagsAttached);
    await log.at(9, e.listDeleted);
    await log.at(5, e.unsubscribed);
    await log.append('contact-b', person('con_02', 'bob@example.com'), { at: second(5) });
    await log.append('contact-b', enters('con_02', 'Subscribed'), { at: second(5) });
    expect((await at(log, 6)).members).toMatchObject([{ contact_id, status: 'Subscribed', tags: [] }]);
  });
});

test('a new life of the stream is not in the list of the old one', async () => {
  const log = await auditedLog();
  await log.at(0, e.listCreated, e.contactCreated, e.subscribed);
  await log.at(1, person('con_09', 'ada@example.com'));
  expect((await at(log, 0)).members).toHaveLength(1);
  expect((await at(log, 1)).members).toEqual([]);
  await log.at(2, enters('con_09', 'Subscribed'));
  expect((await at(log, 2)).members).toMatchObject([{ contact_id: 'con_09', email: 'ada@example.com' }]);
});

test('an unknown list, a reading that is given up', async () => {
  const log = await auditedLog();
  await log.at(0, e.listCreated, e.contactCreated);
  const signal = AbortSignal.abort();
  const nowhere = log.audit.listAt({ list: 'lst_unknown', time: second(0), signal });
  await expect(nowhere).rejects.toMatchObject({ code: 'no_such_list' });
  const found = await log.audit.listAt({ list: list.list_id, time: second(0), signal });
  await expect(found.members()[Symbol.asyncIterator]().next()).rejects.toThrow(/abort/);
});

describe('events that cannot be read', () => {
  async function text(log: AuditedLog, number: number, format: (found: ListAt) => AsyncIterable<string>) {
    const signal = new AbortController().signal;
    const found = await log.audit.listAt({ list: list.list_id, time: second(number), signal });
    let whole = '';
    for await (const piece of format(found)) whole += piece;
    return whole;
  }
  const lines = async (log: AuditedLog, number: number) =>
    (await text(log, number, listAsLines))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  async function damaged() {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.otherListCreated, e.contactCreated, e.subscribed);
    const ofList = toAppend(e.unsubscribed, { at: second(2) });
    await log.appendRaw(contactStream, { ...ofList, data: `{"list_id":"${list.list_id}"}` });
    await log.appendRaw(contactStream, { ...ofList, data: '{"rubbish":true}' });
    await log.appendRaw(contactStream, { ...ofList, type: 'ContactMerged' });
    await log.appendRaw(contactStream, { ...ofList, data: `{"list_id":"${otherList.list_id}"}` });
    await log.appendRaw('email-1', { ...ofList, type: 'EmailOpened' });
    return log;
  }

  test('that may be about the list are told after its members, and counted at the end', async () => {
    const log = await damaged();
    const named = { line: 'unreadable', contact_id, at: second(2), stream: contactStream };
    expect(await lines(log, 2)).toMatchObject([
      { line: 'list' },
      { line: 'member', contact_id, status: 'Subscribed' },
      { ...named, type: 'ContactUnsubscribed', revision: 2 },
      { ...named, type: 'ContactUnsubscribed', revision: 3 },
      { ...named, type: 'ContactMerged', revision: 4 },
      { line: 'end', members: 1, unreadable: 3 },
    ]);
    expect((await lines(log, 1)).at(-1)).toEqual({ line: 'end', members: 1, seal: null });
  });

  test('have rows of their own in CSV, which are no members', async () => {
    const rows = (await text(await damaged(), 2, listAsCsv)).trim().split('\r\n');
    expect(rows).toHaveLength(5);
    expect(rows[4]).toMatch(new RegExp(`^${contact_id},,unreadable,\\[\\],${second(2)},[^,]+,ContactMerged,example,`));
  });

  test('count once each, however many there are', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated);
    const creation = { ...toAppend(e.contactCreated), data: `{"contact_id":"${contact_id}"}` };
    await log.appendRaw(contactStream, creation);
    await log.at(1, e.subscribed);
    const unknown = Array.from({ length: 1_000 }, () => ({ ...toAppend(e.contactCreated), type: 'ContactMerged' }));
    await log.store.append('contact-b', unknown, { expectedRevision: 'no_stream' });
    // The pass meets it, and the look for the address goes over it again.
    await log.appendRaw(contactStream, { ...toAppend(e.contactCreated), data: creation.data });
    const told = await lines(log, 1);
    expect(told).toHaveLength(1_003);
    expect(told.at(-1)).toEqual({ line: 'end', members: 1, seal: null, unreadable: 1_002 });
  });

  test('leave a member in it whose creation is among them, without an address', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated);
    await log.appendRaw(contactStream, { ...toAppend(e.contactCreated), data: `{"contact_id":"${contact_id}"}` });
    await log.at(1, e.subscribed);
    expect(await lines(log, 1)).toMatchObject([
      { line: 'list' },
      { line: 'member', contact_id, email: null },
      { line: 'unreadable', type: 'ContactCreated', contact_id },
      { line: 'end', members: 1, unreadable: 1 },
    ]);
  });
});
