/** Makes the OpenAPI 3.1 document from the endpoints that the service runs. */
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { errorCatalogue, type ErrorCode } from '../../errors.js';
import { anyKey, scopeOfView, type Endpoint, type Resource } from '../http/endpoint.js';
import { createRefusals, errorSchema } from './errors.js';
import { createSchemas, errorsIn, type Json, type Schemas } from './schemas.js';
import { about, headerParameters, headersNamed, responseHeaders } from './texts.js';

/** An example of an operation. `parameters`: of path and query. `errors`: by status, where their `data` says more than an echo. */
const example = z.object({
  parameters: z.record(z.string(), z.unknown()).optional(),
  body: z.unknown().optional(),
  answer: z.unknown().optional(),
  errors: z.record(z.string(), z.unknown()).optional(),
});
const exampleFile = z.record(z.string(), example);

type Example = z.infer<typeof example>;
type Examples = Readonly<Record<string, Example | undefined>>;

/** A test runs each against a service, in this order, and compares the answers with those of the service. */
export const readExamples = (): Examples =>
  exampleFile.parse(JSON.parse(readFileSync(new URL('./examples.json', import.meta.url), 'utf8')));

interface DocumentOptions {
  readonly resources: readonly Resource[];
  readonly examples: Examples;
  /** Of the service. */
  readonly version: string;
  /** For tests: answers hold only what is described. Default: they are open to what later versions add. */
  readonly isStrict?: true;
}

/** One method of an endpoint. */
interface Operation {
  readonly resource: Resource;
  readonly endpoint: Endpoint;
  readonly method: 'get' | 'post' | 'delete';
  readonly schemas: Schemas;
  readonly example: Example;
  readonly parameters: Parameters;
}

export function createDocument({ resources, examples, version, isStrict }: DocumentOptions): Json {
  const schemas = createSchemas(isStrict === true);
  const refusals = createRefusals();
  const parameters = createParameters();
  const paths: Record<string, Json> = {};
  for (const { resource, endpoint, method } of methodsIn(resources)) {
    const { path, id } = endpoint;
    const operation = { resource, endpoint, method, schemas, parameters, example: examples[id] ?? {} };
    const responses = { ...success(operation), ...refusals.of(refused(operation)) };
    paths[path] = { ...paths[path], [method]: { ...described(operation), ...requested(operation), responses } };
  }
  return {
    openapi: '3.1.1',
    info: { ...about, version },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: resources.map(({ name, description }) => ({ name, description })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An API key as bearer token.' } },
      parameters: { ...headerParameters, ...parameters.shared },
      headers: responseHeaders,
      responses: refusals.responses,
      schemas: { ApiError: errorSchema, ...schemas.named },
    },
  };
}

const methodsIn = (resources: readonly Resource[]) =>
  resources.flatMap((resource) =>
    Object.values(resource.endpoints).flatMap((endpoint) => {
      const methods = endpoint.method === 'postOrDelete' ? (['delete', 'post'] as const) : [endpoint.method];
      return methods.map((method) => ({ resource, endpoint, method }));
    }),
  );

function needsOf(scope: Endpoint['scope']): readonly string[] {
  if (scope === 'none' || scope === anyKey) return [];
  return [scope === scopeOfView ? 'Needs the scope of what the view holds.' : `Needs the scope \`${scope}\`.`];
}

function described({ resource, endpoint, method }: Operation): Json {
  const { id, summary, description, scope } = endpoint;
  const sentences = [...(description === undefined ? [] : [description]), ...needsOf(scope)];
  return {
    operationId: endpoint.method === 'postOrDelete' && method === 'post' ? `${id}ByPost` : id,
    tags: [resource.name],
    summary,
    ...(sentences.length === 0 ? {} : { description: sentences.join(' ') }),
    ...securityOf(scope),
    ...repeatOf(endpoint),
  };
}

/** Lists the scope as OAuth scopes are listed. If the scope depends on the view, every key may try. */
function securityOf(scope: Endpoint['scope']): Json {
  if (scope === 'none') return { security: [] };
  if (scope === anyKey) return {};
  return { ...(scope !== scopeOfView && { security: [{ bearer: [scope] }] }), 'x-required-scope': scope };
}

