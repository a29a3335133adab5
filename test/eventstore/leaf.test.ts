/** Leaves and the texts that they hash, against implementations that are slow and obvious. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digestOf, isRedacted, leafOf, toHex, withDigests } from '../../src/eventstore/leaf.js';
import { usually } from '../support/amount.js';
import { memberTexts } from '../support/json-members.js';

const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** Follows docs/evidence.md word by word, for data that JSON.stringify wrote. */
function obviousLeaf(fields: readonly string[]): string {
  const parts = fields.flatMap((text) => {
    const bytes = Buffer.from(text, 'utf8');
    return [Buffer.from(String(bytes.length)), Buffer.from(':'), bytes, Buffer.from(',')];
  });
  return sha256(Buffer.concat([Buffer.alloc(1), ...parts]));
}

const obviousDigests = (data: Record<string, unknown>): string =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(data).map(([name, value]) =>
        name === 'person' || name === 'message' ? [name, `sha256:${sha256(JSON.stringify(value))}`] : [name, value],
      ),
    ),
  );

const awkward = fc.string({
  unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', ' ', '\n', 'é', '😀', 'a'),
});
const names = fc.oneof(fc.constantFrom('person', 'message', 'persons', 'at'), awkward);
const values = fc.oneof(fc.jsonValue(), awkward, fc.dictionary(names, awkward));
const objects = fc
  .dictionary(names, values, { noNullPrototype: true })
  .filter((data) => !Object.hasOwn(data, '__proto__'));
/** Blanks wherever JSON permits them. */
const spaced = (data: object): string => ` ${JSON.stringify(data, null, 3)}\n`;

describe('member texts', () => {
  test('member spans are those of the text, whatever the text is', () => {
    fc.assert(
      fc.property(objects, fc.boolean(), (data, pretty) => {
        const text = pretty ? spaced(data) : JSON.stringify(data);
        const found = memberTexts(text);
        expect([...found.keys()]).toEqual(Object.keys(data));
        for (const [name, value] of found) {
          expect(text).toContain(value);
          expect(JSON.parse(value)).toEqual(JSON.parse(JSON.stringify(data[name])));
          if (!pretty) expect(value).toBe(JSON.stringify(data[name]));
        }
      }),
    );
  });

  test('member spans resolve names, and the last of two counts, as with JSON.parse', () => {
    expect([...memberTexts('{"a":1,"\\u0061":{"b" : [ ]} , "c":""}')]).toEqual([
      ['a', '{"b" : [ ]}'],
      ['c', '""'],
    ]);
    expect(memberTexts(' { } ').size).toBe(0);
  });

  test.each([
    '',
    '[]',
    '1',
    'null',
    '{',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{"a":1}}',
    '{"a":tru}',
    '{"a":"\n"}',
    '{"a":1} x',
  ])('member spans refuse %j', (text) => {
    expect(() => memberTexts(text)).toThrow(SyntaxError);
  });
});

describe('a leaf', () => {
  const hexLeaf = (...args: Parameters<typeof leafOf>): string => toHex(leafOf(...args));
  const event = {
    stream: 'contact-5f2b7c0d9e8a4b1c6d3e2f1a0b9c8d7e',
    revision: 0n,
    id: '6f1e0f0a-8c1b-4b52-9d0e-3a7c5b2d1e4f',
    type: 'ContactCreated',
    data: '{"contact_id":"01J9ZQ4T9M8X7C6V5B4N3A2S1D","person":{"salt":"00112233445566778899aabbccddeeff","email":"zoë@example.com"}}',
    metadata: '{"at":"2026-01-02T03:04:05.678Z","actor":"shop","schema":1}',
  };
  const digest = '30779f9699ef852a02688bfec8c03aceec6204098a29ad8e99a82110d557ae62';

  test('a leaf never changes, because every seal and proof rests on it', () => {
    expect(withDigests(event.data)).toBe(`{"contact_id":"01J9ZQ4T9M8X7C6V5B4N3A2S1D","person":"sha256:${digest}"}`);
    expect(hexLeaf(1, event)).toBe('2fe59cb79438f39e7a25bf2e88585a139e3e6055704fde101036b582235eee5b');
    expect(hexLeaf(2, { ...event, revision: 1n, type: 'Noted', data: '{"note":"naïve"}' })).toBe(
      '14f8823c2e4789582270ec5826ab6d61ab924deb8838f5e08f21d95a86d73853',
    );
  });

  test('a leaf is the SHA-256 of a zero byte and the length-prefixed fields', () => {
    const text = fc.string({ unit: 'binary' }).filter((found) => found.isWellFormed());
    fc.assert(
      fc.property(objects, text, text, fc.nat(), (data, stream, metadata, revision) => {
        const made = hexLeaf(revision + 1, {
          ...{ stream, metadata, type: 'T', id: event.id },
          revision: BigInt(revision),
          data: JSON.stringify(data),
        });
        const fields = [String(revision + 1), stream, String(revision), event.id, 'T', obviousDigests(data), metadata];
        expect(made).toEqual(obviousLeaf(fields));
      }),
      { numRuns: usually(40, 100) },
    );
  });

  test('a leaf stays the same when personal data are replaced by their digest, and tells that they were', () => {
    fc.assert(
      fc.property(objects, fc.boolean(), (data, pretty) => {
        const text = pretty ? spaced(data) : JSON.stringify(data);
        const sealed = withDigests(text);
        expect(withDigests(sealed)).toBe(sealed);
        const isPersonal = 'person' in data || 'message' in data;
        expect(isRedacted(sealed)).toBe(isPersonal);
        expect(isRedacted(text)).toBe(false);
        expect(hexLeaf(1, { ...event, data: sealed })).toEqual(hexLeaf(1, { ...event, data: text }));
      }),
    );
    expect(digestOf(digestOf('{}'))).toBe(digestOf('{}'));
  });

  test('a leaf takes large events, and data that is not an object', () => {
    const large = { ...event, data: JSON.stringify({ note: 'é'.repeat(300_000) }) };
    const fields = ['1', event.stream, '0', event.id, event.type, large.data, event.metadata];
    expect(hexLeaf(1, large)).toEqual(obviousLeaf(fields));
    for (const data of ['"person"', '["person"]', '{"person"', '{"person":']) expect(withDigests(data)).toBe(data);
  });

  test('a leaf looks at members of the object itself only', () => {
    const data = '{"a":{"person":{"x":1}},"b":["message"],"c":"\\"person\\":{}"}';
    expect(withDigests(data)).toBe(data);
  });
});
