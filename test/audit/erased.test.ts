/** What auditors are told of somebody who was erased: what was so before, without the person, and who erased it when. */
import { expect, test } from 'vitest';
import type { ContactEvent } from '../../src/events/contact.js';
import { withDigests } from '../../src/eventstore/leaf.js';
import { exampleEvents as e, examples, exampleSalt, toAppend } from '../support/examples.js';
import { auditedLog, contactStream, second } from '../support/auditing.js';

const { list, contact_id } = examples;

const erased: ContactEvent = {
  type: 'ContactErased',
  data: {
    erasure_id: 'ers_1',
    contact_id,
    through: 2,
    list_ids: [list.list_id],
    subscribed_list_ids: [list.list_id],
    attached: [],
  },
};

async function erasedLog() {
  const log = await auditedLog();
  await log.at(0, e.listCreated);
  const { data } = toAppend(e.contactCreated);
  const at = second(1);
  await log.appendRaw(contactStream, { ...toAppend(e.contactCreated, { at }), data: withDigests(data) });
  const changed = toAppend(e.profileChanged, { at });
  await log.appendRaw(contactStream, { ...changed, data: withDigests(changed.data) });
  await log.at(1, e.subscribed);
  await log.at(2, erased);
  return log;
}

const members = async (log: Awaited<ReturnType<typeof auditedLog>>, number: number) => {
  const { signal } = new AbortController();
  const found = await log.audit.listAt({ list: list.list_id, time: second(number), signal });
  const all = [];
  for await (const some of found.members()) all.push(...some);
  return { all, unreadable: found.unreadable().count };
};

test('the status of then is still told, the person is not, and the erasure is what changed it next', async () => {
  const log = await erasedLog();
  const erasure = { type: 'ContactErased', at: second(2), actor: 'example' };
  const before = await log.audit.contactAt({ stream: contactStream, time: second(1) });
  expect(before).toMatchObject({
    existed: true,
    profile: { email: null, firstName: null, next_change: erasure },
    subscriptions: [{ status: 'Subscribed', next_change: erasure }],
  });
  expect(before).not.toHaveProperty('unreadable');
  const after = await log.audit.contactAt({ stream: contactStream, time: second(2) });
  expect(after).toMatchObject({ existed: false, profile: null, erased: erasure, subscriptions: [] });
});

test('the erasure is what changed it next also where the creation cannot be read', async () => {
  const log = await auditedLog();
  await log.at(0, e.listCreated);
  const data = JSON.stringify({ contact_id, person: 7 });
  await log.appendRaw(contactStream, { ...toAppend(e.contactCreated, { at: second(1) }), data });
  await log.at(1, e.subscribed);
  await log.at(2, { ...erased, data: { ...erased.data, through: 1 } });
  expect(await log.audit.contactAt({ stream: contactStream, time: second(1) })).toMatchObject({
    existed: null,
    subscriptions: [{ status: 'Subscribed', next_change: { type: 'ContactErased', at: second(2) } }],
  });
});

test('a list has its members of then, without an address, and not after the erasure', async () => {
  const log = await erasedLog();
  expect(await members(log, 1)).toMatchObject({
    all: [{ contact_id, email: null, status: 'Subscribed' }],
    unreadable: 0,
  });
  expect(await members(log, 2)).toEqual({ all: [], unreadable: 0 });
});

test('who comes back is told from who was erased', async () => {
  const log = await erasedLog();
  await log.at(3, {
    type: 'ContactCreated',
    data: { contact_id: 'con_02', person: { salt: exampleSalt, email: 'Ada@example.com' } },
  });
  const now = await log.audit.contactAt({ stream: contactStream, time: second(3) });
  expect(now).toMatchObject({ contact_id: 'con_02', existed: true, profile: { email: 'Ada@example.com' } });
  expect(now).not.toHaveProperty('erased');
  const history = await log.history();
  expect(history.map(({ type }) => type)).toEqual([
    'ContactCreated',
    'ContactProfileChanged',
    'ContactSubscribed',
    'ContactErased',
    'ContactCreated',
  ]);
  expect(history[0]).toMatchObject({ data: { person: null } });
  expect(history[3]).toMatchObject({ summary: expect.stringContaining('erased') as unknown, actor: 'example' });
  expect(JSON.stringify(history)).not.toContain('cannot read');
});
