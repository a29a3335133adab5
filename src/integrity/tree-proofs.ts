/** Inclusion and consistency proofs over the tree of RFC 9162. docs/evidence.md specifies them. */
import { fromHex, nodeOf, toHex, type Hash } from '../eventstore/leaf.js';
import { createGrowingTree, eventsPerBlock, type TreeSource } from '../eventstore/tree.js';

export type Tree = ReturnType<typeof createTree>;

/**
 * Creates a reader of the tree that answers in hex. It caches every node that it computes, so create one per answer.
 * Stored block roots are not trusted: compare `rootAt` with the root of a seal.
 */
export function createTree(source: Pick<TreeSource, 'blockRoots' | 'leavesOf'>) {
  const nodes = new Map<string, Promise<Hash>>();
  const blocks = new Map<number, Promise<readonly Hash[]>>();
  let roots: Promise<readonly Hash[]> | undefined;

  function leavesOf(block: number): Promise<readonly Hash[]> {
    const known = blocks.get(block) ?? source.leavesOf(block);
    blocks.set(block, known);
    return known;
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
      roots ??= source.blockRoots(Number.MAX_SAFE_INTEGER);
      const root = (await roots)[block];
      if (root !== undefined) return root;
    }
    if (to - from <= eventsPerBlock) {
      const leaves = (await leavesOf(block)).slice(from % eventsPerBlock, (from % eventsPerBlock) + to - from);
      if (leaves.length < to - from) throw new RangeError(`the tree has no leaf of event ${to}`);
      const tree = createGrowingTree();
      for (const leaf of leaves) tree.add(leaf);
      return tree.root() ?? '';
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

interface Inclusion {
  readonly ordinal: number;
  readonly count: number;
  readonly leaf: string;
  readonly path: readonly string[];
}

/** Returns the root, in hex, that this path leads to (RFC 9162, 2.1.3.2), or undefined if its length does not fit. */
export function rootByInclusion({ ordinal, count, leaf, path }: Inclusion): string | undefined {
  if (ordinal < 1 || ordinal > count) return undefined;
  let root = fromHex(leaf);
  const reaches = climb([ordinal - 1, count - 1], path.map(fromHex), (hash, isLeft) => {
    root = isLeft ? nodeOf(hash, root) : nodeOf(root, hash);
  });
  return reaches ? toHex(root) : undefined;
}

const half = (number: number): number => Math.floor(number / 2);

/** Walks a path from a leaf to the root. Returns false if the path has too many or too few hashes. */
export function climb(
  [from, end]: readonly [index: number, last: number],
  path: readonly Hash[],
  take: (hash: Hash, isLeft: boolean) => void,
): boolean {
  let [index, last] = [from, end];
  for (const hash of path) {
    if (last === 0) return false;
    const isLeft = index % 2 === 1 || index === last;
    take(hash, isLeft);
    while (isLeft && index % 2 === 0 && index > 0) [index, last] = [half(index), half(last)];
    [index, last] = [half(index), half(last)];
  }
  return last === 0;
}
