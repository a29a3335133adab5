/**
 * The tree of a log on EventStoreDB, which stores none: one process follows the log and stores the root of each complete
 * block beside the views. Other processes compute the leaves of a block from the log and compare them with its root.
 */
import type { KeyObject } from 'node:crypto';
import { logStart, type EventReader, type Position, type StoredEvent } from '../eventstore/event-store.js';
import { fromHex, leafOf, toHex, type Hash } from '../eventstore/leaf.js';
import { readLogId } from '../eventstore/log-id.js';
import { AlteredLogError, logSourceOf } from '../eventstore/log-source.js';
import {
  blockOf,
  createGrowingTree,
  eventsPerBlock,
  type Frontier,
  type GrowingTree,
  type TreeSource,
} from '../eventstore/tree.js';
import { pause, unlessAborted } from '../flow/abort.js';
import { LeaseLostError, type Lease } from '../projector/lease.js';
import {
  CommitConflictError,
  ReadModelsUnavailableError,
  type Checkpoint,
  type DocumentWrite,
  type ReadModelReader,
  type ReadModels,
  type View,
} from '../readmodels/read-models.js';

/** A document for each `blocksPerPage` complete blocks. */
export const blocksView: View = { name: 'blocks', version: 1, indexes: [] };
/** Position and id of the last event of the last complete block, and the number of events up to there. */
export const blocksCheckpoint = 'blocks';
export const blocksPerPage = 256;

interface StoredBlock {
  /** Hex. */
  readonly root: string;
  /** Position of the first event of the block. */
  readonly first: Position;
}

export type BlocksPage = { readonly blocks: readonly StoredBlock[] };

/**
 * The checkpoint holds the number of events where others hold the storages of views, because the number must change in one
 * step with the position.
 */
const countName = 'events';
export const pageId = (page: number): string => String(page).padStart(12, '0');
const pageOf = (block: number): number => Math.floor(block / blocksPerPage);

type BlocksReader = Pick<ReadModelReader, 'checkpoint' | 'getMany'>;

interface Stored {
  readonly checkpoint: Checkpoint | null;
  /** Number of complete blocks. */
  readonly blocks: number;
  /** Position of the last event in them. */
  readonly end: Position;
}

async function readStored(readModels: BlocksReader): Promise<Stored> {
  const checkpoint = await readModels.checkpoint(blocksCheckpoint);
  if (checkpoint === null) return { checkpoint, blocks: 0, end: logStart };
  const blocks = Math.floor((checkpoint.storages[countName] ?? 0) / eventsPerBlock);
  return { checkpoint, blocks, end: checkpoint.position };
}

/** Returns whether the log still has the event where the stored blocks end. */
async function endIsThere(reader: Pick<EventReader, 'readAt'>, { checkpoint, end }: Stored): Promise<boolean> {
  return checkpoint === null || (await reader.readAt(end))?.id === checkpoint.eventId;
}

const endIsGone = ({ blocks, end }: Stored): AlteredLogError =>
  new AlteredLogError(
    `the log has another event, or none, at position ${end}, where event ${blocks * eventsPerBlock} was: it was altered, or is an older copy`,
  );

const pagesAtOnce = 16;

/** Yields the first `blocks` blocks page by page. Ends early at a block that is missing. */
async function* storedPages(readModels: BlocksReader, blocks: number): AsyncGenerator<readonly StoredBlock[]> {
  const pages = Math.ceil(blocks / blocksPerPage);
  for (let from = 0; from < pages; from += pagesAtOnce) {
    const ids = Array.from({ length: Math.min(pagesAtOnce, pages - from) }, (_, at) => pageId(from + at));
    const found = await readModels.getMany<BlocksPage>(blocksView, ids);
    for (const [at, id] of ids.entries()) {
      const wanted = Math.min(blocksPerPage, blocks - (from + at) * blocksPerPage);
      // A commit that was interrupted may have left more blocks than the checkpoint says.
      const page = found.get(id)?.document.blocks.slice(0, wanted) ?? [];
      yield page;
      if (page.length < wanted) return;
    }
  }
}

// ---- The follower

