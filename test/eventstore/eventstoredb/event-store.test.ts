/** What the EventStoreDB adapter promises beyond the port: its prefix among other people's events, text as it went in, bursts. */
import { binaryEvent, EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { Client, credentials } from '@grpc/grpc-js';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import diagnostics from 'node:diagnostics_channel';
import protobuf from 'protobufjs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  logStart,
  type EventReader,
  type EventToAppend,
  type Position,
  type ReadAllOptions,
  type StoredEvent,
} from '../../../src/eventstore/event-store.js';
import { openEventStoreDb, type EventStoreDbOptions } from '../../../src/eventstore/eventstoredb/event-store.js';
import { createObserve } from '../../../src/flow/observe.js';
import { newestEventTime } from '../../../src/stores/trusted-clock.js';
import { usually } from '../../support/amount.js';
import { said } from '../../support/event-log.js';
import { deletePrefix, eventStoreUrl, newPrefix, noEventStore } from '../../support/eventstoredb-server.js';
import { startStandIn, type StandIn } from '../../eventstoredb/stand-in/stand-in.js';

const noStream = { expectedRevision: 'no_stream' } as const;
const many = (count: number): EventToAppend[] => Array.from({ length: count }, (_, at) => said(`${at}`));

describe.for(['the stand-in', 'a real server'])('on %s', (kind) => {
  let standIn: StandIn | undefined;
  let url = eventStoreUrl ?? '';
  /** Where the log ended before: a server that others use has a long one. */
  let origin: Position = logStart;
  const prefixes: string[] = [];

  beforeAll(async () => {
    if (kind === 'the stand-in') {
      standIn = await startStandIn();
      url = standIn.url;
    }
    if (url === '') return;
    const everything = openEventStoreDb({ url, prefix: '' });
    origin = await everything.head();
    await everything.close();
  });
  afterAll(async () => {
    if (standIn === undefined && url !== '') await deletePrefix(url, ...prefixes);
    await standIn?.close();
  }, 120_000);

  async function all(store: EventReader, options: ReadAllOptions = {}): Promise<StoredEvent[]> {
    const events: StoredEvent[] = [];
    for await (const batch of store.readAll({ after: origin, ...options })) events.push(...batch);
    return events;
  }

  const test = (title: string, body: () => Promise<void>): void =>
    it(title, async (context) => {
      if (url === '') context.skip(noEventStore);
      await body();
    });

  function prefix(): string {
    const fresh = newPrefix();
    prefixes.push(fresh);
    return fresh;
  }

  function open(options: Partial<EventStoreDbOptions> = {}) {
    const store = openEventStoreDb({ url, prefix: prefix(), ...options });
    onTestFinished(() => store.close());
    return store;
  }

  /** Other people's client on the same server. */
  function foreigner() {
    const client = EventStoreDBClient.connectionString(url);
    const name = prefix();
    onTestFinished(() => client.dispose());
    const write = (stream: string, count = 1) =>
      client.appendToStream(
        `${name}${stream}`,
        Array.from({ length: count }, () => jsonEvent({ type: 'Foreign', data: {} })),
      );
    return { client, name, write };
  }

  test('is not the sole writer: two stores on one log see what the other appends', async () => {
    const shared = prefix();
    const [one, other] = [open({ prefix: shared }), open({ prefix: shared })];
    expect(one.soleWriter).toBe(false);
    const { position } = await one.append('greetings', [said('one')], noStream);
    expect(await other.head()).toBe(position);
    await expect(other.append('greetings', [said('late')], noStream)).rejects.toMatchObject({ actual: 0n });
  });

  test('takes its prefix off again, and sees no streams but its own', async () => {
    const stranger = foreigner();
    const store = open();
    const expected: StoredEvent[] = [];
    for (let round = 0n; round < 5n; round += 1n) {
      await stranger.write('noise', 3);
      await store.append(`mine-${round}`, many(2), noStream);
      for await (const batch of store.readStream(`mine-${round}`)) expected.push(...batch);
    }
    await stranger.write('noise', 3);
    expect(expected.map(({ stream }) => stream)).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4].map((n) => `mine-${n}`));
    expect(await all(store)).toEqual(expected);
    expect(await all(store, { limit: 7, after: expected[0]!.position })).toEqual(expected.slice(1, 8));
    const backwards: StoredEvent[] = [];
    for await (const batch of store.readAll({ direction: 'backwards', limit: 3 })) backwards.push(...batch);
    expect(backwards).toEqual(expected.slice(-3).reverse());
  });

  test('finds the head behind thousands of foreign events, and an empty log is at its start', async () => {
    const stranger = foreigner();
    const store = open();
    expect(await store.head()).toBe(logStart);
    const { position } = await store.append('mine', many(2), noStream);
    for (let round = 0; round < 5; round += 1) await stranger.write('noise', 500);
    expect(await store.head()).toBe(position);
    expect(await open({ prefix: prefixes.at(-1)! }).head()).toBe(position);
  });

  test('tells the time of the newest event of an empty log without reading the events of others', async () => {
    const stranger = foreigner();
    for (let round = 0; round < 10; round += 1) await stranger.write('noise', 500);
    let reads = 0;
    const store = open({ observe: createObserve([{ roundTrip: () => (reads += 1) }]) });
    expect(await newestEventTime(store)).toBeUndefined();
    expect(reads).toBeLessThan(4);
    const at = '2026-03-01T10:00:00.000Z';
    const someMetadata = { $correlationId: 'a', $causationId: 'a', request_id: 'a', actor: 'service', schema: 1 };
    await store.append('mine', [{ ...said(), metadata: JSON.stringify({ ...someMetadata, at }) }], noStream);
    expect(await newestEventTime(open({ prefix: prefixes.at(-1)! }))).toBe(Date.parse(at));
  });

  test('does not show the tombstone of a stream, which is an event of that stream', async () => {
    const store = open();
    const stranger = foreigner();
    await store.append('gone', [said()], noStream);
    const { position } = await store.append('stays', [said()], noStream);
    await stranger.client.tombstoneStream(`${prefixes.at(-2)!}gone`);
    expect((await all(store)).map(({ type }) => type)).toEqual(['Said', 'Said']);
    expect(await store.head()).toBe(position);
    await expect(store.append('gone', [said()], { expectedRevision: 0n })).rejects.toThrow('stream-deleted');
  });

  test('keeps data and metadata byte for byte, as JSON events that others can read', async () => {
    const name = prefix();
    const store = open({ prefix: name });
    const data = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' }));
    const odd =
      '{"7":1e+21,"b":5e-324,"__proto__":{"toJSON":null},"constructor":[],"a":"ü 🦉 \\u0000 \\ud800 \u2028 \\" \\\\"}';
    let revision = -1n;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(data, data), { minLength: 1, maxLength: 5 }), async (pairs) => {
        const events = pairs.map(([one, two]) => ({
          ...said(),
          data: JSON.stringify(one),
          metadata: JSON.stringify(two),
        }));
        events.push({ ...said(), data: odd, metadata: odd });
        const from = revision + 1n;
        const answer = await store.append('text', events, {
          expectedRevision: revision < 0n ? 'no_stream' : revision,
        });
        revision = answer.revision;
        const found: StoredEvent[] = [];
        for await (const batch of store.readStream('text', { from })) found.push(...batch);
        expect(found.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }))).toEqual(events);
        const inLog = await all(store);
        expect(inLog.slice(-events.length)).toEqual(found);
      }),
      { numRuns: usually(3, 50) },
    );
    for await (const { event: found } of foreigner().client.readStream(`${name}text`))
      expect(found).toMatchObject({ isJson: true, type: 'Said' });
  });

  test('yields what others wrote into its streams, even if it is no JSON', async () => {
    const name = prefix();
    const data = Buffer.from('not JSON');
    await foreigner().client.appendToStream(`${name}odd`, binaryEvent({ type: 'Odd', data }), {
      expectedRevision: NO_STREAM,
    });
    expect(await all(open({ prefix: name }))).toMatchObject([{ stream: 'odd', data: 'not JSON', metadata: '' }]);
  });

  test('reads the log as it is stored: an event that somebody wrote in another spelling is not what this service would write', async () => {
    const name = prefix();
    const text = '{ "a": 1.0, "a": "\\u00e9" }';
    await appendBytes(new URL(url).host, `${name}odd`, Buffer.from(text));
    expect(await all(open({ prefix: name }))).toMatchObject([
      { stream: 'odd', type: 'Odd', data: text, metadata: text },
    ]);
  });

  test('leaves nothing running behind a search for its next event', async () => {
    const store = open();
    const stranger = foreigner();
    for (let page = 0; page < 3; page += 1) await stranger.write('theirs', 1_000);
    await store.append('mine', many(5), noStream);
    for (let round = 0; round < 10; round += 1) expect(await all(store)).toHaveLength(5);
    await vi.waitUntil(() => !process.getActiveResourcesInfo().includes('Immediate'), { interval: 10 });
  });

  test('refuses, before anything is sent, what the server would refuse or take otherwise', async () => {
    const store = open();
    const [good] = [said()];
    const refused = (...events: EventToAppend[]) =>
      expect(store.append('s', events, noStream)).rejects.toThrow(TypeError);
    await refused({ ...said(), type: '$system' });
    await refused(good, good);
    await expect(open({ prefix: '' }).append('$system', [said()], noStream)).rejects.toThrow(TypeError);
    expect(() => open({ prefix: '$mine-' })).toThrow(TypeError);
    expect(await all(store)).toEqual([]);
  });

  test('finds nothing at a position of another log', async () => {
    const store = open();
    const { position } = await store.append('mine', [said()], noStream);
    const near = (by: bigint): string => {
      const place = `${BigInt(position.slice(0, 20)) + by}`.padStart(20, '0');
      return place + place;
    };
    for (const by of [-7n, 1n, 1_000_000n]) expect(await store.readAt(near(by))).toBeUndefined();
    expect(await store.readAt(near(0n))).toMatchObject({ stream: 'mine' });
  });

  test('shows a subscriber bursts of 400 events whole, once and in order, though they may drop the live subscription', async () => {
    const bursts = usually(2, 10);
    const shared = prefix();
    const [writer, reader] = [open({ prefix: shared }), open({ prefix: shared })];
    const stranger = foreigner();
    const abort = new AbortController();
    const seen: string[] = [];
    const reading = (async () => {
      for await (const message of reader.subscribe({ after: origin, signal: abort.signal }))
        if (message.type === 'events') {
          seen.push(...message.events.map(({ id }) => id));
          if (seen.length >= bursts * 400) return;
        }
    })();
    const written: string[] = [];
    for (let round = 0; round < bursts; round += 1) {
      const burst = many(400);
      await Promise.all([writer.append(randomUUID(), burst, noStream), stranger.write('noise', 100)]);
      written.push(...burst.map(({ id }) => id));
    }
    await reading;
    expect(seen).toEqual(written);
  });

  test('is woken by the appends of another process well before it would look by itself', async () => {
    const shared = prefix();
    const [writer, reader] = [open({ prefix: shared }), open({ prefix: shared, timings: { pollMs: 15_000 } })];
    const { position } = await writer.append('first', [said()], noStream);
    const abort = new AbortController();
    const positions: string[] = [];
    for await (const message of reader.subscribe({ after: origin, signal: abort.signal })) {
      if (message.type === 'events') positions.push(...message.events.map((event) => event.position));
      // Each caught up before the next: five times nothing but a notification can tell.
      else if (positions.length < 6) await writer.append(randomUUID(), [said()], noStream);
      else abort.abort();
    }
    expect(positions[0]).toBe(position);
    expect(positions).toHaveLength(6);
  });

  test('asks the server not to compress the answers to appends, reads and subscriptions', async () => {
    const encodings = new Map<unknown, Set<unknown>>();
    const record = (message: unknown): void => {
      const { headers } = message as { readonly headers: Readonly<Record<string, unknown>> };
      const path = headers[':path'];
      encodings.set(path, (encodings.get(path) ?? new Set()).add(headers['grpc-accept-encoding']));
    };
    diagnostics.subscribe('http2.client.stream.created', record);
    onTestFinished(() => void diagnostics.unsubscribe('http2.client.stream.created', record));
    const store = open({ timings: { pollMs: 15_000 } });
    const { position } = await store.append('first', [said()], noStream);
    expect(await all(store)).toHaveLength(1);
    const abort = new AbortController();
    for await (const message of store.subscribe({ after: origin, signal: abort.signal })) {
      if (message.type !== 'caught_up') continue;
      // The second append is noticed so soon only if the live subscription is running.
      if (message.position === position) await store.append('second', [said()], noStream);
      else abort.abort();
    }

    const streams = '/event_store.client.streams.Streams/';
    expect(encodings.get(`${streams}Append`)).toEqual(new Set(['identity']));
    expect(encodings.get(`${streams}Read`)).toEqual(new Set(['identity']));
  });

  test('answers a check, and says whether it is writable', async () => {
    const store = open();
    expect(await store.check()).toEqual({ status: 'ready' });
    expect(store.isWritable()).toBe(true);
    await store.close();
    expect(store.isWritable()).toBe(false);
  });

  test('fails reads that are under way when it is closed: a part must not pass for the whole', async () => {
    const store = open();
    for (let at = -1n; at < 1_500n; at += 500n)
      await store.append('long', many(500), at < 0n ? noStream : { expectedRevision: at });
    const reading = store.readAll({ after: origin })[Symbol.asyncIterator]();
    expect((await reading.next()).done).toBe(false);
    await store.close();
    await expect(reading.next()).rejects.toThrow('closed');
  });
});

/** As no client writes: bytes that are announced as JSON. */
async function appendBytes(host: string, stream: string, bytes: Buffer): Promise<void> {
  const request = protobuf
    .parse(
      `syntax = "proto3";
      message Empty {}
      message Text { string uuid = 2; string stream = 3; }
      message Options { Text stream = 1; Empty no_stream = 3; }
      message Proposed { Text id = 1; map<string, string> about = 2; bytes metadata = 3; bytes data = 4; }
      message AppendReq { Options options = 1; Proposed event = 2; }`,
    )
    .root.lookupType('AppendReq');
  const service = new Client(host, credentials.createInsecure());
  onTestFinished(() => service.close());
  await new Promise<void>((resolve, reject) => {
    const call = service.makeClientStreamRequest(
      '/event_store.client.streams.Streams/Append',
      (message: object) => Buffer.from(request.encode(request.fromObject(message)).finish()),
      (answer) => answer,
      (error) => (error === null ? resolve() : reject(error)),
    );
    const about = { type: 'Odd', 'content-type': 'application/json' };
    call.write({ options: { stream: { stream }, noStream: {} } });
    call.end({ event: { id: { uuid: randomUUID() }, about, metadata: bytes, data: bytes } });
  });
}
