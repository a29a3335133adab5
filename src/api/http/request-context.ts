/** What belongs to one request while it is answered: its id, its headers and its log line. */
import type { Request, Response } from 'express';
import type { Authenticator, Grant } from './auth.js';
import { noBody, type Body } from './body.js';
import type { RateLimiter } from './rate-limit.js';

/** What is logged of a request. Nothing of its content, and only the pattern of its path. */
export interface RequestLine {
  readonly request_id: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  /** Milliseconds. */
  readonly duration: number;
  /** Id of the API key; undefined without a valid one. */
  readonly actor: string | undefined;
  /** Only of server faults. */
  readonly error: unknown;
}

export interface RequestOptions {
  readonly authenticate: Authenticator;
  readonly limits: {
    readonly api: RateLimiter;
    readonly email: RateLimiter;
    readonly anonymous: RateLimiter;
    readonly failures: RateLimiter;
  };
  readonly log: (line: RequestLine) => void;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly newUuid: () => string;
  readonly isStopping: () => boolean;
}

type RequestOutcome = Pick<RequestLine, 'route' | 'status'> & Partial<Pick<RequestLine, 'error'>>;

export interface RequestContext {
  readonly request: Request;
  readonly response: Response;
  readonly started: number;
  readonly requestId: string;
  readonly isOwnId: boolean;
  /** Undefined without a valid key. */
  grant: Grant | undefined;
  /** Headers that the answer has, also where it is an error. */
  headers: readonly string[];
  body: Body;
}

/** The status in the log of a request whose client went away. */
export const clientClosedRequest = 499;

const noHeaders: readonly string[] = [];

export function createRequestContext(
  { now, newUuid }: Pick<RequestOptions, 'now' | 'newUuid'>,
  request: Request,
  response: Response,
): RequestContext {
  const callersId = validRequestId(request.headers['x-request-id']);
  return {
    request,
    response,
    started: now(),
    requestId: callersId ?? newUuid(),
    isOwnId: callersId === undefined,
    grant: undefined,
    headers: noHeaders,
    body: noBody,
  };
}

function validRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(header) ? header : undefined;
}

export function headersOf(
  { isStopping }: Pick<RequestOptions, 'isStopping'>,
  { request, requestId, headers: own }: RequestContext,
  more: readonly string[],
): string[] {
  const headers = ['X-Request-Id', requestId, ...own, ...more];
  if ('encrypted' in request.socket) headers.push('Strict-Transport-Security', 'max-age=31536000; includeSubDomains');
  // A client that reuses the connection of a server that stops would be cut off in the middle of a request.
  if (isStopping()) headers.push('Connection', 'close');
  return headers;
}

export function logRequest(
  { log, now }: Pick<RequestOptions, 'log' | 'now'>,
  { request, requestId, started, grant }: RequestContext,
  { route, status, error }: RequestOutcome,
): void {
  log({
    request_id: requestId,
    method: request.method,
    route,
    status,
    duration: now() - started,
    actor: grant?.id,
    error,
  });
}

/**
 * Runs when the previous response on the connection has been sent; until then this one has no socket. So a client that
 * sends many requests at once and reads slowly does not make the service keep all the answers in memory.
 */
export function afterPreviousResponse(response: Response, run: () => void): void {
  if (response.socket === null) response.once('socket', run);
  else run();
}

export function clientSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  else response.once('close', () => gone.abort());
  return gone.signal;
}
