/** The errors in the OpenAPI document: one schema for all, and responses whose descriptions name each type with its messages. */
import { errorCatalogue, type ErrorCode } from '../../errors.js';
import type { Json } from './schemas.js';
import { headersNamed } from './texts.js';

const types = [...new Set(Object.values(errorCatalogue).map(({ type }) => `\`${type}\``))].sort();

export const errorSchema: Json = {
  type: 'object',
  description: 'Any answer other than success.',
  properties: {
    statusCode: { type: 'integer', format: 'int32', description: 'The HTTP status.', examples: [400] },
    status: { type: 'string', description: '`Error`.', examples: ['Error'] },
    message: { type: 'string', description: 'For people: it may be reworded.', examples: ['email is required'] },
    type: {
      type: 'string',
      description: `For programs: it stays. New types may come. Known are ${types.join(', ')}.`,
      examples: ['validation_error'],
    },
    data: {
      type: 'object',
      description: 'The documented fields of the body, as far as they were sent.',
      additionalProperties: true,
    },
  },
  required: ['statusCode', 'status', 'message', 'type'],
  additionalProperties: true,
};

/** Errors that every operation with a key may answer: its response `default`. */
const general: readonly ErrorCode[] = [
  'unauthorized',
  'rate_limited',
  'forbidden',
  'too_large',
  'unsupported_media_type',
  'invalid_json',
  'invalid_encoding',
  'not_ndjson',
  'not_mail',
  'compressed_body',
  'not_utf8',
  'internal',
  'internal_update',
  'view_damaged',
  'unavailable',
];

export function createRefusals() {
  /** The responses used so far. One with a single error code has that name. */
  const responses: Record<string, Json> = {};
  const names = new Map<string, string>();

  function nameOf(group: readonly ErrorCode[]): string {
    const [code, ...others] = group;
    if (group === general) return 'General';
    return code !== undefined && others.length === 0 ? titled(code) : `Refused${names.size}`;
  }

  function shared(group: readonly ErrorCode[]): Json {
    const made = response(group);
    const known = JSON.stringify(made);
    const name = names.get(known) ?? nameOf(group);
    names.set(known, name);
    responses[name] = made;
    return { $ref: `#/components/responses/${name}` };
  }

  return {
    /** The responses by status. */
    of(codes: readonly ErrorCode[]): Json {
      const byStatus: Record<number, ErrorCode[]> = {};
      const isGeneral = codes.includes('unauthorized');
      for (const code of new Set(codes))
        if (!isGeneral || !general.includes(code)) (byStatus[errorCatalogue[code].status] ??= []).push(code);
      const own = Object.entries(byStatus).map(([status, group]): [string, Json] => [status, shared(group)]);
      return { ...Object.fromEntries(own), ...(isGeneral && { default: shared(general) }) };
    },
    responses,
  };
}

const titled = (code: string): string => code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

const response = (group: readonly ErrorCode[]): Json => ({
  description: descriptionOf(group),
  ...headersNamed(group.flatMap(headersOf)),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
});

/** A line for each type: the type, and its messages. */
function descriptionOf(group: readonly ErrorCode[]): string {
  const messages: Record<string, Set<string>> = {};
  for (const code of group) {
    const { type, message } = errorCatalogue[code];
    // The description of a field tells what it may be. Errors `…_near` are others with a hint.
    const text = message.startsWith('{field}') ? '`{field} …`' : `\`${message}\``;
    if (!code.endsWith('_near')) (messages[type] ??= new Set()).add(text);
  }
  return Object.entries(messages)
    .map(([type, texts]) => `- \`${type}\`: ${[...texts].join(', ')}`)
    .join('\n');
}

function headersOf(code: ErrorCode): readonly string[] {
  if (code === 'unauthorized') return ['WWW-Authenticate'];
  if (code === 'method_not_allowed') return ['Allow'];
  if (code === 'rate_limited') return ['Retry-After', 'RateLimit', 'RateLimit-Policy'];
  return errorCatalogue[code].type === 'unavailable' ? ['Retry-After'] : [];
}
