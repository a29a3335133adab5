/** The error catalogue: every code that the service answers with, its HTTP status, its stable type and its safe message. Held against docs/errors.md by a test. */

const entry = <const Type extends string>(status: number, type: Type, message: string) => ({ status, type, message });
const validation = (message: string) => entry(400, 'validation_error', message);
const duplicate = (message: string) => entry(400, 'duplicate', message);
const unknownId = (message: string) => entry(400, 'unknown_id', message);
const conflict = (message: string) => entry(409, 'conflict', message);

/** In a message `{field}`, `{limit}` and `{names}` are filled in from the error's parameters. */
export const errorCatalogue = {
  required: validation('{field} is required'),
  empty: validation('{field} must not be empty'),
  not_a_string: validation('{field} must be a string'),
  not_an_array: validation('{field} must be an array'),
  not_an_object: validation('{field} must be an object'),
  not_a_boolean: validation('{field} must be true or false'),
  not_one_of: validation('{field} must be {names}'),
  not_only_strings: validation('{field} must contain only strings'),
  invalid_characters: validation('{field} contains invalid characters'),
  invalid_status: validation('status must be Subscribed or Unsubscribed'),
  invalid_email: validation('{field} must be a valid email address'),
  invisible_in_email: validation('{field} must be a valid email address: it contains an invisible character'),
  invalid_phone: validation('{field} must be a valid phone number'),
  invalid_date: validation('{field} must be a valid YYYY-MM-DD date'),
  invalid_ip: validation('{field} must be a valid IP address'),
  invalid_moment: validation('{field} must be an ISO 8601 date and time with its zone'),
  not_in_the_future: validation('{field} must be in the future'),
  in_the_future: validation('{field} must not be in the future'),
  too_many_characters: validation('{field} must be at most {limit} characters'),
  too_many_bytes: validation('{field} must be at most {limit} bytes'),
  too_many_names: validation('{field} must have at most {limit} names'),
  too_many_tags: validation('a contact can have at most {limit} tags in a list'),
  invalid_code: validation('{field} must be 1 to 40 of a-z, 0-9 and _'),
  reserved_code: validation('{field} must not be person or forgotten'),
  invalid_scope: validation('{field} must be all or the id of a list'),
  reserved_name: validation('{field} must not be mailer, cli, service, recipient or the id of a key'),
  unknown_scope: validation('{field} must contain only scopes: {names}'),
  invalid_overlap: validation('{field} must be a whole number from 0 to 2592000'),
  not_a_scalar: validation('{field} must be a string, a number or a boolean'),
  too_many_values: validation('{field} must have at most {limit} values'),
  too_deep: validation('{field} must be at most {limit} levels deep'),
  invalid_number: validation('{field} contains a number that is too large'),
  invalid_template: validation('{field} cannot be rendered: {names}'),
  made_by_service: validation('{field} is made by the service, so it must not be given'),
  given_twice: validation('{field} is given twice'),
  invalid_idempotency_key: validation('Idempotency-Key must be 1 to 255 visible ASCII characters'),
  invalid_limit: validation('limit must be a whole number from 1 to 200'),
  invalid_count: validation('{field} must be a whole number from 1 to {limit}'),
  invalid_cursor: validation('cursor is not valid'),
  invalid_nonce: validation('{field} must be 64 hexadecimal digits in lower case: 32 random bytes'),
  invalid_position: validation('X-Min-Position is not a position of this log'),
  invalid_time: validation('{field} must be an ISO 8601 date, or a date and time with its zone'),
  invalid_range: validation('from must not be after to'),
  invalid_after: validation('after is not a position of this log'),
  invalid_types: validation('types must be names of events: there is no "{names}"'),
  too_many_events: validation('The contact has more than {limit} events: use audience audit {names}'),
  too_many_rows: validation('from and to must span at most {limit} intervals'),
  no_index: validation('No index of the view serves this query: {names}'),
  unknown_parameter: validation('Unknown query parameter {field}'),
  not_with_follow: validation('{field} cannot be combined with follow=true'),
  unknown_parameter_near: validation('Unknown query parameter {field}. Did you mean {names}?'),
  unknown_field: validation('Unknown field {field}'),
  unknown_field_near: validation('Unknown field {field}. Did you mean {names}?'),
  duplicate_group_name: duplicate('Group name already exist!'),
  duplicate_list_name: duplicate('List name already exist!'),
  duplicate_tag_name: duplicate('Tag name already exist!'),
  duplicate_key_name: duplicate('Key name already exist!'),
  duplicate_email: duplicate('Email already exist!'),
  unknown_group: unknownId('Please provide valid group id!'),
  unknown_list: unknownId('Please provide valid list id!'),
  unknown_tag: unknownId('Please provide valid tag id!'),
  unknown_contact: unknownId('Please provide valid contact email!'),
  not_in_list: entry(400, 'not_in_list', 'Please provide valid contact email!'),
  invalid_json: entry(400, 'invalid_json', 'Request body must be a JSON object'),
  invalid_encoding: entry(400, 'invalid_json', 'Request body must be encoded in UTF-8'),
  forbidden: entry(403, 'forbidden', 'API key lacks the scope {names}'),
  unauthorized: entry(401, 'unauthorized', 'Please send valid apikey in header!'),
  not_found: entry(404, 'not_found', 'Resource not found'),
  no_such_view: entry(404, 'not_found', 'There is no such view. There are: {names}'),
  no_such_contact: entry(404, 'unknown_contact', 'There is no such contact'),
  no_such_list: entry(404, 'unknown_list', 'There is no such list'),
  no_such_list_near: entry(404, 'unknown_list', 'There is no such list. Did you mean {names}?'),
  never_in_list: entry(404, 'never_in_list', 'The contact was never in this list. {names}'),
  unknown_view: entry(404, 'not_found', 'There is no such view. There are: {names}; or all'),
  method_not_allowed: entry(405, 'method_not_allowed', 'Method not allowed'),
  email_not_releasable: conflict('The email cannot be released'),
  email_erased: conflict('The email cannot be released: what it said is erased'),
  recipient_erased: conflict('The email cannot be released: its recipient asked to be erased'),
  email_not_cancellable: conflict('The email cannot be cancelled'),
  suppressed: entry(409, 'suppressed', 'The recipient does not want this email'),
  no_mailbox: entry(409, 'suppressed', "The recipient's mailbox does not exist"),
  keeps_refusing: entry(409, 'suppressed', "The recipient's mail server keeps refusing"),
  not_configured: entry(409, 'not_configured', '{names} is not configured'),
  key_not_rotatable: conflict('The API key cannot be rotated'),
  rebuild_running: conflict('A rebuild is running already'),
  event_gone: entry(410, 'gone', 'The log was restored and does not have this event any more'),
  too_large: entry(413, 'too_large', 'Request body is too large'),
  unsupported_media_type: entry(415, 'unsupported_media_type', 'Content-Type must be application/json'),
  not_ndjson: entry(415, 'unsupported_media_type', 'Content-Type must be application/x-ndjson'),
  not_mail: entry(415, 'unsupported_media_type', 'Content-Type must be message/rfc822'),
  compressed_body: entry(415, 'unsupported_media_type', 'Compressed bodies are not supported'),
  not_utf8: entry(415, 'unsupported_media_type', 'charset must be utf-8'),
  idempotency_conflict: entry(422, 'idempotency_conflict', 'Idempotency-Key was used with a different request'),
  rate_limited: entry(429, 'rate_limited', 'Too many requests hit the API too quickly.'),
  internal: entry(500, 'internal', 'Sorry! Something went wrong.'),
  internal_update: entry(500, 'internal', 'Sorry! Something went wrong at our side.'),
  view_damaged: entry(503, 'unavailable', 'A view is damaged and is being rebuilt, please retry: {names}'),
  unavailable: entry(503, 'unavailable', 'Service temporarily unavailable, please retry.'),
  too_many_at_once: entry(503, 'unavailable', 'Too many of these requests at once, please retry. At most: {names}'),
};

