/** What the EventStoreDB adapter makes of a server that fails: which error, nothing lost, nothing doubled, and back by itself. */
import { describe, expect, it } from 'vitest';
import {
  AppendInDoubtError,
  StoreUnavailableError,
  WrongExpectedRevisionError,
  logStart,
} from '../../../src/eventstore/event-store.js';
import { usually } from '../../support/amount.js';
import type { Fault, FaultType } from '../../eventstoredb/stand-in/faults.js';
import {
  collected,
  faultIn,
  faultyStore,
  idsIn,
  impatient,
  prefix,
  said,
  until,
  untilAnswered,
  type Faulty,
} from './faulty-event-store.js';

const stream = 'contact-1';
const idsOf = (events: readonly { readonly id: string }[]): string[] => events.map(({ id }) => id);

describe('an append', () => {
  interface Case {
    readonly name: string;
    readonly fault: Omit<Fault, 'kind'>;
    readonly error: typeof AppendInDoubtError | typeof StoreUnavailableError;
    readonly isWritten?: true;
  }
  const cases: Case[] = [
    { name: 'that is never answered', fault: { type: 'hang' }, error: AppendInDoubtError },
    {
      name: 'that is written and never answered',
      fault: { type: 'hang', written: true },
      error: AppendInDoubtError,
      isWritten: true,
    },
    { name: 'that meets a broken connection', fault: { type: 'reset' }, error: AppendInDoubtError },
    {
      name: 'whose answer is lost after it was written',
      fault: { type: 'lost_reply' },
      error: AppendInDoubtError,
      isWritten: true,
    },
    { name: 'to a server on its way down', fault: { type: 'shut_down' }, error: AppendInDoubtError },
    { name: 'to a server that is not ready', fault: { type: 'not_ready' }, error: StoreUnavailableError },
    { name: 'to a server that is too busy', fault: { type: 'too_busy' }, error: StoreUnavailableError },
    { name: 'to a cluster that finds no leader', fault: { type: 'not_leader' }, error: StoreUnavailableError },
    { name: 'with wrong credentials', fault: { type: 'unauthenticated' }, error: StoreUnavailableError },
    { name: 'without the right to write', fault: { type: 'access_denied' }, error: StoreUnavailableError },
  ];

  for (const { name, fault, error, isWritten } of cases)
    it(`${name}: ${error.name}, and is written once when asked for again`, async () => {
      const { server, store, other } = await faultyStore(fault.type === 'hang' ? impatient : {});
      const before = said(1);
      await other.append(stream, before, { expectedRevision: 'no_stream' });
      const two = said(2);
      const injected = server.inject({ kind: 'append', ...fault });

      expect(await faultIn(store.append(stream, two, { expectedRevision: 0n }))).toBeInstanceOf(error);
      expect(injected.hits).toBeGreaterThan(0);
      expect(idsIn(server, stream)).toEqual(idsOf(isWritten ? [...before, ...two] : before));
      expect(store.isWritable()).toBe(false);

      injected.clear();
      const answer = await untilAnswered(() => store.append(stream, two, { expectedRevision: 0n }));
      const found = await collected(store.readStream(stream));
      expect(idsOf(found)).toEqual(idsOf([...before, ...two]));
      expect(idsIn(server, stream)).toEqual(idsOf(found));
      expect(answer).toEqual({ revision: 2n, position: found[2]?.position });
      expect(store.isWritable()).toBe(true);
    });

  it('that is refused once by a node that is not the leader succeeds without the caller noticing', async () => {
    const { server, store } = await faultyStore();
    const injected = server.inject({ kind: 'append', type: 'not_leader', times: 1 });
    await store.append(stream, said(2), { expectedRevision: 'no_stream' });
    expect(injected.hits).toBe(1);
    expect(idsIn(server, stream)).toHaveLength(2);
  });

  it('that was given up and comes late is not written beside its repeat', async () => {
    const { server, store, other } = await faultyStore(impatient);
    const two = said(2);
    const held = server.inject({ kind: 'append', type: 'hang', times: 1 });
    expect(await faultIn(store.append(stream, two, { expectedRevision: 'no_stream' }))).toBeInstanceOf(
      AppendInDoubtError,
    );
    const repeat = () => untilAnswered(() => store.append(stream, two, { expectedRevision: 'no_stream' }));
    const first = await repeat();
    await other.append(stream, said(1), { expectedRevision: 1n });
    held.release();
    await other.head();
    expect(await repeat()).toEqual(first);
    expect(idsIn(server, stream)).toHaveLength(3);
  });

  it('that comes late, and was never repeated, is found by the next reader', async () => {
    const { server, store, other } = await faultyStore(impatient);
    const two = said(2);
    const held = server.inject({ kind: 'append', type: 'hang', times: 1 });
    await faultIn(store.append(stream, two, { expectedRevision: 'no_stream' }));
    expect(await collected(other.readStream(stream))).toEqual([]);
    held.release();
    await until(() => idsIn(server, stream).length > 0);
    expect(idsOf(await collected(other.readStream(stream)))).toEqual(idsOf(two));
  });

  it('in doubt that another process has overtaken was not written, and its repeat says so', async () => {
    const { server, store, other } = await faultyStore(impatient);
    const held = server.inject({ kind: 'append', type: 'hang', times: 1 });
    const mine = said(1);
    await faultIn(store.append(stream, mine, { expectedRevision: 'no_stream' }));
    const theirs = said(1);
    await other.append(stream, theirs, { expectedRevision: 'no_stream' });
    held.release();
    const error = await faultIn(untilAnswered(() => store.append(stream, mine, { expectedRevision: 'no_stream' })));
    expect(error).toBeInstanceOf(WrongExpectedRevisionError);
    expect(error).toMatchObject({ expected: 'no_stream', actual: 0n });
    expect(idsIn(server, stream)).toEqual(idsOf(theirs));
  });

  it('fails alone: those beside it on the same connection are answered', async () => {
    const { server, store } = await faultyStore({ appendMs: 2_000 });
    server.inject({ kind: 'append', type: 'hang', match: (name) => name === `${prefix}stuck` });
    const stuck = faultIn(store.append('stuck', said(1), { expectedRevision: 'no_stream' }));
    const names = Array.from({ length: 20 }, (_, at) => `beside-${at}`);
    await Promise.all(names.map((name) => store.append(name, said(1), { expectedRevision: 'no_stream' })));
    expect(await stuck).toBeInstanceOf(AppendInDoubtError);
  });

  it('of many that meet a broken connection together is written once each', async () => {
    const { server, store } = await faultyStore();
    server.inject({ kind: 'append', type: 'lost_reply', times: 5 });
    server.inject({ kind: 'append', type: 'reset', times: 5 });
    const writers = Array.from({ length: 32 }, (_, at) => ({ name: `many-${at}`, events: said(3) }));
    await Promise.all(
      writers.map(({ name, events }) =>
        untilAnswered(() => store.append(name, events, { expectedRevision: 'no_stream' })),
      ),
    );
    for (const { name, events } of writers) expect(idsIn(server, name)).toEqual(idsOf(events));
  });
});

