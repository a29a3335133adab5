/** The errors in the OpenAPI document: one schema for all, and responses whose descriptions name each type with its messages. */
import { STATUS_CODES } from 'node:http';
import { errorCatalogue, ServiceError, type ErrorCode, type ErrorParameters } from '../../errors.js';
import { echoFor, isObject, isUnavailable, type EchoFields } from '../http/envelope.js';
import type { Json } from './schemas.js';
import { headersNamed } from './texts.js';

const types = [...new Set(Object.values(errorCatalogue).map(({ type }) => `\`${type}\``))].sort();

export const errorSchema: Json = {
  type: 'object',
  description: 'Any answer that reports an error.',
  properties: {
    statusCode: { type: 'integer', format: 'int32', description: 'The HTTP status.', examples: [400] },
    status: { type: 'string', description: '`Error`.', examples: ['Error'] },
    message: { type: 'string', description: 'For people. The text may change.', examples: ['email is required'] },
    type: {
      type: 'string',
      description: `For programs. Existing types do not change, but new types may be added. Known types: ${types.join(', ')}.`,
      examples: ['validation_error'],
    },
    data: {
      type: 'object',
      description:
        'The documented fields of the body as they were sent, without values of more than 8 KiB. Empty if the body was not read or could not be parsed.',
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
  'too_many_at_once',
];

/** Examples of errors, one for each status. */
const generalExamples: readonly ErrorCode[] = [
  'unauthorized',
  'rate_limited',
  'forbidden',
  'too_large',
  'unsupported_media_type',
  'invalid_json',
  'internal',
  'unavailable',
];

/** Responses that are the same for all operations, so that operations share them. */
const shared: readonly ErrorCode[] = ['not_found', 'method_not_allowed'];

/** The properties of an operation that its errors depend on. */
interface RefusedOperation {
  /** The name of the operation as a name of a type. The names of its responses begin with it. */
  readonly title: string;
  readonly codes: readonly ErrorCode[];
  /** Whether the operation drops unknown fields of the body and names them in `X-Ignored-Fields`. */
  readonly ignoresFields: boolean;
  /** The first required field of body or query. */
  readonly needs: string | undefined;
  /** The body of its example. */
  readonly body: unknown;
  readonly echo: EchoFields;
  /** Examples by status that are not made here because their `data` says more. */
  readonly examples: Readonly<Record<string, unknown>>;
}

/**
 * Describes the refusals of operations. The names of responses depend on their operation alone, so that adding an operation
 * renames nothing in generated clients.
 */
export function createRefusals() {
  const responses: Record<string, Json> = {};

  function named(name: string, response: Json): Json {
    responses[name] = response;
    return { $ref: `#/components/responses/${name}` };
  }

  function refusal(operation: RefusedOperation, status: string, codes: readonly ErrorCode[]): Json {
    const [code] = codes;
    const isShared = code !== undefined && codes.length === 1 && shared.includes(code);
    if (isShared)
      return named(typeNameOf(code), response(codes, { ignoresFields: false, content: { example: exampleOf(code) } }));
    const content = { example: operation.examples[status] ?? exampleIn(operation, codes) };
    return named(`${operation.title}${reasonOf(status)}`, response(codes, { ...operation, content }));
  }

  return {
    /** Returns the responses of an operation by status. */
    of(operation: RefusedOperation): Json {
      const { codes, ignoresFields } = operation;
      const byStatus: Record<string, ErrorCode[]> = {};
      const isGeneral = codes.includes('unauthorized');
      for (const code of new Set(codes))
        if (!isGeneral || !general.includes(code)) (byStatus[errorCatalogue[code].status] ??= []).push(code);
      const own = Object.entries(byStatus).map(([status, group]): [string, Json] => [
        status,
        refusal(operation, status, group),
      ]);
      if (!isGeneral) return Object.fromEntries(own);
      const examples = Object.fromEntries(generalExamples.map((code) => [code, { value: exampleOf(code) }]));
      const otherwise = response(general, { ignoresFields, content: { examples } });
      return { ...Object.fromEntries(own), default: named(ignoresFields ? 'GeneralOfWrite' : 'General', otherwise) };
    },
    responses,
  };
}

const typeNameOf = (code: string): string =>
  code.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

const reasonOf = (status: string): string => (STATUS_CODES[status] ?? status).replaceAll(/\W/g, '');

interface ResponseParts extends Pick<RefusedOperation, 'ignoresFields'> {
  /** One or several examples. */
  readonly content: Json;
}

const response = (codes: readonly ErrorCode[], { ignoresFields, content }: ResponseParts): Json => ({
  description: descriptionOf(codes),
  ...headersNamed([
    'X-Request-Id',
    ...(ignoresFields ? ['X-Ignored-Fields'] : []),
    ...new Set(codes.flatMap(headersOf)),
  ]),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/ApiError' }, ...content } },
});

/** Returns an example of the error that says most about an operation. */
function exampleIn({ needs, body, echo }: RefusedOperation, codes: readonly ErrorCode[]): Json {
  const code = typicalOf(codes, needs);
  const sent = Object.entries(isObject(body) ? body : {});
  const received = code === 'required' ? sent.filter(([name]) => name !== needs) : sent;
  return exampleOf(code, { field: needs, data: echoFor(code, Object.fromEntries(received), echo) });
}

/** Prefers an error of the operation's own rules, then a missing field, then an unknown one. */
function typicalOf(codes: readonly ErrorCode[], needs: string | undefined): ErrorCode {
  const fixed = codes.filter((code) => !errorCatalogue[code].message.includes('{'));
  const ordered = [
    fixed.find((code) => !ofEveryKind.includes(code)),
    needs === undefined ? undefined : codes.find((code) => code === 'required'),
    codes.find((code) => sample[code] !== undefined),
    fixed[0],
  ];
  return ordered.find((code) => code !== undefined) ?? 'internal';
}

/** Errors without placeholders that many operations have. */
const ofEveryKind: readonly ErrorCode[] = [
  'invalid_position',
  'invalid_idempotency_key',
  'invalid_limit',
  'invalid_cursor',
];

/** The values of placeholders in the messages of examples. */
const sample: Partial<Record<ErrorCode, ErrorParameters>> = {
  forbidden: { names: 'contacts:write' },
  unknown_parameter: { field: 'page' },
  unknown_field: { field: 'nickname' },
  too_many_rows: { limit: 1_000 },
  no_such_view: { names: 'contacts, emails, suppressions' },
  unknown_view: { names: 'contacts, emails, suppressions' },
};

function exampleOf(code: ErrorCode, { field, data = {} }: { field?: string | undefined; data?: object } = {}): Json {
  const { status: statusCode, type } = errorCatalogue[code];
  const { message } = new ServiceError(code, sample[code] ?? { field });
  return { statusCode, status: 'Error', message, type, data };
}

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
  return isUnavailable(code) ? ['Retry-After'] : [];
}
