import { expect, test } from 'vitest';
import { deriveUnsubscribeKey } from '../../src/events/streams.js';
import { createUnsubscribeTokens } from '../../src/events/unsubscribe-token.js';

const link = {
  emailId: 'eml_01JQ8ZK3V5W7X9YABCDEFGHJKM',
  contactKey: 'c2c7044a62d2743b34d85493fbfdb537',
  listId: 'lst_01JQ8ZK3V5W7X9YABCDEFGHJKN',
};
const tokens = createUnsubscribeTokens(deriveUnsubscribeKey('a secret'));
const token = tokens.make(link);

const ofAllLists = {
  emailId: link.emailId,
  contactKey: link.contactKey,
  contactId: 'con_01JQ8ZK3V5W7X9YABCDEFGHJKP',
  until: Date.parse('2026-05-03T10:00:00.000Z'),
};
const listsToken = tokens.makeForLists(ofAllLists);

test('the token of a list link reads back as the link, and is always the same', () => {
  expect(token).toBe(
    '101JQ8ZK3V5W7X9YABCDEFGHJKMc2c7044a62d2743b34d85493fbfdb53701JQ8ZK3V5W7X9YABCDEFGHJKNRlkr8McjU1DKLG6Ud53FN9',
  );
  expect(tokens.make(link)).toBe(token);
  expect(tokens.read(token)).toEqual({ token, link });
});

test('the token of a link to all lists reads back with its contact and its end in whole seconds', () => {
  expect(tokens.read(listsToken)).toEqual({ token: listsToken, link: ofAllLists });
  const later = tokens.makeForLists({ ...ofAllLists, until: ofAllLists.until + 999 });
  expect(tokens.read(later)).toEqual({ token: listsToken, link: ofAllLists });
});

test('a token is read without the characters that follow it', () => {
  const tails = [
    '.',
    ']',
    '>',
    '/',
    '%3E',
    '%20',
    '\n',
    ')',
    '&utm=x',
    '%3Futm_source=y',
    '%zz',
    '%',
    '%C3%28',
    '-',
    'A',
  ];
  for (const made of [token, listsToken])
    for (const tail of tails) expect(tokens.read(made + tail)?.token, tail).toBe(made);
});

test('a token is read with any of its characters percent-encoded', () => {
  const encoded = (text: string): string =>
    Array.from(text, (character) => `%${character.charCodeAt(0).toString(16)}`).join('');
  for (const made of [token, listsToken]) {
    expect(tokens.read(encoded(made))?.token).toBe(made);
    expect(tokens.read(encoded(made).toUpperCase())?.token).toBe(made);
    expect(tokens.read(`%${made.charCodeAt(0).toString(16)}${made.slice(1)}.`)?.token).toBe(made);
  }
});

test('no token of another secret is read, nor one that was cut or altered in any place', () => {
  const others = createUnsubscribeTokens(deriveUnsubscribeKey('another'));
  for (const made of [token, listsToken]) {
    const cut = Array.from({ length: made.length }, (_character, length) => made.slice(0, length));
    const altered = Array.from(made, (character, at) =>
      ['0', 'a', '-'].map((other) => made.slice(0, at) + (character === other ? '1' : other) + made.slice(at + 1)),
    ).flat();
    for (const wrong of [...cut, ...altered, made.slice(1), `x${made}`])
      expect(tokens.read(wrong), wrong).toBeUndefined();
  }
  for (const foreign of [others.make(link), others.makeForLists(ofAllLists)])
    expect(tokens.read(foreign)).toBeUndefined();
});

test('a path of the largest size is read quickly', () => {
  const before = performance.now();
  for (const text of ['%'.repeat(64_000), '1'.repeat(64_000), '%31'.repeat(21_000), `${token}${'%2e'.repeat(20_000)}`])
    tokens.read(text);
  expect(performance.now() - before).toBeLessThan(200);
});

test('the hash of a token identifies it and does not work as a token', () => {
  expect(tokens.hash(token)).toMatch(/^[\w-]{43}$/);
  expect(tokens.hash(token)).not.toBe(tokens.hash(tokens.make({ ...link, contactKey: 'f'.repeat(32) })));
  expect(tokens.read(tokens.hash(token))).toBeUndefined();
});
