/** The OpenAPI document: a public linter passes, it describes the routes of the app and no others, and clients can be generated from it. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { apiDocument, paths } from '../support/api-description.js';
import { document } from '../support/markdown.js';
import { routesOfApp } from '../support/routes-of-app.js';

const text = JSON.stringify(apiDocument);

test('passes the linter of Redocly, in its strictest form', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

test('names the licence of the package', () => {
  const { license } = JSON.parse(document('package.json')) as { license: string };
  expect(apiDocument).toHaveProperty('info.license.identifier', license);
});

test('describes each operation in a sentence', () => {
  for (const operation of operations) expect(operation, operation.operationId).toHaveProperty('description');
});

test('describes every route of the app, and no other', () => {
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(described.sort()).toEqual(
    routesOfApp()
      .map(({ method, path }) => `${method} ${path}`)
      .sort(),
  );
});

/** Every schema of the document, with its place. */
function* schemasIn(value: unknown, place = ''): Generator<readonly [string, Readonly<Record<string, unknown>>]> {
  if (typeof value !== 'object' || value === null || place.endsWith('/example')) return;
  if (!Array.isArray(value)) yield [place, value as Readonly<Record<string, unknown>>];
  for (const [name, inner] of Object.entries(value)) yield* schemasIn(inner, `${place}/${name}`);
}

const { schemas, responses, parameters, securitySchemes } = apiDocument['components'] as Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>
>;
const all = [...schemasIn(apiDocument)];
const operations = Object.values(paths).flatMap((methods) => Object.values(methods));

describe('for generated clients', () => {
  test('it stays small', () => {
    expect(text.length).toBeLessThan(256 * 1024);
  });

  test('there is one error, whose type is open, and each response names types and messages', () => {
    expect(Object.keys(schemas ?? {}).filter((name) => name.endsWith('Error'))).toEqual(['Error']);
    expect(schemas?.['Error']).toMatchObject({ properties: { type: { type: 'string' } }, additionalProperties: true });
    for (const response of Object.values(responses ?? {})) {
      expect(response['content']).toEqual({ 'application/json': { schema: { $ref: '#/components/schemas/Error' } } });
      expect(response['description']).toMatch(/^(- `\w+`: .+\n?)+$/);
    }
  });

  test('no value is fixed: a flag is a boolean, a status a number with a format, a message a text', () => {
    expect(all.filter(([, schema]) => 'const' in schema).map(([place]) => place)).toEqual([]);
    const numbers = all.filter(([place, { type }]) => type === 'integer' && !place.includes('arameters'));
    const isAnswer = ([place]: readonly [string, unknown]): boolean => !place.includes('Request');
    expect(numbers.filter(isAnswer).filter(([, { format }]) => !/^int(32|64)$/.test(String(format)))).toEqual([]);
  });

  test('answers are open to new fields, and every object has a name', () => {
    for (const [place, schema] of all) {
      if (!('properties' in schema) || !('type' in schema) || schema['type'] !== 'object') continue;
      expect(place).toMatch(/^\/components\/schemas\/\w+$/);
      if (!place.endsWith('Request') && !/Consent|NestedProfile/.test(place))
        expect(schema, place).toHaveProperty('additionalProperties', true);
    }
  });

  test('names collide with nothing', () => {
    expect(schemas).not.toHaveProperty('List');
    const taken = Object.keys(schemas ?? {}).map((name) => name.toLowerCase());
    for (const name of Object.keys(securitySchemes ?? {})) expect(taken).not.toContain(name.toLowerCase());
    for (const { name } of apiDocument['tags'] as readonly { readonly name: string }[]) expect(name).toMatch(/^\w+$/);
  });

  test('variants are told apart, by a field or by what they need', () => {
    expect(schemas?.['HistoryItem']).toHaveProperty('oneOf');
    expect(schemas?.['ListAtLine']).toHaveProperty('discriminator.mapping.member', '#/components/schemas/MemberLine');
  });

  test('a status of a request is one of two', () => {
    expect(schemas?.['CreateContactRequest']).toHaveProperty('properties.status.enum', ['Subscribed', 'Unsubscribed']);
  });

  test('a choice of values has no other bounds', () => {
    for (const [place, schema] of all)
      if ('enum' in schema)
        for (const bound of ['minLength', 'maxLength', 'pattern']) expect(schema, place).not.toHaveProperty(bound);
  });

  test('each parameter is described, and patterns are of the kind that every language reads', () => {
    const given = [...Object.values(parameters ?? {}), ...operations.flatMap(parametersOf)];
    for (const parameter of given) expect(parameter, JSON.stringify(parameter)).toHaveProperty('description');
    for (const { in: where, schema } of given) if (where === 'path') expect(schema).toHaveProperty('pattern');
    for (const [place, { pattern, format }] of all) if (format === 'date-time') expect(pattern, place).toBeUndefined();
    for (const [, { pattern }] of all) if (typeof pattern === 'string') expect(pattern).not.toMatch(/\\u|\(\?/);
  });
});

const parametersOf = (operation: object): readonly Readonly<Record<string, unknown>>[] =>
  'parameters' in operation
    ? (operation.parameters as readonly Readonly<Record<string, unknown>>[]).filter((one) => !('$ref' in one))
    : [];
