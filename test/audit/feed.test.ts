/** The event feed over a log: what was appended comes out, as it is stored. */
import { describe, expect, test } from 'vitest';
import { createFeed, type FeedFilter, type FeedMessage } from '../../src/audit/feed.js';
import { createReplayPace, unpaced } from '../../src/audit/replay-pace.js';
import type { EventReader } from '../../src/eventstore/event-store.js';
import { exampleEvents as e, exampleMetadata, examples, toAppend } from '../support/examples.js';
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
    searched: 0,
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

describe('the events of one contact with many', () => {
  /** Of 12,000 events, and how many were read of them since it was last asked. */
  async function longStream() {
    const log = await auditedLog();
    for (let round = 0; round < 12; round += 1) {
      const events = Array.from({ length: 1_000 }, () => toAppend(e.subscribed));
      await log.store.append(contactStream, events, { expectedRevision: 'any' });
    }
    let read = 0;
    const readStream: EventReader['readStream'] = async function* (stream, options) {
      for await (const page of log.store.readStream(stream, options)) {
        read += page.length;
        yield page;
      }
    };
    const pace = createReplayPace();
    const readSince = (): number => [read, (read = 0)][0] ?? 0;
    return { feed: createFeed({ ...log.store, readStream }, pace), pace, readSince };
  }
  const of = { ...all, filter: { streams: [contactStream] } };

  test('a page goes on where the last one ended, and reads no more than it shows', async () => {
    const { feed, readSince } = await longStream();
    const shown: number[] = [];
    for (let after = '', hasMore = true; hasMore;) {
      const page = await feed.page({ ...of, after, limit: 4_000 });
      shown.push(...page.events.map(({ revision }) => revision));
      [after, hasMore] = [page.next, page.hasMore];
      expect(readSince()).toBeLessThan(4_500);
    }
    expect(shown).toEqual(Array.from({ length: 12_000 }, (_, revision) => revision));
  });

  test('for a rare type a page ends after so many events', async () => {
    const { feed, readSince } = await longStream();
    const types = new Set(['ContactErased']);
    const one = await feed.page({ ...of, types, limit: 50 });
    expect(one).toMatchObject({ events: [], hasMore: true });
    expect(readSince()).toBeLessThan(10_500);
    expect(await feed.page({ ...of, types, after: one.next, limit: 50 })).toMatchObject({ events: [], hasMore: false });
    expect(readSince()).toBeLessThan(2_500);
  });

  test('stands in line with other long replays, and leaves it with its client', async () => {
    const { feed, pace, readSince } = await longStream();
    const others = await Promise.all([pace.long(), pace.long()]);
    const client = new AbortController();
    const page = feed.page({ ...of, signal: client.signal, limit: 5_000 });
    client.abort(new Error('the client has gone'));
    await expect(page).rejects.toThrow('the client has gone');
    expect(readSince()).toBeLessThan(5_000);
    for (const release of others) release();
  });
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

describe('what is asked for', () => {
  const day = (number: number): string => new Date(Date.UTC(2026, 0, 1 + number)).toISOString();

  /** Ten events a day for 400 days; on the 200th a clock was years ahead for two of them. */
  async function longLog() {
    const log = await auditedLog();
    const read: string[] = [];
    for (let number = 0; number < 400; number += 1) {
      const events = Array.from({ length: 10 }, (_, at) => {
        const isWrong = number === 200 && at < 2;
        const metadata = { ...exampleMetadata, at: isWrong ? '2050-01-01T00:00:00.000Z' : day(number) };
        return {
          ...toAppend(e.subscribed),
          metadata: JSON.stringify({ ...metadata, actor: `key-${at}`, request_id: `r-${number}` }),
        };
      });
      await log.store.append(contactStream, events, { expectedRevision: 'any' });
    }
    const readAll: typeof log.store.readAll = (options) => {
      const batches = log.store.readAll(options);
      return (async function* () {
        for await (const batch of batches) {
          read.push(...batch.map(({ position }) => position));
          yield batch;
        }
      })();
    };
    return { log, read, feed: createFeed({ ...log.store, readAll }, unpaced) };
  }

  test('a day of a key is found without reading all, though some clock was wrong', async () => {
    const { feed, read } = await longLog();
    for (const number of [0, 199, 200, 201, 399]) {
      read.length = 0;
      const filter = { actor: 'key-7', from: day(number), to: day(number + 1) };
      const { events, hasMore } = await feed.page({ ...all, filter, limit: 200 });
      expect(events.map(({ request_id }) => request_id)).toEqual(
        [`r-${number}`, `r-${number + 1}`].slice(0, number === 399 ? 1 : 2),
      );
      expect(hasMore).toBe(false);
      expect(read.length).toBeLessThan(1_500);
    }
  });

  test('a request, a contact, a list, and all of it at once', async () => {
    const log = await auditedLog();
    await log.at(0, e.listCreated, e.otherListCreated, e.contactCreated, e.subscribed);
    const typesOf = async (filter: FeedFilter): Promise<readonly string[]> =>
      (await log.audit.feed.page({ ...all, filter, limit: 200 })).events.map(({ type }) => type);
    const { request_id: requestId, actor } = exampleMetadata;
    const { list_id: listId } = examples.list;
    expect(await typesOf({ requestId, actor })).toHaveLength(4);
    expect(await typesOf({ requestId: 'another' })).toEqual([]);
    expect(await typesOf({ listId })).toEqual(['ListCreated', 'ContactSubscribed']);
    expect(await typesOf({ streams: [contactStream] })).toEqual(['ContactCreated', 'ContactSubscribed']);
    expect(await typesOf({ streams: [contactStream], listId, requestId, from: second(0), to: second(0) })).toEqual([
      'ContactSubscribed',
    ]);
    expect(await typesOf({ from: second(1) })).toEqual([]);
  });
});