export type ErrorCode = keyof typeof errorCatalogue;
export type ErrorType = (typeof errorCatalogue)[ErrorCode]['type'];

export const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(errorCatalogue, code);

interface ErrorOptions {
  readonly cause?: unknown;
  readonly retryAfter?: number;
  readonly data?: Readonly<Record<string, unknown>>;
}

export interface ErrorParameters {
  /** Name of the body field or query parameter, as the client wrote it. */
  readonly field?: string | undefined;
  readonly limit?: number;
  readonly names?: string;
}

/** An answer other than success, by its code in the catalogue. Carries no personal data and nothing from inside. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  /** Whole seconds after which a repeat makes sense, for `unavailable` and `rate_limited`. */
  readonly retryAfter: number | undefined;
  /** Stands in the answer's `data`, beside what is echoed. */
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, parameters: ErrorParameters = {}, options: ErrorOptions = {}) {
    super(errorMessage(code, parameters), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfter = options.retryAfter;
    this.data = options.data;
  }
}

function errorMessage(code: ErrorCode, parameters: ErrorParameters = {}): string {
  const { message } = errorCatalogue[code];
  if (!message.includes('{')) return message;
  const { field = 'field', limit = '', names = '' } = parameters;
  const values: Readonly<Record<string, string>> = { field, limit: String(limit), names };
  return message.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}
