/** The stored blocks of a log on EventStoreDB: on the stand-in and SQLite, or on the servers that the environment names. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startStandIn, type StandIn } from '../eventstoredb/stand-in/stand-in.js';
import { deletePrefix, eventStoreUrl, newPrefix } from '../support/eventstoredb-server.js';
import { openTestDatabase, testMongoUrl } from '../support/mongodb.js';
import {
  logStart,
  type EventReader,
  type EventToAppend,
  type Position,
  type StoredEvent,
} from '../../src/eventstore/event-store.js';
import { openEventStoreDb, type EventStoreDbStore } from '../../src/eventstore/eventstoredb/event-store.js';
import { leafOf, toHex, type Hash } from '../../src/eventstore/leaf.js';
import { serviceStream } from '../../src/eventstore/log-id.js';
import { AlteredLogError, logSourceOf } from '../../src/eventstore/log-source.js';
import { createGrowingTree, eventsPerBlock, frontierAt, rootOf, type Frontier } from '../../src/eventstore/tree.js';
import { compareWithTree } from '../../src/integrity/compare-seals.js';
import { createSeal, type Seal } from '../../src/integrity/seal.js';
import {
  blocksCheckpoint,
  blocksPerPage,
  blocksView,
  followBlocks,
  pageId,
  storedTree,
  type BlocksPage,
  type FollowOptions,
} from '../../src/integrity/server-blocks.js';
import { createTree } from '../../src/integrity/tree-proofs.js';
import { verifyLog } from '../../src/integrity/verify.js';
import { createLease } from '../../src/projector/lease.js';
import type { ReadModels } from '../../src/readmodels/read-models.js';
import { openMongoReadModels } from '../../src/readmodels/mongodb/read-models.js';
import { openSqliteReadModels } from '../../src/readmodels/sqlite/read-models.js';

let standIn: StandIn;
beforeAll(async () => {
  standIn = await startStandIn();
});
afterAll(() => standIn.close());

/** Opens a log of its own that goes away with the test. `onStandIn`: also if the environment names a server. */
function newLog({ onStandIn = false } = {}): EventStoreDbStore {
  const prefix = newPrefix();
  const url = onStandIn ? undefined : eventStoreUrl;
  const log = openEventStoreDb({ url: url ?? standIn.url, prefix });
  onTestFinished(async () => {
    await log.close();
    if (url !== undefined) await deletePrefix(url, prefix);
  });
  return log;
}

function newModels(): ReadModels {
  if (testMongoUrl !== undefined) {
    const database = openTestDatabase(testMongoUrl);
    const models = openMongoReadModels({ url: database.url });
    onTestFinished(async () => {
      await models.close();
      await database.close();
    });
    return models;
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'server-blocks-'));
  const models = openSqliteReadModels({ file: path.join(folder, 'views.db') });
  onTestFinished(async () => {
    await models.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return models;
}

const said = (text: string): EventToAppend => ({
  id: randomUUID(),
  type: 'Said',
  data: JSON.stringify({ person: { salt: randomUUID(), text } }),
  metadata: '{"at":"2026-01-01T00:00:00.000Z"}',
});

/** Appends events, 200 at a time to a stream of their own. */
async function append(log: EventStoreDbStore, count: number): Promise<void> {
  for (let done = 0; done < count; done += 200) {
    const events = Array.from({ length: Math.min(200, count - done) }, (_, at) => said(`word ${at}`));
    await log.append(`words-${randomUUID()}`, events, { expectedRevision: 'no_stream' });
  }
}

async function eventsOf(log: Pick<EventReader, 'readAll'>): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const batch of log.readAll()) events.push(...batch);
  return events;
}

/** Computes the blocks and the tree that must be stored, from all events. */
function expectedOf(events: readonly StoredEvent[]) {
  const tree = createGrowingTree();
  const leaves: Hash[] = [];
  const blocks: { root: string; first: Position }[] = [];
  for (const [at, event] of events.entries()) {
    const leaf = leafOf(at + 1, event);
    leaves.push(leaf);
    const root = tree.add(leaf);
    const first = events[at + 1 - eventsPerBlock]?.position ?? '';
    if (root !== undefined) blocks.push({ root: toHex(root), first });
  }
  return { frontier: tree.frontier(), leaves, blocks };
}

