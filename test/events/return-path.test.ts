import { expect, test } from 'vitest';
import { emailOfReturnPath, longestReturnPathName, returnPathOf } from '../../src/events/return-path.js';
import { deriveStreamKeys } from '../../src/events/streams.js';

const { returnPathMac: macOf } = deriveStreamKeys('a secret');
const emailId = 'eml_01ARZ3NDEKTSV4RRFFQ69G5FAV';
const address = returnPathOf(emailId, 'bounce@mail.example.com', macOf);

test('a return path is the same for ever', () => {
  expect(address).toBe('bounce+eml_01ARZ3NDEKTSV4RRFFQ69G5FAV.3da6p6xunb3qcnb6@mail.example.com');
});

test('it is read in any case, with anything around it, under any name', () => {
  for (const text of [
    address,
    address.toLowerCase(),
    address.toUpperCase(),
    `<${address}>`,
    ` ${address} `,
    `SRS0=abcd=TT=mail.example.com=${address.replace('@mail', '@elsewhere.mail')}`,
    returnPathOf(emailId, 'other@example.org', macOf),
  ])
    expect(emailOfReturnPath(text, macOf)).toBe(emailId);
});

test('a forged, cut or foreign one is none', () => {
  const { returnPathMac: foreign } = deriveStreamKeys('another secret');
  for (const text of [
    '',
    'bounce@mail.example.com',
    address.replace('FAV.', 'FAW.'),
    address.replace('.3da6', '.3da7'),
    address.replace('@', ''),
    address.slice(0, -20),
    address.replace('+', '-'),
    address.replace('cnb6@', 'cnb@'),
    returnPathOf(emailId, 'bounce@mail.example.com', foreign),
  ])
    expect(emailOfReturnPath(text, macOf), text).toBeUndefined();
});

test('the longest name makes a local part of 64 characters', () => {
  const longest = returnPathOf(emailId, `${'b'.repeat(longestReturnPathName)}@example.com`, macOf);
  expect(longest.indexOf('@')).toBe(64);
});

test('the proofs of all e-mails have the same length', () => {
  const ids = Array.from({ length: 500 }, (_, at) => `eml_01ARZ3NDEKTSV4RRFFQ69G${String(at).padStart(4, '0')}`);
  for (const id of ids)
    expect(
      emailOfReturnPath(
        returnPathOf(id, 'b@example.com', () => at20(id)),
        () => at20(id),
      ),
    ).toBe(id);
});

/** Also proofs that begin with zeros. */
const at20 = (id: string): string => id.slice(-4).padStart(20, '0');
