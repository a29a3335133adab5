/** What readers without the scopes for persons and messages are shown of an event. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { hiddenFrom, redacted } from '../../src/audit/redaction.js';
import { withDigests } from '../../src/eventstore/leaf.js';

const digest = (text: string): string => `"sha256:${createHash('sha256').update(text).digest('hex')}"`;
const both = hiddenFrom(new Set(['audit:read']));

test('each scope shows its member', () => {
  expect(both).toEqual(['person', 'message']);
  expect(hiddenFrom(new Set(['contacts:read']))).toEqual(['message']);
  expect(hiddenFrom(new Set(['email:read']))).toEqual(['person']);
  expect(hiddenFrom(new Set(['contacts:read', 'email:read']))).toEqual([]);
});

test('hidden members are the digests of the leaf, and everything else stays as it is stored', () => {
  const data =
    '{"contact_id":"con_1","person":{"salt":"00","email":"ada@example.com"},"message":{"a":[1,"}"]},"n":{"person":1}}';
  expect(redacted(data, both)).toBe(withDigests(data));
  expect(redacted(data, ['message'])).toBe(data.replace('{"a":[1,"}"]}', digest('{"a":[1,"}"]}')));
  expect(redacted(data, [])).toBe(data);
  // Redacted before: the digest of the first time stays.
  expect(redacted(redacted(data, both), both)).toBe(withDigests(data));
});

test.each([
  ['a name with escapes', '{"\\u0070erson":{"email":"ada@example.com"},"n":1}'],
  ['a name that stands there twice', '{"person":{"email":"ada@example.com"},"person":{"email":"ada@example.com"}}'],
  ['text that is no JSON', '{"person":{"email":"ada@example.com"'],
  ['JSON that is no object', '["ada@example.com"]'],
])('%s shows nothing either', (_, data) => {
  const shown = redacted(data, both);
  expect(shown).not.toContain('ada');
  expect(() => JSON.parse(shown) as unknown).not.toThrow();
  expect(redacted(data, [])).toBe(data);
});
