/** The tree of the log against an obvious implementation of RFC 9162. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromHex, hashOf, type Hash } from '../../src/eventstore/leaf.js';
import {
  blockOf,
  createGrowingTree,
  emptyFrontier,
  eventsPerBlock,
  frontierAt,
  rootOf,
} from '../../src/eventstore/tree.js';

const most = 2_000;
const sha256 = (...parts: readonly Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
const leaves = Array.from({ length: most }, (_, index) =>
  hashOf(sha256(Buffer.from([0]), Buffer.from(`leaf ${index}`))),
);

/** MTH of RFC 9162, section 2.1.1, over hashed leaves. */
function expectedRoot(hashes: readonly Hash[]): Hash {
  const [only = ''] = hashes;
  if (hashes.length === 1) return only;
  const split = 2 ** Math.floor(Math.log2(hashes.length - 1));
  const [left, right] = [expectedRoot(hashes.slice(0, split)), expectedRoot(hashes.slice(split))];
  return hashOf(sha256(Buffer.from([1]), Buffer.from(left, 'latin1'), Buffer.from(right, 'latin1')));
}

function grown(count: number) {
  const tree = createGrowingTree();
  const blocks: Hash[] = [];
  for (const leaf of leaves.slice(0, count)) {
    const root = tree.add(leaf);
    if (root !== undefined) blocks.push(root);
  }
  return { tree, blocks };
}

/** Leaves around the sizes at which the shape of the tree changes, and any others. */
const size = fc.oneof(
  fc.integer({ min: 1, max: most }),
  fc.constantFrom(1, 2, 3, 255, 256, 257, 511, 512, 513, 768, 1_023, 1_024, 1_025, 1_792, most),
);

describe('a growing tree', () => {
  test('a growing tree has the root of RFC 9162 at each size', () => {
    fc.assert(
      fc.property(size, (count) => {
        expect(grown(count).tree.root()).toBe(expectedRoot(leaves.slice(0, count)));
      }),
      { numRuns: 60 },
    );
  });

  test('a growing tree returns the root of each block of 256 leaves with its last leaf, and nothing otherwise', () => {
    const { blocks } = grown(most);
    expect(blocks).toEqual(
      Array.from({ length: Math.floor(most / eventsPerBlock) }, (_, block) =>
        expectedRoot(leaves.slice(block * eventsPerBlock, (block + 1) * eventsPerBlock)),
      ),
    );
    expect([1, 256, 257, 512, 513].map(blockOf)).toEqual([0, 0, 1, 1, 2]);
  });

  test('a growing tree continues from the frontier of another tree, which it does not change', () => {
    fc.assert(
      fc.property(size, size, (one, other) => {
        const [from, to] = [Math.min(one, other), Math.max(one, other)];
        const frontier = structuredClone(grown(from).tree.frontier());
        const before = structuredClone(frontier);
        const tree = createGrowingTree(frontier);
        for (const leaf of leaves.slice(from, to)) tree.add(leaf);
        expect(frontier).toEqual(before);
        expect(tree.frontier()).toEqual(grown(to).tree.frontier());
        expect(rootOf(tree.frontier())).toBe(expectedRoot(leaves.slice(0, to)));
      }),
      { numRuns: 40 },
    );
  });

  test('a growing tree gives a frontier that later leaves do not change', () => {
    const { tree } = grown(700);
    const frontier = tree.frontier();
    const copy = structuredClone(frontier);
    for (const leaf of leaves.slice(700, 900)) tree.add(leaf);
    expect(frontier).toEqual(copy);
    expect(frontier.nodes).toHaveLength(6);
  });

  test('a growing tree is the same whether blocks are added leaf by leaf or by their roots', () => {
    fc.assert(
      fc.property(size, (count) => {
        const { tree: expected, blocks } = grown(count);
        const tree = createGrowingTree();
        for (const root of blocks) tree.addBlock(root);
        for (const leaf of leaves.slice(blocks.length * eventsPerBlock, count)) tree.add(leaf);
        expect(tree.frontier()).toEqual(expected.frontier());
      }),
      { numRuns: 40 },
    );
  });

  test('a growing tree refuses a block in the middle of another block', () => {
    const { tree } = grown(257);
    expect(() => tree.addBlock(leaves[0] ?? '')).toThrow(RangeError);
    expect(tree.count()).toBe(257);
  });

  test('a growing tree has no root before the first leaf', () => {
    expect(createGrowingTree().root()).toBeUndefined();
    expect(rootOf(emptyFrontier)).toBeUndefined();
    expect(createGrowingTree().frontier()).toEqual(emptyFrontier);
  });

  test('a growing tree has the leaf of a single event as its root', () => {
    expect(grown(1).tree.root()).toBe(leaves[0]);
  });
});

describe('the frontier of a stored tree', () => {
  const sourceOf = (count: number, { missing }: { missing?: number } = {}) => {
    const { blocks } = grown(count);
    const reads: number[] = [];
    return {
      reads,
      blockRoots: (wanted: number) => Promise.resolve(blocks.slice(0, Math.min(wanted, missing ?? wanted))),
      leavesOf(block: number) {
        reads.push(block);
        return Promise.resolve(leaves.slice(block * eventsPerBlock, Math.min(count, (block + 1) * eventsPerBlock)));
      },
    };
  };

  test('the frontier of a stored tree is that of the first events, for each count up to the size of the tree', async () => {
    await fc.assert(
      fc.asyncProperty(size, size, async (one, other) => {
        const [count, whole] = [Math.min(one, other), Math.max(one, other)];
        expect(await frontierAt(sourceOf(whole), count)).toEqual(grown(count).tree.frontier());
      }),
      { numRuns: 40 },
    );
  });

  test('the frontier of a stored tree reads the leaves of one block at most', async () => {
    const source = sourceOf(1_500);
    await frontierAt(source, 1_000);
    expect(source.reads).toEqual([3]);
    await frontierAt(source, 1_024);
    expect(source.reads).toEqual([3]);
  });

  test('the frontier of a stored tree does not exist beyond the last event, nor without the block roots before it', async () => {
    await expect(frontierAt(sourceOf(300), 301)).rejects.toThrow(new RangeError('the tree has no event 301'));
    await expect(frontierAt(sourceOf(600, { missing: 1 }), 520)).rejects.toThrow(
      new RangeError('the root of block 1 is not stored'),
    );
  });

  test('the frontier of a stored tree is empty for no events', async () => {
    expect(await frontierAt(sourceOf(300), 0)).toEqual(emptyFrontier);
  });
});

test('a stored root in hex is the root again after it was read', () => {
  const root = grown(3).tree.root() ?? '';
  expect(fromHex(Buffer.from(root, 'latin1').toString('hex'))).toBe(root);
});
