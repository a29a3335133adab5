/** RFC 9162, 2.1.4.2, as a reader of a consistency proof carries it out: the service only makes them. */
import { fromHex, nodeOf, toHex } from '../../src/eventstore/leaf.js';
import { climb } from '../../src/integrity/tree-proofs.js';

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
