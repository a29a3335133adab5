/** Runs one request through an endpoint, in the contract's order: key → rate limit → scope → body → input → parameters and headers → handle → answer. */
import type { Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import type { CommandContext } from '../../commands/batch.js';
import { errorCatalogue, ServiceError } from '../../errors.js';
import { ended, type Grant } from './auth.js';
import { defaultBodyLimit, hasLines, noBody, readBody, readForEcho, RequestAbortedError, type Body } from './body.js';
import { networkOf, peerAddress, type ClientAddress } from './client-address.js';
import { anyKey, scopeOfView, type AnyEndpoint, type Endpoint, type ParameterOf } from './endpoint.js';
import { asAnswer, echoFor, errorBody, errorHeaders, successBody, type Answer, type EchoFields } from './envelope.js';
import { checkParameters, createParser, type Parser } from './parse.js';
import type { RateVerdict } from './rate-limit.js';
import {
  clientClosedRequest,
  clientSignal,
  correlationIdOf,
  createRequestContext,
  createTracedContext,
  headersOf,
  inTrace,
  logRequest,
  type RequestContext,
  type RequestOptions,
} from './request-context.js';
import { ownedBy } from '../../flow/slots.js';
import { idempotencyKeyOf, ignoredHeaders, prefersStrict, strictApplied } from './request-headers.js';
import { sendStream, sendWhole, type StreamedAnswer } from './send.js';

/** A request that has passed all checks before its handler. */
export interface Call<Input = unknown, Query = unknown, Parameter extends string = string> {
  readonly input: Input;
  readonly query: Query;
  /** Of the key. */
  readonly scopes: ReadonlySet<string>;
  readonly parameter: (name: Parameter) => string;
  readonly request: Request;
  readonly context: CommandContext;
  /** Undefined also on endpoints where the header has no effect. */
  readonly idempotencyKey: string | undefined;
  /** From `X-Min-Position`. Undefined without the header, and where the views show that position already. */
  readonly minPosition: string | undefined;
  readonly signal: () => AbortSignal;
}

export type Handle<Body extends z.ZodType, Query extends z.ZodType, Path extends string> = (
  call: Call<z.output<Body>, z.output<Query>, ParameterOf<Path>>,
) => Promise<Answer | StreamedAnswer>;

export interface EndpointRunnerOptions extends RequestOptions {
  /** Slows writes down while the views lag. */
  readonly admit: () => Promise<void> | undefined;
  /** The position that a header `X-Min-Position` stands for. @throws ServiceError `invalid_position` */
  readonly minPosition: (header: string) => Promise<string | undefined>;
  /** Callers without a valid key are limited by this address. Default: that of the connection. */
  readonly clientAddress?: ClientAddress;
}

interface Exchange {
  readonly request: Request;
  readonly response: Response;
}

export interface EndpointRunner {
  /** The Express handler of an endpoint. */
  readonly run: <Body extends z.ZodType, Query extends z.ZodType, Path extends string>(
    endpoint: Endpoint<Body, Query, Path>,
    handle: Handle<Body, Query, Path>,
  ) => RequestHandler;
  /** Answers an error where there is no endpoint: 404, 405, not ready. */
  readonly refuse: (
    exchange: Exchange,
    error: ServiceError,
    more?: { headers?: readonly string[]; data?: object; isHealth?: boolean },
  ) => void;
  /** Answers 200 where there is no endpoint: health. Neither logged nor traced, because health is checked every few seconds. */
  readonly answer: (exchange: Exchange, data: object) => void;
  /** The headers of an answer that is sent by other means. */
  readonly headers: (exchange: Exchange) => readonly string[];
}

/** An endpoint whose echo is known. */
type Prepared = AnyEndpoint & { readonly echo: EchoFields };

const anonymousBodyLimit = 8 * 1024;
const noQuery = Object.freeze({});

export function createEndpointRunner(options: EndpointRunnerOptions): EndpointRunner {
  const { limits, clientAddress = peerAddress } = options;

  function count(context: RequestContext, verdict: RateVerdict): void {
    context.headers = verdict.headers;
    if (!verdict.allowed) throw new ServiceError('rate_limited', {}, { retryAfter: verdict.resetSeconds });
  }

  function enter(context: RequestContext, endpoint: Prepared): Body | Promise<Body> {
    const { request } = context;
    const grant = options.authenticate(request);
    if (grant === undefined) return refuseUnknown(context, endpoint);
    context.grant = grant;
    count(context, (endpoint.bucket === 'email' ? limits.email : limits.api).take(grant.id));
    checkScope(endpoint, grant);
    if (readsItself(endpoint, request)) {
      if (endpoint.lines !== undefined) cutWithKey(context);
      return noBody;
    }
    // If an endpoint takes lines, its limit is for all lines together.
    const limit = endpoint.lines === undefined ? endpoint.bodyLimit : undefined;
    return readBody(request, { limit: limit ?? defaultBodyLimit, expected: endpoint.echo.flat.length > 0 });
  }

  async function refuseUnknown(context: RequestContext, { echo: echoed, unauthorized }: Prepared): Promise<Body> {
    const address = networkOf(clientAddress(context.request));
    count(context, limits.anonymous.take(address));
    const isAttempt = context.request.headers.authorization !== undefined;
    if (isAttempt) count(context, { ...limits.failures.take(address), headers: context.headers });
    if (echoed.flat.length > 0 && unauthorized === undefined)
      context.body = await readForEcho(context.request, anonymousBodyLimit);
    throw new ServiceError('unauthorized');
  }

  function isStrict(context: RequestContext, { own }: AnyEndpoint): boolean {
    const isPreferred = prefersStrict(context.request.headers['prefer']);
    if (isPreferred) context.headers = [...context.headers, ...strictApplied];
    return isPreferred || own === true;
  }

  function minPositionOf({ headers }: Request): Promise<string | undefined> | undefined {
    const header = headers['x-min-position'];
    return header === undefined ? undefined : options.minPosition(String(header));
  }

  async function send(context: RequestContext, answer: Answer | StreamedAnswer, endpoint: AnyEndpoint): Promise<void> {
    const { request, response } = context;
    if (!('pieces' in answer)) {
      const headers = headersOf(options, context, answer.headers ?? []);
      const { status = 200 } = endpoint.answer;
      sendWhole(response, { status, headers, body: successBody(answer, endpoint.message, status) });
      return;
    }
    if (endpoint.lines === undefined) cutWithKey(context);
    try {
      const headers = headersOf(options, context, []);
      await sendStream(response, answer, { headers, isHead: request.method === 'HEAD' });
    } finally {
      answer.close?.();
    }
  }

  function fail(context: RequestContext, endpoint: Prepared, fault: unknown): number {
    const { response } = context;
    if (response.destroyed || fault instanceof RequestAbortedError) {
      response.destroy();
      return response.headersSent ? 200 : clientClosedRequest;
    }
    const error = asAnswer(fault, endpoint);
    const { status } = errorCatalogue[error.code];
    // Closed without an end, so that a part does not look like the whole.
    if (response.headersSent) response.destroy();
    else {
      const data = errorData(error, endpoint, context.body);
      const body = errorBody({ code: error.code, message: error.message, data });
      sendWhole(response, { status, headers: headersOf(options, context, errorHeaders(error)), body });
    }
    return status;
  }

  function responder<Body extends z.ZodType, Query extends z.ZodType, Path extends string>(
    endpoint: Endpoint<Body, Query, Path>,
    handler: Handle<Body, Query, Path>,
  ): (context: RequestContext) => Promise<void> {
    const bodyParser = createParser(endpoint.body);
    const queryParser = createParser(endpoint.query);
    const prepared = { ...endpoint, echo: endpoint.echo ?? { flat: bodyParser.fields, nested: [] } };

    /** @throws ServiceError `required`, `unknown_field`, or what the schema says */
    function inputOf(context: RequestContext): z.output<Body> {
      const { request, body } = context;
      const isGet = isGetOrHead(request);
      const refusesUnknown = !isGet && isStrict(context, endpoint);
      const ignored = isGet || refusesUnknown ? [] : bodyParser.unknownFields(body);
      if (ignored.length > 0) context.headers = [...context.headers, ...ignoredHeaders(ignored)];
      // An endpoint that takes one object or lines has an optional body, which is undefined where the handler reads lines.
      const isLines = endpoint.lines?.isOneToo === true && hasLines(request);
      return isLines ? endpoint.body.parse(undefined) : bodyParser.parse(body, refusesUnknown);
    }

    async function handle(context: RequestContext): Promise<Answer | StreamedAnswer> {
      context.body = await enter(context, prepared);
      const { request, response, requestId } = context;
      const { id: actor, scopes } = grantIn(context);
      const isRead = isGetOrHead(request) || endpoint.readsOnly === true;
      const input = inputOf(context);
      const query = parametersOf(request, endpoint, queryParser);
      const idempotencyKey = isRead ? undefined : idempotencyKeyOf(request, endpoint);
      const minPosition = isRead ? await minPositionOf(request) : undefined;
      const admission = isRead ? undefined : options.admit();
      if (admission !== undefined) await admission;
      const correlationId = correlationIdOf(options, context);
      return await handler({
        input,
        query,
        scopes,
        parameter: (name) => parameterOf(request, name),
        request,
        context: { correlationId, causationId: correlationId, requestId, actor },
        idempotencyKey,
        minPosition,
        signal: () => ownedBy({ key: actor, stopping: options.stopping }, clientSignal(response)),
      });
    }

    return async (context) => {
      const { path: route } = endpoint;
      try {
        const answer = await handle(context);
        await send(context, answer, endpoint);
        const { status = 200 } = endpoint.answer;
        logRequest(options, context, { route, status, error: 'pieces' in answer ? answer.fault?.() : undefined });
      } catch (fault) {
        const status = fail(context, prepared, fault);
        logRequest(options, context, { route, status, error: status >= 500 ? fault : undefined });
      }
    };
  }

  return {
    run(endpoint, handler) {
      // Made at the first request: all endpoints together take a tenth of a second.
      let respond: ReturnType<typeof responder> | undefined;
      const createContext = isWatching(endpoint) ? createRequestContext : createTracedContext;
      return (request, response) => {
        const answer = (respond ??= responder(endpoint, handler));
        const context = createContext(options, request, response);
        inTrace(context, () => answer(context)).catch(() => response.destroy());
      };
    },
    refuse({ request, response }, error, { headers = [], data = {}, isHealth = false } = {}) {
      const context = (isHealth ? createRequestContext : createTracedContext)(options, request, response);
      if (/^(?:[a-z]+:\/\/[^/]*)?\/v1(?:[/?]|$)/i.test(request.originalUrl))
        context.headers = limits.anonymous.take(networkOf(clientAddress(request))).headers;
      const { status } = errorCatalogue[error.code];
      const body = errorBody({ code: error.code, message: error.message, data });
      const all = headersOf(options, context, [...errorHeaders(error), ...headers]);
      sendWhole(response, { status, headers: all, body });
      logRequest(options, context, { route: '-', status });
    },
    answer({ request, response }, data) {
      const headers = headersOf(options, createRequestContext(options, request, response), []);
      sendWhole(response, { status: 200, headers, body: successBody({ data }, undefined) });
    },
    headers: ({ request, response }) => headersOf(options, createRequestContext(options, request, response), []),
  };
}

/** Asked every few seconds by who watches the service: such requests are not traced. */
const isWatching = ({ scope }: Pick<AnyEndpoint, 'scope'>): boolean => scope === 'metrics';

/** Returns whether the handler reads the body: lines, or an email. */
const readsItself = ({ lines, mail }: AnyEndpoint, request: Request): boolean =>
  mail !== undefined || (lines !== undefined && (lines.isOneToo !== true || hasLines(request)));

const isGetOrHead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/** Cuts the connection when the key ends: a stream must not outlive it. */
function cutWithKey({ grant, response }: RequestContext): void {
  const cut = (): void => void response.destroy();
  grant?.streams.add(cut);
  response.once('close', () => grant?.streams.delete(cut));
}

/** The grant of a request that has passed `enter`. @throws ServiceError `unauthorized` where the key was revoked while the body came */
function grantIn({ grant }: RequestContext): Grant {
  if (grant === undefined) throw new Error('a request was let in without a key');
  if (grant.until === ended) throw new ServiceError('unauthorized');
  return grant;
}

/** @throws ServiceError `forbidden` */
function checkScope({ scope }: AnyEndpoint, { scopes }: Grant): void {
  // The handler knows the view, and checks its scopes.
  if (scope !== anyKey && scope !== scopeOfView && !scopes.has(scope))
    throw new ServiceError('forbidden', { names: scope });
}

function parametersOf<Query>(request: Request, { own }: AnyEndpoint, parser: Parser<Query>): Query {
  // `request.query` parses the query at each access.
  const query = request.url.includes('?') ? request.query : noQuery;
  // Schemas drop this name, so it would not be refused below.
  if (own === true && Object.hasOwn(query, '__proto__'))
    throw new ServiceError('unknown_parameter', { field: '__proto__' });
  if (own === true && !parser.isOpen) checkParameters(query, parser.fields);
  return parser.parse(query, false);
}

function parameterOf(request: Request, name: string): string {
  const value = request.params[name];
  return typeof value === 'string' ? value : '';
}

function errorData(error: ServiceError, endpoint: Prepared, body: Body): unknown {
  if (error.code === 'unauthorized' && endpoint.unauthorized === 'absent') return undefined;
  return { ...echoFor(error.code, body, endpoint.echo), ...error.data };
}
