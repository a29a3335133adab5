/** The Merkle tree as RFC 9162 (section 2.1) defines it: slow, recursive and independent of the code that is tested with it. */
import { hash } from 'node:crypto';

const nodeOf = (left: string, right: string): string => hash('sha256', Buffer.from(`01${left}${right}`, 'hex'));

function halfOf(leaves: number): number {
  let half = 1;
  while (half * 2 < leaves) half *= 2;
  return half;
}

function halves(leaves: readonly string[]): readonly [readonly string[], readonly string[]] {
  const half = halfOf(leaves.length);
  return [leaves.slice(0, half), leaves.slice(half)];
}

/** Returns MTH(leaves), section 2.1.1. All hashes are hex. */
export function rootOf(leaves: readonly string[]): string {
  if (leaves.length < 2) return leaves[0] ?? '';
  const [left, right] = halves(leaves);
  return nodeOf(rootOf(left), rootOf(right));
}

/** Returns PATH(index, leaves), section 2.1.3.1. */
export function inclusion(index: number, leaves: readonly string[]): readonly string[] {
  if (leaves.length < 2) return [];
  const [left, right] = halves(leaves);
  return index < left.length
    ? [...inclusion(index, left), rootOf(right)]
    : [...inclusion(index - left.length, right), rootOf(left)];
}

/** Returns PROOF(count, leaves), section 2.1.4.1. */
export const consistency = (count: number, leaves: readonly string[]): readonly string[] =>
  subproof(count, leaves, true);

function subproof(count: number, leaves: readonly string[], isWhole: boolean): readonly string[] {
  if (count === leaves.length) return isWhole ? [] : [rootOf(leaves)];
  const [left, right] = halves(leaves);
  return count <= left.length
    ? [...subproof(count, left, isWhole), rootOf(right)]
    : [...subproof(count - left.length, right, false), rootOf(left)];
}
