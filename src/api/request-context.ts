/** What every request has on its way, however it is answered: its id, its headers, and the line that is logged of it. */
import type { Request, Response } from 'express';
import type { Authenticator } from './auth.js';
import { noBody, type Body } from './body.js';
import type { FixedHeaders } from './head.js';
import type { RateLimiter } from './rate-limit.js';

/** What is logged of a request: nothing of its content, and of its path only the pattern. */
export interface RequestLine {
  readonly request_id: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  /** Milliseconds. */
  readonly duration: number;
  /** Undefined: nobody we know. */
  readonly actor: string | undefined;
  /** Of server faults only. */
  readonly error: unknown;
}

export interface PassageOptions {
  readonly authenticate: Authenticator;
  readonly limits: { readonly api: RateLimiter; readonly email: RateLimiter; readonly anonymous: RateLimiter };
  /** Headers of every answer. */
  readonly fixed: FixedHeaders;
  readonly log: (line: RequestLine) => void;
  /** Milliseconds, monotonic. */
  readonly now: () => number;
  /** A UUID. */
  readonly newUuid: () => string;
  /** The server takes no new connections any more. */
  readonly isStopping: () => boolean;
}

/** How a request ended; `error` of server faults only. */
export type Outcome = Pick<RequestLine, 'route' | 'status'> & Partial<Pick<RequestLine, 'error'>>;

/** State of one request on its way. All of it is there from the beginning: an object that grows on its way costs a twentieth of a request. */
export interface Passage {
  readonly request: Request;
  readonly response: Response;
  readonly started: number;
  readonly requestId: string;
  /** The request id is ours, not the caller's. */
  readonly isOwnId: boolean;
  actor: string | undefined;
  rateHeaders: readonly string[];
  /** What was read of the body. */
  body: Body;
}

const nothing: readonly string[] = [];

export function beginPassage({ now, newUuid }: PassageOptions, request: Request, response: Response): Passage {
  const callers = callersId(request.headers['x-request-id']);
  return {
    request,
    response,
    started: now(),
    requestId: callers ?? newUuid(),
    isOwnId: callers === undefined,
    actor: undefined,
    rateHeaders: nothing,
    body: noBody,
  };
}

/** The caller's request id, if it is one that we pass on. */
function callersId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(header) ? header : undefined;
}

/** The headers of the answer beside the fixed ones, name and value alternating. */
export function headersOf(
  { isStopping }: PassageOptions,
  { requestId, rateHeaders }: Passage,
  more: readonly string[] | undefined,
): string[] {
  const own = ['X-Request-Id', requestId, ...rateHeaders];
  if (more !== undefined) own.push(...more);
  // A client that goes on using the connection of a server that stops would be cut off in the middle.
  if (isStopping()) own.push('Connection', 'close');
  return own;
}

export function logPassage(
  { log, now }: PassageOptions,
  { request, requestId, started, actor }: Passage,
  { route, status, error }: Outcome,
): void {
  log({ request_id: requestId, method: request.method, route, status, duration: now() - started, actor, error });
}

/**
 * Runs when the connection has come to this request. Without a socket an earlier answer on it is still on its way: a
 * client that sends many requests at once and reads slowly must not make us keep all their answers.
 */
export function whenItsTurn(response: Response, run: () => void): void {
  if (response.socket === null) response.once('socket', run);
  else run();
}
