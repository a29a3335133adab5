/** Redaction on a real EventStoreDB: before and after a scavenge, killed between its steps, and what a lying copy comes to. */
import { jsonEvent, EventStoreDBClient } from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { leafOf, withDigests } from '../../../src/eventstore/leaf.js';
import type { EventReader, ReadAllOptions, StoredEvent } from '../../../src/eventstore/event-store.js';
import { openEventStoreDb, type EventStoreDbStore } from '../../../src/eventstore/eventstoredb/event-store.js';
import { copiesStream } from '../../../src/eventstore/eventstoredb/positions.js';
import { allEvents } from '../../support/event-log.js';
import { deletePrefix, eventStoreUrl, newPrefix, noEventStore } from '../../support/eventstoredb-server.js';

const personal = (text: string) => ({
  id: randomUUID(),
  type: 'Said',
  data: JSON.stringify({ at: 1, person: { text } }),
  metadata: '{}',
});
const redacted = (event: StoredEvent): StoredEvent => ({ ...event, data: withDigests(event.data) });

async function flat(reading: AsyncIterable<readonly StoredEvent[]>): Promise<StoredEvent[]> {
  const all: StoredEvent[] = [];
  for await (const batch of reading) all.push(...batch);
  return all;
}

describe.skipIf(eventStoreUrl === undefined)(`on a real server (${eventStoreUrl ?? noEventStore})`, () => {
  const url = eventStoreUrl ?? '';
  const prefix = newPrefix();
  let store: EventStoreDbStore;
  beforeAll(() => {
    store = openEventStoreDb({ url, prefix });
  });
  afterAll(async () => {
    await store.close();
    await deletePrefix(url, prefix);
  });

  async function expectPages(reader: EventReader, log: readonly StoredEvent[], limit: number): Promise<void> {
    const all = (options: ReadAllOptions) => flat(reader.readAll(options));
    const forwards: StoredEvent[] = [];
    for (let after = ''; ; after = forwards.at(-1)!.position) {
      const page = await all({ after, limit });
      forwards.push(...page);
      if (page.length < limit) break;
    }
    expect(forwards).toEqual(log);
    const backwards: StoredEvent[] = [];
    for (;;) {
      const last = backwards.at(-1)?.position;
      const page = await all({ direction: 'backwards', limit, ...(last !== undefined && { after: last }) });
      backwards.push(...page);
      if (page.length < limit) break;
    }
    expect(backwards).toEqual([...log].reverse());
  }

  async function expectStreams(reader: EventReader, log: readonly StoredEvent[]): Promise<void> {
    for (const stream of new Set(log.map((event) => event.stream))) {
      const events = log.filter((event) => event.stream === stream);
      expect(await flat(reader.readStream(stream))).toEqual(events);
      expect(await flat(reader.readStream(stream, { direction: 'backwards' }))).toEqual([...events].reverse());
      for (const [at] of events.entries()) {
        const from = BigInt(at);
        expect(await flat(reader.readStream(stream, { from, limit: 2 }))).toEqual(events.slice(at, at + 2));
        const back = await flat(reader.readStream(stream, { from, direction: 'backwards', limit: 2 }));
        expect(back).toEqual(events.slice(Math.max(0, at - 1), at + 1).reverse());
      }
    }
  }

  /** All reads of the log yield just these events. */
  async function expectLog(reader: EventReader, log: readonly StoredEvent[]): Promise<void> {
    const start = log[0]!.position;
    const all = (options: ReadAllOptions) => flat(reader.readAll(options));
    expect(await allEvents(reader)).toEqual(log);
    expect(await all({ direction: 'backwards' })).toEqual([...log].reverse());
    for (const [at, event] of log.entries()) expect(await reader.readAt(event.position), `${at}`).toEqual(event);
    for (const limit of [1, 2, 3, 7]) await expectPages(reader, log, limit);
    expect(await all({ after: start })).toEqual(log.slice(1));
    expect(await reader.head()).toBe(log.at(-1)!.position);
    await expectStreams(reader, log);
    const abort = new AbortController();
    const followed: StoredEvent[] = [];
    for await (const message of reader.subscribe({ after: '', signal: abort.signal })) {
      if (message.type === 'events') followed.push(...message.events);
      else abort.abort();
    }
    expect(followed).toEqual(log);
  }

  it(
    'every read is the same before and after a scavenge, also where streams end redacted',
    { timeout: 120_000 },
    async () => {
      const streams = ['a', 'b', 'c'];
      const mark = randomUUID();
      for (let at = 0; at < 5; at += 1)
        for (const stream of streams)
          await store.append(stream, [personal(`${mark}-${stream}`)], {
            expectedRevision: at === 0 ? 'no_stream' : BigInt(at - 1),
          });
      const before = await allEvents(store);
      // The last event of the log is redacted, too.
      expect(await store.redact('c', 9n)).toBe(5);
      expect(await store.redact('a', 2n)).toBe(3);
      const isRedacted = ({ stream, revision }: StoredEvent) => stream === 'c' || (stream === 'a' && revision <= 2n);
      const log = before.map((event) => (isRedacted(event) ? redacted(event) : event));
      await expectLog(store, log);
      expect(await store.waitsForScavenge('a')).toBe(true);
      expect(await store.waitsForScavenge('b')).toBe(false);
      expect(await store.scavenge()).toHaveLength(1);
      await vi.waitUntil(async () => !(await store.waitsForScavenge('a')), { interval: 200, timeout: 30_000 });
      // A scavenge keeps the last event of every stream, also one that is not shown.
      expect(await store.waitsForScavenge('c')).toBe(true);
      await expectLog(store, log);
      const other = openEventStoreDb({ url, prefix });
      await expectLog(other, log);
      expect(await other.redact('a', 2n)).toBe(0);
      expect(await other.redact('a', 3n)).toBe(1);
      await other.append('c', [personal('again')], { expectedRevision: 4n });
      await expectLog(store, await allEvents(other));
      await other.close();
    },
  );

  it('what was cut off after the copies is completed, by two at once', async () => {
    await store.append('d', [personal('one'), personal('two')], { expectedRevision: 'no_stream' });
    const before = await flat(store.readStream('d'));
    const client = EventStoreDBClient.connectionString(url);
    const data = before.map(({ revision, ...event }) => ({
      ...event,
      data: withDigests(event.data),
      revision: `${revision}`,
    }));
    await client.appendToStream(copiesStream(prefix), [jsonEvent({ type: 'Redacted', data: data[0]! })]);
    await client.dispose();
    const other = openEventStoreDb({ url, prefix });
    await Promise.all([store.redact('d', 1n), other.redact('d', 1n)]);
    for (const reader of [store, other]) expect(await flat(reader.readStream('d'))).toEqual(before.map(redacted));
    await other.close();
  });

  it('a copy that lies stops a redaction before anything goes, and is seen by its leaf', async () => {
    await store.append('e', [personal('one')], { expectedRevision: 'no_stream' });
    const [event] = await flat(store.readStream('e'));
    const lie = { ...event, data: '{"at":2,"person":"x"}', revision: '0' };
    const client = EventStoreDBClient.connectionString(url);
    await client.appendToStream(copiesStream(prefix), [jsonEvent({ type: 'Redacted', data: lie })]);
    await client.dispose();
    await expect(store.redact('e', 0n)).rejects.toThrow(/is not what was written/);
    expect(await flat(store.readStream('e'))).toEqual([event]);
    const inLog = await store.readAt(event!.position);
    expect(leafOf(1, inLog!)).not.toBe(leafOf(1, event!));
  });
});
