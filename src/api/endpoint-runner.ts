/** Runs one request through an endpoint, in the contract's order: key → rate limit → body → input → parameters and headers → handle → answer. */
import type { Request, RequestHandler, Response } from 'express';
import { UnreadableHistoryError } from '../audit/reading.js';
import type { CommandContext } from '../commands/batch.js';
import { errorCatalogue, ServiceError } from '../errors.js';
import { StoreUnavailableError } from '../eventstore/event-store.js';
import { InvalidCursorError, ReadModelsUnavailableError } from '../readmodels/read-models.js';
import { readBody, readForEcho, RequestAbortedError, type Body } from './body.js';
import { echo, errorBody, errorHeaders, successBody, type Answer, type EchoFields } from './envelope.js';
import type { Parser } from './input.js';
import { checkParameters } from './query.js';
import type { RateVerdict } from './rate-limit.js';
import {
  afterPreviousResponse,
  clientSignal,
  createRequestContext,
  headersOf,
  logRequest,
  type RequestContext,
  type RequestOptions,
} from './request-context.js';
import { sendStream, sendWhole, stallTimeoutMs, type StreamedAnswer } from './send.js';

export interface Endpoint<Input> {
  readonly parse: Parser<Input>;
  /** Documented fields of the body, echoed by errors; absent where the endpoint takes none. */
  readonly fields?: EchoFields;
  /** The query parameters of the endpoint: any other is refused. Absent: parameters are ignored. */
  readonly query?: readonly string[];
  /** What a 401 carries as `data`. Default: the echo. */
  readonly unauthorized?: 'echo' | 'empty' | 'absent';
  readonly serverFault?: 'internal' | 'internal_update';
  /** Not one of the seventeen endpoints of the original API: 404 for an unknown id, no `Idempotency-Key`. */
  readonly isBeyondContract?: boolean;
  /** Bytes; default 256 KiB. */
  readonly bodyLimit?: number;
  readonly bucket?: 'email';
  readonly handle: (call: Call<Input>) => Promise<Answer | StreamedAnswer>;
}

/** A request that has passed every check but those of the rules. */
export interface Call<Input> {
  readonly input: Input;
  readonly parameter: (name: string) => string;
  readonly request: Request;
  readonly context: CommandContext;
  /** From `X-Min-Position`; undefined: none is asked for, or the views show it. */
  readonly minPosition: string | undefined;
  readonly signal: () => AbortSignal;
}

export interface RunnerOptions extends RequestOptions {
  /** Slows writes down while the views lag. */
  readonly admit: () => Promise<void> | undefined;
  /** The position that a header `X-Min-Position` stands for. @throws ServiceError `invalid_position` */
  readonly minPosition: (header: string) => Promise<string | undefined>;
  /** Milliseconds without progress after which a streamed answer is given up. Default: `stallTimeoutMs`. */
  readonly stallTimeout?: number;
}

export interface Exchange {
  readonly request: Request;
  readonly response: Response;
}

export interface EndpointRunner {
  /** The Express handler of an endpoint. `route` is the whole pattern: it is logged, never the URL. */
  readonly run: <Input>(route: string, endpoint: Endpoint<Input>) => RequestHandler;
  /** Answers an error where there is no endpoint: 404, 405, not ready. */
  readonly refuse: (
    exchange: Exchange,
    error: ServiceError,
    more?: { headers?: readonly string[]; data?: object },
  ) => void;
  /** Answers 200 where there is no endpoint: health. Not logged, for it is asked every few seconds. */
  readonly answer: (exchange: Exchange, data: object) => void;
}

const defaultBodyLimit = 256 * 1024;
const anonymousBodyLimit = 8 * 1024;
const noFields: EchoFields = { flat: [], nested: [] };
const clientClosedRequest = 499;

