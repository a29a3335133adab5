/** Makes API keys that scanners of leaked secrets recognise: `aud_`, 32 random characters, and their checksum. */
import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomCharacters = 32;
const checksumCharacters = 6;

/** Matches `aud_[0-9A-Za-z]{38}`. The last six are the CRC-32 of the 32 before them, in base 62. */
export function newApiKey(): string {
  const random = Array.from({ length: randomCharacters }, () => digits.charAt(randomInt(digits.length))).join('');
  return `aud_${random}${checksumOf(random)}`;
}

function checksumOf(text: string): string {
  let checksum = '';
  for (let left = crc32(text); checksum.length < checksumCharacters; left = Math.floor(left / digits.length))
    checksum = digits.charAt(left % digits.length) + checksum;
  return checksum;
}
