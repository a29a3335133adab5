import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deriveStreamKeys, keyedHash } from '../../src/events/streams.js';

const byNode = (key: Buffer, text: string): string =>
  createHmac('sha256', key).update(text, 'utf8').digest('hex').slice(0, 32);

test('a keyed hash is the beginning of HMAC-SHA-256, whatever the text and the length of the key', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 0, maxLength: 64 }),
      fc.array(fc.string({ unit: 'binary', maxLength: 300 }), { minLength: 1, maxLength: 5 }),
      (bytes, texts) => {
        const key = Buffer.from(bytes);
        const hash = keyedHash(key);
        for (const text of texts) expect(hash(text)).toBe(byNode(key, text));
      },
    ),
  );
  const key = Buffer.alloc(32, 7);
  for (const text of ['', '\ud800', 'ä'.repeat(500_000)]) expect(keyedHash(key)(text)).toBe(byNode(key, text));
});

test('a key that would have to be hashed first is refused', () => {
  expect(() => keyedHash(Buffer.alloc(65))).toThrow(RangeError);
});

test('spellings of one address have one key, other secrets other keys; both are for ever', () => {
  const keys = deriveStreamKeys('a secret');
  expect(keys.contactKey(' Ann@Example.COM ')).toBe(keys.contactKey('ann@example.com'));
  expect(deriveStreamKeys('another').contactKey('ann@example.com')).not.toBe(keys.contactKey('ann@example.com'));
});
