/** Random UUIDs (RFC 9562, version 4) of one piece: `randomUUID` puts each together from twenty, which the garbage collector has to gather. */
import { createRandomSource } from './random.js';

const digits = Buffer.from('0123456789abcdef', 'latin1');
/** The group of digits that a byte is in; before each but the first stands a hyphen. */
const group = (byte: number): number => (byte < 4 ? 0 : byte < 10 ? (byte >> 1) - 1 : 4);

export function createUuidSource(): () => string {
  const nextRandom = createRandomSource(16);
  const text = Buffer.alloc(36, '-');
  return () => {
    const bytes = nextRandom();
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    for (let index = 0; index < 16; index += 1) {
      const byte = bytes[index] ?? 0;
      const at = 2 * index + group(index);
      text[at] = digits[byte >> 4] ?? 0;
      text[at + 1] = digits[byte & 15] ?? 0;
    }
    return text.toString('latin1');
  };
}
