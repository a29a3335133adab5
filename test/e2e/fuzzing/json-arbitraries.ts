/** Values by fast-check: those that a JSON Schema describes, as far as our API document uses the language, and hostile ones. */
import fc, { type Arbitrary } from 'fast-check';

export type Schema = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const asSchema = (value: unknown): Schema => (isObject(value) ? value : {});
const schemasIn = (value: unknown): readonly Schema[] => (Array.isArray(value) ? value.map(asSchema) : []);
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const numberOr = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

export const hostileText: Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.constantFrom(
    ...['', ' ', '\t', '\u0000', 'a\u0000b', '\ud800', '\udc00x', 'a\r\nB: c', '\u200b', '\u202e', '\ufeff', '\u0301'],
    ...['İ', 'ß', 'ſ', 'Å', 'ﷺ', '＠', '__proto__', 'constructor', 'toString', '{{x}}', '{{{x', '%00', '%2e%2e%2f'],
    ...['../../etc/passwd', "'; drop table log; --", '$gt', '-1', '0', '1e400', 'NaN', 'true', 'null', '[]', '{}'],
    ...['a@b', '@', 'a@b@c.de', 'a@-b.co', 'ä@ö.example', 'x <a@b.co>', 'a@xn--a.co', `${'l'.repeat(65)}@b.co`],
    ...['1900-01-00', '2023-02-29', '9999-99-99', '+', '1'.repeat(33), '5\u0660\u0661'],
    ...['x'.repeat(256), 'é'.repeat(255), '😀'.repeat(256), 'x'.repeat(1_025), 'ﷺ'.repeat(9_000)],
  ),
);

const deep = (depth: number): unknown => JSON.parse('[{"a":'.repeat(depth) + '1' + '}]'.repeat(depth));

export const hostileValue: Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  {
    weight: 3,
    arbitrary: fc.constantFrom<unknown>(
      null,
      true,
      false,
      0,
      -1,
      1.5,
      2 ** 53,
      1e308,
      [],
      {},
      [[]],
      [null],
      [''],
      ['a', 1],
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }) },
  { weight: 1, arbitrary: fc.array(hostileText, { maxLength: 120 }) },
  { weight: 1, arbitrary: fc.constantFrom(20, 2_000).map(deep) },
);

/** `resolve` follows a `$ref`. */
export function valuesOf(schema: Schema, resolve: (reference: string) => Schema): Arbitrary<unknown> {
  const inner = (part: Schema): Arbitrary<unknown> => valuesOf(part, resolve);
  const { $ref, const: only, anyOf, oneOf, type } = schema;
  const [some, examples] = [listIn(schema['enum']), listIn(schema['examples'])];
  if (typeof $ref === 'string') return inner(resolve($ref));
  if ('const' in schema) return fc.constant(only);
  if (some.length > 0) return fc.constantFrom(...some);
  const choices = schemasIn(anyOf ?? oneOf);
  if (choices.length > 0) return fc.oneof(...choices.map(inner));
  const made = Array.isArray(type)
    ? fc.oneof(...type.map((one) => ofType({ ...schema, type: one }, inner)))
    : ofType(schema, inner);
  if (examples.length === 0) return made;
  return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...examples) }, { weight: 2, arbitrary: made });
}

function ofType(schema: Schema, inner: (part: Schema) => Arbitrary<unknown>): Arbitrary<unknown> {
  const { minimum, maximum, items, minItems, maxItems } = schema;
  switch (schema['type']) {
    case 'string':
      return texts(schema);
    case 'integer':
      return fc.integer({ min: numberOr(minimum, -1_000), max: numberOr(maximum, 1_000_000) });
    case 'number':
      return fc.double({ min: numberOr(minimum, -1_000), max: numberOr(maximum, 1_000), noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(inner(asSchema(items)), {
        minLength: numberOr(minItems, 0),
        maxLength: Math.min(numberOr(maxItems, 5), 5),
      });
    case 'object':
      return objects(schema, inner);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function texts({ format, pattern, minLength, maxLength }: Schema): Arbitrary<string> {
  if (format === 'email') return fc.emailAddress();
  if (format === 'date') return days;
  if (format === 'date-time') return days.map((day) => `${day}T10:00:00.000Z`);
  const least = numberOr(minLength, 0);
  const most = Math.min(numberOr(maxLength, 40), 40);
  if (typeof pattern === 'string') return matching(pattern, most);
  return fc.string({ unit: 'grapheme-ascii', minLength: least, maxLength: Math.max(least, most) });
}

const days = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2030-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

/** What fast-check cannot make of a pattern, such as look-around, is any text. */
function matching(pattern: string, most: number): Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern, 'u'));
  } catch {
    return fc.string({ maxLength: most });
  }
}

function objects({ properties, required, additionalProperties }: Schema, inner: (part: Schema) => Arbitrary<unknown>) {
  const known = Object.entries(asSchema(properties)).map(([name, part]) => [name, inner(asSchema(part))] as const);
  if (known.length === 0 && isObject(additionalProperties))
    return fc.dictionary(fc.string({ minLength: 1, maxLength: 10 }), inner(additionalProperties), { maxKeys: 4 });
  const needed = Array.isArray(required) ? required.map(String) : [];
  return fc.record(Object.fromEntries(known), { requiredKeys: needed });
}
