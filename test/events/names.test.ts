/** When two names are one. */
import { expect, it } from 'vitest';
import { nameKey } from '../../src/events/catalogues.js';

it.each([
  ['News', 'nEWS'],
  ['  News ', 'News'],
  ['Weekly   news', 'weekly\u00a0\u2003news'],
  ['Cafe\u0301', 'CAF\u00c9'],
  ['\u00c5ngstr\u00f6m', '\u212bngstro\u0308m'],
])('%j and %j are the same name', (one, other) => {
  expect(nameKey(one)).toBe(nameKey(other));
});

it.each([
  ['News', 'New s'],
  ['Cafe', 'Café'],
  ['ﬁsh', 'fish'],
  ['straße', 'strasse'],
])('%j and %j are two names', (one, other) => {
  expect(nameKey(one)).not.toBe(nameKey(other));
});
