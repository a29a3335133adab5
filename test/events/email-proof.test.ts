import { expect, test } from 'vitest';
import { emailOfHeader, proofOf } from '../../src/events/email-proof.js';
import { emailOfReturnPath, returnPathOf } from '../../src/events/return-path.js';
import { deriveStreamKeys } from '../../src/events/streams.js';

const { emailHeaderMac: macOf, returnPathMac } = deriveStreamKeys('a secret');
const emailId = 'eml_01ARZ3NDEKTSV4RRFFQ69G5FAV';
const header = proofOf(emailId, macOf);

test('the header of an email never changes', () => {
  expect(header).toBe('eml_01ARZ3NDEKTSV4RRFFQ69G5FAV.khoemahi4jzsqztg');
});

test('the header is read in any case and with spaces around it', () => {
  for (const text of [header, header.toLowerCase(), header.toUpperCase(), ` \t${header} `])
    expect(emailOfHeader(text, macOf), text).toBe(emailId);
});

test('a header that is forged, cut or of another service proves nothing', () => {
  for (const text of [
    '',
    emailId,
    header.replace('FAV.', 'FAW.'),
    header.slice(0, -1),
    `${header}a`,
    `+${header}@example.com`,
    `${header} ${header}`,
    proofOf(emailId, deriveStreamKeys('another secret').emailHeaderMac),
  ])
    expect(emailOfHeader(text, macOf), text).toBeUndefined();
});

test('neither the header nor the return path proves the other', () => {
  expect(emailOfHeader(proofOf(emailId, returnPathMac), macOf)).toBeUndefined();
  expect(emailOfReturnPath(returnPathOf(emailId, 'bounce@example.com', macOf), returnPathMac)).toBeUndefined();
});
