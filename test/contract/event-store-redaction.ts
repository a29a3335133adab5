/** The part of the event-store contract that is about redaction. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { leafOf, withDigests } from '../../src/eventstore/leaf.js';
import { usually } from '../support/amount.js';
import {
  WrongExpectedRevisionError,
  type EventStore,
  type EventToAppend,
  type StoredEvent,
  type SubscriptionMessage,
} from '../../src/eventstore/event-store.js';

interface RedactionParts {
  readonly test: (title: string, body: () => Promise<void>) => void;
  readonly store: () => EventStore;
  readonly newStream: () => string;
  readonly reopen: () => Promise<void>;
}

export function redactionContract({ test, store, newStream, reopen }: RedactionParts): void {
  /** Streams with personal data whose events stand among those of others in the log. */
  async function written(count = 4, size = 20): Promise<{ stream: string; other: string; before: StoredEvent[] }> {
    const [stream, other] = [newStream(), newStream()];
    for (let at = 0; at < count; at += 1)
      for (const name of [stream, other])
        await store().append(name, [personal(size)], { expectedRevision: at === 0 ? 'no_stream' : BigInt(at - 1) });
    return { stream, other, before: await flat(store().readStream(stream)) };
  }

  test('digests take the place of personal data up to the revision, and all else stays', async () => {
    const { stream, other, before } = await written();
    const others = await flat(store().readStream(other));
    expect(await store().redact(stream, 2n)).toBe(3);
    const after = await flat(store().readStream(stream));
    expect(after).toEqual([...before.slice(0, 3).map(redacted), before[3]]);
    expect(after.map((event) => leafOf(1, event))).toEqual(before.map((event) => leafOf(1, event)));
    expect(await flat(store().readStream(other))).toEqual(others);
  });

  test('again, of a stream without personal data, or without events, changes nothing', async () => {
    const { stream } = await written();
    expect(await store().redact(stream, 9n)).toBe(4);
    const after = await flat(store().readStream(stream));
    expect(await store().redact(stream, 9n)).toBe(0);
    expect(await flat(store().readStream(stream))).toEqual(after);
    const plain = newStream();
    await store().append(plain, [event({ at: { person: 'no member of the top level' } })], {
      expectedRevision: 'no_stream',
    });
    expect(await store().redact(plain, 0n)).toBe(0);
    expect(await store().redact(newStream(), 5n)).toBe(0);
  });

  test('every read yields redacted events in their places', async () => {
    const start = await store().head();
    const { stream, before } = await written();
    const [from, end] = [before[0]!.position, await store().head()];
    const whole = await flat(store().readAll({ after: start }));
    await store().redact(stream, 2n);
    const expected = [...before.slice(0, 3).map(redacted), before[3]!];
    const log = whole.map((one) => expected.find(({ position }) => position === one.position) ?? one);
    const backwards = { direction: 'backwards' } as const;
    const read = (options = {}) => flat(store().readStream(stream, options));
    expect(await read({ from: 1n, limit: 2 })).toEqual(expected.slice(1, 3));
    expect(await read({ from: 4n })).toEqual([]);
    expect(await read(backwards)).toEqual([...expected].reverse());
    expect(await read({ ...backwards, from: 2n, limit: 2 })).toEqual([expected[2], expected[1]]);
    expect(await read({ ...backwards, limit: 1 })).toEqual([expected[3]]);
    const readAll = async (options: object) =>
      (await flat(store().readAll(options))).filter(({ position }) => position <= end);
    expect(await readAll({ after: start })).toEqual(log);
    expect(await readAll({ after: start, limit: 3 })).toEqual(log.slice(0, 3));
    expect(await readAll({ after: from })).toEqual(log.slice(1));
    const back = await flat(store().readAll({ ...backwards, limit: 200 }));
    const known = new Set(log.map(({ id }) => id));
    expect(back.filter(({ id }) => known.has(id))).toEqual([...log].reverse());
    expect(await flat(store().readAll({ ...backwards, after: expected[2]!.position, limit: 2 }))).toEqual(
      log.slice(2, 4).reverse(),
    );
    for (const one of expected) expect(await store().readAt(one.position)).toEqual(one);
    expect(await store().head()).toBe(end);
    expect(await subscribed(store(), start, end)).toEqual(log);
  });

  test('a stream goes on after a redaction, and a later one reaches further', async () => {
    const { stream, before } = await written();
    await store().redact(stream, 3n);
    const next = personal();
    await expect(store().append(stream, [next], { expectedRevision: 'no_stream' })).rejects.toThrow(
      WrongExpectedRevisionError,
    );
    expect((await store().append(stream, [next], { expectedRevision: 3n })).revision).toBe(4n);
    expect((await flat(store().readStream(stream))).at(-1)).toMatchObject(next);
    expect(await store().redact(stream, 4n)).toBe(1);
    const data = (await flat(store().readStream(stream))).map((one) => one.data);
    expect(data).toEqual([...before.map((one) => withDigests(one.data)), withDigests(next.data)]);
  });

  test('the same append again is recognised after it was redacted', async () => {
    const stream = newStream();
    const [one, two] = [
      [personal(), personal()],
      [personal(), personal()],
    ];
    const first = await store().append(stream, one, { expectedRevision: 'no_stream' });
    const second = await store().append(stream, two, { expectedRevision: 1n });
    await store().redact(stream, 2n);
    expect(await store().append(stream, one, { expectedRevision: 'no_stream' })).toEqual(first);
    expect(await store().append(stream, two, { expectedRevision: 1n })).toEqual(second);
    await expect(store().append(stream, [personal()], { expectedRevision: 1n })).rejects.toThrow(
      WrongExpectedRevisionError,
    );
    expect(await flat(store().readStream(stream))).toHaveLength(4);
  });

  test('redactions at once, among appends and reads, all hold', async () => {
    const { stream, other } = await written(8);
    const start = await store().head();
    const writing = Promise.all(
      Array.from({ length: 20 }, () => store().append(newStream(), [personal()], { expectedRevision: 'no_stream' })),
    );
    const reading = Promise.all([1, 2, 3].map(() => flat(store().readStream(stream))));
    const counts = await Promise.all([
      store().redact(stream, 5n),
      store().redact(stream, 7n),
      store().redact(stream, 7n),
      store().redact(other, 7n),
    ]);
    expect(counts[3]).toBe(8);
    await writing;
    // As they were, or as they are: nothing in between.
    for (const seen of await reading) for (const one of seen) expect(leafOf(1, one)).toBe(leafOf(1, redacted(one)));
    for (const name of [stream, other])
      for (const one of await flat(store().readStream(name))) expect(one).toEqual(redacted(one));
    expect(await flat(store().readAll({ after: start }))).toHaveLength(20);
  });

  test('long streams and short ones at once, each to its end', async () => {
    const streams = await Promise.all(
      [600, 3, 250, 1].map(async (count) => {
        const stream = newStream();
        const events = Array.from({ length: count }, () => personal());
        await store().append(stream, events, { expectedRevision: 'no_stream' });
        return { stream, events };
      }),
    );
    const all = streams.map(({ stream, events }) => store().redact(stream, BigInt(events.length - 1)));
    expect(await Promise.all(all)).toEqual([600, 3, 250, 1]);
    for (const { stream, events } of streams)
      expect((await flat(store().readStream(stream))).map(({ data }) => data)).toEqual(
        events.map(({ data }) => withDigests(data)),
      );
  });

  test('large values go, and what is redacted stays so for a store that is opened later', async () => {
    const count = usually(6, 12);
    const { stream, before } = await written(count, 300_000);
    expect(await store().redact(stream, BigInt(count - 2))).toBe(count - 1);
    await reopen();
    const batches: (readonly StoredEvent[])[] = [];
    for await (const batch of store().readStream(stream)) batches.push(batch);
    expect(batches.flat()).toEqual([...before.slice(0, -1).map(redacted), before.at(-1)]);
    expect(await store().redact(stream, BigInt(count - 1))).toBe(1);
  });
}

const event = (data: object): EventToAppend => ({
  id: randomUUID(),
  type: 'Said',
  data: JSON.stringify(data),
  metadata: '{}',
});

const personal = (size = 20): EventToAppend =>
  event({ at: 'x'.repeat(9), person: { name: 'Ünï'.repeat(Math.ceil(size / 3)) }, message: '!', last: true });

const redacted = (one: StoredEvent): StoredEvent => ({ ...one, data: withDigests(one.data) });

async function flat(reading: AsyncIterable<readonly StoredEvent[]>): Promise<StoredEvent[]> {
  const all: StoredEvent[] = [];
  for await (const batch of reading) all.push(...batch);
  return all;
}

/** What a subscription yields up to a position that exists. */
async function subscribed(store: EventStore, after: string, until: string): Promise<StoredEvent[]> {
  const abort = new AbortController();
  const messages: SubscriptionMessage[] = [];
  for await (const message of store.subscribe({ after, signal: abort.signal })) {
    messages.push(message);
    if (message.type === 'caught_up' && message.position >= until) abort.abort();
  }
  return messages.flatMap((message) => (message.type === 'events' ? message.events : []));
}
