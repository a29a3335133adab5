/** The OpenAPI document: a public linter passes, it describes the routes of the app and no others, and clients can be generated from it. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { createDocument } from '../../src/api/openapi/document.js';
import { errorCatalogue } from '../../src/errors.js';
import { apiDocument, apiResources, endpointTable, paths, patternOf } from '../support/api-description.js';
import { document } from '../support/markdown.js';
import { routesOfApp } from '../support/routes-of-app.js';

const text = JSON.stringify(apiDocument);

test('passes the linter of Redocly, in its strictest form', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
});

test('names a contact', () => {
  expect(apiDocument).toHaveProperty('info.contact.name');
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
    expect(text.length).toBeLessThan(384 * 1024);
  });

  test('there is one error, whose type is open, and each response names types and messages', () => {
    expect(Object.keys(schemas ?? {}).filter((name) => name.endsWith('Error'))).toEqual(['ApiError']);
    expect(schemas).toHaveProperty('ApiError.properties.type.type', 'string');
    expect(schemas).toHaveProperty('ApiError.additionalProperties', true);
    for (const response of Object.values(responses ?? {})) {
      expect(response['content']).toMatchObject({
        'application/json': { schema: { $ref: '#/components/schemas/ApiError' } },
      });
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
      if (!/Request$|ContactLine|Consent|NestedProfile/.test(place))
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

  test('bodies of requests refer to the enums that answers have', () => {
    const reference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
    expect(schemas?.['CreateContactRequest']).toMatchObject({
      properties: { status: reference('SubscriptionStatus') },
    });
    expect(schemas?.['SuppressRequest']).toMatchObject({ properties: { reason: reference('SuppressionReason') } });
    expect(schemas?.['CreateApiKeyRequest']).toMatchObject({ properties: { scopes: { items: reference('Scope') } } });
    expect(parameters?.['query_state']).toMatchObject({ schema: reference('DeliveryState') });
    const inline = all.filter(([place, schema]) => /Request|ContactLine/.test(place) && 'enum' in schema);
    expect(inline.map(([place]) => place)).toEqual([]);
  });

  test('equal values of two enums have different constants in a language with one namespace for all', () => {
    const enums = Object.entries(schemas ?? {}).filter(([, schema]) => 'enum' in schema);
    const constants = enums.flatMap(([name, { 'x-enum-varnames': names }]) =>
      (names as readonly string[]).map((constant) => {
        expect(constant.replaceAll('_', '').toLowerCase()).toMatch(new RegExp(`^${name.toLowerCase()}`));
        expect(constant).toMatch(/^[A-Z][A-Z0-9_]*$/);
        return constant;
      }),
    );
    expect(constants).toContain('SAVED_OUTCOME_CREATED');
    expect(constants).toHaveLength(enums.flatMap(([, { enum: values }]) => values).length);
    expect(new Set(constants).size).toBe(constants.length);
  });

  test('a parameter that is true or false is a boolean', () => {
    const flags = all.filter(([, { enum: values }]) => Array.isArray(values) && values.includes('true'));
    expect(flags.map(([place]) => place)).toEqual([]);
    expect(parameters?.['query_dry_run']).toMatchObject({ schema: { type: 'boolean', default: false } });
    expect(parameters?.['query_resubscribe']).toMatchObject({ schema: { type: 'boolean', default: true } });
  });

  test('a scope is a requirement of the operation', () => {
    expect(paths['/v1/contacts/{list_id}/create']?.['post']).toHaveProperty('security', [
      { bearer: ['contacts:write'] },
    ]);
    for (const { path, method, scope } of endpointTable) {
      const operation = paths[path]?.[method === 'postOrDelete' ? 'delete' : method];
      if (scope === 'none') expect(operation).toHaveProperty('security', []);
      else if (scope === 'any_key' || scope === 'by_view') expect(operation).not.toHaveProperty('security');
      else expect(operation).toHaveProperty('security', [{ bearer: [scope] }]);
    }
  });

  test('every response declares its X-Request-Id, and errors that can be repeated their Retry-After', () => {
    const described = [
      ...Object.values(responses ?? {}),
      ...operations.flatMap(({ responses: own }) => Object.values(own)),
    ];
    for (const response of described.filter((one) => !('$ref' in one)))
      expect(response, JSON.stringify(response)).toHaveProperty('headers.X-Request-Id');
    for (const name of ['General', 'GeneralOfWrite', 'GetReadyServiceUnavailable'])
      expect(responses?.[name]).toHaveProperty('headers.Retry-After');
  });

  test('responses of operations that drop unknown fields declare X-Ignored-Fields', () => {
    for (const name of [
      'GeneralOfWrite',
      'CreateContactBadRequest',
      'SendEmailConflict',
      'CreateGroupUnprocessableEntity',
    ])
      expect(responses?.[name], name).toHaveProperty('headers.X-Ignored-Fields');
    expect(responses?.['SuppressBadRequest']).not.toHaveProperty('headers.X-Ignored-Fields');
  });

  test('each error has an example with a message of the catalogue', () => {
    const known = Object.values(errorCatalogue);
    for (const [name, { content }] of Object.entries(responses ?? {})) {
      const { example, examples } = (content as Readonly<Record<string, Examples>>)['application/json'] ?? {};
      const shown = [
        ...(example === undefined ? [] : [example]),
        ...Object.values(examples ?? {}).map(({ value }) => value),
      ];
      expect(shown, name).not.toEqual([]);
      for (const { statusCode, status, type, message, data } of shown) {
        expect({ status, data }, name).toEqual({ status: 'Error', data: expect.any(Object) });
        expect(message).not.toMatch(/\{|undefined|  | $/);
        const found = known.some(
          (one) => one.status === statusCode && one.type === type && patternOf(one.message).test(message),
        );
        expect(found, `${name}: ${statusCode} ${type} ${message}`).toBe(true);
      }
    }
  });

  test('an example of an error has the status of its response', () => {
    for (const { responses: own } of operations)
      for (const [status, { $ref = '' }] of Object.entries(own)) {
        const response = responses?.[$ref.replace('#/components/responses/', '')];
        if (response === undefined || status === 'default') continue;
        expect(response, $ref).toHaveProperty('content.application/json.example.statusCode', Number(status));
      }
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

interface Examples {
  readonly example?: ExampleError;
  readonly examples?: Readonly<Record<string, { readonly value: ExampleError }>>;
}

interface ExampleError {
  readonly statusCode: number;
  readonly status: string;
  readonly type: string;
  readonly message: string;
  readonly data: unknown;
}

describe('names of responses', () => {
  const namesIn = (document: object): Readonly<Record<string, unknown>> => {
    const { paths: described } = document as { readonly paths: typeof paths };
    return Object.fromEntries(
      Object.values(described).flatMap((methods) =>
        Object.values(methods).map(({ operationId, responses: own }) => [
          operationId,
          Object.fromEntries(Object.entries(own).map(([status, { $ref }]) => [status, $ref])),
        ]),
      ),
    );
  };
  const names = namesIn(apiDocument);
  const examples = {};

  test('do not depend on the order of operations', () => {
    const reversed = [...apiResources].reverse().map((resource) => ({
      ...resource,
      endpoints: Object.fromEntries(Object.entries(resource.endpoints).reverse()),
    }));
    expect(namesIn(createDocument({ resources: reversed, examples, version: '0' }))).toEqual(names);
  });

  test('stay when an operation is added', () => {
    const [first, ...others] = apiResources;
    const [added = '', ...endpoints] = Object.keys(first?.endpoints ?? {});
    const without = apiResources.map((resource) =>
      resource === first
        ? { ...first, endpoints: Object.fromEntries(endpoints.map((name) => [name, first.endpoints[name]!])) }
        : resource,
    );
    const fewer = namesIn(createDocument({ resources: without, examples, version: '0' }));
    expect(Object.keys(names).filter((id) => !(id in fewer))).toEqual([first?.endpoints[added]?.id]);
    expect(names).toMatchObject(fewer);
    expect(names).toMatchObject(namesIn(createDocument({ resources: others, examples, version: '0' })));
  });

  test('begin with the name of the operation, unless operations share them', () => {
    for (const [id, own] of Object.entries(names))
      for (const reference of Object.values(own as Readonly<Record<string, string | undefined>>)) {
        const name = reference?.replace('#/components/responses/', '') ?? 'General';
        if (/^(?:General|GeneralOfWrite|NotFound|MethodNotAllowed)$/.test(name)) continue;
        expect(name.toLowerCase()).toMatch(new RegExp(`^${id.replace(/ByPost$/, '').toLowerCase()}`));
      }
  });
});
