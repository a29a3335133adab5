/** The contract suite of the event-store port: every adapter passes it. Streams get names of their own, the log may hold foreign events. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  InvalidAppendError,
  StoreUnavailableError,
  WrongExpectedRevisionError,
  type AppendResult,
  type EventStore,
  type EventToAppend,
  type ExpectedRevision,
  type Position,
  type ReadAllOptions,
  type StoredEvent,
  type SubscriptionMessage,
} from '../../src/eventstore/event-store.js';
import { usually } from '../support/amount.js';
import { redactionContract } from './event-store-redaction.js';
import { appendBytes, bytesPerAppend } from '../../src/eventstore/validate-append.js';

interface EventStoreHarness {
  /** A store on the harness's log; always the same log. At most one is open at a time. */
  open(): Promise<EventStore>;
  cleanup(): Promise<void>;
  /** Tests that this adapter cannot pass, by their titles, each with the reason in words. */
  readonly skips?: Readonly<Record<string, string>>;
}

export function eventStoreContract(adapter: string, createHarness: () => Promise<EventStoreHarness>): void {
  describe(`${adapter} keeps the contract of the event-store port`, () => {
    let harness: EventStoreHarness;
    let store: EventStore;
    beforeAll(async () => {
      harness = await createHarness();
      store = await harness.open();
    });
    afterAll(async () => {
      await store.close();
      await harness.cleanup();
    });

    /** `it`, unless the harness declares that the adapter cannot. */
    const test = (title: string, body: () => Promise<void>): void =>
      it(title, async (context) => {
        const reason = harness.skips?.[title];
        if (reason !== undefined) context.skip(reason);
        await body();
      });
    const append = (stream: string, events: EventToAppend[], expectedRevision: ExpectedRevision) =>
      store.append(stream, events, { expectedRevision });
    const revisions = async (stream: string, options = {}): Promise<bigint[]> =>
      (await flat(store.readStream(stream, options))).map(({ revision }) => revision);
    const stored = async (stream: string): Promise<string[]> =>
      (await flat(store.readStream(stream))).map(({ id }) => id);
    /** A stream of 1,200 events that is only read. */
    let long: Promise<string> | undefined;
    const longStream = (): Promise<string> => (long ??= writeLong());
    async function writeLong(): Promise<string> {
      const stream = newStream();
      for (let at = 0; at < 1_200; at += 400)
        await append(stream, events(400), at === 0 ? 'no_stream' : BigInt(at - 1));
      return stream;
    }

    describe('append', () => {
      test('no_stream creates a stream, and refuses one that exists', async () => {
        const stream = newStream();
        expect((await append(stream, events(1), 'no_stream')).revision).toBe(0n);
        await expectWrong(append(stream, events(1), 'no_stream'), 'no_stream', 0n);
        expect(await revisions(stream)).toEqual([0n]);
      });

      test('a revision is taken where the stream stands there, and refused elsewhere', async () => {
        const stream = newStream();
        await append(stream, events(2), 'no_stream');
        expect((await append(stream, events(1), 1n)).revision).toBe(2n);
        await expectWrong(append(stream, events(1), 1n), 1n, 2n);
        await expectWrong(append(stream, events(1), 9n), 9n, 2n);
        expect(await revisions(stream)).toEqual([0n, 1n, 2n]);
      });

      test('a revision is refused where there is no stream', async () => {
        const stream = newStream();
        await expectWrong(append(stream, events(1), 0n), 0n, 'no_stream');
        expect(await revisions(stream)).toEqual([]);
      });

      test('stream_exists is taken where there is a stream, and refused elsewhere', async () => {
        const stream = newStream();
        await expectWrong(append(stream, events(1), 'stream_exists'), 'stream_exists', 'no_stream');
        await append(stream, events(1), 'no_stream');
        expect((await append(stream, events(2), 'stream_exists')).revision).toBe(2n);
      });

      test('any is always taken', async () => {
        const stream = newStream();
        expect((await append(stream, events(1), 'any')).revision).toBe(0n);
        expect((await append(stream, events(2), 'any')).revision).toBe(2n);
      });

      test('several events are appended together, the answer is about the last', async () => {
        const stream = newStream();
        const three = events(3);
        const result = await append(stream, three, 'no_stream');
        const found = await flat(store.readStream(stream));
        expect(found.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }))).toEqual(three);
        expect(found.map(({ revision }) => revision)).toEqual([0n, 1n, 2n]);
        expect(found.every((event) => event.stream === stream)).toBe(true);
        expect(result).toEqual({ revision: 2n, position: found[2]?.position });
      });

      test('a refused append of several events leaves none of them', async () => {
        const stream = newStream();
        const first = events(1);
        await append(stream, first, 'no_stream');
        await expectWrong(append(stream, events(3), 'no_stream'), 'no_stream', 0n);
        expect(await stored(stream)).toEqual(first.map(({ id }) => id));
      });

      test('text comes back as it went in', async () => {
        const stream = newStream();
        const event = { ...events(1)[0]!, data: JSON.stringify({ text: 'Ünïcödé 🦉 \u0000 \u2028 "quoted" \\' }) };
        await append(stream, [event], 'no_stream');
        expect(await flat(store.readStream(stream))).toMatchObject([event]);
      });

      test('a large event comes back whole', async () => {
        const stream = newStream();
        const event = {
          ...events(1)[0]!,
          data: JSON.stringify({ text: 'ü'.repeat(350_000) }),
        };
        await append(stream, [event], 'no_stream');
        const [found] = await flat(store.readStream(stream));
        expect(found?.data === event.data).toBe(true);
      });

      test('an empty append is a TypeError', async () => {
        await expect(append(newStream(), [], 'no_stream')).rejects.toThrow(TypeError);
      });

      test('what no store keeps is a TypeError and leaves nothing', async () => {
        const stream = newStream();
        const good = events(1)[0]!;
        await expect(append('', [good], 'no_stream')).rejects.toThrow(TypeError);
        await expect(append(`${stream}\ud800`, [good], 'no_stream')).rejects.toThrow(TypeError);
        await expect(append(stream, [good, { ...good, data: '{"a":"\ud800"}' }], 'no_stream')).rejects.toThrow(
          TypeError,
        );
        await expect(append(stream, [{ ...good, metadata: '{"a":"\0"}' }], 'no_stream')).rejects.toThrow(TypeError);
        await expect(append(stream, [{ ...good, id: 'not a uuid' }], 'no_stream')).rejects.toThrow(TypeError);
        expect(await revisions(stream)).toEqual([]);
      });

      const notCanonical = [
        '{"a": 1}',
        '{"a":1.0}',
        '{"a":-0}',
        '{"a":1,"a":2}',
        '{"b":1,"7":2}',
        '{"a":"\\u00fc"}',
        '{',
        '',
      ];
      test('text that is no JSON object is refused for good and leaves nothing', async () => {
        const stream = newStream();
        const good = events(1)[0]!;
        for (const text of ['', '[]', 'null', '"text"']) {
          await expect(append(stream, [good, { ...good, data: text }], 'no_stream')).rejects.toThrow(
            InvalidAppendError,
          );
          await expect(append(stream, [{ ...good, metadata: text }], 'no_stream')).rejects.toThrow(InvalidAppendError);
        }
        expect(await revisions(stream)).toEqual([]);
      });

      test('text that is not canonical JSON is refused for good and leaves nothing', async () => {
        const stream = newStream();
        const good = events(1)[0]!;
        for (const text of notCanonical) {
          await expect(append(stream, [good, { ...good, data: text }], 'no_stream')).rejects.toThrow(
            InvalidAppendError,
          );
          await expect(append(stream, [{ ...good, metadata: text }], 'no_stream')).rejects.toThrow(InvalidAppendError);
        }
        expect(await revisions(stream)).toEqual([]);
      });

      test('an append of 1 MiB is taken, one byte more is refused for good', async () => {
        const stream = newStream();
        const [small, large] = events(2) as [EventToAppend, EventToAppend];
        const room = bytesPerAppend - appendBytes([small, { ...large, data: '{"text":""}' }]);
        const filled = (bytes: number) => ({ ...large, data: JSON.stringify({ text: 'x'.repeat(bytes) }) });
        await expect(append(stream, [small, filled(room + 1)], 'no_stream')).rejects.toThrow(InvalidAppendError);
        expect((await append(stream, [small, filled(room)], 'no_stream')).revision).toBe(1n);
      });

      test('of two racing appends exactly one wins, each time', async () => {
        const stream = newStream();
        const rounds = usually(20, 100);
        for (let round = 0n; round < rounds; round += 1n) {
          const expected = round === 0n ? 'no_stream' : round - 1n;
          const results = await Promise.allSettled([
            append(stream, events(1), expected),
            append(stream, events(1), expected),
          ]);
          expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
          const lost = results.find((result) => result.status === 'rejected');
          expect(lost?.reason).toBeInstanceOf(WrongExpectedRevisionError);
        }
        expect(await revisions(stream)).toHaveLength(rounds);
      });

      test('appends that are made together to one stream see each other, in order', async () => {
        const stream = newStream();
        const results = await Promise.allSettled([
          append(stream, events(2), 'no_stream'),
          append(stream, events(1), 0n),
          append(stream, events(1), 1n),
          append(newStream(), events(1), 'no_stream'),
        ]);
        expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
        expect(await revisions(stream)).toEqual([0n, 1n, 2n]);
      });
    });

    describe('the same append again', () => {
      for (const [name, before] of [
        ['no_stream', 0],
        ['a revision', 2],
      ] as const) {
        const setUp = async () => {
          const stream = newStream();
          if (before > 0) await append(stream, events(before), 'no_stream');
          const expected: ExpectedRevision = before === 0 ? 'no_stream' : BigInt(before - 1);
          const three = events(3);
          const first = await append(stream, three, expected);
          return { stream, three, expected, first };
        };

        test(`with ${name} answers the first result and writes nothing`, async () => {
          const { stream, three, expected, first } = await setUp();
          expect(await append(stream, three, expected)).toEqual(first);
          expect(await revisions(stream)).toHaveLength(before + 3);
        });

        test(`with ${name} answers the first result after later appends, too`, async () => {
          const { stream, three, expected, first } = await setUp();
          await append(stream, events(2), first.revision);
          expect(await append(stream, three, expected)).toEqual(first);
          expect(await revisions(stream)).toHaveLength(before + 5);
        });

        test(`with ${name} and only its first events succeeds`, async () => {
          const { stream, three, expected, first } = await setUp();
          const answer = await append(stream, three.slice(0, 2), expected);
          const [, , third] = (await flat(store.readStream(stream))).reverse().map(({ position }) => position);
          expect(answer.revision).toBe(first.revision - 1n);
          expect(answer.position < first.position && answer.position > (third ?? '')).toBe(true);
          expect(await revisions(stream)).toHaveLength(before + 3);
        });

        test(`with ${name} is refused when its last event is another`, async () => {
          const { stream, three, expected, first } = await setUp();
          await expectWrong(append(stream, [...three.slice(0, 2), ...events(1)], expected), expected, first.revision);
        });

        test(`with ${name} is refused when it reaches beyond the end`, async () => {
          const { stream, three, expected, first } = await setUp();
          await expectWrong(append(stream, [...three, ...events(1)], expected), expected, first.revision);
        });

        test(`with ${name}, made together with the first, is written once`, async () => {
          const stream = newStream();
          if (before > 0) await append(stream, events(before), 'no_stream');
          const expected: ExpectedRevision = before === 0 ? 'no_stream' : BigInt(before - 1);
          const two = events(2);
          const answers = await Promise.all([1, 2, 3].map(() => append(stream, two, expected)));
          expect(new Set(answers.map(({ position }) => position)).size).toBe(1);
          expect(await revisions(stream)).toHaveLength(before + 2);
        });
      }

      test('to another stream is another append', async () => {
        const [one, other] = [newStream(), newStream()];
        const two = events(2);
        await append(one, two, 'no_stream');
        await append(other, two, 'no_stream');
        expect(await stored(other)).toEqual(await stored(one));
      });
    });

    describe('reading a stream', () => {
      const oneOf = async (count: number): Promise<string> => {
        const stream = newStream();
        await append(stream, events(count), 'no_stream');
        return stream;
      };

      test('that does not exist yields nothing', async () => {
        expect(await batches(store.readStream(newStream()))).toEqual([]);
      });

      test('forwards, from a revision, with a limit', async () => {
        const stream = await oneOf(5);
        expect(await revisions(stream)).toEqual([0n, 1n, 2n, 3n, 4n]);
        expect(await revisions(stream, { from: 3n })).toEqual([3n, 4n]);
        expect(await revisions(stream, { limit: 2 })).toEqual([0n, 1n]);
        expect(await revisions(stream, { from: 1n, limit: 2 })).toEqual([1n, 2n]);
        expect(await revisions(stream, { from: 5n })).toEqual([]);
      });

      test('backwards, from a revision, with a limit', async () => {
        const stream = await oneOf(5);
        const direction = 'backwards';
        expect(await revisions(stream, { direction })).toEqual([4n, 3n, 2n, 1n, 0n]);
        expect(await revisions(stream, { direction, from: 1n })).toEqual([1n, 0n]);
        expect(await revisions(stream, { direction, limit: 1 })).toEqual([4n]);
        expect(await revisions(stream, { direction, from: 3n, limit: 2 })).toEqual([3n, 2n]);
      });

      test('yields batches of 1 to 1,000 events', async () => {
        const stream = await longStream();
        const sizes = (await batches(store.readStream(stream))).map((batch) => batch.length);
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(1_200);
        expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
        expect(Math.min(...sizes)).toBeGreaterThan(0);
        expect(await revisions(stream)).toEqual(Array.from({ length: 1_200 }, (_, at) => BigInt(at)));
        expect(await revisions(stream, { limit: 1_100, direction: 'backwards' })).toHaveLength(1_100);
      });

      test('yields batches of at most 4 MiB', async () => {
        const stream = newStream();
        const data = JSON.stringify({ text: 'x'.repeat(600 * 1024) });
        for (let at = 0; at < 10; at += 1)
          await append(stream, [{ ...events(1)[0]!, data }], at === 0 ? 'no_stream' : BigInt(at - 1));
        const found = await batches(store.readStream(stream));
        expect(found.flat()).toHaveLength(10);
        for (const batch of found) expect(batch.length * data.length).toBeLessThanOrEqual(4 * 1024 * 1024);
      });

      test('several streams in one read: each is whole, or left out', async () => {
        const read = async (...streams: string[]) =>
          [...((await store.readStreams?.(streams)) ?? [])].map(([stream, found]) => [
            stream,
            found.map(({ revision }) => revision),
          ]);
        const [one, none, two, long] = [await oneOf(3), newStream(), await oneOf(1), await longStream()];
        await append(one, events(1), 2n);
        const short = [
          [one, [0n, 1n, 2n, 3n]],
          [none, []],
          [two, [0n]],
        ];
        expect(await read(one, none, two)).toEqual(short);
        expect(await read(one, none, two, long, newStream())).toEqual(short);
        expect(await read(long, one)).toEqual([]);
      });

      test('the names of streams, by what they begin with', async () => {
        const named = async (prefix: string) =>
          store.streamNames === undefined ? undefined : (await collected(store.streamNames(prefix))).flat().toSorted();
        const [one, two] = [await oneOf(3), await oneOf(1)];
        if ((await named('')) === undefined) return;
        expect(await named(one)).toEqual([]);
        expect(await named(one.slice(0, -1))).toContain(one);
        expect(await named('')).toEqual(expect.arrayContaining([one, two]));
        expect(await named(`${two}/`)).toEqual([]);
      });

      test('ends without error when aborted', async () => {
        const stream = await longStream();
        const abort = new AbortController();
        let seen = 0;
        for await (const batch of store.readStream(stream, { signal: abort.signal })) {
          seen += batch.length;
          abort.abort();
        }
        expect(seen).toBeLessThanOrEqual(1_000);
        expect(await batches(store.readStream(stream, { signal: abort.signal }))).toEqual([]);
      });
    });

    describe('reading the log', () => {
      test('yields all streams in the order of their appends', async () => {
        const start = await store.head();
        const [a, b] = [newStream(), newStream()];
        await append(a, events(2), 'no_stream');
        await append(b, events(1), 'no_stream');
        await append(a, events(1), 1n);
        const found = ours(await flat(store.readAll({ after: start })), a, b);
        expect(found.map(({ stream, revision }) => [stream, revision])).toEqual([
          [a, 0n],
          [a, 1n],
          [b, 0n],
          [a, 2n],
        ]);
        const positions = found.map(({ position }) => position);
        expect(positions).toEqual([...new Set(positions)].sort());
      });

      test('begins after a position, exclusive, and keeps to the limit', async () => {
        const start = await store.head();
        const stream = newStream();
        await append(stream, events(4), 'no_stream');
        const all = await flat(store.readAll({ after: start }));
        const read = (options: ReadAllOptions) => flat(store.readAll(options));
        expect(await read({ after: all[0]!.position })).toEqual(all.slice(1));
        expect(await read({ after: start, limit: 2 })).toEqual(all.slice(0, 2));
        expect(await read({ after: await store.head() })).toEqual([]);
        expect((await read({ limit: 1 })).length).toBe(1);
      });

      test('goes backwards from the end, or from before a position', async () => {
        const stream = newStream();
        await append(stream, events(4), 'no_stream');
        const all = await flat(store.readStream(stream));
        const read = async (options: ReadAllOptions) =>
          ours(await flat(store.readAll({ ...options, direction: 'backwards', limit: 20 })), stream);
        expect(await read({})).toEqual([...all].reverse());
        expect(await read({ after: all[2]!.position })).toEqual([all[1], all[0]]);
      });

      test('head and readAt tell where the log ends and what stands at a position', async () => {
        const stream = newStream();
        const { position } = await append(stream, events(2), 'no_stream');
        const [first, last] = await flat(store.readStream(stream));
        expect((await store.head()) >= position).toBe(true);
        expect(await store.readAt(position)).toEqual(last);
        expect(await store.readAt(first!.position)).toEqual(first);
        expect(await store.readAt('')).toBeUndefined();
        expect(await store.readAt(beyond(await store.head()))).toBeUndefined();
        expect(await store.readAt('not a position')).toBeUndefined();
      });
    });

    describe('a subscription', () => {
      test('from a position yields what follows, the mark, and then what is appended', async () => {
        const stream = newStream();
        const start = await store.head();
        await append(stream, events(3), 'no_stream');
        const subscription = follow(store, start, stream);
        await subscription.until(({ caughtUp }) => caughtUp.length > 0);
        expect(subscription.revisions()).toEqual([0n, 1n, 2n]);
        expect(subscription.caughtUp.at(-1)! >= (await positionOf(store, stream, 2n))).toBe(true);
        await append(stream, events(2), 2n);
        await subscription.until(({ events: seen }) => seen.length === 5);
        const last = await positionOf(store, stream, 4n);
        await subscription.until(({ caughtUp }) => caughtUp.some((position) => position >= last));
        await subscription.stop();
        expect(subscription.revisions()).toEqual([0n, 1n, 2n, 3n, 4n]);
      });

      test("from 'now' yields only what is appended after the call", async () => {
        const stream = newStream();
        await append(stream, events(2), 'no_stream');
        const subscription = follow(store, 'now', stream);
        await subscription.until(({ caughtUp }) => caughtUp.length > 0);
        await append(stream, events(1), 1n);
        await subscription.until(({ events: seen }) => seen.length > 0);
        await subscription.stop();
        expect(subscription.revisions()).toEqual([2n]);
      });

      test('from the start yields the whole log', async () => {
        const stream = newStream();
        await append(stream, events(2), 'no_stream');
        const subscription = follow(store, '', stream);
        await subscription.until(({ caughtUp }) => caughtUp.length > 0);
        await subscription.stop();
        expect(subscription.revisions()).toEqual([0n, 1n]);
        expect(subscription.total()).toBe((await flat(store.readAll({ after: '' }))).length);
      });

      test('has no gap and no duplicate at the seam, while others write', async () => {
        const start = await store.head();
        const streams = Array.from({ length: 8 }, newStream);
        const writing = streams.map(async (stream) => {
          for (let round = 0; round < 60; round += 1)
            await append(stream, events(2), round === 0 ? 'no_stream' : BigInt(2 * round - 1));
        });
        const early = follow(store, start, ...streams);
        await early.until(({ events: seen }) => seen.length > 100);
        const late = follow(store, start, ...streams);
        const middle = follow(store, early.events.at(-1)!.position, ...streams);
        await Promise.all(writing);
        const expected = ours(await flat(store.readAll({ after: start })), ...streams).map(({ position }) => position);
        expect(expected).toHaveLength(8 * 60 * 2);
        const last = expected.at(-1);
        for (const one of [early, late, middle]) await one.until(({ events: seen }) => seen.at(-1)?.position === last);
        for (const one of [early, late, middle]) await one.stop();
        expect(early.events.map(({ position }) => position)).toEqual(expected);
        expect(late.events.map(({ position }) => position)).toEqual(expected);
        const rest = middle.events.map(({ position }) => position);
        expect(rest).toEqual(expected.slice(expected.length - rest.length));
      });

      test('goes at the pace of a slow consumer and misses nothing', async () => {
        const stream = newStream();
        const start = await store.head();
        await append(stream, events(1), 'no_stream');
        const abort = new AbortController();
        const seen: bigint[] = [];
        for await (const message of store.subscribe({ after: start, signal: abort.signal })) {
          if (message.type !== 'events') continue;
          seen.push(...ours(message.events, stream).map(({ revision }) => revision));
          const next = seen.length === 1 ? await append(stream, events(50), 0n) : undefined;
          if (next !== undefined) await append(stream, events(50), next.revision);
          if (seen.length === 101) abort.abort();
        }
        expect(seen).toEqual(Array.from({ length: 101 }, (_, at) => BigInt(at)));
      });

      test('ends without error when aborted while it is idle, before it began, or half-way', async () => {
        const stream = newStream();
        const start = await store.head();
        await append(stream, events(3), 'no_stream');
        const idle = follow(store, 'now', stream);
        await idle.until(({ caughtUp }) => caughtUp.length > 0);
        await idle.stop();
        expect(await collected(store.subscribe({ after: start, signal: AbortSignal.abort() }))).toEqual([]);
        const abort = new AbortController();
        const messages: SubscriptionMessage[] = [];
        for await (const message of store.subscribe({ after: start, signal: abort.signal })) {
          messages.push(message);
          abort.abort();
        }
        expect(messages).toHaveLength(1);
      });

      test('may be left by break', async () => {
        const start = await store.head();
        await append(newStream(), events(1), 'no_stream');
        for await (const message of store.subscribe({ after: start, signal: new AbortController().signal })) {
          expect(message.type).toBe('events');
          break;
        }
      });
    });

    test('many streams at once', async () => {
      const start = await store.head();
      const streams = Array.from({ length: 200 }, newStream);
      const answers = await Promise.all(streams.map((stream) => append(stream, events(2), 'no_stream')));
      expect(new Set(answers.map(({ position }) => position)).size).toBe(200);
      const found = ours(await flat(store.readAll({ after: start })), ...streams);
      expect(found).toHaveLength(400);
    });

    describe('redaction', () => {
      const reopen = async (): Promise<void> => {
        await store.close();
        store = await harness.open();
      };
      redactionContract({ test, store: () => store, newStream, reopen });
    });

    describe('closing', () => {
      test('finishes appends, ends subscriptions, refuses what comes after, and loses nothing', async () => {
        const stream = newStream();
        const three = events(3);
        const subscription = follow(store, 'now', stream);
        await subscription.until(({ caughtUp }) => caughtUp.length > 0);
        const pending = append(stream, three, 'no_stream');
        const closing = store.close();
        const first = await pending;
        await closing;
        await store.close();
        await subscription.ended;
        await expect(append(stream, events(1), 2n)).rejects.toThrow(StoreUnavailableError);
        await expect(flat(store.readStream(stream))).rejects.toThrow(StoreUnavailableError);
        await expect(store.head()).rejects.toThrow(StoreUnavailableError);

        store = await harness.open();
        expect(await stored(stream)).toEqual(three.map(({ id }) => id));
        expect(await append(stream, three, 'no_stream')).toEqual(first);
        expect((await append(stream, events(1), 2n)).position > first.position).toBe(true);
      });
    });
  });
}

