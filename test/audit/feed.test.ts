/** The event feed over a log: what was appended comes out, as it is stored. */
import { expect, test } from 'vitest';
import type { FeedMessage } from '../../src/audit/feed.js';
import { exampleEvents as e, exampleMetadata, toAppend } from '../support/examples.js';
import { auditedLog, contactStream, second } from '../support/auditing.js';

const signal = new AbortController().signal;
const all = { after: '', types: new Set<string>(), hidden: [], signal };

test('a page tells where to go on, and whether there is more', async () => {
  const log = await auditedLog();
  await log.at(0, e.listCreated, e.contactCreated, e.subscribed);
  const one = await log.audit.feed.page({ ...all, limit: 2 });
  expect(one.events.map(({ type }) => type)).toEqual(['ListCreated', 'ContactCreated']);
  expect(one).toMatchObject({ next: one.events[1]?.position, hasMore: true });
  const two = await log.audit.feed.page({ ...all, after: one.next, limit: 1 });
  expect(two).toMatchObject({ events: [{ type: 'ContactSubscribed' }], hasMore: false });
  expect(await log.audit.feed.page({ ...all, after: two.next, limit: 1 })).toEqual({
    events: [],
    next: two.next,
    hasMore: false,
  });
});

test('for a rare type a page ends after so many events, and the next one goes on there', async () => {
  const log = await auditedLog();
  for (let round = 0; round < 12; round += 1) {
    const events = Array.from({ length: 1_000 }, () => toAppend(e.subscribed));
    await log.store.append(contactStream, events, { expectedRevision: 'any' });
  }
  await log.at(0, e.listCreated);
  const types = new Set(['ListCreated']);
  const one = await log.audit.feed.page({ ...all, types, limit: 50 });
  expect(one).toMatchObject({ events: [], hasMore: true });
  const two = await log.audit.feed.page({ ...all, types, after: one.next, limit: 50 });
  expect(two).toMatchObject({ events: [{ type: 'ListCreated' }], hasMore: false });
});

test('types and shapes that this version does not know are told as they are stored', async () => {
  const log = await auditedLog();
  await log.appendRaw(contactStream, { ...toAppend(e.subscribed), type: 'ContactMerged', data: '{"a":1}' });
  await log.appendRaw(contactStream, { ...toAppend(e.subscribed), data: '{"list_id":7}', metadata: '{"at":"once"}' });
  const { events } = await log.audit.feed.page({ ...all, limit: 9 });
  expect(events).toMatchObject([
    { type: 'ContactMerged', at: exampleMetadata.at, data: { a: 1 }, schema: 1 },
    { type: 'ContactSubscribed', at: null, actor: null, request_id: null, schema: null, data: { list_id: 7 } },
  ]);
});

test('knows the positions of this log from what is none', async () => {
  const log = await auditedLog();
  const position = await log.append('lists', e.listCreated, { at: second(0) });
  for (const same of [position, position.replace(/^0+/, ''), `00${position}`])
    expect(await log.audit.feed.position(same)).toBe(position);
  const beyond = String(Number(position) + 1).padStart(position.length, '0');
  for (const other of ['', `${position}0`, position.replace(/^./, 'x'), beyond])
    expect(await log.audit.feed.position(other)).toBeUndefined();
});

test('following passes what is not wanted, so that nobody has to go through it twice', async () => {
  const log = await auditedLog();
  await log.at(0, e.listCreated, e.contactCreated);
  const last = await log.append(contactStream, e.subscribed);
  const gone = new AbortController();
  const told: FeedMessage[] = [];
  for await (const message of log.audit.feed.follow({ ...all, types: new Set(['ListCreated']), signal: gone.signal })) {
    told.push(message);
    if (told.length === 3) await log.append('lists', e.otherListCreated);
    if (told.length === 4) gone.abort();
  }
  expect(told).toMatchObject([
    { type: 'events', events: [{ type: 'ListCreated' }] },
    { type: 'passed', position: last },
    { type: 'passed', position: last },
    { type: 'events', events: [{ type: 'ListCreated', data: { list_id: 'lst_02' } }] },
  ]);
});

test('a reading that is given up is no short log', async () => {
  const log = await auditedLog();
  await log.at(0, e.listCreated);
  const given = { ...all, signal: AbortSignal.abort() };
  await expect(log.audit.feed.page({ ...given, limit: 1 })).rejects.toThrow(/abort/);
  await expect(log.audit.feed.all(given)[Symbol.asyncIterator]().next()).rejects.toThrow(/abort/);
});
