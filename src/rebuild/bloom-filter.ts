/** A Bloom filter: millions of ids in a few megabytes. An id that it does not have was never added; one that it has nearly always was. */

export interface BloomFilter {
  add(view: string, id: string): void;
  has(view: string, id: string): boolean;
}

/** 64 million bits: with 10 million ids, 5 % of new ones are taken for known. */
const bits = 2 ** 26;
const probes = 4;

export function createBloomFilter(): BloomFilter {
  const words = new Uint32Array(bits / 32);
  return {
    add(view, id) {
      const { first, step } = hashes(view, id);
      for (let probe = 0; probe < probes; probe += 1) {
        const bit = place(first, step, probe);
        words[bit >>> 5] = (words[bit >>> 5] ?? 0) | (1 << (bit & 31));
      }
    },
    has(view, id) {
      const { first, step } = hashes(view, id);
      for (let probe = 0; probe < probes; probe += 1) {
        const bit = place(first, step, probe);
        if (((words[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return false;
      }
      return true;
    },
  };
}

const place = (first: number, step: number, probe: number): number => (first + Math.imul(step, probe)) & (bits - 1);

/** FNV-1a twice, with different seeds, and mixed so that every bit counts. */
function hashes(view: string, id: string): { readonly first: number; readonly step: number } {
  let first = 0x811c9dc5;
  let step = 0x9e3779b9;
  for (const text of [view, id])
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      first = Math.imul(first ^ code, 0x01000193);
      step = Math.imul(step ^ code, 0x85ebca6b);
    }
  return { first: mixed(first), step: mixed(step) | 1 };
}

function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return half ^ (half >>> 15);
}