describe('reading', () => {
  const reads: Record<string, (faulty: Faulty) => Promise<unknown>> = {
    readStream: ({ store }) => collected(store.readStream(stream)),
    readAll: ({ store }) => collected(store.readAll()),
    'readAll backwards': ({ store }) => collected(store.readAll({ direction: 'backwards' })),
    head: ({ store }) => store.head(),
  };
  const faults: FaultType[] = [
    'hang',
    'reset',
    'not_ready',
    'not_leader',
    'too_busy',
    'shut_down',
    'unauthenticated',
    'access_denied',
  ];

  for (const [name, read] of Object.entries(reads))
    for (const type of faults)
      it(`${name} meets ${type}: StoreUnavailableError, and the same answer as ever afterwards`, async () => {
        const faulty = await faultyStore(type === 'hang' ? impatient : {});
        const five = said(5);
        await untilAnswered(() => faulty.other.append(stream, five, { expectedRevision: 'no_stream' }));
        const usual = await untilAnswered(() => read(faulty));
        const injected = faulty.server.inject({ kind: 'read', type });
        expect(await faultIn(read(faulty))).toBeInstanceOf(StoreUnavailableError);
        expect(injected.hits).toBeGreaterThan(0);
        injected.clear();
        expect(await untilAnswered(() => read(faulty))).toEqual(usual);
      });

  for (const type of ['hang', 'reset', 'shut_down'] as const)
    it(`that breaks off half-way (${type}) yields a beginning and the error, nothing twice`, async () => {
      const { server, store, other } = await faultyStore(type === 'hang' ? { silenceMs: 2_000 } : {});
      const events = said(1_600);
      for (let at = 0; at < 1_600; at += 400)
        await other.append(stream, events.slice(at, at + 400), {
          expectedRevision: at === 0 ? 'no_stream' : BigInt(at - 1),
        });
      const seen: string[] = [];
      let page = 0;
      // The second page.
      const injected = server.inject({ kind: 'read', type, afterEvents: 300, match: () => (page += 1) === 2 });
      const reading = (async () => {
        for await (const batch of store.readStream(stream)) seen.push(...idsOf(batch));
      })();
      expect(await faultIn(reading)).toBeInstanceOf(StoreUnavailableError);
      expect(injected.hits).toBe(1);
      expect(seen.length).toBeGreaterThanOrEqual(1_000);
      expect(seen).toEqual(idsOf(events.slice(0, seen.length)));
      expect(idsOf(await untilAnswered(() => collected(store.readStream(stream))))).toEqual(idsOf(events));
    });

  it('that is refused once by a node that is not the leader succeeds without the caller noticing', async () => {
    const { server, store } = await faultyStore();
    await store.append(stream, said(3), { expectedRevision: 'no_stream' });
    const injected = server.inject({ kind: 'read', type: 'not_leader', times: 1 });
    expect(await collected(store.readStream(stream))).toHaveLength(3);
    expect(injected.hits).toBe(1);
  });

  it('is ended by an abort while the server is silent, without an error', async () => {
    const { server, store } = await faultyStore();
    const injected = server.inject({ kind: 'read', type: 'hang' });
    const abort = new AbortController();
    const reading = collected(store.readAll({ signal: abort.signal }));
    await until(() => injected.hits > 0);
    abort.abort();
    expect(await reading).toEqual([]);
  });
});