/** `key`: an `Idempotency-Key` makes a repeat safe; `unsafe`: nothing does; absent: it is always safe. */
function repeatOf(endpoint: Endpoint): Json {
  const { takesIdempotencyKey, effect, unknownInput, upload } = endpoint;
  if (takesIdempotencyKey === true) return { 'x-repeat': 'key' };
  return effect === 'read' || unknownInput === 'ignored' || upload !== undefined ? {} : { 'x-repeat': 'unsafe' };
}

type Parameters = ReturnType<typeof createParameters>;

/** Parameters that are the same in several operations are written once, in the components. */
function createParameters() {
  const shared: Record<string, Json> = {};
  return {
    shared,
    share<Parameter extends Json & { readonly name: string; readonly in: string }>(
      parameter: Parameter,
      example: unknown,
    ): Json {
      // With `in_`, so that it differs from every name of a schema, also where case is ignored.
      const name = `${parameter.in}_${parameter.name}`;
      const { example: first = example, ...known } = shared[name] ?? parameter;
      if (!isDeepStrictEqual(known, parameter)) return { ...parameter, example };
      shared[name] = { ...parameter, ...(first !== undefined && { example: first }) };
      return { $ref: `#/components/parameters/${name}` };
    },
  };
}

/** Parameters and body. */
function requested({ resource, endpoint, schemas, example, parameters: known }: Operation): Json {
  const { path, unknownInput, upload } = endpoint;
  const { properties, required: needed } = schemas.input(endpoint.query);
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...resource.parameters[name],
  }));
  const inQuery = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(needed.includes(name) && { required: true }),
    description,
    schema,
  }));
  const parameters = [
    ...[...inPath, ...inQuery].map((one) => known.share(one, example.parameters?.[one.name])),
    ...headersOf(endpoint).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
  if (upload?.type === 'lines') {
    const { isOneToo, title, schema: lineSchema } = upload;
    const schema = {
      type: 'string',
      contentMediaType: ndjson,
      // Unknown fields of lines are refused.
      contentSchema: schemas.name(title, schemas.closedInput(lineSchema, title)),
    };
    const many = {
      [ndjson]: { schema, example: isOneToo === true ? `${JSON.stringify(example.body)}\n` : example.body },
    };
    const one = { schema: schema.contentSchema, example: example.body };
    const content = isOneToo === true ? { 'application/json': one, ...many } : many;
    // An empty body has no lines, which is allowed.
    return { parameters, requestBody: { required: isOneToo === true, content } };
  }
  if (upload?.type === 'email') {
    const body = { schema: { type: 'string', minLength: 1, contentMediaType: mailType }, example: example.body };
    return { parameters, requestBody: { required: true, content: { [mailType]: body } } };
  }
  const title = `${titled(endpoint)}Request`;
  const converted =
    unknownInput === 'refused' ? schemas.closedInput(endpoint.body, title) : schemas.input(endpoint.body);
  const { properties: fields, required, ...rest } = converted;
  if (Object.keys(fields).length === 0) return { parameters };
  const needs = required.length > 0 ? { required } : {};
  const body = { schema: schemas.name(title, { ...rest, properties: fields, ...needs }), example: example.body };
  return { parameters, requestBody: { required: required.length > 0, content: { 'application/json': body } } };
}

const titled = ({ id }: Endpoint): string => id.charAt(0).toUpperCase() + id.slice(1);

const ndjson = 'application/x-ndjson';
const mailType = 'message/rfc822';

function headersOf({ scope, effect, unknownInput, takesIdempotencyKey, upload }: Endpoint): readonly string[] {
  if (scope === 'none') return ['X-Request-Id'];
  if (effect === 'read') return ['X-Request-Id', 'X-Min-Position'];
  const ofUpload = upload?.type === 'email' ? upload.headers : [];
  const forKey = when(takesIdempotencyKey === true, 'Idempotency-Key');
  return ['X-Request-Id', ...ofUpload, ...forKey, ...when(unknownInput === 'ignored', 'Prefer')];
}

function success({ endpoint, schemas, example }: Operation): Json {
  const { answer, message } = endpoint;
  const { status = 200, data, beside = {}, others = {}, etag } = answer;
  const whole = data && schemas.envelope(`${titled(endpoint)}Answer`, status, { message, fields: { data, ...beside } });
  const json = whole && { schema: whole, example: example.answer };
  const more = Object.entries(others).map(([type, item], index) => {
    const shown = data === undefined && index === 0 ? { example: example.answer } : {};
    return [type, { schema: schemas.other(type, item), ...shown }] as const;
  });
  const content = { ...(json && { 'application/json': json }), ...Object.fromEntries(more) };
  const headers = headersNamed(answerHeaders(endpoint));
  const notModified = { description: 'The client has it: its `If-None-Match` is the `ETag`.', ...headers };
  return {
    [status]: { description: message ?? 'Success.', ...headers, content },
    ...(etag === true ? { 304: notModified } : {}),
  };
}

