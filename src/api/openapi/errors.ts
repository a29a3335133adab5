/** The errors in the OpenAPI document: a schema for each code of the catalogue, and the responses that they make. */
import { errorCatalogue, isErrorCode, type ErrorCode } from '../../errors.js';
import type { Json } from './schemas.js';

/** The headers of answers to requests that need an API key. */
export const counted = ['RateLimit', 'RateLimit-Policy', 'Preference-Applied'];

/** Codes whose response is the same wherever it occurs. */
const shared: readonly ErrorCode[] = [
  'unauthorized',
  'not_found',
  'method_not_allowed',
  'too_large',
  'unsupported_media_type',
  'rate_limited',
  'internal',
  'internal_update',
  'unavailable',
];

const codes = Object.keys(errorCatalogue).filter(isErrorCode);

const titleOf = (code: ErrorCode): string =>
  code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Of the codes that occur in the text of the document. */
export const errorSchemas = (text: string): Json =>
  Object.fromEntries(
    codes
      .filter((code) => text.includes(`/${titleOf(code)}Error"`))
      .map((code) => [`${titleOf(code)}Error`, schemaOf(code)]),
  );

export const sharedResponses = (): Json =>
  Object.fromEntries(shared.map((code) => [titleOf(code), response([code], true)]));

/** The responses by status. `withKey`: requests are counted, and may have preferences. */
export function refusals(of: readonly ErrorCode[], withKey: boolean): Json {
  const byStatus: Record<number, ErrorCode[]> = {};
  for (const code of new Set(of)) (byStatus[errorCatalogue[code].status] ??= []).push(code);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, group]) => {
      const [code, ...others] = group;
      const isShared = withKey && code !== undefined && others.length === 0 && shared.includes(code);
      return [status, isShared ? { $ref: `#/components/responses/${titleOf(code)}` } : response(group, withKey)];
    }),
  );
}

function response(group: readonly ErrorCode[], withKey: boolean): Json {
  const messages = group.map((code) => `\`${errorCatalogue[code].message}\``);
  const headers = ['X-Request-Id', ...(withKey ? counted : []), ...group.flatMap(headersOf)];
  const schemas = group.map((code) => ({ $ref: `#/components/schemas/${titleOf(code)}Error` }));
  return {
    description: messages.length === 1 ? messages[0] : `One of: ${messages.join(', ')}`,
    headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: { 'application/json': { schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas } } },
  };
}

function headersOf(code: ErrorCode): readonly string[] {
  if (code === 'unauthorized') return ['WWW-Authenticate'];
  if (code === 'method_not_allowed') return ['Allow'];
  return code === 'unavailable' || code === 'rate_limited' ? ['Retry-After'] : [];
}

function schemaOf(code: ErrorCode): Json {
  const { status, type, message } = errorCatalogue[code];
  return {
    type: 'object',
    properties: {
      statusCode: { type: 'integer', const: status },
      status: { type: 'string', const: 'Error' },
      message: message.includes('{')
        ? { type: 'string', pattern: patternOf(message) }
        : { type: 'string', const: message },
      type: { type: 'string', const: type },
      data: { type: 'object', description: 'The documented fields of the body, as far as they were sent.' },
    },
    required: ['statusCode', 'status', 'message', 'type'],
    additionalProperties: false,
  };
}

/** Placeholders stand for any text. */
const patternOf = (message: string): string =>
  `^${message
    .split(/\{\w+\}/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[\\s\\S]*')}$`;