async function storedBlocks(models: ReadModels): Promise<BlocksPage['blocks']> {
  const count = (await models.checkpoint(blocksCheckpoint))?.storages['events'] ?? 0;
  const ids = Array.from({ length: Math.ceil(count / eventsPerBlock / blocksPerPage) }, (_, page) => pageId(page));
  const pages = await models.getMany<BlocksPage>(blocksView, ids);
  return ids.flatMap((id) => pages.get(id)?.document.blocks ?? []).slice(0, count / eventsPerBlock);
}

/** The follower stores blocks once it has caught up. */
const expectStored = (models: ReadModels, blocks: BlocksPage['blocks']): Promise<void> =>
  vi.waitFor(async () => expect(await storedBlocks(models)).toEqual(blocks), { interval: 5, timeout: 20_000 });

interface Follower {
  readonly faults: Error[];
  readonly ended: Promise<void>;
  reached(): Frontier | undefined;
  /** Resolves once the follower has read so many events. */
  hasReached(count: number): Promise<Frontier>;
  stop(): Promise<void>;
  /** Stops without giving the lease back, as a killed process. */
  kill(): Promise<void>;
}

const ttl = 1_000;

function follow(
  { log, models }: { readonly log: EventReader; readonly models: ReadModels },
  more: Partial<FollowOptions> = {},
): Follower {
  const stopping = new AbortController();
  const faults: Error[] = [];
  let frontier: Frontier | undefined;
  let isKilled = false;
  const renewed = {
    lease: async (...args: Parameters<ReadModels['lease']>) => (isKilled ? null : await models.lease(...args)),
  };
  const now = (): number => performance.now();
  const lease = createLease({ readModels: renewed, name: 'blocks', holder: randomUUID(), ttl, now });
  const ended = followBlocks({
    reader: log,
    readModels: models,
    lease,
    signal: stopping.signal,
    intervalMs: 20,
    onProgress: (reached) => (frontier = reached),
    onFault: (fault) => faults.push(fault),
    ...more,
  });
  async function stop(): Promise<void> {
    stopping.abort();
    await ended;
    await lease.close();
  }
  async function kill(): Promise<void> {
    isKilled = true;
    await stop();
  }
  onTestFinished(stop);
  return {
    faults,
    ended,
    kill,
    stop,
    reached: () => frontier,
    hasReached: (count) =>
      vi.waitFor(
        () => {
          if (frontier?.count === count) return frontier;
          const words = faults.map(({ message }) => message).join(', ');
          throw new Error(`it has reached event ${frontier?.count}, not ${count}; faults: ${words}`);
        },
        { interval: 5, timeout: 20_000 },
      ),
  };
}

const treeOf = ({ log, models }: { readonly log: EventReader; readonly models: ReadModels }) =>
  storedTree({ readModels: models, reader: log });

