/** The errors in the OpenAPI document: a schema for each code of the catalogue, and the responses that they make. */
import { errorCatalogue, type ErrorCode } from '../../errors.js';
import { counted, everyAnswer, headersNamed } from './texts.js';
import type { Json } from './schemas.js';

const titleOf = (code: ErrorCode): string =>
  code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

export function createRefusals() {
  const schemas: Record<string, Json> = {};
  /** Of a single code: the same wherever it occurs. */
  const responses: Record<string, Json> = {};

  function response(group: readonly ErrorCode[]): Json {
    for (const code of group) schemas[`${titleOf(code)}Error`] ??= schemaOf(code);
    const messages = group.map((code) => `\`${errorCatalogue[code].message}\``);
    const anyOf = group.map((code) => ({ $ref: `#/components/schemas/${titleOf(code)}Error` }));
    return {
      description: messages.length === 1 ? messages[0] : `One of: ${messages.join(', ')}`,
      headers: headersNamed([...everyAnswer, ...counted, 'Preference-Applied', ...group.flatMap(headersOf)]),
      content: { 'application/json': { schema: anyOf.length === 1 ? anyOf[0] : { anyOf } } },
    };
  }

  function shared(code: ErrorCode): Json {
    responses[titleOf(code)] ??= response([code]);
    return { $ref: `#/components/responses/${titleOf(code)}` };
  }

  return {
    /** The responses by status. */
    of(codes: readonly ErrorCode[]): Json {
      const byStatus: Record<number, ErrorCode[]> = {};
      for (const code of new Set(codes)) (byStatus[errorCatalogue[code].status] ??= []).push(code);
      return Object.fromEntries(
        Object.entries(byStatus).map(([status, group]) => {
          const [code, ...others] = group;
          return [status, code === undefined || others.length > 0 ? response(group) : shared(code)];
        }),
      );
    },
    /** Those that were met so far. */
    schemas,
    responses,
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
      message: { type: 'string', ...(message.includes('{') ? { pattern: patternOf(message) } : { const: message }) },
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
