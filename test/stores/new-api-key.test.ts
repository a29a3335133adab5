/** The form of generated API keys, as docs/keys.md tells it to scanners. */
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { newApiKey } from '../../src/stores/data-folder.js';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

test('a new key has the documented form, its checksum is right, and no two are alike', () => {
  const keys = Array.from({ length: 1_000 }, newApiKey);
  expect(new Set(keys).size).toBe(keys.length);
  for (const key of keys) {
    expect(key).toMatch(/^aud_[0-9A-Za-z]{38}$/);
    const checksum = [...key.slice(36)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
    expect(checksum).toBe(crc32(key.slice(4, 36)));
  }
});