describe('a look at the server', () => {
  const looks: [FaultType, string][] = [
    ['not_ready', 'not_ready'],
    ['not_leader', 'not_ready'],
    ['unauthenticated', 'refused'],
    ['access_denied', 'refused'],
    ['hang', 'unreachable'],
    ['reset', 'unreachable'],
  ];
  for (const [type, status] of looks)
    it(`that meets ${type} says ${status}`, async () => {
      const { server, store } = await faultyStore(type === 'hang' ? impatient : {});
      const injected = server.inject({ kind: 'any', type });
      expect(await store.check()).toMatchObject({ status });
      expect(injected.hits).toBeGreaterThan(0);
      injected.clear();
      expect(await store.check()).toEqual({ status: 'ready' });
    });

  it('that is down says unreachable, and ready when it is back', async () => {
    const { server, store } = await faultyStore();
    await server.stop();
    expect(await store.check()).toMatchObject({ status: 'unreachable' });
    await server.start();
    expect(await store.check()).toEqual({ status: 'ready' });
  });
});

describe('a restart in the middle', () => {
  for (const hanging of ['written', 'dropped'] as const)
    it(`leaves an append on its way in doubt, and its repeat finds it ${hanging}`, async () => {
      const { server, store } = await faultyStore();
      const two = said(2);
      const held = server.inject({ kind: 'append', type: 'hang', times: 1 });
      const pending = faultIn(store.append(stream, two, { expectedRevision: 'no_stream' }));
      await until(() => held.hits === 1);
      await server.stop({ hanging });
      expect(await pending).toBeInstanceOf(AppendInDoubtError);
      expect(idsIn(server, stream)).toEqual(hanging === 'written' ? idsOf(two) : []);

      const refused = await faultIn(store.append(stream, two, { expectedRevision: 'no_stream' }));
      expect(refused).toBeInstanceOf(StoreUnavailableError);
      expect(await faultIn(collected(store.readAll()))).toBeInstanceOf(StoreUnavailableError);
      expect(await faultIn(store.head())).toBeInstanceOf(StoreUnavailableError);

      await server.start();
      await untilAnswered(() => store.append(stream, two, { expectedRevision: 'no_stream' }));
      expect(idsIn(server, stream)).toEqual(idsOf(two));
    });

  it('under sixteen writers loses nothing that was acknowledged and doubles nothing', async () => {
    const { server, store, other } = await faultyStore();
    const rounds = usually(12, 30);
    const writing = Array.from({ length: 16 }, async (_, writer) => {
      const acknowledged: string[] = [];
      const one = writer % 2 === 0 ? store : other;
      for (let round = 0; round < rounds; round += 1) {
        const events = said(2);
        const expectedRevision = round === 0 ? ('no_stream' as const) : BigInt(2 * round - 1);
        await untilAnswered(() => one.append(`writer-${writer}`, events, { expectedRevision }));
        acknowledged.push(...idsOf(events));
      }
      return acknowledged;
    });
    for (const hanging of ['written', 'dropped'] as const) {
      const held = server.inject({ kind: 'append', type: 'hang', times: 6 });
      await until(() => held.hits === 6);
      await server.stop({ hanging });
      await server.start();
    }
    const acknowledged = await Promise.all(writing);
    for (const [writer, ids] of acknowledged.entries()) expect(idsIn(server, `writer-${writer}`)).toEqual(ids);
    expect(await collected(store.readAll({ after: logStart }))).toHaveLength(16 * rounds * 2);
  }, 60_000);
});
