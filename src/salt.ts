/** Salts for personal data. */
import { randomFillSync } from 'node:crypto';

/** 16 random bytes in hex, drawn from the system in larger portions. */
export function createSaltSource(): () => string {
  const pool = Buffer.alloc(16 * 256);
  let used = pool.length;
  return () => {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += 16;
    return pool.toString('hex', used - 16, used);
  };
}