let names = 0;
const run = randomUUID().slice(0, 8);
const newStream = (): string => `contract-${run}-${(names += 1)}`;

const events = (count: number): EventToAppend[] =>
  Array.from({ length: count }, (_, at) => ({
    id: randomUUID(),
    type: 'Said',
    data: JSON.stringify({ at }),
    metadata: JSON.stringify({ $correlationId: run }),
  }));

async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}
const batches = (reading: AsyncIterable<readonly StoredEvent[]>) => collected(reading);
const flat = async (reading: AsyncIterable<readonly StoredEvent[]>): Promise<StoredEvent[]> =>
  (await collected(reading)).flat();

function ours(found: readonly StoredEvent[], ...streams: string[]): StoredEvent[] {
  const wanted = new Set(streams);
  return found.filter(({ stream }) => wanted.has(stream));
}

const beyond = (position: Position): Position => position.replace(/^0/, '9');

async function positionOf(store: EventStore, stream: string, from: bigint): Promise<Position> {
  return (await flat(store.readStream(stream, { from, limit: 1 })))[0]?.position ?? '';
}

async function expectWrong(
  attempt: Promise<AppendResult>,
  expected: ExpectedRevision,
  actual: bigint | 'no_stream',
): Promise<void> {
  const error: unknown = await attempt.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(WrongExpectedRevisionError);
  expect(error).toMatchObject({ expected, actual });
}

/** Follows the log and keeps the events of these streams. */
function follow(store: EventStore, after: Position, ...streams: string[]) {
  const abort = new AbortController();
  const seen: StoredEvent[] = [];
  const caughtUp: Position[] = [];
  const waiting = new Set<() => void>();
  let total = 0;
  const messages = store.subscribe({ after, signal: abort.signal });
  const ended = (async () => {
    for await (const message of messages) {
      if (message.type === 'caught_up') caughtUp.push(message.position);
      else {
        total += message.events.length;
        seen.push(...ours(message.events, ...streams));
      }
      for (const look of [...waiting]) look();
    }
  })();
  const state = { events: seen, caughtUp };
  return {
    ...state,
    ended,
    total: () => total,
    revisions: () => seen.map(({ revision }) => revision),
    until: (condition: (now: typeof state) => boolean) =>
      Promise.race([
        new Promise<void>((resolve) => {
          const look = (): void => {
            if (!condition(state)) return;
            waiting.delete(look);
            resolve();
          };
          waiting.add(look);
          look();
        }),
        ended.then(() => {
          if (!condition(state)) throw new Error('the subscription ended early');
        }),
      ]),
    async stop() {
      abort.abort();
      await ended;
    },
  };
}
