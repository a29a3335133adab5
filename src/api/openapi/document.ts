/** Makes the OpenAPI 3.1 document from the table of endpoints, so that it says what the service does. */
import type { z } from 'zod';
import { errorCatalogue, type ErrorCode } from '../../errors.js';
import type { AnyEndpoint } from '../endpoints/endpoint.js';
import { isObject } from '../envelope.js';
import type { Examples, Example } from './examples.js';
import { counted, errorSchemas, refusals, sharedResponses } from './errors.js';
import { createSchemas, type Json, type Schemas } from './schemas.js';
import { about, headerParameters, resources, responseHeaders } from './texts.js';

export interface DocumentOptions {
  readonly endpoints: readonly AnyEndpoint[];
  readonly examples: Examples;
  /** Of the service. */
  readonly version: string;
}

type Method = 'get' | 'post' | 'delete';

export function createDocument({ endpoints, examples, version }: DocumentOptions): Json {
  const schemas = createSchemas();
  const paths: Record<string, Json> = {};
  const describe = operationDescriber(schemas, examples);
  for (const endpoint of endpoints)
    for (const method of methodsOf(endpoint))
      paths[endpoint.path] = { ...paths[endpoint.path], [method]: describe(endpoint, method) };
  const responses = sharedResponses();
  return {
    openapi: '3.1.1',
    info: { ...about, version },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    tags: Object.values(resources),
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key as bearer token.' } },
      parameters: headerParameters,
      headers: responseHeaders,
      responses,
      schemas: { ...schemas.named(), ...errorSchemas(JSON.stringify({ paths, responses })) },
    },
  };
}

const methodsOf = ({ method }: AnyEndpoint): readonly Method[] =>
  method === 'postOrDelete' ? ['delete', 'post'] : [method];

function operationDescriber(schemas: Schemas, examples: Examples) {
  return (endpoint: AnyEndpoint, method: Method): Json => {
    const { id, path, summary } = endpoint;
    const example = examples[id];
    const common = {
      operationId: endpoint.method === 'postOrDelete' && method === 'post' ? `${id}ByPost` : id,
      tags: [resources[path.split('/')[2] ?? '']?.name ?? 'Service'],
      summary,
    };
    const done = success(endpoint, { method, schemas, example });
    if (endpoint.scope === 'none')
      return {
        ...common,
        ...descriptionOf(endpoint.description),
        security: [],
        responses: { 200: done, ...notModified(endpoint), ...refusals(rulesOf(endpoint), false) },
      };
    const query = schemas.input(endpoint.query);
    const body = schemas.input(endpoint.body);
    const codes = [...commonErrors(endpoint, method), ...rulesOf(endpoint), ...query.errors, ...body.errors];
    return {
      ...common,
      ...descriptionOf(endpoint.description, `Needs the scope \`${endpoint.scope}\`.`),
      'x-required-scope': endpoint.scope,
      'x-repeat': repeatOf(endpoint, method),
      parameters: [
        ...pathParameters(path, example),
        ...queryParameters(query.schema, example),
        ...headersOf(endpoint, method).map((name) => ({ $ref: `#/components/parameters/${name}` })),
      ],
      ...(endpoint.lines === undefined
        ? requestBody(strictly(body.schema, endpoint), example)
        : { requestBody: { required: true, content: linesOf(endpoint.lines, { schemas, example }) } }),
      responses: { 200: done, ...refusals(codes, true) },
    };
  };
}

const notModified = ({ answer }: AnyEndpoint): Json =>
  answer.cached === true ? { 304: { description: 'The client has it: its `If-None-Match` is the `ETag`.' } } : {};

const descriptionOf = (...parts: readonly (string | undefined)[]): Json => {
  const description = parts.filter((part) => part !== undefined).join(' ');
  return description === '' ? {} : { description };
};

/** `key`: an `Idempotency-Key` makes a repeat safe; `safe`: a repeat is always safe. */
function repeatOf({ replays, repeatable, own }: AnyEndpoint, method: Method): 'safe' | 'key' | 'unsafe' {
  if (replays === true) return 'key';
  return method === 'get' || own === undefined || repeatable === true ? 'safe' : 'unsafe';
}

