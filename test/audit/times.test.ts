/** How audit requests write points in time. */
import { expect, test } from 'vitest';
import { parseTime } from '../../src/audit/times.js';

test.for([
  ['2026-03-01T10:00:00.123Z', '2026-03-01T10:00:00.123Z'],
  ['2026-03-01t10:00:00z', '2026-03-01T10:00:00.000Z'],
  ['2026-03-01T10:00Z', '2026-03-01T10:00:00.000Z'],
  [' 2026-03-01T10:00:00,5Z', '2026-03-01T10:00:00.500Z'],
  ['2026-03-01T01:30:00+02:00', '2026-02-28T23:30:00.000Z'],
  ['2026-03-01T01:30:00 02:00', '2026-02-28T23:30:00.000Z'],
  ['2026-03-01T22:30:00-02:00', '2026-03-02T00:30:00.000Z'],
  ['2024-02-29T00:00Z', '2024-02-29T00:00:00.000Z'],
  ['0001-01-01T00:00Z', '0001-01-01T00:00:00.000Z'],
] as const)('%s', ([text, time]) => {
  expect(parseTime(text, 'start')).toBe(time);
  expect(parseTime(text, 'end')).toBe(time);
});

test('a date alone is its whole day in UTC', () => {
  expect(parseTime('2026-03-01', 'start')).toBe('2026-03-01T00:00:00.000Z');
  expect(parseTime('2026-03-01', 'end')).toBe('2026-03-01T23:59:59.999Z');
});

test('what is finer than a millisecond loses no event on the right side and gains none on the wrong one', () => {
  expect(parseTime('2026-03-01T10:00:00.1234567Z', 'end')).toBe('2026-03-01T10:00:00.123Z');
  expect(parseTime('2026-03-01T10:00:00.1234567Z', 'start')).toBe('2026-03-01T10:00:00.124Z');
  expect(parseTime('2026-03-01T10:00:00.1230000Z', 'start')).toBe('2026-03-01T10:00:00.123Z');
});

test.for([
  'yesterday',
  '2026-03-01T10:00:00',
  '2026-02-29',
  '2026-02-30T10:00Z',
  '2026-13-01',
  '2026-3-1',
  '2026-03-01T24:00Z',
  '2026-03-01T10:60Z',
  '2026-03-01T10:00:60Z',
  '2026-03-01T10:00+2:00',
  '2026-03-01 10:00Z',
  '1772359200',
  '0000-01-01T00:00+01:00',
  '9999-12-31T23:59:59-01:00',
  '+12026-03-01T00:00Z',
])('%s is none', (text) => {
  expect(parseTime(text, 'end')).toBeUndefined();
});