export function createEndpointRunner(options: RunnerOptions): EndpointRunner {
  const { limits, stallTimeout = stallTimeoutMs } = options;

  function count(context: RequestContext, verdict: RateVerdict): void {
    context.rateHeaders = verdict.headers;
    if (!verdict.allowed) throw new ServiceError('rate_limited', {}, { retryAfter: verdict.resetSeconds });
  }

  function enter<Input>(context: RequestContext, endpoint: Endpoint<Input>): Body | Promise<Body> {
    const { request } = context;
    const actor = options.authenticate(request);
    if (actor === undefined) return refuseUnknown(context, endpoint);
    context.actor = actor;
    count(context, (endpoint.bucket === 'email' ? limits.email : limits.api).take(actor));
    return readBody(request, {
      limit: endpoint.bodyLimit ?? defaultBodyLimit,
      expected: endpoint.fields !== undefined,
    });
  }

  async function refuseUnknown<Input>(context: RequestContext, endpoint: Endpoint<Input>): Promise<Body> {
    count(context, limits.anonymous.take(addressOf(context.request)));
    if (endpoint.fields !== undefined && endpoint.unauthorized === undefined)
      context.body = await readForEcho(context.request, anonymousBodyLimit);
    throw new ServiceError('unauthorized');
  }

  async function handle<Input>(context: RequestContext, endpoint: Endpoint<Input>): Promise<Answer | StreamedAnswer> {
    context.body = await enter(context, endpoint);
    const { request, response, requestId, actor = '' } = context;
    const input = endpoint.parse(context.body);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (endpoint.query !== undefined) checkParameters(request, endpoint.query);
    if (!isRead) checkIdempotency(request, endpoint);
    const header = request.headers['x-min-position'];
    const minPosition = isRead && header !== undefined ? await options.minPosition(String(header)) : undefined;
    const admission = isRead ? undefined : options.admit();
    if (admission !== undefined) await admission;
    // A UUID of our own serves as both ids.
    const correlationId = context.isOwnId ? requestId : options.newUuid();
    return await endpoint.handle({
      input,
      parameter: (name) => parameterOf(request, name),
      request,
      context: { correlationId, causationId: correlationId, requestId, actor },
      minPosition,
      signal: () => clientSignal(response),
    });
  }

  async function send(context: RequestContext, answer: Answer | StreamedAnswer): Promise<void> {
    const { request, response } = context;
    if (!('pieces' in answer)) {
      const headers = headersOf(options, context, answer.headers ?? []);
      sendWhole(response, { status: 200, headers, body: successBody(answer) });
      return;
    }
    try {
      const headers = headersOf(options, context, []);
      await sendStream(response, answer, { headers, isHead: request.method === 'HEAD', stallTimeout });
    } finally {
      answer.close?.();
    }
  }

  function fail<Input>(context: RequestContext, endpoint: Endpoint<Input>, fault: unknown): number {
    const { response } = context;
    if (response.destroyed || fault instanceof RequestAbortedError) {
      response.destroy();
      return response.headersSent ? 200 : clientClosedRequest;
    }
    const error = asAnswer(fault, endpoint);
    const { status } = errorCatalogue[error.code];
    // A part must not pass for the whole.
    if (response.headersSent) response.destroy();
    else {
      const data = errorData(error, endpoint, context.body);
      const body = errorBody({ code: error.code, message: error.message, data });
      sendWhole(response, { status, headers: headersOf(options, context, errorHeaders(error)), body });
    }
    return status;
  }

  async function respond<Input>(context: RequestContext, route: string, endpoint: Endpoint<Input>): Promise<void> {
    try {
      await send(context, await handle(context, endpoint));
      logRequest(options, context, { route, status: 200 });
    } catch (fault) {
      const status = fail(context, endpoint, fault);
      logRequest(options, context, { route, status, error: status >= 500 ? fault : undefined });
    }
  }

  return {
    run: (route, endpoint) => (request, response) => {
      afterPreviousResponse(response, () => {
        respond(createRequestContext(options, request, response), route, endpoint).catch(() => response.destroy());
      });
    },
    refuse({ request, response }, error, { headers = [], data = {} } = {}) {
      const context = createRequestContext(options, request, response);
      if (/^(?:[a-z]+:\/\/[^/]*)?\/v1(?:[/?]|$)/i.test(request.originalUrl))
        context.rateHeaders = limits.anonymous.take(addressOf(request)).headers;
      const { status } = errorCatalogue[error.code];
      const body = errorBody({ code: error.code, message: error.message, data });
      const all = headersOf(options, context, [...errorHeaders(error), ...headers]);
      sendWhole(response, { status, headers: all, body });
      logRequest(options, context, { route: '-', status });
    },
    answer({ request, response }, data) {
      const headers = headersOf(options, createRequestContext(options, request, response), []);
      sendWhole(response, { status: 200, headers, body: successBody({ data }) });
    },
  };
}

/** The endpoints of the original API take the header without effect. @throws ServiceError `idempotency_unsupported` */
function checkIdempotency<Input>({ headers }: Request, { isBeyondContract }: Endpoint<Input>): void {
  if (isBeyondContract === true && headers['idempotency-key'] !== undefined)
    throw new ServiceError('idempotency_unsupported');
}

const addressOf = (request: Request): string => request.socket.remoteAddress ?? '';

function parameterOf(request: Request, name: string): string {
  const value = request.params[name];
  return typeof value === 'string' ? value : '';
}

/** Codes that are about the transport and not about a body that was understood. */
const withoutEcho = new Set(['rate_limited', 'invalid_json', 'too_large', 'unsupported_media_type', 'not_found']);

function errorData<Input>(error: ServiceError, endpoint: Endpoint<Input>, body: Body): unknown {
  if (error.code === 'unauthorized' && endpoint.unauthorized === 'absent') return undefined;
  return withoutEcho.has(error.code) ? {} : echo(body, endpoint.fields ?? noFields);
}

function asAnswer<Input>(fault: unknown, { serverFault, isBeyondContract }: Endpoint<Input>): ServiceError {
  const error = asServiceError(fault, serverFault ?? 'internal');
  const isUnknown = errorCatalogue[error.code].type === 'unknown_id';
  return isUnknown && isBeyondContract === true ? new ServiceError('not_found') : error;
}

function asServiceError(fault: unknown, serverFault: 'internal' | 'internal_update'): ServiceError {
  if (fault instanceof ServiceError) return fault;
  if (fault instanceof InvalidCursorError) return new ServiceError('invalid_cursor');
  if (fault instanceof ReadModelsUnavailableError || fault instanceof StoreUnavailableError)
    return new ServiceError('unavailable', {}, { cause: fault, retryAfter: 1 });
  // An event that cannot be read stays so until somebody acts: a repeat within seconds makes no sense.
  if (fault instanceof UnreadableHistoryError)
    return new ServiceError('unavailable', {}, { cause: fault, retryAfter: 60 });
  return new ServiceError(serverFault, {}, { cause: fault });
}
