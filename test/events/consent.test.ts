/** The values of a consent: their hashes are stored, so the text behind them never changes. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { consentDigest, consentFields, consentValues } from '../../src/events/contact.js';

const given = { source: 'form', legal_basis: 'consent' };
const text = '["form",null,null,"consent",null]';

test('stand in their order, absent ones too', () => {
  expect(JSON.stringify(consentValues(given))).toBe(text);
  expect(JSON.stringify(consentValues({}))).toBe('[null,null,null,null,null]');
  expect(consentDigest(given)).toBe(createHash('sha256').update(text).digest('base64url'));
});

test('with fields of a later version say the same where these are absent', () => {
  const later = [...consentFields, 'proof', 'witness'];
  expect(JSON.stringify(consentValues(given, later))).toBe(text);
  const proven = { ...given, proof: 'call 17' };
  expect(JSON.stringify(consentValues(proven, later))).toBe('["form",null,null,"consent",null,"call 17"]');
});
