/** The Merkle tree of RFC 9162 over the leaves of the events, in log order. Roots of complete blocks are stored, so that a proof reads one block and not the whole log. */
import { nodeOf, type Hash } from './leaf.js';
import type { Position } from './event-store.js';

/** A power of two, so that the root of a complete block is a node of the tree however long the log is. */
export const eventsPerBlock = 256;

/** Returns the number, from 0, of the block with this event. */
export const blockOf = (ordinal: number): number => Math.floor((ordinal - 1) / eventsPerBlock);

/** The state of a tree: its size and the roots of its complete subtrees, the largest first. Plain data that crosses threads. */
export interface Frontier {
  readonly count: number;
  readonly nodes: readonly Hash[];
}

export const emptyFrontier: Frontier = { count: 0, nodes: [] };

/** Returns the root of the tree, or undefined if the tree is empty. */
export const rootOf = ({ nodes }: Frontier): Hash | undefined =>
  nodes.length === 0 ? undefined : nodes.reduceRight((right, left) => nodeOf(left, right));

export type GrowingTree = ReturnType<typeof createGrowingTree>;

/** Creates a tree that grows leaf by leaf. It holds one node for each binary digit 1 of its size. */
export function createGrowingTree(from: Frontier = emptyFrontier) {
  const nodes: Hash[] = [...from.nodes];
  let { count } = from;

  /** Adds a complete subtree. Returns the root of the block that it completes. */
  function push(subtree: Hash, leaves: number): Hash | undefined {
    count += leaves;
    let node = subtree;
    let block: Hash | undefined;
    for (let size = leaves; count % (2 * size) === 0; size *= 2) {
      node = nodeOf(nodes.pop() ?? '', node);
      if (2 * size === eventsPerBlock) block = node;
    }
    nodes.push(node);
    return block;
  }

  return {
    count: () => count,
    /** Returns the root of the block that this leaf completes, or undefined. */
    add: (leaf: Hash): Hash | undefined => push(leaf, 1),
    /** Adds a whole block by its root. @throws RangeError if the block before is not complete */
    addBlock(root: Hash): void {
      if (count % eventsPerBlock !== 0) throw new RangeError(`the tree has ${count} leaves, and no block begins there`);
      push(root, eventsPerBlock);
    },
    /** Returns undefined before the first leaf. */
    root: (): Hash | undefined => rootOf({ count, nodes }),
    frontier: (): Frontier => ({ count, nodes: [...nodes] }),
  };
}

/** Reads the tree of a log for proofs and comparisons. @throws StoreUnavailableError @throws ReadModelsUnavailableError */
export interface TreeSource {
  /** Number of events in the tree. */
  count(): Promise<number>;
  /** Stored roots of the first complete blocks, in order. Fewer than asked for if fewer are stored. */
  blockRoots(blocks: number): Promise<readonly Hash[]>;
  /** Leaves of the events of a block, computed from the events as they are in the log now. */
  leavesOf(block: number): Promise<readonly Hash[]>;
  /** Numbers of the events at these positions; undefined if there is no event, or it is not in the tree yet. */
  ordinalsAt(positions: readonly Position[]): Promise<readonly (number | undefined)[]>;
  /** Returns whether the tree lacks some of the first `count` events, although the log may have them. Absent if the tree has all events of the log. */
  isBehind?(count: number): Promise<boolean>;
}

/**
 * Returns the state of the tree over the first events, from stored block roots and the leaves of the last block.
 * @throws RangeError if the tree has fewer events, or a block root is missing
 */
export async function frontierAt(
  source: Pick<TreeSource, 'blockRoots' | 'leavesOf'>,
  count: number,
): Promise<Frontier> {
  const blocks = Math.floor(count / eventsPerBlock);
  const roots = await source.blockRoots(blocks);
  if (roots.length < blocks) throw new RangeError(`the root of block ${roots.length} is not stored`);
  const tree = createGrowingTree();
  for (const root of roots) tree.addBlock(root);
  const rest = count - blocks * eventsPerBlock;
  const leaves = rest === 0 ? [] : (await source.leavesOf(blocks)).slice(0, rest);
  if (leaves.length < rest) throw new RangeError(`the tree has no event ${count}`);
  for (const leaf of leaves) tree.add(leaf);
  return tree.frontier();
}
