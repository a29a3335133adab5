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

test('a token gives back what it was made of; it is for ever', () => {
  expect(token).toBe(
    '101JQ8ZK3V5W7X9YABCDEFGHJKMc2c7044a62d2743b34d85493fbfdb53701JQ8ZK3V5W7X9YABCDEFGHJKNRlkr8McjU1DKLG6Ud53FN9',
  );
  expect(tokens.make(link)).toBe(token);
  expect(tokens.read(token)).toEqual(link);
});

test('no token of another secret is read, nor one that was cut, lengthened or altered in any place', () => {
  const others = createUnsubscribeTokens(deriveUnsubscribeKey('another'));
  const cut = Array.from({ length: token.length }, (_, length) => token.slice(0, length));
  const altered = Array.from(token, (character, at) =>
    ['0', 'a', '-'].map((other) => token.slice(0, at) + (character === other ? '1' : other) + token.slice(at + 1)),
  ).flat();
  for (const wrong of [others.make(link), ...cut, ...altered, `${token}A`, `${token}\n`, `2${token.slice(1)}`])
    expect(tokens.read(wrong), wrong).toBeUndefined();
});

test('a link to all lists has an end, and neither kind of token is taken for the other', () => {
  const { emailId, contactKey } = link;
  const until = Date.parse('2026-05-03T10:00:00.000Z');
  const ofLists = tokens.makeForLists({ emailId, contactKey, until });
  expect(tokens.readForLists(ofLists)).toEqual({ emailId, contactKey, until });
  expect(tokens.readForLists(tokens.makeForLists({ emailId, contactKey, until: until + 999 }))).toEqual({
    emailId,
    contactKey,
    until,
  });
  for (const wrong of [token, `p1${ofLists.slice(2, -1)}`, ofLists.replace(/^p/, ''), ofLists.slice(1)])
    expect(tokens.readForLists(wrong), wrong).toBeUndefined();
  expect(tokens.read(ofLists)).toBeUndefined();
});

test('the hash of a token says which it was and is none', () => {
  expect(tokens.hash(token)).toMatch(/^[\w-]{43}$/);
  expect(tokens.hash(token)).not.toBe(tokens.hash(tokens.make({ ...link, contactKey: 'f'.repeat(32) })));
  expect(tokens.read(tokens.hash(token))).toBeUndefined();
});
