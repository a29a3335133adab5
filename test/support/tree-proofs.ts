/** Verifies proofs as their reader does (RFC 9162, 2.1.3.2 and 2.1.4.2), because the service only makes them. */
import { fromHex, nodeOf, toHex, type Hash } from '../../src/eventstore/leaf.js';

interface Root {
  readonly count: number;
  readonly root: string;
}

const half = (number: number): number => Math.floor(number / 2);

/** Whether the newer tree contains the older one, unchanged. All in hex. */
export function isConsistent(older: Root, newer: Root, path: readonly string[]): boolean {
  if (older.count < 1 || older.count > newer.count) return false;
  if (older.count === newer.count) return path.length === 0 && older.root === newer.root;
  const isPowerOfTwo = Number.isInteger(Math.log2(older.count));
  const [first = '', ...rest] = (isPowerOfTwo ? [older.root, ...path] : path).map(fromHex);
  let [index, last] = [older.count - 1, newer.count - 1];
  while (index % 2 === 1) [index, last] = [half(index), half(last)];
  let [before, after] = [first, first];
  const reaches = climb([index, last], rest, (hash, isLeft) => {
    if (isLeft) before = nodeOf(hash, before);
    after = isLeft ? nodeOf(hash, after) : nodeOf(after, hash);
  });
  return reaches && toHex(before) === older.root && toHex(after) === newer.root;
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

/** Walks a path from a leaf to the root. Returns false if the path has too many or too few hashes. */
function climb(
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
