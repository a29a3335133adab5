/** Ids and salts from the randomness of node:crypto. */
import { randomFillSync, randomUUID } from 'node:crypto';

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const randomBits = 80n;
const saltBytes = 16;

/**
 * A source of ULIDs (github.com/ulid/spec): 48 bits of time, 80 random ones, in Crockford's base 32. Within one
 * millisecond, and while the clock stands before the last one, they count up, so that ids sort as they were made.
 */
export function createUlidSource(now: () => number): () => string {
  let last = 0n;
  return () => {
    const time = BigInt(now());
    if (time > last >> randomBits) last = (time << randomBits) | random80();
    else last += 1n;
    const digits = last.toString(32).padStart(26, '0');
    return digits.replaceAll(/[a-v]/g, (digit) => crockford.charAt(Number.parseInt(digit, 32)));
  };
}

/** All groups of a UUID but the third and fourth are random throughout. */
function random80(): bigint {
  const uuid = randomUUID();
  return BigInt(`0x${uuid.slice(0, 8)}${uuid.slice(24)}`);
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
