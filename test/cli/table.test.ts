/** Tables that fit, and colours where they belong. */
import widthOf from 'string-width';
import { describe, expect, test } from 'vitest';
import { paintFor } from '../../src/cli/shared/colours.js';
import { printable } from '../../src/events/printable.js';
import { table } from '../../src/cli/shared/table.js';

const plain = (text: string): string => text;
const rows = [
  ['2026-03-01T10:00:00.123Z', 'Subscribed to the list "News" for the first time.', 'shop', 'order-4711'],
  ['2026-03-02T10:00:00.123Z', 'The contact was created.', 'shop', '37b295c1-d5a5-4b6c-91b4-74533edc8737'],
];
const titles = ['TIME', 'WHAT', 'BY', 'REQUEST'];

describe('a table', () => {
  test('is as wide as its text where there is no terminal', () => {
    const lines = table(rows, { titles, width: undefined, emphasise: plain }).split('\n');
    expect(lines[0]).toMatch(/^TIME {22}WHAT {47}BY {4}REQUEST$/);
    expect(lines).toHaveLength(4);
  });

  test('has more rows than a call takes arguments', () => {
    const many = Array.from({ length: 200_000 }, (_, index) => [String(index)]);
    const lines = table(many, { titles: ['ROW'], width: undefined, emphasise: plain }).split('\n');
    expect(lines).toHaveLength(200_002);
  });

  test.each([200, 100, 80, 60])('fits into %d columns, and loses nothing', (width) => {
    const text = table(rows, { titles, width, emphasise: plain });
    for (const line of text.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(width);
    const letters = (all: string): string => [...all.replaceAll(/\s/g, '')].sort().join('');
    expect(letters(text)).toBe(letters([titles, ...rows].flat().join('')));
    // What a row is about stays in one piece.
    for (const [time = ''] of rows) expect(text).toContain(time);
  });

  test('counts columns, not characters', () => {
    const names = [
      ['日本', 'x'],
      ['e\u0301', 'x'],
      ['👍', 'x'],
    ];
    expect(table(names, { titles: ['', ''], width: undefined, emphasise: plain })).toBe(
      '\n日本  x\ne\u0301     x\n👍    x\n',
    );
    expect(table([['', '日本語の名前日本']], { titles: ['', ''], width: 10, emphasise: plain })).toBe(
      '\n  日本語の\n  名前日本\n',
    );
  });

  test('shows what would move the cursor as its code', () => {
    expect(printable('a\u001b[2Jb\u202ec\n')).toBe('a\\u001b[2Jb\\u202ec\\u000a');
  });
});

test.each([
  [{ isTTY: true }, {}, '\u001b[1mx\u001b[22m'],
  [{ isTTY: true }, { NO_COLOR: '' }, '\u001b[1mx\u001b[22m'],
  [{ isTTY: true }, { NO_COLOR: '1' }, 'x'],
  [{ isTTY: true }, { TERM: 'dumb' }, 'x'],
  [{ isTTY: false }, {}, 'x'],
  [{}, {}, 'x'],
])('colours on %j with %j', (screen, env, painted) => {
  expect(paintFor(screen, env).bold('x')).toBe(painted);
});
