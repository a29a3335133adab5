/** Proofs over the tree, compared with a literal implementation of RFC 9162, and with what is no proof. */
import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createGrowingTree, eventsPerBlock } from '../../src/eventstore/tree.js';
import { createTree } from '../../src/integrity/tree-proofs.js';
import { usually } from '../support/amount.js';
import { isConsistent, rootByInclusion } from '../support/tree-proofs.js';

const sha256 = (...parts: readonly Buffer[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();
const largest = 5_000;
const leaves = Array.from({ length: largest }, () => randomBytes(32));

const leafAt = (index: number): Buffer => leaves[index] ?? Buffer.alloc(0);

/** 2.1.1, over leaves that are hashed already. */
const known = new Map<string, Buffer>();
function obviousRoot(from: number, to: number): Buffer {
  const name = `${from}-${to}`;
  let root = known.get(name);
  if (root !== undefined) return root;
  let split = 1;
  while (2 * split < to - from) split *= 2;
  root =
    to - from === 1
      ? leafAt(from)
      : sha256(Buffer.from([1]), obviousRoot(from, from + split), obviousRoot(from + split, to));
  known.set(name, root);
  return root;
}

/** A log of so many events; it keeps the roots of its complete blocks, or has lost some. */
const sourceOf = (count: number, kept = Math.floor(count / eventsPerBlock)): Parameters<typeof createTree>[0] => ({
  blockRoots: async (blocks) =>
    Array.from({ length: Math.min(blocks, kept) }, (_, block) =>
      obviousRoot(block * eventsPerBlock, (block + 1) * eventsPerBlock).toString('latin1'),
    ),
  leavesOf: async (block) =>
    leaves
      .slice(block * eventsPerBlock, Math.min(count, (block + 1) * eventsPerBlock))
      .map((leaf) => leaf.toString('latin1')),
});

const hexLeaf = (ordinal: number): string => leaves[ordinal - 1]?.toString('hex') ?? '';
const rootAt = (count: number): string => obviousRoot(0, count).toString('hex');
/** Around blocks and powers of two, where it could go wrong. */
const sizes = fc.oneof(
  fc.integer({ min: 1, max: 40 }),
  fc.constantFrom(255, 256, 257, 511, 512, 513, 767, 768, 1_023, 1_024, 1_025, 2_048, 4_096, 4_999, 5_000),
  fc.integer({ min: 1, max: largest }),
);
const twoOf = sizes.chain((count) => fc.tuple(fc.integer({ min: 1, max: count }), fc.constant(count)));
const numRuns = usually(80, 2_000);

test('a growing tree has the root of RFC 9162 at each size, and gives the roots of complete blocks', () => {
  const tree = createGrowingTree();
  expect(tree.root()).toBeUndefined();
  for (let count = 1; count <= 1_100; count += 1) {
    const block = tree.add(leafAt(count - 1).toString('latin1'));
    expect(Buffer.from(tree.root() ?? '', 'latin1').toString('hex')).toBe(rootAt(count));
    const isComplete = count % eventsPerBlock === 0;
    const wanted = isComplete ? obviousRoot(count - eventsPerBlock, count).toString('latin1') : undefined;
    expect(block).toBe(wanted);
  }
});

describe('inclusion', () => {
  test('the inclusion path of any event at any count leads to the root, and to no other', async () => {
    await fc.assert(
      fc.asyncProperty(twoOf, fc.nat(), async ([ordinal, count], other) => {
        const tree = createTree(sourceOf(largest, count % 3));
        const path = await tree.inclusion(ordinal, count);
        const proof = { ordinal, count, leaf: hexLeaf(ordinal), path };
        expect(await tree.rootAt(count)).toBe(rootAt(count));
        expect(rootByInclusion(proof)).toBe(rootAt(count));
        expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(count)));
        if (path.length > 0) expect(rootByInclusion({ ...proof, path: path.slice(1) })).not.toBe(rootAt(count));
        const another = (other % largest) + 1;
        if (another === ordinal) return;
        expect(rootByInclusion({ ...proof, leaf: hexLeaf(another) })).not.toBe(rootAt(count));
        expect(rootByInclusion({ ...proof, ordinal: another })).not.toBe(rootAt(count));
        expect(rootByInclusion({ ...proof, path: [...path, hexLeaf(1)] })).toBeUndefined();
      }),
      { numRuns },
    );
  });

  test('the inclusion path of each event of small logs leads to the root', async () => {
    for (let count = 1; count <= 18; count += 1)
      for (let ordinal = 1; ordinal <= count; ordinal += 1) {
        const path = await createTree(sourceOf(count)).inclusion(ordinal, count);
        expect(rootByInclusion({ ordinal, count, leaf: hexLeaf(ordinal), path })).toBe(rootAt(count));
      }
  });

  test('the inclusion of an event that does not exist is refused', async () => {
    const tree = createTree(sourceOf(300));
    for (const [ordinal, count] of [
      [0, 300],
      [301, 300],
      [1, 301],
      [1.5, 300],
      [300, 5_000],
    ] as const)
      await expect(tree.inclusion(ordinal, count)).rejects.toThrow(RangeError);
    expect(rootByInclusion({ ordinal: 2, count: 1, leaf: hexLeaf(1), path: [] })).toBeUndefined();
  });
});

describe('consistency', () => {
  test('the consistency of any two counts of one log holds, and with another root it does not', async () => {
    await fc.assert(
      fc.asyncProperty(twoOf, async ([first, second]) => {
        const path = await createTree(sourceOf(largest)).consistency(first, second);
        const older = { count: first, root: rootAt(first) };
        const newer = { count: second, root: rootAt(second) };
        expect(isConsistent(older, newer, path)).toBe(true);
        const wrong = hexLeaf(7);
        expect(isConsistent({ ...older, root: wrong }, newer, path)).toBe(false);
        expect(isConsistent(older, { ...newer, root: wrong }, path)).toBe(false);
        expect(isConsistent(older, newer, [...path, wrong])).toBe(false);
        if (path.length > 0) expect(isConsistent(older, newer, path.slice(1))).toBe(false);
        if (first < second) expect(isConsistent(newer, older, path)).toBe(false);
      }),
      { numRuns },
    );
  });

  test('the consistency of each two counts of small logs holds', async () => {
    for (let second = 1; second <= 17; second += 1)
      for (let first = 1; first <= second; first += 1) {
        const path = await createTree(sourceOf(second)).consistency(first, second);
        const older = { count: first, root: rootAt(first) };
        expect(isConsistent(older, { count: second, root: rootAt(second) }, path)).toBe(true);
      }
  });
});
