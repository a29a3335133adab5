/** The Merkle tree of RFC 9162 over the leaves of the events, in the order of the log. Its nodes over complete blocks are kept, so that a proof reads a block and not the log. */
import { nodeOf, type Hash } from './chain.js';
import type { Position } from './event-store.js';

/** A power of two: the root of a complete block is a node of the tree, however long the log is. */
export const eventsPerBlock = 256;

/** The block with the event of this ordinal, from 0. */
export const blockOf = (ordinal: number): number => Math.floor((ordinal - 1) / eventsPerBlock);

export type GrowingTree = ReturnType<typeof createGrowingTree>;

/** A tree that grows leaf by leaf. It holds one node for each binary digit of its size. */
export function createGrowingTree() {
  /** Roots of complete subtrees, the largest first. */
  const nodes: Hash[] = [];
  let count = 0;
  return {
    /** The root of the block that this leaf completes. */
    add(leaf: Hash): Hash | undefined {
      count += 1;
      let node = leaf;
      let block: Hash | undefined;
      for (let size = 1; count % (2 * size) === 0; size *= 2) {
        node = nodeOf(nodes.pop() ?? '', node);
        if (2 * size === eventsPerBlock) block = node;
      }
      nodes.push(node);
      return block;
    },
    /** Undefined before the first leaf. */
    root: (): Hash | undefined =>
      nodes.length === 0 ? undefined : nodes.reduceRight((right, left) => nodeOf(left, right)),
  };
}

/** What proofs are made of. Reads are those of a log, or of what is kept beside the views. */
export interface TreeSource {
  /** How many events have a leaf in it. */
  count(): Promise<number>;
  /** Roots of the first complete blocks, in order, at most as many as asked for; fewer where fewer are kept. */
  blockRoots(blocks: number): Promise<readonly Hash[]>;
  /** Leaves of the events of a block, of all that there are. @throws AlteredEventError one does not fit its link */
  leavesOf(block: number): Promise<readonly Hash[]>;
  /** Numbers of the events that stand there; undefined: none does, or it has no leaf yet. */
  ordinalsAt(positions: readonly Position[]): Promise<readonly (number | undefined)[]>;
  /** The link of the event with this number, in hex, as it is kept; undefined: it has none yet. */
  linkAt(ordinal: number): Promise<string | undefined>;
}