describe('the follower of a log on EventStoreDB', () => {
  it('stores root and first position of each complete block, and nothing of the open block', async () => {
    const stores = { log: newLog(), models: newModels() };
    await append(stores.log, 2 * eventsPerBlock + 7);
    const follower = follow(stores);
    const events = await eventsOf(stores.log);
    const expected = expectedOf(events);
    expect(await follower.hasReached(events.length)).toEqual(expected.frontier);
    expect(expected.blocks).toHaveLength(2);
    await expectStored(stores.models, expected.blocks);
    expect(await stores.models.get(blocksView, pageId(0))).toMatchObject({ document: { blocks: expected.blocks } });
    const last = events[2 * eventsPerBlock - 1];
    expect(await stores.models.checkpoint(blocksCheckpoint)).toMatchObject({
      ...{ position: last?.position, eventId: last?.id, storages: { events: 2 * eventsPerBlock } },
    });
    expect(follower.faults).toEqual([]);
  });

  it('continues in another process when the first was killed in the middle of a block', async () => {
    const stores = { log: newLog(), models: newModels() };
    await append(stores.log, eventsPerBlock + 44);
    const first = follow(stores);
    await first.hasReached(eventsPerBlock + 44);
    await expectStored(stores.models, expectedOf(await eventsOf(stores.log)).blocks);
    await first.kill();
    expect(first.reached()).toBeUndefined();
    await append(stores.log, eventsPerBlock);
    const second = follow(stores);
    const expected = expectedOf(await eventsOf(stores.log));
    expect(await second.hasReached(2 * eventsPerBlock + 44)).toEqual(expected.frontier);
    await expectStored(stores.models, expected.blocks);
    expect([...first.faults, ...second.faults]).toEqual([]);
  });

  it('replaces blocks that an interrupted commit left behind, and the tree ignores them until then', async () => {
    const stores = { log: newLog(), models: newModels() };
    await append(stores.log, eventsPerBlock + 10);
    const first = follow(stores);
    await expectStored(stores.models, expectedOf(await eventsOf(stores.log)).blocks);
    await first.stop();
    const page = await stores.models.get<BlocksPage>(blocksView, pageId(0));
    const position = `${page?.position}`.replace(/.$/, '9');
    const left = { root: 'a'.repeat(64), first: position };
    await stores.models.commit({
      writes: [
        {
          ...{ view: blocksView, id: pageId(0), position, loaded: page?.position ?? null },
          document: { blocks: [...(page?.document.blocks ?? []), left, left] },
        },
      ],
      checkpoint: {
        name: 'other',
        previous: null,
        next: { logId: '', position: logStart, eventId: '', storages: {} },
      },
    });
    expect(await treeOf(stores).blockRoots(9)).toHaveLength(1);
    expect(await treeOf(stores).count()).toBe(eventsPerBlock + 10);
    await append(stores.log, eventsPerBlock);
    const second = follow(stores);
    const expected = expectedOf(await eventsOf(stores.log));
    expect(await second.hasReached(2 * eventsPerBlock + 10)).toEqual(expected.frontier);
    await expectStored(stores.models, expected.blocks);
  });

  it('runs in one of two processes, and in the other one once the first was killed', async () => {
    const stores = { log: newLog(), models: newModels() };
    await append(stores.log, 100);
    const first = follow(stores);
    await first.hasReached(100);
    const second = follow(stores);
    await append(stores.log, 300);
    await first.hasReached(400);
    expect(second.reached()).toBeUndefined();
    await first.kill();
    await append(stores.log, 300);
    const expected = expectedOf(await eventsOf(stores.log));
    expect(await second.hasReached(700)).toEqual(expected.frontier);
    await expectStored(stores.models, expected.blocks);
    expect([...first.faults, ...second.faults]).toEqual([]);
  });

  it('stores nothing once another process has taken over', async () => {
    const stores = { log: newLog(), models: newModels() };
    await append(stores.log, 100);
    const isSuspended = { value: false };
    const late = follow({
      ...stores,
      models: { ...stores.models, lease: async (...args) => (isSuspended.value ? null : stores.models.lease(...args)) },
    });
    await late.hasReached(100);
    isSuspended.value = true;
    await vi.waitFor(() => expect(late.reached()).toBeUndefined(), { timeout: 10_000 });
    const other = follow(stores);
    await append(stores.log, 300);
    await other.hasReached(400);
    expect(late.reached()).toBeUndefined();
    await expectStored(stores.models, expectedOf(await eventsOf(stores.log)).blocks);
    expect([...late.faults, ...other.faults]).toEqual([]);
  });

  it('waits until the views are built, and ends while it waits', async () => {
    const stores = { log: newLog(), models: newModels() };
    await append(stores.log, eventsPerBlock);
    let build = (): void => undefined;
    let asked = 0;
    const models: ReadModels = {
      ...stores.models,
      async lease(...lease) {
        asked += 1;
        return await stores.models.lease(...lease);
      },
    };
    const startAfter = new Promise<void>((resolve) => (build = resolve));
    const waiting = follow({ ...stores, models }, { startAfter });
    await follow({ ...stores, models }, { startAfter: new Promise(() => undefined) }).stop();
    expect(asked).toBe(0);
    build();
    await waiting.hasReached(eventsPerBlock);
  });

  const removals = {
    'blocks and checkpoint': async (models: ReadModels) => {
      const previous = await models.checkpoint(blocksCheckpoint);
      await models.drop(blocksView);
      await models.prepare(blocksView);
      await models.forget({ name: blocksCheckpoint, previous });
    },
    'the blocks alone': async (models: ReadModels) => {
      await models.drop(blocksView);
      // As on MongoDB, where a collection that does not exist reads as empty.
      await models.prepare(blocksView);
    },
  };
  for (const [what, remove] of Object.entries(removals)) {
    it(`starts from the first event after ${what} were deleted`, async () => {
      const stores = { log: newLog(), models: newModels() };
      await append(stores.log, 2 * eventsPerBlock + 20);
      const first = follow(stores);
      await expectStored(stores.models, expectedOf(await eventsOf(stores.log)).blocks);
      await first.stop();
      await remove(stores.models);
      const second = follow(stores);
      const expected = expectedOf(await eventsOf(stores.log));
      expect(await second.hasReached(2 * eventsPerBlock + 20)).toEqual(expected.frontier);
      await expectStored(stores.models, expected.blocks);
      expect(second.faults).toEqual([]);
    });

    it(`starts from the first event when ${what} are deleted while it runs`, async () => {
      const stores = { log: newLog(), models: newModels() };
      await append(stores.log, eventsPerBlock + 20);
      const follower = follow(stores);
      await follower.hasReached(eventsPerBlock + 20);
      await expectStored(stores.models, expectedOf(await eventsOf(stores.log)).blocks);
      await remove(stores.models);
      await append(stores.log, eventsPerBlock);
      const expected = expectedOf(await eventsOf(stores.log));
      await expectStored(stores.models, expected.blocks);
      expect(await follower.hasReached(2 * eventsPerBlock + 20)).toEqual(expected.frontier);
      expect(follower.faults).toEqual([]);
    });
  }

  it('stops for good when the log has another event, or none, where the last block ended', async () => {
    const stores = { log: newLog(), models: newModels() };
    await append(stores.log, eventsPerBlock + 20);
    const first = follow(stores);
    await expectStored(stores.models, expectedOf(await eventsOf(stores.log)).blocks);
    await first.stop();
    const before = await storedBlocks(stores.models);
    const other = newLog();
    await append(other, eventsPerBlock + 20);
    const second = follow({ ...stores, log: other });
    await second.ended;
    expect(second.faults).toEqual([expect.any(AlteredLogError)]);
    expect(second.faults[0]?.message).toContain('has another event, or none, at position');
    expect(second.reached()).toBeUndefined();
    expect(await storedBlocks(stores.models)).toEqual(before);
  });
});

