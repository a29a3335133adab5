/** Answers that go out piece by piece, at the client's pace, until they end or the client goes away. */
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request, Response, Router } from 'express';
import { errorCatalogue, ServiceError } from '../errors.js';
import { StoreUnavailableError } from '../eventstore/event-store.js';
import { asServiceError } from './audit-call.js';
import type { Calls } from './call.js';
import { errorBody, errorHeaders } from './envelope.js';
import { writeWhole } from './head.js';
import {
  beginPassage,
  headersOf,
  logPassage,
  whenItsTurn,
  type Passage,
  type PassageOptions,
} from './request-context.js';

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

/** The Express handler of an endpoint that streams, with the checks, headers and log line that every request has. */
export type Streams = (endpoint: StreamEndpoint) => Handler;
type Handler = (request: Request, response: Response) => void;

export function createStreams(options: PassageOptions): Streams {
  const { limits } = options;

  return (endpoint: StreamEndpoint) =>
    (request: Request, response: Response): void => {
      const run = (): void => {
        const passage = beginPassage(options, request, response);
        answer(endpoint, passage).catch((fault: unknown) => {
          fail(endpoint, passage, fault);
        });
      };
      whenItsTurn(response, run);
    };

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
      if (response.headersSent) return;
      const headers = [...options.fixed.list, ...headersOf(options, passage, [])];
      response.writeHead(200, withContentType(headers, contentType));
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
      const headers = headersOf(options, passage, errorHeaders(error));
      writeWhole(response, status, { fixed: options.fixed, headers, body });
    }
    log(endpoint, passage, status >= 500 ? { status, error: fault } : { status });
  }

  function log({ route }: StreamEndpoint, passage: Passage, outcome: { status: number; error?: unknown }): void {
    logPassage(options, passage, { route, ...outcome });
  }
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
