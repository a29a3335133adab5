/** Subscriptions of the EventStoreDB adapter while the server fails: every event exactly once and in order, whatever happens to the live subscription. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { logStart, type EventStore } from '../../../src/eventstore/event-store.js';
import { openEventStoreDb } from '../../../src/eventstore/eventstoredb/event-store.js';
import type { FaultType } from '../../eventstoredb/stand-in/faults.js';
import { startStandIn, type StandIn } from '../../eventstoredb/stand-in/stand-in.js';
import { faultyStore, follow, impatient, prefix, said, until, untilAnswered } from './faulty-event-store.js';
import { startTcpProxy } from '../../support/tcp-proxy.js';

const stream = 'contact-1';

/** Appends so many events by so many appends, and returns their ids. */
async function write(store: EventStore, name: string, appends: number, size = 1): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < appends; at += 1) {
    const events = said(size);
    await untilAnswered(() =>
      store.append(name, events, { expectedRevision: at === 0 ? 'no_stream' : BigInt(at * size - 1) }),
    );
    ids.push(...events.map(({ id }) => id));
  }
  return ids;
}

/** Counts the live subscriptions that are asked for, and lets them pass. */
function countSubscriptions(server: StandIn): () => number {
  let count = 0;
  const match = (): boolean => {
    count += 1;
    return false;
  };
  server.inject({ kind: 'subscribe', type: 'hang', match });
  return () => count;
}

/** Long enough that a test which sees events by polling instead of a notification runs out of time. */
const never = 600_000;

describe('the live subscription', () => {
  it('notifies of what another process appends, long before it is time to look', async () => {
    const { store, other } = await faultyStore({ pollMs: never });
    const subscription = follow(store, 'now');
    await subscription.until(() => subscription.caughtUp() > 0);
    const ids = await write(other, stream, 20);
    await subscription.until(() => subscription.seen.length === 20);
    expect(subscription.ids()).toEqual(ids);
  });

  it('that was dropped under load is started again: no event is missing, and it is no incident', async () => {
    const unstalled = { pollMs: never, stalledMs: never };
    const { server, store, other, reported } = await faultyStore(unstalled, { liveBuffer: 32 });
    const count = countSubscriptions(server);
    const subscription = follow(store, 'now');
    await subscription.until(() => subscription.caughtUp() > 0);
    await until(() => count() === 1);
    const burst = await write(other, 'burst', 1, 500);
    await until(() => count() >= 2);
    await subscription.until(() => subscription.seen.length === 500);
    const after = await write(other, 'after', 3);
    await subscription.until(() => subscription.seen.length === 503);
    expect(subscription.ids()).toEqual([...burst, ...after]);
    expect(subscription.faults).toEqual([]);
    expect(reported).toEqual([]);
  });

  const ends: FaultType[] = ['drop', 'reset', 'shut_down', 'not_ready', 'unauthenticated'];
  for (const type of ends)
    it(`that meets ${type} three times comes back by itself`, async () => {
      const { server, store, other } = await faultyStore({ pollMs: never });
      const injected = server.inject({ kind: 'subscribe', type, times: 3, afterEvents: 0 });
      const count = countSubscriptions(server);
      const subscription = follow(store, logStart);
      await until(() => injected.hits === 3 && count() === 1);
      const ids = await write(other, stream, 10);
      await subscription.until(() => subscription.seen.length === 10);
      expect(subscription.ids()).toEqual(ids);
    });

  it('that goes to a node which is not the leader moves to the leader', async () => {
    const { server, store, other } = await faultyStore({ pollMs: never });
    const injected = server.inject({ kind: 'subscribe', type: 'not_leader', times: 1 });
    const subscription = follow(store, 'now');
    await until(() => injected.hits === 1);
    const ids = await write(other, stream, 5);
    await subscription.until(() => subscription.seen.length === 5);
    expect(subscription.ids()).toEqual(ids);
  });

  it('that stalls costs one look, and is replaced', async () => {
    const { server, store, other, reported } = await faultyStore({ pollMs: 50, stalledMs: 100 });
    const stalled = server.inject({ kind: 'subscribe', type: 'hang', afterEvents: 0, times: 1 });
    const count = countSubscriptions(server);
    const subscription = follow(store, 'now');
    await until(() => stalled.hits === 1);
    await subscription.until(() => subscription.caughtUp() > 0);
    const ids: string[] = [];
    for (let at = 0; count() === 0; at += 1) {
      ids.push(...(await write(other, `stalled-${at}`, 1)));
      await subscription.until(() => subscription.seen.length === ids.length);
    }
    expect(subscription.ids()).toEqual(ids);
    expect(reported.map(({ message }) => message)).toEqual([expect.stringContaining('said nothing of new events')]);
  });

  it('that hangs on a connection whose other end has vanished without a word is started on another one', async () => {
    const server = await startStandIn();
    const direct = new URL(server.url.replace('esdb:', 'http:'));
    const proxy = await startTcpProxy({ host: direct.hostname, port: Number(direct.port) });
    const options = { prefix, timings: { pollMs: never, firstBackOffMs: 5, lastBackOffMs: 50 } };
    const near = `esdb://127.0.0.1:${proxy.port}?tls=false&keepAliveInterval=1000&keepAliveTimeout=200`;
    const store = openEventStoreDb({ ...options, url: near });
    const other = openEventStoreDb({ ...options, url: `${server.url}&keepAliveInterval=10001` });
    onTestFinished(async () => {
      await Promise.all([store.close(), other.close()]);
      await proxy.close();
      await server.close();
    });
    const count = countSubscriptions(server);
    const subscription = follow(store, logStart);
    await subscription.until(() => subscription.caughtUp() > 0);
    await until(() => count() === 1);
    proxy.vanish();
    await until(() => count() === 2);
    const ids = await write(other, stream, 5);
    await subscription.until(() => subscription.seen.length === 5);
    expect(subscription.ids()).toEqual(ids);
  }, 60_000);

  it('is one for all subscriptions of a store', async () => {
    const { server, store, other } = await faultyStore({ pollMs: never, stalledMs: never });
    const count = countSubscriptions(server);
    const all = [follow(store, 'now'), follow(store, 'now'), follow(store, logStart)];
    for (const one of all) await one.until(() => one.caughtUp() > 0);
    const ids = await write(other, stream, 10);
    for (const one of all) await one.until(() => one.seen.length === 10);
    for (const one of all) expect(one.ids()).toEqual(ids);
    expect(count()).toBe(1);
  });
});

