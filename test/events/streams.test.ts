import { expect, test } from 'vitest';
import { deriveStreamKeys } from '../../src/events/streams.js';

test('keys are HMAC-SHA-256 under keys derived from the secret; they are for ever', () => {
  const keys = deriveStreamKeys('a secret');
  expect(keys.contactKey('ann@example.com')).toBe('c2c7044a62d2743b34d85493fbfdb537');
  expect(keys.emailKey({ emailId: 'eml_1' })).toBe('3c2c794276792c51933d1ea605b67c30');
  expect(keys.emailKey({ idempotencyKey: 'ä' })).toBe('f0b57ff7c142fd9c0986f946bb33089e');
  expect(keys.creationKey('ä')).toBe('701c61ec8d4f2a659ac481b7912e9ab0');
  expect(keys.requestHash(['a', 'b', 'c', 'd'])).toBe('d4e143328bc1e0b154f3e84ff1b2dec4');
  const salt = '000102030405060708090a0b0c0d0e0f';
  expect(keys.requestHash(['a', 'b', 'c', 'd', {}], salt)).toBe('2979e0c4dc974f5e91d1fbd60baaee5b');
  expect(keys.fingerprint('x')).toBe('d44b4b9db6dfa27db0c358533d8a29b7');
});

test('spellings of one address have one key, other secrets other keys', () => {
  const keys = deriveStreamKeys('a secret');
  expect(keys.contactKey(' Ann@Example.COM ')).toBe(keys.contactKey('ann@example.com'));
  expect(deriveStreamKeys('another').contactKey('ann@example.com')).not.toBe(keys.contactKey('ann@example.com'));
});
