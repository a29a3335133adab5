/** Millions of names in a few megabytes: one that it does not have was never added; one that it has nearly always was. */

/** A name may be of several parts. `bits`: a power of two, 8 to 2 ** 31; with 8 for each name, 2 % of others are taken for known, with 16 0.2 %. */
export function createBloomFilter(bits: number) {
  const bytes = new Uint8Array(bits / 8);
  const byteAt = (bit: number): number => bytes[bit >>> 3] ?? 0;
  const bitsOf = (parts: readonly string[]): readonly number[] => probes(parts).map((probe) => probe & (bits - 1));
  return {
    add(...name: readonly string[]): void {
      for (const bit of bitsOf(name)) bytes[bit >>> 3] = byteAt(bit) | (1 << (bit & 7));
    },
    has: (...name: readonly string[]): boolean => bitsOf(name).every((bit) => (byteAt(bit) & (1 << (bit & 7))) !== 0),
  };
}

/** FNV-1a twice, with different seeds, and mixed so that every bit counts. */
function probes(parts: readonly string[]): readonly number[] {
  let first = 0x811c9dc5;
  let step = 0x9e3779b9;
  for (const text of parts)
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      first = Math.imul(first ^ code, 0x01000193);
      step = Math.imul(step ^ code, 0x85ebca6b);
    }
  first = mixed(first);
  step = mixed(step) | 1;
  return [0, 1, 2, 3].map((probe) => first + Math.imul(step, probe));
}

function mixed(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return half ^ (half >>> 15);
}
