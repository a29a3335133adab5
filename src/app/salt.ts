/** Salts for personal data. */
import { createRandomSource } from './random.js';

/** 16 random bytes in hex. */
export function createSaltSource(): () => string {
  const next = createRandomSource(16);
  return () => next().toString('hex');
}
