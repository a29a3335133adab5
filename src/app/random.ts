/** Random bytes, drawn from the system in larger portions: asking it for a few at a time costs more than all that is made of them. */
import { randomFillSync } from 'node:crypto';

/** How often the system is asked less. */
const drawsPerPortion = 256;

/** So many random bytes at each call; they are the caller's until the next call. */
export function createRandomSource(bytes: number): () => Buffer {
  const portion = Buffer.alloc(bytes * drawsPerPortion);
  let used = portion.length;
  return () => {
    if (used === portion.length) {
      randomFillSync(portion);
      used = 0;
    }
    used += bytes;
    return portion.subarray(used - bytes, used);
  };
}
