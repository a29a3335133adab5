/** Ids and salts from the randomness of node:crypto. */
import { randomFillSync, randomUUID } from 'node:crypto';

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const saltBytes = 16;

/**
 * A source of ULIDs (github.com/ulid/spec): 48 bits of time, 80 random ones, in Crockford's base 32. Within one
 * millisecond, and while the clock stands before the last one, they count up, so that ids sort as they were made. The random
 * bits are the last ones of UUIDs.
 */
export function createUlidSource(now: () => number, newUuid: () => string = randomUUID): () => string {
  const random40 = (): number => Number.parseInt(newUuid().slice(-10), 16);
  let time = -1;
  let [high, low] = [0, 0];
  return () => {
    const at = now();
    if (at > time) [time, high, low] = [at, random40(), random40()];
    else low += 1;
    if (low === 2 ** 40) [high, low] = [high + 1, 0];
    return digits(time, 10) + digits(high, 8) + digits(low, 8);
  };
}

function digits(value: number, count: number): string {
  let text = '';
  for (let left = value; text.length < count; left = Math.floor(left / 32)) text = crockford.charAt(left % 32) + text;
  return text;
}

/** A source of salts: 16 random bytes in hex. Drawn many at a time, because each draw costs more than a salt. */
export function createSaltSource(): () => string {
  const pool = Buffer.alloc(256 * saltBytes);
  let used = pool.length;
  return () => {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += saltBytes;
    return pool.toString('hex', used - saltBytes, used);
  };
}
