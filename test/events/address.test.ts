/** Addresses: which there are, and the form that names their stream. The vectors hold on every version of Node. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { comparedAddress, hasInvisibleCharacter, isAddress, sentAddress } from '../../src/events/address.js';
import { deriveStreamKeys } from '../../src/events/streams.js';
import { usually } from '../support/amount.js';

const vectors = z
  .object({
    secret: z.string(),
    accepted: z.array(
      z.object({ what: z.string(), address: z.string(), compared: z.string(), sent: z.string(), key: z.string() }),
    ),
    refused: z.array(z.object({ what: z.string(), address: z.string() })),
  })
  .parse(JSON.parse(readFileSync(new URL('addresses.json', import.meta.url), 'utf8')));
const keys = deriveStreamKeys(vectors.secret);

describe('an address', () => {
  test.each(vectors.accepted)('$what', ({ address, compared, sent, key }) => {
    expect(isAddress(address)).toBe(true);
    expect(comparedAddress(address)).toBe(compared);
    expect(sentAddress(address)).toBe(sent);
    expect(keys.contactKey(address)).toBe(key);
  });

  test.each(vectors.refused)('not: $what', ({ address }) => {
    expect(isAddress(address)).toBe(false);
  });
});

test('a character that nobody can see is found, and no address contains one', () => {
  for (const unseen of [
    0xa0, 0xad, 0x200b, 0x200e, 0x2028, 0x202e, 0x202f, 0x2060, 0x3000, 0x3164, 0xfe0f, 0xfeff, 0xe0041,
  ]) {
    const address = `ada${String.fromCodePoint(unseen)}@example.com`;
    expect([unseen, hasInvisibleCharacter(address), isAddress(address)]).toEqual([unseen, true, false]);
  }
  for (const { address } of vectors.accepted) expect(hasInvisibleCharacter(address)).toBe(false);
});

test('the compared form and every spelling of it are one address', () => {
  const unit = fc.oneof(
    fc.constantFrom(...'aAzß.-İΣςπ\u0301\u0323é\u212bǰ漢भ\u0940אם٢ａ'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  );
  const part = fc.array(unit, { minLength: 1, maxLength: 8 }).map((units) => units.join(''));
  fc.assert(
    fc.property(part, part, (local, domain) => {
      const address = `${local}@${domain}.com`;
      if (!isAddress(address)) return;
      const compared = comparedAddress(address);
      expect(compared).toMatch(/@[a-z0-9.-]+$/);
      for (const spelling of [compared, sentAddress(address), address.normalize('NFC'), address.normalize('NFD')]) {
        expect(isAddress(spelling)).toBe(true);
        expect(comparedAddress(spelling)).toBe(compared);
      }
    }),
    { numRuns: usually(1_000, 20_000) },
  );
});