export interface FollowOptions {
  readonly reader: EventReader;
  readonly readModels: ReadModels;
  readonly lease: Lease;
  readonly signal: AbortSignal;
  /** Milliseconds between two reads of the log once the follower has caught up. Default: 1,000. */
  readonly intervalMs?: number;
  /** Starts after this, because people wait for views that are built from the first event. */
  readonly startAfter?: Promise<unknown>;
  /** Called with the tree of the events read so far, and with undefined when this process stops following. */
  readonly onProgress: (reached: Frontier | undefined) => void;
  /** Called once for each cause, not at each try. After an AlteredLogError this process no longer follows. Names no person. */
  readonly onFault: (error: Error) => void;
}

const retryMs = 5_000;
const blocksPerCommit = 64;

interface CompleteBlock extends StoredBlock {
  readonly number: number;
  readonly lastEvent: StoredEvent;
}

/** Stores the blocks of the log while this process holds the lease. Resolves when the signal aborts, or when the log was altered. */
export async function followBlocks(options: FollowOptions): Promise<void> {
  const { reader, readModels, lease, signal, intervalMs = 1_000, startAfter, onProgress, onFault } = options;
  let reported = '';

  /** Returns where to continue: after the last complete block, or at the first event if no block is stored. */
  async function resume(): Promise<{ readonly stored: Stored; readonly tree: GrowingTree }> {
    await readModels.prepare(blocksView);
    const stored = await readStored(readModels);
    const { checkpoint, blocks } = stored;
    if (!(await endIsThere(reader, stored))) throw endIsGone(stored);
    const tree = createGrowingTree();
    for await (const page of storedPages(readModels, blocks)) for (const { root } of page) tree.addBlock(fromHex(root));
    if (tree.count() === blocks * eventsPerBlock) return { stored, tree };
    // The documents were deleted without the checkpoint.
    return { stored: { checkpoint, blocks: 0, end: logStart }, tree: createGrowingTree() };
  }

  async function store({ checkpoint }: Stored, complete: readonly CompleteBlock[], epoch: number): Promise<Stored> {
    const last = complete.at(-1);
    if (last === undefined) throw new RangeError('there is no block to store');
    const { lastEvent } = last;
    const blocks = last.number + 1;
    const next: Checkpoint = {
      logId: checkpoint?.logId ?? (await readLogId(reader)) ?? '',
      position: lastEvent.position,
      eventId: lastEvent.id,
      storages: { [countName]: blocks * eventsPerBlock },
    };
    const writes = await pageWrites(readModels, complete, lastEvent.position);
    lease.check();
    await readModels.commit({ writes, checkpoint: { name: blocksCheckpoint, previous: checkpoint, next, epoch } });
    return { checkpoint: next, blocks, end: lastEvent.position };
  }

  async function follow(epoch: number): Promise<void> {
    const lost = new AbortController();
    lease.onLost(() => lost.abort());
    lease.check();
    const until = AbortSignal.any([signal, lost.signal]);
    const resumed = await resume();
    const { tree } = resumed;
    let { stored } = resumed;
    const complete = createBlockCutter(tree);
    onProgress(tree.frontier());
    for await (const message of reader.subscribe({ after: stored.end, signal: until })) {
      if (message.type === 'events') complete.add(message.events);
      const isCaughtUp = message.type === 'caught_up';
      if (complete.count() >= (isCaughtUp ? 1 : blocksPerCommit)) stored = await store(stored, complete.take(), epoch);
      onProgress(tree.frontier());
      if (!isCaughtUp) continue;
      reported = '';
      // Events that are appended during the pause are read together.
      await pause(intervalMs, until);
    }
  }

  /** Returns the milliseconds until the next try. */
  function report(error: unknown): number {
    // Another process has taken over, or the views were deleted.
    if (error instanceof CommitConflictError || error instanceof LeaseLostError) return intervalMs;
    const fault = error instanceof Error ? error : new Error('unexpected failure');
    if (fault.message !== reported) onFault(fault);
    reported = fault.message;
    return retryMs;
  }

  await unlessAborted(Promise.resolve(startAfter), signal).catch(() => undefined);
  while (!signal.aborted) {
    try {
      const epoch = await lease.hold(signal);
      if (epoch !== null) await follow(epoch);
    } catch (error) {
      if (signal.aborted) return;
      const delayMs = report(error);
      if (error instanceof AlteredLogError) return;
      await pause(delayMs, signal);
    } finally {
      onProgress(undefined);
    }
  }
}

