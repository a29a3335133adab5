/** ULIDs (github.com/ulid/spec): 48 bits of time, 80 random ones, in Crockford's base 32; increasing within a process. */
import { randomFillSync } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * A source of ULIDs. Within one millisecond the random part counts up, so that ids sort as they were made; a clock that
 * is set back does not make them go back.
 */
export function createUlidSource(now: () => number): () => string {
  const random = new Uint8Array(16);
  let time = -1;
  let prefix = '';
  /** The random part as 16 digits of base 32, most significant first. */
  const digits = new Uint8Array(16);

  function begin(next: number): void {
    time = next;
    prefix = timeDigits(next);
    randomFillSync(random);
    for (let index = 0; index < 16; index += 1) digits[index] = (random[index] ?? 0) & 31;
  }

  /** Adds one; false when all digits were at their highest. */
  function increment(): boolean {
    for (let index = 15; index >= 0; index -= 1) {
      const digit = digits[index] ?? 0;
      if (digit < 31) {
        digits[index] = digit + 1;
        return true;
      }
      digits[index] = 0;
    }
    return false;
  }

  return () => {
    const current = now();
    if (current > time) begin(current);
    else if (!increment()) begin(time + 1);
    let text = prefix;
    for (const digit of digits) text += alphabet[digit] ?? '';
    return text;
  };
}

function timeDigits(time: number): string {
  let text = '';
  for (let rest = time, count = 0; count < 10; count += 1) {
    text = (alphabet[rest % 32] ?? '') + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
