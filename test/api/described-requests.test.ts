/**
 * Holds the parsers of requests against the OpenAPI document: what a schema allows is not refused for its form, and what it
 * forbids is refused.
 */
import type { ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Endpoint } from '../../src/api/http/endpoint.js';
import { checkParameters, createParser, type Values } from '../../src/api/http/parse.js';
import { readExamples } from '../../src/api/openapi/document.js';
import { ServiceError, type ErrorCode } from '../../src/errors.js';
import { asSchema, hostileValue, isObject, valuesOf, type Schema } from '../e2e/fuzzing/json-arbitraries.js';
import { readOperations, type Operation } from '../e2e/fuzzing/operations.js';
import { apiDocument, endpointTable } from '../support/api-description.js';
import { compileRequest, isText, isTolerated, whyForbidden } from '../support/described-requests.js';

const { operations, resolve } = readOperations(apiDocument);
const examples = readExamples();

/** Errors for rules that a schema cannot express. The description of the field or the error states the rule. */
const beyondSchemas: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  // The form of an address beyond its pattern, and its length in bytes.
  ...(['invalid_email', 'invisible_in_email', 'too_many_bytes'] as const),
  // Days and times that do not exist, or are in the future.
  ...(['invalid_date', 'invalid_time', 'invalid_moment', 'in_the_future', 'invalid_range'] as const),
  ...(['invalid_ip', 'reserved_code', 'given_twice', 'invalid_types', 'invalid_cursor'] as const),
  // Limits of `variables`.
  ...(['too_deep', 'too_many_values', 'invalid_number'] as const),
]);

function refusalOf(parse: () => unknown): ErrorCode | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

interface Described {
  readonly id: string;
  readonly validate: ValidateFunction;
  readonly schema: Schema;
  readonly example: Values;
  readonly parse: (values: Values) => unknown;
}

/** A schema of values of any depth cannot exclude control characters, so the description of `variables` does. */
const hasControl = (value: unknown): boolean => /\\u00[01]|\\[bf]|[\u007f-\u009f]/.test(JSON.stringify(value ?? null));

/** Fails if the document and the parser disagree about these values. */
function compare({ id, validate, parse }: Described, values: Values, asDescribed: unknown = values): void {
  if (!isText(values) || hasControl(values['variables'])) return;
  const code = refusalOf(() => parse(values));
  const shown = `${id} ${JSON.stringify(values).slice(0, 300)}`;
  if (validate(asDescribed)) {
    if (code !== undefined && !beyondSchemas.has(code)) expect.fail(`${shown} is described, and refused as ${code}`);
  } else if (code === undefined && !isTolerated(values))
    expect.fail(`${shown} is taken, although ${whyForbidden(validate)}`);
}

const endpointOf = ({ id }: Operation): Endpoint => {
  const found = endpointTable.find((endpoint) => endpoint.id === id.replace(/ByPost$/, ''));
  if (found === undefined) throw new Error(`no endpoint ${id}`);
  return found;
};

const bodies = operations.flatMap((operation): readonly Described[] => {
  const { body, id } = operation;
  const { upload, body: schemaOfBody, unknownInput } = endpointOf(operation);
  if (body === undefined || upload?.type === 'email') return [];
  const schema = body.line ?? body.schema;
  const parser = createParser(upload === undefined ? schemaOfBody : upload.schema);
  const isStrict = unknownInput === 'refused';
  const sent = examples[id]?.body;
  const [first = '{}'] = typeof sent === 'string' ? sent.split('\n') : [];
  const example = isObject(sent) ? sent : (JSON.parse(first) as Values);
  const validate = compileRequest(schema);
  return [{ id, validate, schema, example, parse: (values) => parser.parse(values, isStrict) }];
});

const resolved = (schema: Schema): Schema =>
  typeof schema['$ref'] === 'string' ? resolved(resolve(schema['$ref'])) : schema;

/** The parts of a choice, or the schema itself. */
function choices(schema: Schema): readonly Schema[] {
  const { oneOf } = resolved(schema);
  return Array.isArray(oneOf) ? oneOf.map((one) => resolved(asSchema(one))) : [resolved(schema)];
}

const longerThan = (length: number): string => 'x'.repeat(length + 1);

