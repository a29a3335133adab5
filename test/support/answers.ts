/** The envelopes of the contract, to hold whole answers against, and names, addresses and lists that no other test uses. */
import { randomBytes } from 'node:crypto';
import type { ErrorType } from '../../src/errors.js';
import type { Answer, Service } from './service.js';

interface Envelope {
  readonly statusCode: number;
  readonly status: 'Success' | 'Error';
  readonly message?: string;
  readonly data?: unknown;
  readonly type?: ErrorType;
  readonly next_cursor?: unknown;
}

export const success = (message: string, data: unknown): Envelope => ({
  statusCode: 200,
  status: 'Success',
  message,
  data,
});

/** A successful GET carries no message. */
export const shown = (data: unknown): Envelope => ({ statusCode: 200, status: 'Success', data });

/** For calls that only prepare what is tested. */
export async function ok(answer: Promise<Answer>): Promise<Answer> {
  const given = await answer;
  if (given.status !== 200) throw new Error(`${given.status}: ${given.text}`);
  return given;
}

/** A refusal with 400; `validation_error` unless another type is named. */
export const refusal = (message: string, data: unknown, type: ErrorType = 'validation_error'): Envelope => ({
  statusCode: 400,
  status: 'Error',
  message,
  data,
  type,
});

/** An auditor's answer without the time when it was given, and how far log, links and views were then: that it is read moves the log. */
export const untimed = (text: string): string =>
  text
    .replaceAll(/"answered_at":"[^"]*",("log_id":"[^"]*"),"position":"[^"]*","count":[^,}]*/g, '$1')
    .replaceAll(/,"emails_until":"[^"]*"|,"seal":(?:null|\{[^}]*\})/g, '');

const missing = (message: string, type: ErrorType): Envelope => ({
  statusCode: 404,
  status: 'Error',
  message,
  data: {},
  type,
});

/** The refusals that never depend on the resource. */
export const refusals = {
  notFound: { statusCode: 404, status: 'Error', message: 'Resource not found', data: {}, type: 'not_found' },
  contact: missing('There is no such contact', 'unknown_contact'),
  list: missing('There is no such list', 'unknown_list'),
  method: { statusCode: 405, status: 'Error', message: 'Method not allowed', data: {}, type: 'method_not_allowed' },
  tooLarge: { statusCode: 413, status: 'Error', message: 'Request body is too large', data: {}, type: 'too_large' },
  mediaType: {
    statusCode: 415,
    status: 'Error',
    message: 'Content-Type must be application/json',
    data: {},
    type: 'unsupported_media_type',
  },
  json: refusal('Request body must be a JSON object', {}, 'invalid_json'),
  encoding: refusal('Request body must be encoded in UTF-8', {}, 'invalid_json'),
  rateLimited: {
    statusCode: 429,
    status: 'Error',
    message: 'Too many requests hit the API too quickly.',
    data: {},
    type: 'rate_limited',
  },
  limit: refusal('limit must be a whole number from 1 to 200', {}),
  cursor: refusal('cursor is not valid', {}),
} as const satisfies Record<string, Envelope>;

export const unauthorized = (data?: unknown): Envelope => ({
  statusCode: 401,
  status: 'Error',
  message: 'Please send valid apikey in header!',
  type: 'unauthorized',
  ...(data === undefined ? {} : { data }),
});

/** An identifier of one kind: prefix and ULID. */
export const idOf = (prefix: 'grp' | 'lst' | 'tag' | 'con' | 'eml'): RegExp =>
  new RegExp(`^${prefix}_[0-7][0-9A-HJKMNP-TV-Z]{25}$`);

/** A well-formed id of the kind that was never given out. */
export const strangerId = (prefix: 'grp' | 'lst' | 'tag' | 'con' | 'eml'): string =>
  `${prefix}_01ARZ3NDEKTSV4RRFFQ69G5FAV`;

/** Of an event: 20 digits in an embedded log, 40 in EventStoreDB. */
export const logPosition = /^\d{20}(?:\d{20})?$/;

/** ISO 8601 in UTC with milliseconds. */
export const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

export const unique = (word: string): string => `${word} ${randomBytes(6).toString('hex')}`;

export const someAddress = (local = 'ada'): string => `${local}.${randomBytes(6).toString('hex')}@example.com`;

export const someRequestId = (): string => `e2e.${randomBytes(8).toString('hex')}`;

/** Id of a list of its own. */
export const newList = async (service: Service): Promise<string> =>
  (await service.client().createList({ body: { list_name: unique('List') } })).data.list_id;

/** Where a key lacks a scope. */
export const forbidden = (scope: string): object => ({
  statusCode: 403,
  status: 'Error',
  message: `API key lacks the scope ${scope}`,
  data: {},
  type: 'forbidden',
});
