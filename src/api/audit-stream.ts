/** Answers that go out piece by piece, at the client's pace, until they end or the client goes away. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request, Response, Router } from 'express';
import { errorCatalogue, ServiceError } from '../errors.js';
import { StoreUnavailableError } from '../eventstore/event-store.js';
import { asServiceError } from './audit-call.js';
import type { CallOptions, Calls } from './call.js';
import { errorBody, errorHeaders, send } from './envelope.js';

export interface StreamEndpoint {
  /** The whole route pattern: what the log names, never the URL. */
  readonly route: string;
  /** Everything that may be refused is checked here; nothing has been sent yet. The signal aborts when the client goes away. */
  readonly open: (request: Request, signal: AbortSignal) => Promise<StreamedAnswer>;
}

export interface StreamedAnswer {
  readonly contentType: string;
  /** Pieces of text. Each is asked for when the one before is on its way. */
  readonly pieces: AsyncIterable<string>;
  /** Called when the answer is over, however it ends. */
  readonly close?: () => void;
}

export type StreamOptions = Pick<CallOptions, 'authenticate' | 'limits' | 'headers' | 'log' | 'now' | 'isStopping'>;

/** The Express handler of an endpoint that streams, with the checks, headers and log line that every request has. */
export type Streams = (endpoint: StreamEndpoint) => Handler;
type Handler = (request: Request, response: Response) => void;

export function createStreams(options: StreamOptions): Streams {
  const { limits } = options;

  return (endpoint: StreamEndpoint) =>
    (request: Request, response: Response): void => {
      const run = (): void => {
        const passage = begin(request, response);
        answer(endpoint, passage).catch((fault: unknown) => {
          fail(endpoint, passage, fault);
        });
      };
      // Another answer of the connection may still be on its way.
      if (response.socket === null) response.once('socket', run);
      else run();
    };

  function begin(request: Request, response: Response): Passage {
    const given = request.headers['x-request-id'];
    const requestId = typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
    return { request, response, requestId, started: options.now(), rateHeaders: [] };
  }

  function admit(passage: Passage): void {
    const { request } = passage;
    const actor = options.authenticate(request);
    const limiter = actor === undefined ? limits.anonymous : limits.api;
    const { allowed, headers, resetSeconds } = limiter.take(actor ?? request.socket.remoteAddress ?? '');
    passage.rateHeaders = headers;
    if (!allowed) throw new ServiceError('rate_limited', {}, { retryAfter: resetSeconds });
    if (actor === undefined) throw new ServiceError('unauthorized');
    passage.actor = actor;
  }

  function headersOf({ requestId, rateHeaders }: Passage, more: readonly string[]): string[] {
    const closing = options.isStopping() ? ['Connection', 'close'] : [];
    return [...options.headers, 'X-Request-Id', requestId, ...rateHeaders, ...more, ...closing];
  }

  async function answer(endpoint: StreamEndpoint, passage: Passage): Promise<void> {
    const { request, response } = passage;
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    response.once('close', leave);
    let opened: StreamedAnswer | undefined;
    try {
      admit(passage);
      opened = await endpoint.open(request, gone.signal);
      await stream(opened, passage, gone.signal);
      log(endpoint, passage, { status: 200 });
    } finally {
      response.removeListener('close', leave);
      opened?.close?.();
    }
  }

  /** The head goes out with the first piece: until then an error can still be answered as one. */
  async function stream({ contentType, pieces }: StreamedAnswer, passage: Passage, gone: AbortSignal): Promise<void> {
    const { request, response } = passage;
    const begun = (): void => {
      if (!response.headersSent) response.writeHead(200, withContentType(headersOf(passage, []), contentType));
    };
    if (request.method !== 'HEAD')
      for await (const piece of pieces) {
        gone.throwIfAborted();
        begun();
        if (!response.write(piece)) await once(response, 'drain', { signal: gone });
        // A client that takes everything at once must not keep all others waiting until the end.
        await nextTurn();
      }
    gone.throwIfAborted();
    begun();
    response.end();
  }

  function fail(endpoint: StreamEndpoint, passage: Passage, fault: unknown): void {
    const { response } = passage;
    if (response.destroyed) {
      // The client has gone away, and got what it got.
      log(endpoint, passage, { status: response.headersSent ? 200 : 499 });
      return;
    }
    const error = errorOf(fault);
    const { status } = errorCatalogue[error.code];
    if (response.headersSent) response.destroy();
    else {
      const body = errorBody({ code: error.code, message: error.message, data: {} });
      send(response, status, { headers: headersOf(passage, errorHeaders(error)), body });
    }
    log(endpoint, passage, status >= 500 ? { status, error: fault } : { status });
  }

  function log(endpoint: StreamEndpoint, passage: Passage, outcome: { status: number; error?: unknown }): void {
    const { request, requestId, actor, started } = passage;
    options.log({
      request_id: requestId,
      method: request.method,
      route: endpoint.route,
      duration: Math.round((options.now() - started) * 1000) / 1000,
      ...(actor === undefined ? {} : { actor }),
      ...outcome,
    });
  }
}

interface Passage {
  readonly request: Request;
  readonly response: Response;
  readonly requestId: string;
  readonly started: number;
  rateHeaders: readonly string[];
  actor?: string;
}

function errorOf(fault: unknown): ServiceError {
  const error = asServiceError(fault);
  if (error instanceof ServiceError) return error;
  if (error instanceof StoreUnavailableError)
    return new ServiceError('unavailable', {}, { cause: error, retryAfter: 1 });
  return new ServiceError('internal', {}, { cause: error });
}

/** The headers, name and value alternating, with another content type. */
const withContentType = (headers: readonly string[], contentType: string): string[] =>
  headers.map((text, index) => (headers[index - 1]?.toLowerCase() === 'content-type' ? contentType : text));

/** Puts a handler of GET on a router; other methods answer 405. */
export function streamRoute(
  router: Router,
  { path, calls, handler }: { readonly path: string; readonly calls: Calls; readonly handler: Handler },
): void {
  const all = router.route(path);
  all.get(handler);
  all.all((request, response) => {
    calls.refuse({ request, response }, new ServiceError('method_not_allowed'), { headers: ['Allow', 'GET, HEAD'] });
  });
}