/** Adds events to the tree, which must be at the end of a block, and gathers the blocks that they complete. */
function createBlockCutter(tree: GrowingTree) {
  let first: Position = logStart;
  let complete: CompleteBlock[] = [];
  return {
    add(events: readonly StoredEvent[]): void {
      for (const event of events) {
        const ordinal = tree.count() + 1;
        if (ordinal % eventsPerBlock === 1) first = event.position;
        const root = tree.add(leafOf(ordinal, event));
        if (root === undefined) continue;
        complete.push({ number: blockOf(ordinal), root: toHex(root), first, lastEvent: event });
      }
    },
    count: () => complete.length,
    take(): readonly CompleteBlock[] {
      const taken = complete;
      complete = [];
      return taken;
    },
  };
}

/** @throws CommitConflictError if earlier blocks of a page were deleted */
async function pageWrites(
  readModels: BlocksReader,
  complete: readonly CompleteBlock[],
  position: Position,
): Promise<readonly DocumentWrite[]> {
  const pages = new Map<number, CompleteBlock[]>();
  for (const block of complete) {
    const page = pages.get(pageOf(block.number));
    if (page === undefined) pages.set(pageOf(block.number), [block]);
    else page.push(block);
  }
  const loaded = await readModels.getMany<BlocksPage>(blocksView, [...pages.keys()].map(pageId));
  return [...pages].map(([page, added]) => {
    const id = pageId(page);
    const found = loaded.get(id);
    const before = (added[0]?.number ?? 0) % blocksPerPage;
    // A commit that was interrupted may have left these blocks already.
    const kept = found?.document.blocks.slice(0, before) ?? [];
    if (kept.length < before) throw new CommitConflictError(`page ${id} of the blocks was deleted`);
    const document: BlocksPage = { blocks: [...kept, ...added.map(({ root, first }) => ({ root, first }))] };
    return { view: blocksView, id, document, position, loaded: found?.position ?? null };
  });
}

// ---- The tree

interface TreeStores {
  readonly readModels: BlocksReader;
  readonly reader: Pick<EventReader, 'readAll' | 'readAt'>;
}

const readsAtOnce = 4;

/**
 * Returns the tree of the stored blocks and of at most 255 events after them. Its functions throw AlteredLogError if a block that they read does not fit its stored root.
 */
