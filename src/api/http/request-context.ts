/** The context of one request while it is answered: its id, its headers and its log line. */
import type { Request, Response } from 'express';
import type { BegunRequest, Observe, RequestLine } from '../../flow/observe.js';
import type { Authenticator, Grant } from './auth.js';
import { noBody, type Body } from './body.js';
import type { RateLimiter } from './rate-limit.js';

export interface RequestOptions {
  readonly authenticate: Authenticator;
  readonly limits: {
    readonly api: RateLimiter;
    readonly email: RateLimiter;
    readonly anonymous: RateLimiter;
    readonly failures: RateLimiter;
  };
  /** Reports each request. */
  readonly observe: Observe;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  readonly newUuid: () => string;
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal;
}

type RequestOutcome = Pick<RequestLine, 'route' | 'status'> & Partial<Pick<RequestLine, 'error'>>;

export interface RequestContext {
  readonly request: Request;
  readonly response: Response;
  readonly started: number;
  readonly requestId: string;
  readonly isOwnId: boolean;
  /** Undefined until `correlationIdOf` is called. */
  correlationId: string | undefined;
  /** Undefined if the request is not traced. */
  trace: BegunRequest | undefined;
  /** Undefined without a valid key. */
  grant: Grant | undefined;
  /** Headers of the answer, also if it is an error. */
  headers: readonly string[];
  body: Body;
}

/** The status in the log of a request whose client went away. */
export const clientClosedRequest = 499;

const noHeaders: readonly string[] = [];

type ContextOptions = Pick<RequestOptions, 'now' | 'newUuid' | 'observe'>;

export function createRequestContext(
  { now, newUuid }: ContextOptions,
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
    correlationId: undefined,
    trace: undefined,
    grant: undefined,
    headers: noHeaders,
    body: noBody,
  };
}

/** Creates a request context, and begins or continues a trace if traces are made. */
export function createTracedContext(options: ContextOptions, request: Request, response: Response): RequestContext {
  const context = createRequestContext(options, request, response);
  const { method, headers, socket } = request;
  context.trace = options.observe.begin?.request({ method, headers, isEncrypted: 'encrypted' in socket });
  return context;
}

/** Runs the answer as part of the trace of the request. */
export const inTrace = <Result>({ trace }: RequestContext, answer: () => Result): Result =>
  trace === undefined ? answer() : trace.run(answer);

/** Returns the correlation id of a request. A request id that was made here is a UUID, and is also the correlation id. */
export const correlationIdOf = ({ newUuid }: Pick<RequestOptions, 'newUuid'>, context: RequestContext): string =>
  (context.correlationId ??= context.isOwnId ? context.requestId : newUuid());

function validRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(header) ? header : undefined;
}

export function headersOf(
  { stopping }: Pick<RequestOptions, 'stopping'>,
  { request, requestId, headers: own }: RequestContext,
  more: readonly string[],
): string[] {
  const headers = ['X-Request-Id', requestId, ...own, ...more];
  if ('encrypted' in request.socket) headers.push('Strict-Transport-Security', 'max-age=31536000; includeSubDomains');
  // A client that reuses the connection of a server that stops would be cut off in the middle of a request.
  if (stopping.aborted) headers.push('Connection', 'close');
  return headers;
}

/** Logs the request and ends its trace. */
export function logRequest(
  options: Pick<RequestOptions, 'observe' | 'now' | 'newUuid'>,
  context: RequestContext,
  { route, status, error }: RequestOutcome,
): void {
  const { request, requestId, started, grant, trace } = context;
  const line = {
    request_id: requestId,
    trace_id: trace?.traceId,
    correlation_id: trace && correlationIdOf(options, context),
    method: request.method,
    route,
    status,
    duration: options.now() - started,
    actor: grant?.id,
    error,
  };
  options.observe.request(line, trace);
}

export function clientSignal(response: Response): AbortSignal {
  const gone = new AbortController();
  if (response.destroyed) gone.abort();
  else response.once('close', () => gone.abort());
  return gone.signal;
}