describe('the tree of a log on EventStoreDB', () => {
  it('has leaves, roots and event numbers of complete blocks and of the open block', async () => {
    const stores = { log: newLog(), models: newModels() };
    await append(stores.log, 2 * eventsPerBlock);
    const follower = follow(stores);
    await expectStored(stores.models, expectedOf(await eventsOf(stores.log)).blocks);
    await follower.stop();
    const tree = treeOf(stores);
    expect(await tree.count()).toBe(2 * eventsPerBlock);
    expect(await tree.leavesOf(2)).toEqual([]);
    // The tree needs no follower for the events after the last stored block.
    await append(stores.log, 9);
    const events = await eventsOf(stores.log);
    const { leaves, blocks, frontier } = expectedOf(events);
    expect(await tree.count()).toBe(events.length);
    expect((await tree.blockRoots(9)).map(toHex)).toEqual(blocks.map(({ root }) => root));
    expect(await tree.blockRoots(1)).toHaveLength(1);
    for (const block of [0, 1, 2])
      expect(await tree.leavesOf(block)).toEqual(leaves.slice(block * eventsPerBlock, (block + 1) * eventsPerBlock));
    expect(await tree.leavesOf(3)).toEqual([]);
    const ordinals = [1, 2, 256, 257, 512, 513, 521, 3];
    const positions = ordinals.map((ordinal) => events[ordinal - 1]?.position ?? '');
    const between = `${positions[0]}0`;
    expect(await tree.ordinalsAt([...positions, logStart, between, '9'.repeat(40)])).toEqual([
      ...ordinals,
      ...[undefined, undefined, undefined],
    ]);
    expect(await frontierAt(tree, events.length)).toEqual(frontier);
  });

  it('has the events of one more block while the follower is far behind, and none before anything was stored', async () => {
    const stores = { log: newLog(), models: newModels() };
    await stores.models.prepare(blocksView);
    const tree = treeOf(stores);
    expect(await tree.count()).toBe(0);
    expect(await tree.blockRoots(1)).toEqual([]);
    await append(stores.log, 2 * eventsPerBlock);
    const events = await eventsOf(stores.log);
    const { leaves } = expectedOf(events);
    expect(await tree.count()).toBe(eventsPerBlock - 1);
    expect(await tree.leavesOf(0)).toEqual(leaves.slice(0, eventsPerBlock - 1));
    const positions = [0, eventsPerBlock].map((at) => events[at]?.position ?? '');
    expect(await tree.ordinalsAt(positions)).toEqual([1, undefined]);
    expect(rootOf(await frontierAt(tree, 100))).toBe(rootOf(expectedOf(events.slice(0, 100)).frontier));
  });

  it('leaves a seal unchecked while the block roots before its count are missing, and blames a log that ends before it', async () => {
    const stores = { log: newLog(), models: newModels() };
    await stores.models.prepare(blocksView);
    const first = { ...said(''), type: 'ServiceInitialised', data: '{"log_id":"a-log"}' };
    await stores.log.append(serviceStream, [first], { expectedRevision: 'no_stream' });
    await append(stores.log, 3 * eventsPerBlock + 20);
    const { frontier, blocks } = expectedOf(await eventsOf(stores.log));
    const key = generateKeyPairSync('ed25519').privateKey;
    const sealOver = ({ count }: Pick<Frontier, 'count'>) =>
      createSeal(
        { ...{ log_id: 'a-log', seq: 1, restores: 0, final: false, count }, root: toHex(rootOf(frontier) ?? '') },
        key,
        0,
      );
    const stateOf = async (seal: Seal): Promise<string> => {
      const log = { log: stores.log, tree: treeOf(stores), restores: [] };
      return (await compareWithTree([seal], log))[0]?.state ?? '';
    };
    expect(await stateOf(sealOver(frontier))).toBe('not_checked');
    const follower = follow(stores);
    await expectStored(stores.models, blocks);
    await follower.stop();
    expect(await stateOf(sealOver(frontier))).toBe('holds');
    expect(await stateOf(sealOver({ count: frontier.count + 1 }))).toBe('fails');
    expect(await stateOf(sealOver({ count: frontier.count + eventsPerBlock }))).toBe('fails');
    // The documents are deleted, and the checkpoint stays.
    await stores.models.drop(blocksView);
    await stores.models.prepare(blocksView);
    expect(await stateOf(sealOver(frontier))).toBe('not_checked');
  });

  it('keeps its leaves when personal data are erased', async () => {
    const stores = { log: newLog(), models: newModels() };
    await append(stores.log, eventsPerBlock + 44);
    const follower = follow(stores);
    const events = await eventsOf(stores.log);
    const { leaves, blocks } = expectedOf(events);
    await expectStored(stores.models, blocks);
    await follower.stop();
    const [first] = events;
    expect(await stores.log.redact(first?.stream ?? '', 150n)).toBe(151);
    expect(await treeOf(stores).leavesOf(0)).toEqual(leaves.slice(0, eventsPerBlock));
    expect(await treeOf(stores).ordinalsAt([first?.position ?? ''])).toEqual([1]);
  });

  it('refuses a block with an event that was altered on the server after the block was stored', async () => {
    const stores = { log: newLog({ onStandIn: true }), models: newModels() };
    await append(stores.log, 2 * eventsPerBlock + 20);
    follow(stores);
    const events = await eventsOf(stores.log);
    await expectStored(stores.models, expectedOf(events).blocks);
    const altered = events[299];
    standIn.alter(altered?.id ?? '', said('something else').data);
    const tree = treeOf(stores);
    const fault = 'the events 257 to 512 of the log are not those whose block root was stored';
    await expect(tree.leavesOf(1)).rejects.toThrow(new AlteredLogError(fault));
    await expect(tree.ordinalsAt([altered?.position ?? ''])).rejects.toThrow(new AlteredLogError(fault));
    await expect(createTree(tree).inclusion(300, 500)).rejects.toThrow(AlteredLogError);
    expect(await verifyLog({ source: logSourceOf(stores.log, tree) })).toMatchObject({
      intact: false,
      differences: [{ kind: 'block', ordinal: 257, until: 512 }],
    });
    const { leaves, blocks } = expectedOf(events);
    expect(await tree.leavesOf(0)).toEqual(leaves.slice(0, eventsPerBlock));
    expect((await tree.blockRoots(2)).map(toHex)).toEqual(blocks.map(({ root }) => root));
  });

  it('says that the log is shortened when it ends before the last stored block', async () => {
    const stores = { log: newLog(), models: newModels() };
    await append(stores.log, 2 * eventsPerBlock + 20);
    const follower = follow(stores);
    const events = await eventsOf(stores.log);
    await expectStored(stores.models, expectedOf(events).blocks);
    await follower.stop();
    const older = newLog();
    for (const { stream, id, type, data, metadata } of events.slice(0, eventsPerBlock + 100))
      await older.append(stream, [{ id, type, data, metadata }], { expectedRevision: 'any' });
    const tree = treeOf({ ...stores, log: older });
    expect(await tree.count()).toBe(2 * eventsPerBlock);
    await expect(tree.leavesOf(2)).rejects.toThrow(AlteredLogError);
    await expect(tree.ordinalsAt(['9'.repeat(40)])).rejects.toThrow('has another event, or none, at position');
    expect(await verifyLog({ source: logSourceOf(older, tree) })).toMatchObject({
      ...{ intact: false, count: eventsPerBlock + 100 },
      differences: [{ kind: 'shortened', ordinal: eventsPerBlock + 101 }],
    });
  });

  it('refuses a block whose root or first position was altered beside the views, or is missing', async () => {
    const stores = { log: newLog(), models: newModels() };
    await append(stores.log, 2 * eventsPerBlock + 20);
    const follower = follow(stores);
    const events = await eventsOf(stores.log);
    const { blocks } = expectedOf(events);
    await expectStored(stores.models, blocks);
    await follower.stop();
    const [zero, one] = blocks;
    const tree = treeOf(stores);
    const attacks = [
      [[zero, { ...one, root: 'a'.repeat(64) }], 'are not those whose block root was stored'],
      [[zero, { ...one, first: events[257]?.position }], 'are not those whose block root was stored'],
      [[zero, { ...one, first: 'nowhere' }], 'are not those whose block root was stored'],
      [[zero], 'the root of block 1 is not stored'],
    ] as const;
    for (const [altered, fault] of attacks) {
      expect(await tree.leavesOf(0)).toHaveLength(eventsPerBlock);
      const page = await stores.models.get(blocksView, pageId(0));
      await stores.models.commit({
        writes: [
          {
            ...{ view: blocksView, id: pageId(0), document: { blocks: altered } },
            ...{ position: page?.position ?? '', loaded: page?.position ?? null },
          },
        ],
        checkpoint: await unmoved(stores.models),
      });
      await expect(tree.leavesOf(1)).rejects.toThrow(fault);
    }
    expect(await tree.blockRoots(2)).toHaveLength(1);
  });
});