describe('a subscription', () => {
  for (const type of ['hang', 'reset', 'not_ready', 'not_leader', 'shut_down', 'unauthenticated'] as const)
    it(`whose reads meet ${type} fails with StoreUnavailableError, and goes on from where it was`, async () => {
      const { server, store, other } = await faultyStore(type === 'hang' ? impatient : {});
      const first = await write(other, 'first', 10);
      const subscription = follow(store, logStart);
      await subscription.until(() => subscription.seen.length === 10);
      const injected = server.inject({ kind: 'read', type });
      const second = await write(other, 'second', 10);
      await subscription.until(() => subscription.faults.length >= 2);
      expect(subscription.ids()).toEqual(first);
      injected.clear();
      await subscription.until(() => subscription.seen.length === 20);
      expect(subscription.ids()).toEqual([...first, ...second]);
    });

  it('sees every event once and in order through drops, broken connections, a stalled subscription and restarts', async () => {
    const { server, store, other } = await faultyStore({}, { liveBuffer: 32 });
    let disturbed = 0;
    const early = follow(store, logStart);
    let finished = false;
    const writing = Promise.all([write(store, 'own', 150, 3), write(other, 'foreign', 150, 3)]).finally(
      () => (finished = true),
    );

    const disturbances = [
      () => server.inject({ kind: 'subscribe', type: 'drop', times: 1, afterEvents: 5 }),
      () => server.resetConnections(),
      () => server.inject({ kind: 'read', type: 'reset', times: 1, afterEvents: 2 }),
      () => server.inject({ kind: 'append', type: 'lost_reply', times: 2 }),
      () => server.inject({ kind: 'subscribe', type: 'hang', times: 1, afterEvents: 1 }),
      () => server.inject({ kind: 'any', type: 'not_ready', times: 5 }),
      () => server.stop({ hanging: 'written' }).then(server.start),
    ];
    for (let at = 0; !finished; at += 1) {
      const before = server.events('audience-').length;
      await Promise.resolve(disturbances[at % disturbances.length]?.());
      disturbed += 1;
      await until(() => finished || server.events('audience-').length >= before + 20);
    }

    await writing;
    server.clear();
    const late = follow(store, logStart);
    const logged = server.events('audience-').map(({ id }) => id);
    expect(logged).toHaveLength(900);
    for (const one of [early, late]) await one.until(() => one.seen.length >= 900);
    expect(early.ids()).toEqual(logged);
    expect(late.ids()).toEqual(logged);
    // Whether the live subscription is open when it is disturbed is a matter of moments; that there was trouble is not.
    expect(disturbed).toBeGreaterThan(2);
  }, 60_000);

  it('ends without an error when the store is closed while the server is away', async () => {
    const { server, store } = await faultyStore();
    const abort = new AbortController();
    const messages: unknown[] = [];
    const ended = (async () => {
      for await (const message of store.subscribe({ after: logStart, signal: abort.signal })) messages.push(message);
    })().catch(() => 'failed');
    await until(() => messages.length > 0);
    await server.stop();
    await store.close();
    await ended;
    await server.start();
  });
});
