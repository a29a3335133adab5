import { describe, expect, test } from 'vitest';
import { parseMailbox } from '../../src/commands/address.js';
import { isAddress } from '../../src/events/address.js';

const local64 = 'l'.repeat(64);
const longDomain = `${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(61)}`;

describe('an address', () => {
  test.each([
    'a@b.co',
    "o'neil+tag@sub.example.com",
    `${local64}@example.com`,
    'a@xn--mnchen-3ya.de',
    'a@m\u00fcnchen.de',
    `a@${longDomain}`,
  ])('%s', (text) => {
    expect(isAddress(text)).toBe(true);
  });
  test.each([
    '',
    'a',
    '@b.co',
    'a@',
    'a@b',
    'a@@b.co',
    'a@b@c.co',
    'a b@c.co',
    '.a@b.co',
    'a.@b.co',
    'a..b@c.co',
    `l${local64}@example.com`,
    `${local64}@${longDomain}d`,
    'a@-b.co',
    'a@b-.co',
    'a@b..co',
    'a@b.co.',
    '"a b"@c.co',
    'a@[127.0.0.1]',
    'a@b.co, c@d.co',
    'a@b.co;c@d.co',
    'A <a@b.co>',
    'a@b.co\r\nBcc: x@y.zz',
    'a@b.co\u0000',
  ])('not %j', (text) => {
    expect(isAddress(text)).toBe(false);
  });
});

describe('a mailbox', () => {
  test.each([
    ['a@b.co', { name: '', address: 'a@b.co' }],
    ['News <a@b.co>', { name: 'News', address: 'a@b.co' }],
    ['M\u00fcller & Co <a@b.co>', { name: 'M\u00fcller & Co', address: 'a@b.co' }],
    ['"Doe, \\"J\\"" <a@b.co>', { name: 'Doe, "J"', address: 'a@b.co' }],
  ])('%s', (text, mailbox) => {
    expect(parseMailbox(text)).toEqual(mailbox);
  });
  test.each([
    '<a@b.co>',
    'Doe, J <a@b.co>',
    'A <a@b.co>, B <c@d.co>',
    'A <a@b.co',
    'A a@b.co>',
    'x@y.zz <a@b.co>',
    '"A <a@b.co>',
    'A <b>',
  ])('not %j', (text) => {
    expect(parseMailbox(text)).toBeUndefined();
  });
});
