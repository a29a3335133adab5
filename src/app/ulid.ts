/** ULIDs (github.com/ulid/spec): 48 bits of time, 80 random ones, in Crockford's base 32; increasing within a process. */
import { createRandomSource } from './random.js';

const alphabet = Buffer.from('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 'latin1');
const timeDigits = 10;
const randomDigits = 16;

/**
 * A source of ULIDs. Within one millisecond the random part counts up, so that ids sort as they were made; a clock that
 * is set back does not make them go back.
 */
export function createUlidSource(now: () => number): () => string {
  const nextRandom = createRandomSource(randomDigits);
  let time = -1;
  /** Values of the digits, most significant first, and their characters. */
  const digits = new Uint8Array(timeDigits + randomDigits);
  const text = Buffer.alloc(digits.length);

  function put(index: number, digit: number): void {
    digits[index] = digit;
    text[index] = alphabet[digit] ?? 0;
  }

  function begin(next: number): void {
    time = next;
    for (let rest = next, index = timeDigits - 1; index >= 0; index -= 1) {
      put(index, rest % 32);
      rest = Math.floor(rest / 32);
    }
    const random = nextRandom();
    for (let index = 0; index < randomDigits; index += 1) put(timeDigits + index, (random[index] ?? 0) & 31);
  }

  /** Adds one; false when all digits were at their highest. */
  function increment(): boolean {
    for (let index = digits.length - 1; index >= timeDigits; index -= 1) {
      const digit = digits[index] ?? 0;
      if (digit < 31) {
        put(index, digit + 1);
        return true;
      }
      put(index, 0);
    }
    return false;
  }

  return () => {
    const current = now();
    if (current > time) begin(current);
    else if (!increment()) begin(time + 1);
    return text.toString('latin1');
  };
}
