/** The evidence chain beside the views: whole through restarts and changes of holder, and broken where the log was exchanged. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { firstLink, linkAfter, type ChainHead } from '../../src/eventstore/chain.js';
import { eventsPerBlock } from '../../src/eventstore/tree.js';
import { deriveHeadKey } from '../../src/events/streams.js';
import type { EventReader, StoredEvent } from '../../src/eventstore/event-store.js';
import type { SqliteEventStore } from '../../src/eventstore/sqlite/event-store.js';
import { keptChain, keptFault, keptHead, storedLinks } from '../../src/evidence/link-blocks.js';
import { keepEvidence, type EvidenceOptions } from '../../src/evidence/link-follower.js';
import { createTree } from '../../src/evidence/proofs.js';
import { keptTree } from '../../src/evidence/root-pages.js';
import { createLease } from '../../src/projector/lease.js';
import type { ReadModels } from '../../src/readmodels/read-models.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';
import { allEvents, newLogFile, openLog, said } from '../support/event-log.js';
import { exampleEvents as e, toAppend } from '../support/examples.js';

const headKey = deriveHeadKey('a secret for tests, and for nothing else');
let store: SqliteEventStore;
let models: ReadModels;
const running: { stop(): Promise<void> }[] = [];

beforeEach(async () => {
  const file = newLogFile();
  ({ store } = await openLog(file));
  models = openSqliteReadModels({ file: file.replace('events.db', 'views.db') });
  await store.append('service', [toAppend(e.serviceInitialised)], { expectedRevision: 'no_stream' });
});
afterEach(async () => {
  for (const keeper of running.splice(0)) await keeper.stop();
  await models.close();
});

interface Keeper {
  readonly faults: string[];
  /** Resolves when the chain has so many events. */
  reached(count: number): Promise<ChainHead>;
  stop(): Promise<void>;
}

function keep(holder: string, { log = store, ...more }: { log?: EventReader } & Partial<EvidenceOptions> = {}): Keeper {
  const stopping = new AbortController();
  const faults: string[] = [];
  let head: ChainHead | undefined;
  const lease = createLease({ readModels: models, name: 'evidence', holder, ttl: 500, now: () => performance.now() });
  const ended = keepEvidence({
    reader: log,
    readModels: models,
    lease,
    signal: stopping.signal,
    headKey,
    onProgress: (progress) => (head = progress),
    onFault: (fault) => faults.push(fault),
    ...more,
  });
  const stop = async (): Promise<void> => {
    stopping.abort();
    await ended;
    await lease.close();
  };
  running.push({ stop });
  return {
    faults,
    stop,
    async reached(count) {
      const look = () => {
        if (head?.count === count) return head;
        throw new Error(`the chain has ${head?.count} events, not ${count}; faults: ${faults.join(', ')}`);
      };
      return await vi.waitFor(look, { interval: 5, timeout: 20_000 });
    },
  };
}

const append = async (count: number): Promise<void> => {
  for (let done = 0; done < count; done += 100)
    await store.append(
      `words-${done}`,
      Array.from({ length: Math.min(100, count - done) }, (_, at) => said(`word ${at}`)),
      { expectedRevision: 'any' },
    );
};

function linksOf(events: readonly StoredEvent[]): string[] {
  let link = firstLink;
  return events.map((event, at) => (link = linkAfter(link, at + 1, event)));
}

async function kept(): Promise<string[]> {
  const links: string[] = [];
  for await (const link of storedLinks(models)) links.push(link);
  return links;
}

describe('the evidence chain of a log that keeps none itself', () => {
  it('has a link for each event, over the borders of blocks, and says how far it has come', async () => {
    await append(2 * eventsPerBlock);
    const keeper = keep('one');
    const head = await keeper.reached(2 * eventsPerBlock + 1);
    const events = await allEvents(store);
    const links = linksOf(events);
    expect(await kept()).toEqual(links);
    expect(await keptHead(models)).toEqual(head);
    expect(head).toEqual({ count: events.length, head: links.at(-1), position: events.at(-1)?.position });
    const tree = keptTree(models);
    expect(await tree.count()).toBe(events.length);
    expect(await tree.blockRoots(9)).toEqual(await store.tree.blockRoots(9));
    expect(await tree.leavesOf(1)).toEqual(await store.tree.leavesOf(1));
    const ordinals = [1, 2, eventsPerBlock, events.length, eventsPerBlock + 1];
    const positions = ordinals.map((ordinal) => events[ordinal - 1]?.position ?? '');
    expect(await tree.ordinalsAt([...positions, 'z'])).toEqual([...ordinals, undefined]);
    await expect(tree.ordinalsAt([`${positions[0]}0`])).rejects.toThrow('is not among those that are kept');
    expect(await createTree(tree).rootAt(events.length)).toBe(await createTree(store.tree).rootAt(events.length));
    expect(keptFault(await keptChain(models), headKey)).toBeUndefined();
    expect(keptFault(await keptChain(models), deriveHeadKey('another secret'))).toContain('somebody else');
    expect(keeper.faults).toEqual([]);
  }, 30_000);

  it('goes on where it was, in another process', async () => {
    const first = keep('one');
    await first.reached(1);
    await append(150);
    await first.reached(151);
    await first.stop();
    await append(120);
    const second = keep('two');
    await second.reached(271);
    expect(await kept()).toEqual(linksOf(await allEvents(store)));
    expect([...first.faults, ...second.faults]).toEqual([]);
  }, 60_000);

  it('waits for the views to be filled, and ends while it waits', async () => {
    let filled = (): void => undefined;
    const waiting = keep('one', { startAfter: new Promise<void>((resolve) => (filled = resolve)) });
    await append(10);
    await keep('two', { startAfter: new Promise(() => undefined) }).stop();
    expect(await keptHead(models)).toBeUndefined();
    filled();
    await waiting.reached(11);
    expect(await kept()).toEqual(linksOf(await allEvents(store)));
  }, 30_000);

  it('stands still, and says so, when the log has another event where it ends', async () => {
    await append(20);
    const first = keep('one');
    await first.reached(21);
    await first.stop();
    const before = await kept();
    const other = await openLog();
    await other.store.append('service', [toAppend(e.serviceInitialised)], { expectedRevision: 'no_stream' });
    const second = keep('two', { log: other.store });
    await vi.waitFor(() => expect(second.faults.join()).toContain('another event, or none, at position'), 20_000);
    expect(await kept()).toEqual(before);
  }, 30_000);
});
