/** The envelope of every JSON answer, and the error that stands in it when something fails. */
import { UnreadableHistoryError } from '../../audit/decoding.js';
import { errorCatalogue, ServiceError, type ErrorCode } from '../../errors.js';
import { StoreUnavailableError } from '../../eventstore/event-store.js';
import { InvalidCursorError, ReadModelsUnavailableError, ViewDamagedError } from '../../readmodels/read-models.js';

export interface Answer {
  readonly data: unknown;
  /** Fields beside `data`, such as `next_cursor` and `incomplete`. */
  readonly beside?: Readonly<Record<string, string | number | boolean | object | null | undefined>>;
  readonly headers?: readonly string[];
}

const maxEchoBytes = 8 * 1024;

/** `message` is absent on successful GETs. */
export function successBody({ data, beside }: Answer, message: string | undefined, status = 200): string {
  const text = message === undefined ? '' : `"message":${JSON.stringify(message)},`;
  const more = beside === undefined ? '' : `,${JSON.stringify(beside).slice(1, -1)}`;
  return `{"statusCode":${status},"status":"Success",${text}"data":${JSON.stringify(data)}${more === ',' ? '' : more}}`;
}

/** The same where `data` comes as pieces of JSON. */
export async function* successPieces(
  data: AsyncIterable<string>,
  beside: NonNullable<Answer['beside']>,
): AsyncGenerator<string> {
  const [before = '', after = ''] = successBody({ data: '', beside }, undefined).split('""');
  yield before;
  yield* data;
  yield after;
}

interface ErrorAnswer {
  readonly code: ErrorCode;
  readonly message: string;
  /** Undefined: the answer has no `data` at all. */
  readonly data: unknown;
}

export function errorBody({ code, message, data }: ErrorAnswer): string {
  const { status, type } = errorCatalogue[code];
  return JSON.stringify({ statusCode: status, status: 'Error', message, type, data });
}

/** Returns whether the client should try again later. */
export const isUnavailable = (code: ErrorCode): boolean => errorCatalogue[code].type === 'unavailable';

export function errorHeaders(error: ServiceError): readonly string[] {
  if (error.code === 'unauthorized') return ['WWW-Authenticate', 'Bearer'];
  if (isUnavailable(error.code) || error.code === 'rate_limited') return ['Retry-After', String(error.retryAfter ?? 1)];
  return [];
}

/** The documented fields of a received body; what is unknown or large is left out. */
function echo(body: Readonly<Record<string, unknown>>, fields: EchoFields): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const field of fields.flat) if (Object.hasOwn(body, field) && isSmall(body[field])) result[field] = body[field];
  if (fields.nested.length === 0 || !Object.hasOwn(body, 'data')) return result;
  const nested = body['data'];
  if (isObject(nested)) result['data'] = echo(nested, { flat: fields.nested, nested: [] });
  else if (isSmall(nested)) result['data'] = nested;
  return result;
}

/** Errors that echo nothing, because the body was not read or could not be parsed, or because the path does not exist. */
const withoutEcho: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'rate_limited',
  'forbidden',
  'invalid_json',
  'invalid_encoding',
  'too_large',
  'unsupported_media_type',
  'not_ndjson',
  'not_mail',
  'compressed_body',
  'not_utf8',
  'not_found',
]);

/** Returns what the `data` of an error with this code echoes of a received body. */
export const echoFor = (
  code: ErrorCode,
  body: Readonly<Record<string, unknown>>,
  fields: EchoFields,
): Record<string, unknown> => (withoutEcho.has(code) ? {} : echo(body, fields));

export interface EchoFields {
  readonly flat: readonly string[];
  readonly nested: readonly string[];
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isSmall(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= maxEchoBytes && Buffer.byteLength(value) <= maxEchoBytes;
  if (typeof value !== 'object' || value === null) return true;
  try {
    return Buffer.byteLength(JSON.stringify(value)) <= maxEchoBytes;
  } catch {
    // Nested so deeply that it cannot be written out.
    return false;
  }
}

/** Turns what an endpoint threw into the error that is answered. */
export function asAnswer(
  fault: unknown,
  {
    serverFault,
    unknownInput,
  }: { readonly serverFault?: 'internal_update'; readonly unknownInput?: 'ignored' | 'refused' },
): ServiceError {
  const error = asServiceError(fault, serverFault ?? 'internal');
  const isUnknown = errorCatalogue[error.code].type === 'unknown_id';
  return isUnknown && unknownInput === 'refused' ? new ServiceError('not_found') : error;
}

function asServiceError(fault: unknown, serverFault: 'internal' | 'internal_update'): ServiceError {
  if (fault instanceof ServiceError) return fault;
  if (fault instanceof InvalidCursorError) return new ServiceError('invalid_cursor');
  if (fault instanceof ViewDamagedError)
    return new ServiceError('view_damaged', { names: fault.view?.name ?? 'all' }, { cause: fault, retryAfter: 5 });
  if (fault instanceof ReadModelsUnavailableError || fault instanceof StoreUnavailableError)
    return new ServiceError('unavailable', {}, { cause: fault, retryAfter: 1 });
  // Such an event has to be mended by an operator: a repeat within seconds would fail, too.
  if (fault instanceof UnreadableHistoryError)
    return new ServiceError('unavailable', {}, { cause: fault, retryAfter: 60 });
  return new ServiceError(serverFault, {}, { cause: fault });
}
