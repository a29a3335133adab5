/** A Bloom filter: millions of ids in a few megabytes. An id that it does not have was never added; one that it has nearly always was. */

/** 64 million bits: with 10 million ids, 5 % of new ones are taken for known. */
const bits = 2 ** 26;

export function createBloomFilter() {
  const bytes = new Uint8Array(bits / 8);
  const byteAt = (bit: number): number => bytes[bit >>> 3] ?? 0;
  return {
    add(view: string, id: string): void {
      for (const bit of bitsOf(view, id)) bytes[bit >>> 3] = byteAt(bit) | (1 << (bit & 7));
    },
    has: (view: string, id: string): boolean => bitsOf(view, id).every((bit) => (byteAt(bit) & (1 << (bit & 7))) !== 0),
  };
}

/** FNV-1a twice, with different seeds, and mixed so that every bit counts. */
function bitsOf(view: string, id: string): readonly number[] {
  let first = 0x811c9dc5;
  let step = 0x9e3779b9;
  for (const text of [view, id])
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      first = Math.imul(first ^ code, 0x01000193);
      step = Math.imul(step ^ code, 0x85ebca6b);
    }
  first = mixed(first);
  step = mixed(step) | 1;
  return [0, 1, 2, 3].map((probe) => (first + Math.imul(step, probe)) & (bits - 1));
}

function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return half ^ (half >>> 15);
}
