/** Members of JSON objects as they are written. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createNameCheck, memberSpans, nameOf } from '../../src/eventstore/json-text.js';

/** The obvious way: reads each name, with its escapes resolved. */
function expectedOf(text: string): 'unique' | 'repeated' | 'none' {
  const spans = memberSpans(text);
  if (spans === undefined) return 'none';
  return new Set(spans.map((span) => nameOf(text, span))).size === spans.length ? 'unique' : 'repeated';
}

const name = fc.oneof(
  fc.constantFrom('a', 'at', 'person', '$id', 'a.b', 'a*', '[', '(', '\\', '"', '{}', 'zoë', '😀', '-', '/', ''),
  fc.string({ unit: 'binary', maxLength: 3 }),
);
const value = fc.jsonValue({ maxDepth: 3 });
const object = fc.array(fc.tuple(name, value), { maxLength: 6 });
const textOf = (members: readonly (readonly [string, unknown])[]): string =>
  `{${members.map(([key, content]) => `${JSON.stringify(key)}:${JSON.stringify(content)}`).join(',')}}`;

describe('the check of names', () => {
  test('agrees with reading each name, whatever texts of the same kind came before', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom('A', 'B'), object), { maxLength: 8 }), (objects) => {
        const namesIn = createNameCheck();
        for (const [kind, members] of objects) {
          const text = textOf(members);
          expect(namesIn(kind, text), text).toBe(expectedOf(text));
          // The same names with other values.
          const again = textOf(members.map(([key], at) => [key, [at, { key }, '\\"']]));
          expect(namesIn(kind, again), again).toBe(expectedOf(again));
        }
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['{"a":1,"b":{"a":[1,"}"]}}', 'unique'],
    ['{"a":1,"b":{"a":[1,"\\"}"]}}', 'unique'],
    ['{"a":1,"b":1,"b":2}', 'repeated'],
    ['{"a":1,"b":"x","\\u0062":2}', 'repeated'],
    ['{"a":{"a":{"a":{"a":1}}},"b":2}', 'unique'],
    ['{"a":1,"b":2', 'none'],
    ['{"a":1,"b":2}}', 'none'],
    ['{"a":1,"b":2},', 'none'],
    ['{"a":1 "b":2}', 'none'],
    ['{"a":"1,"b":2}', 'none'],
    ['[]', 'none'],
    ['', 'none'],
  ])('after a text with the names a and b says of %s: %s', (text, expected) => {
    const namesIn = createNameCheck();
    expect(namesIn('A', '{"a":1,"b":2}')).toBe('unique');
    expect(namesIn('A', text)).toBe(expected);
    expect(expectedOf(text)).toBe(expected);
  });

  test('takes time in proportion to the text, also for texts that almost have the layout', () => {
    const namesIn = createNameCheck();
    namesIn('A', '{"a":1,"b":2}');
    const begun = performance.now();
    for (const inner of ['[', '{"x":', '"\\"', '[["a"],', '1,'].map((part) => part.repeat(100_000)))
      expect(['none', 'repeated', 'unique']).toContain(namesIn('A', `{"a":[${inner}`));
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});