export function storedTree({ readModels, reader }: TreeStores): TreeSource {
  async function eventsAfter(after: Position, limit = eventsPerBlock - 1): Promise<readonly StoredEvent[]> {
    const events: StoredEvent[] = [];
    for await (const batch of reader.readAll({ after, limit })) events.push(...batch);
    return events;
  }

  /** Reads the events after the stored blocks. */
  async function openEvents(stored: Stored): Promise<readonly StoredEvent[]> {
    if (!(await endIsThere(reader, stored))) throw endIsGone(stored);
    return await eventsAfter(stored.end);
  }

  /** Reads stored pages, each once. */
  function createPages({ blocks }: Stored) {
    const read = new Map<number, Promise<readonly StoredBlock[]>>();
    const load = async (page: number): Promise<readonly StoredBlock[]> => {
      const id = pageId(page);
      const found = (await readModels.getMany<BlocksPage>(blocksView, [id])).get(id)?.document.blocks ?? [];
      const wanted = Math.min(blocksPerPage, blocks - page * blocksPerPage);
      if (found.length >= wanted) return found.slice(0, wanted);
      throw new ReadModelsUnavailableError(`the root of block ${page * blocksPerPage + found.length} is not stored`);
    };
    const at = (page: number): Promise<readonly StoredBlock[]> => {
      const loading = read.get(page) ?? load(page);
      read.set(page, loading);
      return loading;
    };
    return {
      async block(number: number): Promise<StoredBlock> {
        const page = await at(pageOf(number));
        const block = page[number % blocksPerPage];
        if (block === undefined) throw new RangeError(`there is no block ${number}`);
        return block;
      },
      /** Returns the number of the last block that begins at or before the position; -1 if none does. */
      async find(position: Position): Promise<number> {
        let from = 0;
        let to = pageOf(blocks - 1);
        while (from < to) {
          const middle = Math.ceil((from + to) / 2);
          if (((await at(middle))[0]?.first ?? '') <= position) from = middle;
          else to = middle - 1;
        }
        return from * blocksPerPage + (await at(from)).findLastIndex(({ first }) => first <= position);
      },
    };
  }

  /** Reads a complete block from the log. */
  async function checkedBlock(number: number, { root, first }: StoredBlock) {
    const firstEvent = await reader.readAt(first);
    const events = firstEvent === undefined ? [] : [firstEvent, ...(await eventsAfter(first))];
    const { leaves, root: found } = leavesFrom(number, events);
    if (found === undefined || toHex(found) !== root)
      throw new AlteredLogError(
        `the events ${number * eventsPerBlock + 1} to ${(number + 1) * eventsPerBlock} of the log are not those whose block root was stored`,
      );
    return { events, leaves };
  }

  return {
    async count() {
      const stored = await readStored(readModels);
      const complete = stored.blocks * eventsPerBlock;
      // If the log ends earlier, verification says where it differs.
      return (await endIsThere(reader, stored)) ? complete + (await eventsAfter(stored.end)).length : complete;
    },
    async blockRoots(blocks) {
      const stored = await readStored(readModels);
      const roots: Hash[] = [];
      for await (const page of storedPages(readModels, Math.min(blocks, stored.blocks)))
        for (const { root } of page) roots.push(fromHex(root));
      return roots;
    },
    async leavesOf(block) {
      const stored = await readStored(readModels);
      if (block > stored.blocks) return [];
      if (block === stored.blocks) return leavesFrom(block, await openEvents(stored)).leaves;
      return (await checkedBlock(block, await createPages(stored).block(block))).leaves;
    },
    async ordinalsAt(positions) {
      const stored = await readStored(readModels);
      const pages = createPages(stored);
      const ordinals = new Map<Position, number>();
      const note = (block: number, events: readonly StoredEvent[]): void => {
        for (const [at, { position }] of events.entries()) ordinals.set(position, block * eventsPerBlock + at + 1);
      };
      const wanted = new Set<number>();
      for (const position of positions)
        if (position > stored.end) wanted.add(stored.blocks);
        else if (stored.blocks > 0) wanted.add(await pages.find(position));
      const blocks = [...wanted].filter((block) => block >= 0);
      for (let from = 0; from < blocks.length; from += readsAtOnce)
        await Promise.all(
          blocks.slice(from, from + readsAtOnce).map(async (block) => {
            if (block === stored.blocks) note(block, await openEvents(stored));
            else note(block, (await checkedBlock(block, await pages.block(block))).events);
          }),
        );
      return positions.map((position) => ordinals.get(position));
    },
    async isBehind(count) {
      const stored = await readStored(readModels);
      const blocks = Math.floor(count / eventsPerBlock);
      const wanted = Math.min(blocks, stored.blocks);
      let kept = 0;
      for await (const page of storedPages(readModels, wanted)) kept += page.length;
      // The documents were deleted without the checkpoint. The follower stores them again.
      if (kept < wanted) return true;
      if (blocks <= stored.blocks || !(await endIsThere(reader, stored))) return false;
      return (await eventsAfter(stored.end, eventsPerBlock)).length === eventsPerBlock;
    },
  };
}

function leavesFrom(block: number, events: readonly StoredEvent[]) {
  const tree = createGrowingTree();
  const leaves = events.map((event, at) => leafOf(block * eventsPerBlock + at + 1, event));
  const [root] = leaves.map((leaf) => tree.add(leaf)).slice(-1);
  return { leaves, root };
}

// ---- For the command line

/** The stores that a command reads. */
export interface LogPlace {
  /** Opens views that exist and creates none. */
  openViews(): Promise<ReadModelReader>;
  /** Returns the key of the MAC of restores, or undefined if the secret of the log is not at hand. */
  restoredKey(log: EventReader): Promise<KeyObject | undefined>;
  readonly signal: AbortSignal;
}

/** Opens the log as verification and proofs read it. A log on EventStoreDB has no tree if its views cannot be opened. */
export async function openLogSource(log: EventReader, place: LogPlace) {
  const source = logSourceOf(log);
  const views = source.tree === undefined ? await openViews(place) : undefined;
  if (views === undefined) return { source, close: () => Promise.resolve() };
  const tree = storedTree({ readModels: views, reader: log });
  return { source: logSourceOf(log, tree), close: (): Promise<void> => views.close() };
}

/** Opens the views, or returns undefined if none are named or they cannot be opened. */
async function openViews(place: LogPlace): Promise<ReadModelReader | undefined> {
  try {
    return await place.openViews();
  } catch {
    place.signal.throwIfAborted();
    return undefined;
  }
}