/** Values at the borders of a schema, and beyond them. */
function candidates(schema: Schema): readonly unknown[] {
  const own = choices(schema).flatMap(({ maxLength, minimum, maximum, maxItems, enum: values }) => [
    ...(typeof maxLength === 'number' ? [longerThan(maxLength), longerThan(maxLength - 1)] : []),
    ...(typeof minimum === 'number' ? [minimum, minimum - 1] : []),
    ...(typeof maximum === 'number' ? [maximum, maximum + 1] : []),
    ...(typeof maxItems === 'number' ? [Array.from({ length: maxItems + 1 }, (_, index) => `tag ${index}`)] : []),
    ...(Array.isArray(values) ? (values as readonly unknown[]) : []),
  ]);
  const strings = [
    '',
    ' ',
    'a',
    'a\u0000b',
    'a\tb',
    'a\nb',
    'a\u0085b',
    'a\u007fb',
    'ada@example.com',
    'no-such-value',
  ];
  const others = ['2026-02-28', '2026-13-45', '2026-03-01T12:00:00Z', '12:00', 'true', '5', '203.0.113.7', 'not@'];
  const values = [
    null,
    true,
    false,
    0,
    1,
    -1,
    1.5,
    5,
    [],
    [null],
    [''],
    ['a'],
    ['a', 1],
    {},
    { a: 1 },
    { nickname: 'x' },
  ];
  return [...own, ...strings, ...others, ...values];
}

const without = (values: Values, name: string): Values =>
  Object.fromEntries(Object.entries(values).filter(([one]) => one !== name));

/** The example with one field at a time left out, or with a value at its border. */
function* changesOf({ schema, example }: Described): Generator<Values> {
  yield example;
  yield {};
  yield { ...example, nickname: 'x' };
  for (const [name, field] of Object.entries(asSchema(resolved(schema)['properties']))) {
    yield without(example, name);
    for (const value of candidates(asSchema(field))) yield { ...example, [name]: value };
    for (const part of choices(asSchema(field)))
      for (const [inner, deeper] of Object.entries(asSchema(part['properties'])))
        for (const value of candidates(asSchema(deeper)))
          yield { ...without(example, inner), [name]: { [inner]: value } };
  }
}

describe('bodies', () => {
  test.each(bodies)('$id takes what its schema allows, and refuses what its schema forbids', (body) => {
    for (const values of changesOf(body)) compare(body, values);
  });

  test.each(bodies)('$id agrees with its schema on random values', (body) => {
    const names = Object.keys(asSchema(resolved(body.schema)['properties']));
    const described = valuesOf(body.schema, resolve).map(asSchema);
    const nearly = fc
      .tuple(described, fc.constantFrom(...names, 'nickname'), hostileValue)
      .map(([values, name, value]) => ({ ...values, [name]: value }));
    fc.assert(
      fc.property(fc.oneof(described, nearly), (values) => compare(body, values)),
      { numRuns: 150 },
    );
  });
});

interface Query extends Described {
  readonly types: Readonly<Record<string, unknown>>;
}

const queries = operations.flatMap((operation): readonly Query[] => {
  const { query, unknownInput } = endpointOf(operation);
  const parameters = operation.parameters.filter((parameter) => parameter.in === 'query');
  if (parameters.length === 0) return [];
  const parser = createParser(query);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(parameters.map((one) => [one.name, one.schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: parser.isOpen || unknownInput === 'ignored',
  };
  const example = Object.fromEntries(
    parameters.flatMap(({ name, example: text, required }) => (text === undefined || !required ? [] : [[name, text]])),
  );
  return [
    {
      id: operation.id,
      validate: compileRequest(schema),
      schema,
      example,
      types: Object.fromEntries(parameters.map((one) => [one.name, resolved(one.schema)['type']])),
      parse(values) {
        if (unknownInput === 'refused' && !parser.isOpen) checkParameters(values, parser.fields);
        return parser.parse(values, false);
      },
    },
  ];
});

/** Reads a parameter as a client would write a value of its type. */
function typed(type: unknown, text: unknown): unknown {
  if (type === 'integer' && typeof text === 'string' && /^-?[0-9]+$/.test(text)) return Number(text);
  return type === 'boolean' && (text === 'true' || text === 'false') ? text === 'true' : text;
}

describe('queries', () => {
  test.each(queries)('$id takes what its schemas allow, and refuses what they forbid', (query) => {
    for (const values of changesOf(query)) {
      // A value that is given twice is an array; other values are texts.
      const texts = Object.fromEntries(
        Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value : String(value)]),
      );
      const described = Object.entries(texts).map(([name, text]) => [name, typed(query.types[name], text)]);
      compare(query, texts, Object.fromEntries(described));
    }
  });
});
