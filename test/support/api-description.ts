/** Holds answers of a service against its OpenAPI document in its strict form: status, media type, headers and body. */
import { isDeepStrictEqual } from 'node:util';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { securityHeaders } from '../../src/api/http/security-headers.js';
import { createDocument, errorsOf, readExamples } from '../../src/api/openapi/document.js';
import { createResources, endpointsOf } from '../../src/api/resources/table.js';
import { errorCatalogue, type ErrorCode } from '../../src/errors.js';

interface Described {
  readonly $ref?: string;
  readonly schema?: object;
  readonly required?: boolean;
}

interface DescribedResponse {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, Described>>;
  readonly content?: Readonly<Record<string, { readonly schema: { readonly contentSchema?: object } }>>;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, DescribedResponse>>;
}

type DescribedPaths = Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;

export const apiResources = createResources(Date.now);
export const endpointTable = endpointsOf(apiResources);
const options = { resources: apiResources, examples: readExamples(), version: '0' };
/** As it is published. */
export const apiDocument = createDocument(options);
const strictDocument = createDocument({ ...options, isStrict: true });
export const paths = apiDocument['paths'] as DescribedPaths;

// Compiling takes longer than checking: small functions, as they come.
const ajv = new Ajv2020({
  strict: false,
  validateSchema: false,
  validateFormats: true,
  inlineRefs: false,
  code: { optimize: false },
});
addFormats.default(ajv);
ajv.addSchema(strictDocument, 'api');
ajv.addSchema(apiDocument, 'published');

const escape = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
const pointer = (...parts: readonly string[]): string => `#/${parts.map(escape).join('/')}`;

function at(where: string): unknown {
  const parts = where.slice(2).split('/');
  return parts.reduce<unknown>(
    (value, part) =>
      (value as Record<string, unknown>)[decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')],
    strictDocument,
  );
}

/** Follows a reference; tells where the thing stands. */
function resolved<Thing extends { readonly $ref?: string }>(where: string): { where: string; thing: Thing } {
  const thing = at(where) as Thing;
  return thing.$ref === undefined ? { where, thing } : resolved(thing.$ref);
}

function validator(where: string, document: 'api' | 'published' = 'api'): ValidateFunction {
  const validate = ajv.getSchema(`${document}${where}`);
  if (validate === undefined) throw new Error(`no schema at ${where}`);
  return validate;
}

const patterns = Object.keys(paths)
  .map((path) => ({
    path,
    parameters: path.split('{').length,
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
  }))
  .sort((one, other) => one.parameters - other.parameters);

/** Undefined: there is none. */
function pathOf(target: string): string | undefined {
  const [given = ''] = target.split('?', 1);
  return patterns.find(({ pattern }) => pattern.test(given))?.path;
}

interface Answered {
  readonly method: string;
  readonly target: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** Headers that a client or a browser may act upon: an answer has none that are not described. */
const told =
  /^(x-(request-id|position|ignored-fields)|ratelimit(-policy)?|retry-after|location|allow|www-authenticate|idempotent-replayed|preference-applied|etag|cache-control|content-security-policy|cross-origin-.*|referrer-policy|x-content-type-options|x-frame-options)$/;

/** Throws where the answer is not as the document says. */
export function checkAnswer(answered: Answered): void {
  const where = responseOf(answered);
  if (where === undefined) return;
  const { thing, where: place } = resolved<DescribedResponse>(where);
  const { method, target, status, headers, text } = answered;
  const complain = (what: string): never =>
    fail(`${method} ${target} answered ${status}: ${what}, against ${place}: ${text.slice(0, 2_000)}`);
  const type = mediaTypeOf(headers);
  const content = thing.content?.[type] ?? complain(`the media type "${type}" is not described`);
  checkHeaders(thing.headers ?? {}, { place, headers, complain });
  if (method === 'HEAD') return;
  if (status >= 400) checkError(answered, complain);
  else checkSuccess({ text, type, content, place, complain });
}

/**
 * Checks an answer against the document as clients get it, which is open to later versions. Returns the name of the operation.
 * @throws Error if the answer is another one
 */
export function checkAsPublished(answered: Answered): string {
  const { method, target, status, headers, text } = answered;
  const where = responseOf(answered) ?? fail(`${method} ${target} answered ${status}, which has no description`);
  const type = mediaTypeOf(headers);
  const { thing, where: place } = resolved<DescribedResponse>(where);
  const content = thing.content?.[type] ?? fail(`${method} ${target} answered with ${type}`);
  const complain = (what: string): never => fail(`${method} ${target} as published: ${what}: ${text.slice(0, 2_000)}`);
  checkSuccess({ text, type, content, place, complain, document: 'published' });
  return paths[pathOf(target) ?? '']?.[method.toLowerCase()]?.operationId ?? fail(`${target} is of no operation`);
}

interface Successful extends Pick<Answered, 'text'>, Pick<Check, 'place' | 'complain'> {
  readonly type: string;
  readonly content: { readonly schema: { readonly contentSchema?: object } };
  readonly document?: 'published';
}

function checkSuccess({ text, type, content, place, complain, document }: Successful): void {
  const schema = [...parts(place), 'content', type, 'schema'];
  const isOfItems = content.schema.contentSchema !== undefined;
  const validate = validator(pointer(...schema, ...(isOfItems ? ['contentSchema'] : [])), document);
  const whole = (): unknown => (type === 'application/json' ? JSON.parse(text) : text);
  for (const value of isOfItems ? items(text) : [whole()])
    if (!validate(value)) complain(ajv.errorsText(validate.errors));
}

/** An error is one of those that the endpoint has, word for word. */
function checkError({ method, target, status, text, headers }: Answered, complain: (what: string) => never): void {
  const path = pathOf(target);
  const endpoint = endpointTable.find(
    (one) => one.path === path && (one.method === 'postOrDelete' ? method !== 'GET' : namesOf(one).includes(method)),
  );
  const codes = [...(endpoint === undefined ? [] : errorsOf(endpoint, method.toLowerCase())), ...anywhere];
  for (const name of alwaysWith[status] ?? [])
    if (headers[name] === undefined) complain(`the header ${name} is missing`);
  const { data, ...rest } = JSON.parse(text) as Record<string, unknown>;
  const isTold = codes.some((code) => {
    const { status: statusCode, type, message } = errorCatalogue[code];
    const said = patternOf(message).test(String(rest['message']));
    return (
      said &&
      statusCode === status &&
      isDeepStrictEqual(rest, { statusCode, status: 'Error', message: rest['message'], type })
    );
  });
  if (!isTold || (data !== undefined && typeof data !== 'object'))
    complain(`no such error with ${status} among ${codes.join(', ')}`);
}

const alwaysWith: Readonly<Record<number, readonly string[]>> = {
  401: ['www-authenticate'],
  429: ['retry-after'],
  503: ['retry-after'],
};

/** Of a path that is none, of a method that it has not, and of a body where none is wanted. */
const anywhere: readonly ErrorCode[] = [
  'not_found',
  'method_not_allowed',
  'too_large',
  'unsupported_media_type',
  'compressed_body',
  'not_utf8',
  'invalid_json',
  'invalid_encoding',
];

const namesOf = ({ method }: { readonly method: string }): readonly string[] =>
  method === 'get' ? ['GET', 'HEAD'] : ['POST'];

/** Placeholders stand for any text. */
export const patternOf = (message: string): RegExp =>
  new RegExp(
    `^${message
      .split(/\{\w+\}/)
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[\\s\\S]*')}$`,
  );

const mediaTypeOf = ({ 'content-type': type }: Answered['headers']): string =>
  typeof type === 'string' ? (type.split(';', 1)[0] ?? '') : '';

const parts = (where: string): readonly string[] =>
  where
    .slice(2)
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));