/** The errors that follow from what an endpoint is, in the order of the checks. */
function commonErrors({ own, serverFault, lines }: AnyEndpoint, method: Method): readonly ErrorCode[] {
  const ofReads = ['invalid_position'] as const;
  // Lines say by themselves what is wrong with them.
  const ofBodies =
    lines === undefined ? (['unsupported_media_type', 'invalid_json'] as const) : (['not_ndjson'] as const);
  const ofWrites = lines === undefined ? (['unknown_field', 'unknown_field_near'] as const) : [];
  return [
    'unauthorized',
    'rate_limited',
    'forbidden',
    'too_large',
    ...ofBodies,
    ...(own === undefined ? [] : (['unknown_parameter'] as const)),
    ...(method === 'get' ? ofReads : ofWrites),
    ...(method === 'get' || own === undefined ? [] : (['idempotency_unsupported'] as const)),
    serverFault ?? 'internal',
    'unavailable',
  ];
}

/** An unknown id on an own path is a path that is not there. */
const rulesOf = ({ errors = [], own }: AnyEndpoint): readonly ErrorCode[] =>
  errors.map((code) => (own === true && errorCatalogue[code].type === 'unknown_id' ? 'not_found' : code));

function headersOf({ own, replays }: AnyEndpoint, method: Method): readonly string[] {
  if (method === 'get') return ['X-Request-Id', 'X-Min-Position'];
  const key = replays === true ? 'Idempotency-Key' : 'Idempotency-Key-without-effect';
  return own === undefined ? ['X-Request-Id', key, 'Prefer'] : ['X-Request-Id'];
}

const pathParameters = (path: string, example: Example | undefined): readonly Json[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...exampleOf(example?.parameters?.[name]),
    schema: { type: 'string' },
  }));

function queryParameters({ properties, required }: Json, example: Example | undefined): readonly Json[] {
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).map(([name, property]) => {
    const { description, ...schema } = isObject(property) ? property : {};
    return {
      name,
      in: 'query',
      ...(needed.includes(name) ? { required: true } : {}),
      ...(description === undefined ? {} : { description }),
      ...exampleOf(example?.parameters?.[name]),
      schema,
    };
  });
}

const exampleOf = (example: unknown): Json => (example === undefined ? {} : { example });

/** Where unknown fields are refused without being asked to. */
const strictly = (schema: Json, { own }: AnyEndpoint): Json =>
  own === true ? { ...schema, additionalProperties: false } : schema;

function requestBody(schema: Json, example: Example | undefined): Json {
  if (!isObject(schema['properties']) || Object.keys(schema['properties']).length === 0) return {};
  const content = { 'application/json': { schema, ...exampleOf(example?.body) } };
  return { requestBody: { ...(schema['required'] === undefined ? {} : { required: true }), content } };
}

const linesOf = (lines: z.ZodType, { schemas, example }: Omit<SuccessOf, 'method'>): Json => ({
  [ndjson]: { ...schemas.other(ndjson, lines, 'input'), ...exampleOf(example?.body) },
});

const ndjson = 'application/x-ndjson';

interface SuccessOf {
  readonly method: Method;
  readonly schemas: Schemas;
  readonly example: Example | undefined;
}

function success(endpoint: AnyEndpoint, { method, schemas, example }: SuccessOf): Json {
  const { answer, message } = endpoint;
  const { data, beside = {}, others = {} } = answer;
  const json = data && { schema: schemas.envelope(data, { message, beside }), ...exampleOf(example?.answer) };
  const more = Object.entries(others).map(([type, schema]) => [type, schemas.other(type, schema)] as const);
  const content = { ...(json && { 'application/json': json }), ...Object.fromEntries(more) };
  return { description: message ?? endpoint.summary, headers: answerHeaders(endpoint, method), content };
}

/** What a header says stands in the components, once. */
function answerHeaders(endpoint: AnyEndpoint, method: Method): Json {
  const names = ['X-Request-Id'];
  if (endpoint.scope !== 'none') {
    names.push(...counted);
    if (method !== 'get' && endpoint.message !== undefined) names.push('X-Position');
    if (repeatOf(endpoint, method) === 'key') names.push('Idempotent-Replayed');
    names.push(...(endpoint.answer.headers ?? []));
  }
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