/** Whether the operation drops unknown fields of a body and names them. */
const ignoresFields = ({ method, unknownInput }: Endpoint): boolean => method !== 'get' && unknownInput === 'ignored';

/** The properties of an operation that the description of its errors uses. */
function refused({ endpoint, method, schemas, example }: Operation) {
  const body = schemas.input(bodyOf(endpoint));
  const query = schemas.input(endpoint.query);
  return {
    title: titled(endpoint),
    codes: errorsOf(endpoint, method),
    ignoresFields: ignoresFields(endpoint),
    needs: neededHeader(endpoint) ?? body.required[0] ?? query.required[0],
    body: example.body,
    echo: endpoint.echo ?? { flat: Object.keys(body.properties), nested: [] },
    examples: example.errors ?? {},
  };
}

const neededHeader = ({ upload }: Endpoint): string | undefined =>
  upload?.type === 'email' ? upload.headers[0] : undefined;

/** The schema of a JSON body. */
const bodyOf = ({ upload, body }: Endpoint): z.ZodType =>
  upload?.type === 'lines' && upload.isOneToo === true ? upload.schema : body;

function answerHeaders(endpoint: Endpoint): readonly string[] {
  const { answer, takesIdempotencyKey } = endpoint;
  return [
    'X-Request-Id',
    ...when(answer.position === true, 'X-Position'),
    ...when(takesIdempotencyKey === true, 'Idempotent-Replayed'),
    ...when(answer.etag === true, 'ETag'),
    ...when(ignoresFields(endpoint), 'X-Ignored-Fields'),
    ...(answer.headers ?? []),
  ];
}

/** Errors of a body that is not JSON, or is JSON that the service refuses to parse. */
const badJson: readonly ErrorCode[] = [
  'unsupported_media_type',
  'invalid_json',
  'invalid_encoding',
  'too_deep',
  'too_many_values',
];

const when = <Item>(isSo: boolean, ...items: readonly Item[]): readonly Item[] => (isSo ? items : []);

/** The errors of an endpoint in the order of the checks: of its kind, of its own rules, and of its fields. */
export function errorsOf(endpoint: Endpoint, method: string): readonly ErrorCode[] {
  const {
    path,
    scope,
    effect,
    unknownInput,
    upload,
    takesIdempotencyKey,
    serverFault = 'internal',
    errors = [],
  } = endpoint;
  const rules = [...errors, ...errorsIn(endpoint.query), ...errorsIn(bodyOf(endpoint))];
  if (scope === 'none') return ['method_not_allowed', ...rules];
  const isGet = method === 'get';
  // Errors of lines are in their answers.
  const isLines = upload?.type === 'lines' && upload.isOneToo !== true;
  const isJson = !isLines && upload?.type !== 'email';
  const [ofMedia] = [...when(isLines, 'not_ndjson' as const), ...when(!isJson, 'not_mail' as const)];
  const refusesUnknown = unknownInput === 'refused';
  return [
    // Another path may have a fixed word in this place, and other methods.
    ...when(path.endsWith('}'), 'method_not_allowed' as const),
    // Also where the path cannot be decoded.
    ...when(path.includes('{'), 'not_found' as const),
    ...(['unauthorized', 'rate_limited'] as const),
    ...when(scope !== anyKey, 'forbidden' as const),
    ...(['too_large', 'compressed_body', 'not_utf8'] as const),
    ...when(!isGet, ...(ofMedia === undefined ? badJson : [ofMedia])),
    ...when(!isGet && isJson, 'unknown_field' as const, 'unknown_field_near' as const),
    ...when(refusesUnknown, 'unknown_parameter' as const),
    ...when(effect === 'read', 'invalid_position' as const),
    ...when(takesIdempotencyKey === true, 'invalid_idempotency_key' as const, 'idempotency_conflict' as const),
    // An unknown id is 404 on these endpoints.
    ...rules.map((code) => (refusesUnknown && errorCatalogue[code].type === 'unknown_id' ? 'not_found' : code)),
    serverFault,
    'view_damaged',
    'unavailable',
    'too_many_at_once',
  ];
}
