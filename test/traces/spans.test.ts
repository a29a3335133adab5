/** Which spans there are, and whose children: with the SDK that sends them, and a log that is written. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listDecider } from '../../src/commands/catalogue.js';
import { createCommandHandler } from '../../src/commands/handle.js';
import { createObserve } from '../../src/flow/observe.js';
import { openSqliteEventStore, type SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { followCommands } from '../../src/traces/commands.js';
import { followRequests } from '../../src/traces/requests.js';
import { createShown } from '../../src/traces/shown.js';
import { createUnderWay } from '../../src/traces/under-way.js';
import { followWork } from '../../src/traces/work.js';
import { exampleSalt } from '../support/examples.js';

const folder = mkdtempSync(path.join(os.tmpdir(), 'spans-'));
const open = (name: string) => openSqliteEventStore({ file: path.join(folder, name), clock: Date.now });
let log: SqliteEventStore;
beforeAll(async () => {
  log = await open('events.db');
});
afterAll(async () => {
  await log.close();
  rmSync(folder, { recursive: true, force: true });
});

function sdk() {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  return { exporter, tracer: provider.getTracer('test') };
}

let streams = 0;

function tracing(store = log) {
  const { exporter, tracer } = sdk();
  const stream = `lists-${(streams += 1)}`;
  const underWay = createUnderWay();
  const shown = createShown(tracer);
  const begin = {
    request: followRequests({ tracer, underWay, continuesTraces: true }),
    ...followCommands({ tracer, underWay, shown }),
    ...followWork({ tracer, underWay, clock: Date.now, monotonic: () => performance.now() }),
  };
  const newLists = () =>
    createCommandHandler({
      store,
      decider: listDecider,
      sources: { now: Date.now, newEventId: randomUUID, newSalt: () => exampleSalt },
      random: Math.random,
      sleep: () => nextTurn(),
      cacheSize: 10,
      observe: createObserve([], begin),
    });
  const spans = () =>
    exporter.getFinishedSpans().map((span) => ({
      name: span.name,
      attributes: span.attributes,
      id: span.spanContext().spanId,
      trace: span.spanContext().traceId,
      parent: span.parentSpanContext?.spanId,
    }));
  const create = (name: string, correlationId: string = randomUUID()) => ({
    stream,
    command: { type: 'Create', id: randomUUID(), name } as const,
    context: { correlationId, causationId: correlationId, requestId: 'a request', actor: 'test' },
  });
  return {
    shown,
    newLists,
    lists: newLists(),
    create,
    request: () => begin.request({ method: 'POST', headers: {}, isEncrypted: false }),
    async work(subscriber: string, run: () => Promise<unknown>): Promise<void> {
      const begun = begin.work(subscriber);
      await begun.run(run);
      begun.end({});
    },
    spans,
    named: (name: string) => spans().filter((span) => span.name === name),
  };
}

const ended = {
  ...{ request_id: 'r', trace_id: 't', correlation_id: 'c', method: 'POST', route: '/somewhere', status: 200 },
  ...{ duration: 1, actor: undefined, error: undefined },
};

describe('appends', () => {
  test('one that carries commands of several requests is a span of each, in its own trace', async () => {
    const { lists, request, named, create } = tracing();
    const names = ['first', 'A', 'B', 'a'];
    await Promise.allSettled(names.map((name) => request().run(() => lists.execute(create(name)))));
    const commands = named('command lists Create');
    const appends = named('append lists');
    // The first went alone, the next two together; the last has the name of another one.
    expect(appends.map(({ attributes }) => attributes['audience.append.commands'])).toEqual([1, 2, 2]);
    expect(new Set(appends.map(({ trace }) => trace)).size).toBe(3);
    for (const append of appends) {
      const command = commands.find(({ id }) => id === append.parent);
      expect(command).toMatchObject({ trace: append.trace, attributes: { 'audience.command.outcome': 'changed' } });
      expect(append.attributes['audience.append.events']).toBe(1);
    }
    expect(commands.filter(({ id }) => appends.every(({ parent }) => parent !== id))).toMatchObject([
      { attributes: { 'audience.command.outcome': 'refused', 'audience.command.refusal': 'duplicate_list_name' } },
    ]);
  });

  test('a conflict is a span, and so is the append after it', async () => {
    const { lists, newLists, request, named, create } = tracing();
    await lists.execute(create('first'));
    await newLists().execute(create('of another process'));
    await request().run(() => lists.execute(create('second')));
    expect(named('append lists').map(({ attributes }) => attributes['audience.append.conflict'])).toEqual([
      true,
      undefined,
    ]);
  });

  test('a fault is named by its type, never by its words', async () => {
    const closed = await open('closed.db');
    await closed.close();
    const { lists, request, spans, create } = tracing(closed);
    await expect(request().run(() => lists.execute(create('for ada@example.com')))).rejects.toThrow();
    expect(spans().at(-1)).toMatchObject({
      name: 'command lists Create',
      attributes: { 'error.type': 'unavailable' },
    });
    expect(JSON.stringify(spans())).not.toContain('ada@');
  });
});

describe('what the views show', () => {
  test('a span ends when they show its append, and not before', async () => {
    const { lists, request, shown, named, create } = tracing();
    const { position: first } = await request().run(() => lists.execute(create('first')));
    const { position: second } = await request().run(() => lists.execute(create('second')));
    expect(named('projection')).toEqual([]);
    shown.onShown(first);
    expect(named('projection')).toHaveLength(1);
    shown.onShown(second);
    const appends = named('append lists');
    expect(named('projection').map(({ parent }) => parent)).toEqual(appends.map(({ id }) => id));
  });

  test('an append that they show already has an empty one', async () => {
    const { lists, request, shown, named, create } = tracing();
    shown.onShown('~');
    await request().run(() => lists.execute(create('first')));
    expect(named('projection')).toHaveLength(1);
  });

  test('views that stand still keep no more than a bounded number of spans', () => {
    const { exporter, tracer } = sdk();
    const shown = createShown(tracer);
    const append = tracer.startSpan('append');
    for (let count = 0; count < 2_100; count += 1) shown.await('1', append, {});
    shown.onShown('1');
    expect(exporter.getFinishedSpans()).toHaveLength(2_000);
  });
});

describe('what is under way', () => {
  test('the commands of one request after the hundredth have no span, and are counted', async () => {
    const { lists, request, spans, named, create } = tracing();
    const one = request();
    await one.run(() => Promise.all(Array.from({ length: 130 }, (_, at) => lists.execute(create(`list ${at}`)))));
    one.end(ended);
    expect(named('command lists Create')).toHaveLength(100);
    expect(named('append lists')).toHaveLength(100);
    expect(spans().at(-1)).toMatchObject({ name: 'POST /somewhere', attributes: { 'audience.commands': 130 } });
  });

  test('what runs on after the answer is no part of the request', async () => {
    const { lists, request, spans, create } = tracing();
    const one = request();
    await one.run(async () => {
      one.end(ended);
      await lists.execute(create('late'));
    });
    expect(spans().map(({ name }) => name)).toEqual(['POST /somewhere']);
  });

  test('work of a subscriber is a trace of its own, also where a request woke it', async () => {
    const { lists, request, work, spans, named, create } = tracing();
    await request().run(() => work('erasures', () => lists.execute(create('by the subscriber', 'the-id'))));
    expect(named('erasures')).toMatchObject([
      { parent: undefined, attributes: { 'audience.correlation_id': 'the-id', 'audience.commands': 1 } },
    ]);
    expect(new Set(spans().map(({ trace }) => trace)).size).toBe(1);
    expect(named('command lists Create')[0]?.parent).toBe(named('erasures')[0]?.id);
  });

  test('a look that finds nothing to do leaves no span', async () => {
    const { work, spans } = tracing();
    await work('retention', () => Promise.resolve());
    expect(spans()).toEqual([]);
  });
});

describe('the trace of a caller', () => {
  test.each([
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', '4bf92f3577b34da6a3ce929d0e0e4736'],
    ['01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more', '4bf92f3577b34da6a3ce929d0e0e4736'],
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more', undefined],
    ['00-00000000000000000000000000000000-00f067aa0ba902b7-01', undefined],
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01', undefined],
    ['ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', undefined],
    ['00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01', undefined],
    ['nothing of the kind', undefined],
  ])('%s', (traceparent, traceId) => {
    const { tracer } = sdk();
    const underWay = createUnderWay();
    const request = { method: 'GET', headers: { traceparent }, isEncrypted: true };
    const taken = followRequests({ tracer, underWay, continuesTraces: true })(request);
    if (traceId === undefined) expect(taken.traceId).not.toMatch(/^4bf92f/i);
    else expect(taken.traceId).toBe(traceId);
    expect(followRequests({ tracer, underWay, continuesTraces: false })(request).traceId).not.toBe(traceId);
  });
});
