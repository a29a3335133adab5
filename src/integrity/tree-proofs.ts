/** Inclusion and consistency proofs over the tree of RFC 9162. docs/evidence.md specifies them. */
import { nodeOf, toHex, type Hash } from '../eventstore/leaf.js';
import { AlteredLogError } from '../eventstore/log-source.js';
import { blockOf, createGrowingTree, eventsPerBlock, type TreeSource } from '../eventstore/tree.js';

export type Tree = ReturnType<typeof createTree>;

/**
 * Creates a reader of the tree that answers in hex. It caches every node that it computes, so create one per answer.
 * Stored block roots are not trusted: compare `rootAt` with the root of a seal.
 */
export function createTree(source: Pick<TreeSource, 'blockRoots' | 'leavesOf'>) {
  const nodes = new Map<string, Promise<Hash>>();
  /** Blocks whose events have the stored root. */
  const compared = new Set<number>();
  let roots: Promise<readonly Hash[]> | undefined;
  /** The block that was read last. Callers go through the log in order, so one is enough. */
  let last: { readonly block: number; readonly leaves: readonly Hash[] } | undefined;

  const storedRoots = (): Promise<readonly Hash[]> => (roots ??= source.blockRoots(Number.MAX_SAFE_INTEGER));

  async function leavesOf(block: number): Promise<readonly Hash[]> {
    if (last?.block !== block) last = { block, leaves: await source.leavesOf(block) };
    return last.leaves;
  }

  /** Compares the events of a block with its stored root. @throws AlteredLogError */
  async function demandBlock(block: number): Promise<void> {
    if (compared.has(block)) return;
    const root = (await storedRoots())[block];
    if (root !== undefined && rootOfLeaves(await leavesOf(block)) !== root)
      throw new AlteredLogError(
        `the events ${block * eventsPerBlock + 1} to ${(block + 1) * eventsPerBlock} of the log are not those that were sealed: audience audit verify says which`,
      );
    compared.add(block);
  }

  /** Returns the node over the leaves `from` (counted from 0) to `to`, exclusive. */
  function node(from: number, to: number): Promise<Hash> {
    const name = `${from}-${to}`;
    const known = nodes.get(name) ?? computed(from, to);
    nodes.set(name, known);
    return known;
  }

  async function computed(from: number, to: number): Promise<Hash> {
    const block = Math.floor(from / eventsPerBlock);
    if (to - from === eventsPerBlock) {
      const root = (await storedRoots())[block];
      if (root !== undefined) return root;
    }
    if (to - from <= eventsPerBlock) {
      const leaves = (await leavesOf(block)).slice(from % eventsPerBlock, (from % eventsPerBlock) + to - from);
      if (leaves.length < to - from) throw new RangeError(`the tree has no leaf of event ${to}`);
      return rootOfLeaves(leaves);
    }
    const middle = from + splitOf(to - from);
    return nodeOf(await node(from, middle), await node(middle, to));
  }

  async function path(index: number, from: number, to: number): Promise<readonly Hash[]> {
    if (to - from === 1) return [];
    const middle = from + splitOf(to - from);
    return index < middle
      ? [...(await path(index, from, middle)), await node(middle, to)]
      : [...(await path(index, middle, to)), await node(from, middle)];
  }

  /** @param isWhole the older tree covers this subtree completely, so its root is known to the verifier */
  async function older(
    count: number,
    [from, to]: readonly [number, number],
    isWhole: boolean,
  ): Promise<readonly Hash[]> {
    if (count === to) return isWhole ? [] : [await node(from, to)];
    const middle = from + splitOf(to - from);
    return count <= middle
      ? [...(await older(count, [from, middle], isWhole)), await node(middle, to)]
      : [...(await older(count, [middle, to], false)), await node(from, middle)];
  }

  return {
    /** Returns the root over the first events. @throws RangeError if the tree has fewer, or `count` is below 1 */
    async rootAt(count: number): Promise<string> {
      demandWithin(1, count);
      return toHex(await node(0, count));
    },
    /** Returns whether the roots of all complete blocks of the first events are stored. */
    hasRoots: async (count: number): Promise<boolean> =>
      (await storedRoots()).length >= Math.floor(count / eventsPerBlock),
    /**
     * Returns the leaf of an event, and demands that the block of the event has its stored root, so that the inclusion proof
     * leads to the root of the tree. @throws AlteredLogError @throws RangeError if the tree has no such event
     */
    async leafAt(ordinal: number): Promise<string> {
      await demandBlock(blockOf(ordinal));
      return toHex(await node(ordinal - 1, ordinal));
    },
    /** Returns the inclusion proof of an event at a count: RFC 9162, 2.1.3.1. @throws RangeError */
    async inclusion(ordinal: number, count: number): Promise<readonly string[]> {
      demandWithin(ordinal, count);
      return (await path(ordinal - 1, 0, count)).map(toHex);
    },
    /** Returns the consistency proof between two counts: RFC 9162, 2.1.4.1. Empty if both are the same. @throws RangeError */
    async consistency(first: number, second: number): Promise<readonly string[]> {
      demandWithin(first, second);
      return (await older(first, [0, second], true)).map(toHex);
    },
  };
}

function rootOfLeaves(leaves: readonly Hash[]): Hash {
  const tree = createGrowingTree();
  for (const leaf of leaves) tree.add(leaf);
  return tree.root() ?? '';
}

/** Returns the largest power of two below this number. */
function splitOf(leaves: number): number {
  let split = 1;
  while (2 * split < leaves) split *= 2;
  return split;
}

function demandWithin(ordinal: number, count: number): void {
  if (!Number.isSafeInteger(ordinal) || !Number.isSafeInteger(count) || ordinal < 1 || ordinal > count)
    throw new RangeError(`event ${ordinal} is not among the first ${count}`);
}