async function unmoved(models: ReadModels) {
  const previous = await models.checkpoint(blocksCheckpoint);
  if (previous === null) throw new Error('nothing is stored');
  return { name: blocksCheckpoint, previous, next: previous, epoch: 1_000_000 };
}

describe('a long log on EventStoreDB', () => {
  const count = 100_100;
  const positionOf = (ordinal: number): Position => String(ordinal * 10).padStart(12, '0');
  const eventAt = (ordinal: number): StoredEvent => ({
    id: `event-${ordinal}`,
    type: 'Said',
    data: `{"number":${ordinal}}`,
    metadata: '{}',
    stream: `words-${ordinal % 1_000}`,
    revision: BigInt(Math.floor(ordinal / 1_000)),
    position: positionOf(ordinal),
  });

  /** A log that makes its events when they are read, so that the heap holds those of the follower alone. */
  function generatedLog() {
    const reads = { calls: 0, events: 0 };
    const after = (position: Position | 'now' | undefined): number => Number(position ?? 0) / 10;
    function* batches(from: number, limit = Infinity): Generator<readonly StoredEvent[]> {
      const end = Math.min(count, from + limit);
      for (let at = from; at < end; at += 1_000) {
        const batch = Array.from({ length: Math.min(1_000, end - at) }, (_, index) => eventAt(at + index + 1));
        reads.events += batch.length;
        yield batch;
      }
    }
    const log: Pick<EventReader, 'readAll' | 'readAt' | 'readStream' | 'subscribe'> = {
      async *readAll(options) {
        reads.calls += 1;
        yield* batches(after(options?.after), options?.limit);
      },
      async readAt(position) {
        reads.calls += 1;
        return eventAt(after(position));
      },
      async *readStream() {
        yield [eventAt(1)];
      },
      async *subscribe(options) {
        for (const events of batches(after(options.after))) {
          // As a read over the network does, this lets timers run.
          await new Promise((resolve) => setImmediate(resolve));
          yield { type: 'events', events };
        }
        yield { type: 'caught_up', position: positionOf(count) };
        if (options.signal.aborted) return;
        await new Promise<void>((resolve) => options.signal.addEventListener('abort', () => resolve()));
      },
    };
    return { log: log as EventReader, reads };
  }

  it('is followed in bounded memory, and its tree needs few reads', async () => {
    const { log, reads } = generatedLog();
    const stores = { log, models: newModels() };
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const heap = (): number => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const heaps: number[] = [];
    const expected = createGrowingTree();
    for (let ordinal = 1; ordinal <= count; ordinal += 1) expected.add(leafOf(ordinal, eventAt(ordinal)));
    let reached: Frontier | undefined;
    await new Promise<void>((resolve, reject) => {
      follow(stores, {
        onProgress(frontier) {
          reached = frontier ?? reached;
          if ((frontier?.count ?? 0) % 20_000 === 0) heaps.push(heap());
          if (frontier?.count === count) resolve();
        },
        onFault: reject,
      });
    });
    expect(reached).toEqual(expected.frontier());
    await vi.waitFor(async () => expect(await storedBlocks(stores.models)).toHaveLength(391), { timeout: 10_000 });
    const [, early = 0] = heaps;
    expect(Math.max(...heaps.slice(2)) - early).toBeLessThan(1024 * 1024);

    reads.calls = 0;
    reads.events = 0;
    const tree = treeOf(stores);
    expect(await tree.count()).toBe(count);
    expect(await tree.ordinalsAt([5, 65_536, 65_537, 100_099].map(positionOf))).toEqual([5, 65_536, 65_537, 100_099]);
    expect(await tree.leavesOf(300)).toHaveLength(eventsPerBlock);
    expect(rootOf(await frontierAt(tree, count))).toBe(expected.root());
    // Two reads for each block.
    expect(reads.calls).toBeLessThanOrEqual(14);
    expect(reads.events).toBeLessThanOrEqual(6 * eventsPerBlock);
  });
});