/** Lines of NDJSON, or what server-sent events carry. */
const items = (text: string): readonly unknown[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{') || line.startsWith('data: '))
    .map((line) => JSON.parse(line.replace(/^data: /, '')) as unknown);

interface Check {
  readonly place: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly complain: (what: string) => never;
}

function checkHeaders(described: Readonly<Record<string, Described>>, { place, headers, complain }: Check): void {
  const known = headersAt.get(place) ?? describedHeaders(described, place);
  headersAt.set(place, known);
  const surplus = Object.keys(headers).find((name) => told.test(name) && !known.has(name) && !onEvery.has(name));
  if (surplus !== undefined) complain(`the header ${surplus} is not described`);
  const missing = security.find((name) => headers[name] === undefined);
  if (missing !== undefined) complain(`the header ${missing} is missing`);
  for (const [name, { required, validate }] of known) {
    const value = headers[name];
    if (value === undefined && required) complain(`the header ${name} is missing`);
    if (value !== undefined && !validate(value)) complain(`the header ${name} is ${String(value)}`);
  }
}

/** Said once, of all answers. */
const security = securityHeaders()
  .filter((_, index) => index % 2 === 0)
  .map((name) => name.toLowerCase());
const onEvery = new Set(['ratelimit', 'ratelimit-policy', 'preference-applied', ...security]);

interface DescribedHeader {
  readonly required: boolean;
  readonly validate: ValidateFunction;
}

const headersAt = new Map<string, ReadonlyMap<string, DescribedHeader>>();

function describedHeaders(described: Readonly<Record<string, Described>>, place: string): Map<string, DescribedHeader> {
  const found = new Map<string, DescribedHeader>();
  for (const name of Object.keys(described)) {
    const { thing, where } = resolved<Described>(pointer(...parts(place), 'headers', name));
    const validate = validator(pointer(...parts(where), 'schema'));
    found.set(name.toLowerCase(), { required: thing.required === true, validate });
  }
  return found;
}

const shared = (name: string): string => pointer('components', 'responses', name);

/** Where the response is described. Undefined: the files of the page at /docs, and preflights of browsers. */
function responseOf({ method, target, status }: Answered): string | undefined {
  if (target.startsWith('/docs/') || method === 'OPTIONS') return undefined;
  const path = pathOf(target);
  const name = method === 'HEAD' ? 'get' : method.toLowerCase();
  const operation = path === undefined ? undefined : paths[path]?.[name];
  if (path === undefined || operation === undefined)
    return withoutOperation(target, { isPath: path !== undefined, status }) ?? undescribed(method, target, status);
  const described = [String(status), 'default'].find((one) => operation.responses[one] !== undefined);
  if (described === undefined) return undescribed(method, target, status);
  return withBody(status, pointer('paths', path, name, 'responses', described));
}

/** A path that cannot be decoded is none. */
function withoutOperation(
  target: string,
  { isPath, status }: { readonly isPath: boolean; readonly status: number },
): string | undefined {
  if (isPath && status === 405) return shared('MethodNotAllowed');
  return status === 404 && !(isPath && isDecodable(target)) ? shared('NotFound') : undefined;
}

/** What has not changed has no body. */
const withBody = (status: number, where: string): string | undefined => (status === 304 ? undefined : where);

const undescribed = (method: string, target: string, status: number): never =>
  fail(`${method} ${target} answered ${status}, which is not described`);

function isDecodable(target: string): boolean {
  try {
    decodeURIComponent(target.split('?', 1)[0] ?? '');
    return true;
  } catch {
    return false;
  }
}

function fail(message: string): never {
  throw new Error(message);
}
