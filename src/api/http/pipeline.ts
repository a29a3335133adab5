/**
 * Takes a request through an endpoint, as a list of steps in the order that docs/errors.md gives. A step returns nothing, or
 * a promise if the next step has to wait. A step that throws ends the list, and the error is answered.
 */
import type { Request, RequestHandler, Response } from 'express';
import { errorCatalogue, ServiceError } from '../../errors.js';
import { ownedBy } from '../../flow/slots.js';
import { ended } from './auth.js';
import { defaultBodyLimit, hasLines, readBody, readForEcho, RequestAbortedError, type Body } from './body.js';
import type { Call, HandlerAnswer } from './call.js';
import { networkOf, peerAddress, type ClientAddress } from './client-address.js';
import { anyKey, scopeOfView, type Endpoint } from './endpoint.js';
import { asAnswer, echoFor, errorBody, errorHeaders, successBody, type EchoFields } from './envelope.js';
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
import { idempotencyKeyOf, ignoredHeaders, prefersStrict, strictApplied } from './request-headers.js';
import { sendStream, sendWhole, type StreamedAnswer } from './send.js';

export interface PipelineOptions extends RequestOptions {
  /** Slows writes down while the views lag. */
  readonly admit: () => Promise<void> | undefined;
  /** Resolves when the views show the position that a header `X-Min-Position` names. @throws ServiceError `invalid_position`, `unavailable` */
  readonly waitForPosition: (header: string) => Promise<void>;
  /** Returns why the log is not trusted. Absent if this process cannot tell. */
  readonly altered?: (() => string | undefined) | undefined;
  /** The address by which callers without a valid key are limited. Default: that of the connection. */
  readonly clientAddress?: ClientAddress;
}

/** An endpoint with its parsers, the steps of its requests, and a handler that has its parts. */
interface Prepared {
  readonly endpoint: Endpoint & { readonly echo: EchoFields };
  readonly handler: (call: Call) => HandlerAnswer | Promise<HandlerAnswer>;
  readonly bodyParser: Parser<unknown>;
  readonly queryParser: Parser<unknown>;
  readonly steps: readonly Step[];
}

/** A request on its way through the steps, with what the steps have found out. */
interface Exchange {
  readonly options: PipelineOptions;
  readonly prepared: Prepared;
  readonly context: RequestContext;
  input: unknown;
  query: unknown;
  idempotencyKey: string | undefined;
  answer: HandlerAnswer | undefined;
  /** The status of the answer. */
  status: number;
  /** The cause of an answer of 500 or more, or of a stream that ended early. */
  fault: unknown;
}

type Step = (exchange: Exchange) => void | Promise<void>;

/** Returns the steps of an endpoint. After them, and after an error, every request is logged. */
function stepsOf({ scope, effect, needsIntactLog }: Endpoint): readonly Step[] {
  if (scope === 'none') return [validate, handle, respond];
  return [
    authenticate,
    limit,
    authorize,
    receiveBody,
    validate,
    effect === 'read' ? waitForPosition : waitForViews,
    ...(needsIntactLog ? [demandIntactLog] : []),
    handle,
    respond,
  ];
}

/** Finds the grant of the API key. Callers without one are counted by their address. @throws ServiceError `unauthorized`, `rate_limited` */
export function authenticate(exchange: Exchange): void | Promise<void> {
  const { options, context } = exchange;
  context.grant = options.authenticate(context.request);
  return context.grant === undefined ? refuseUnknown(exchange) : undefined;
}

/** The most bytes of a body that are read for a caller without a valid key. */
const anonymousBodyLimit = 8 * 1024;

async function refuseUnknown({ options, prepared: { endpoint }, context }: Exchange): Promise<never> {
  const { limits, clientAddress = peerAddress } = options;
  const { request } = context;
  const address = networkOf(clientAddress(request));
  count(context, limits.anonymous.take(address));
  const isAttempt = request.headers.authorization !== undefined;
  if (isAttempt) count(context, { ...limits.failures.take(address), headers: context.headers });
  if (endpoint.echo.flat.length > 0 && endpoint.dataOf401 === undefined)
    context.body = await readForEcho(request, anonymousBodyLimit);
  throw new ServiceError('unauthorized');
}

/** Counts the request of a key. @throws ServiceError `rate_limited` */
export function limit({ options: { limits }, prepared: { endpoint }, context }: Exchange): void {
  count(context, (endpoint.rateLimit === 'email' ? limits.email : limits.api).take(grantOf(context).id));
}

function count(context: RequestContext, verdict: RateVerdict): void {
  context.headers = verdict.headers;
  if (!verdict.allowed) throw new ServiceError('rate_limited', {}, { retryAfter: verdict.resetSeconds });
}

/** Checks that the key has the scope of the endpoint. @throws ServiceError `forbidden` */
export function authorize({ prepared: { endpoint }, context }: Exchange): void {
  const { scope } = endpoint;
  // The handler knows the view, and checks its scopes.
  if (scope !== anyKey && scope !== scopeOfView && !grantOf(context).scopes.has(scope))
    throw new ServiceError('forbidden', { names: scope });
}

/** Reads a JSON body. Leaves an upload to the handler. @throws ServiceError see `readBody` @throws RequestAbortedError */
export function receiveBody({ prepared: { endpoint }, context }: Exchange): void | Promise<void> {
  const { request } = context;
  const { upload, bodyLimit, echo } = endpoint;
  if (isUpload(endpoint, request)) {
    if (upload?.type === 'lines') cutWithKey(context);
    return undefined;
  }
  const body = readBody(request, { limit: bodyLimit ?? defaultBodyLimit, expected: echo.flat.length > 0 });
  if (body instanceof Promise) return keepBody(context, body);
  context.body = body;
  return undefined;
}

async function keepBody(context: RequestContext, body: Promise<Body>): Promise<void> {
  context.body = await body;
  if (grantOf(context).until === ended) throw new ServiceError('unauthorized');
}

/** Returns whether the handler reads the body. */
const isUpload = ({ upload }: Pick<Endpoint, 'upload'>, request: Request): boolean =>
  upload !== undefined && (upload.type === 'email' || upload.isOneToo !== true || hasLines(request));

/** Parses body, query and `Idempotency-Key`. @throws ServiceError what the schemas refuse, `unknown_parameter`, `invalid_idempotency_key` */
export function validate(exchange: Exchange): void {
  const { endpoint } = exchange.prepared;
  exchange.input = inputOf(exchange);
  exchange.query = queryOf(exchange);
  if (endpoint.takesIdempotencyKey === true) exchange.idempotencyKey = idempotencyKeyOf(exchange.context.request);
}

/** @throws ServiceError `required`, `unknown_field`, or what the schema says */
function inputOf({ prepared: { endpoint, bodyParser }, context }: Exchange): unknown {
  const { request, body } = context;
  const { method, upload } = endpoint;
  const refusesUnknown = method !== 'get' && isStrict(endpoint, context);
  const ignored = method === 'get' || refusesUnknown ? [] : bodyParser.unknownFields(body);
  if (ignored.length > 0) context.headers = [...context.headers, ...ignoredHeaders(ignored)];
  // An endpoint that takes one object or lines has an optional body, which is undefined if the handler reads lines.
  const isLines = upload?.type === 'lines' && upload.isOneToo === true && hasLines(request);
  return isLines ? endpoint.body.parse(undefined) : bodyParser.parse(body, refusesUnknown);
}

function isStrict({ unknownInput }: Pick<Endpoint, 'unknownInput'>, context: RequestContext): boolean {
  const isPreferred = prefersStrict(context.request.headers['prefer']);
  if (isPreferred) context.headers = [...context.headers, ...strictApplied];
  return isPreferred || unknownInput === 'refused';
}

const noQuery = Object.freeze({});

function queryOf({ prepared: { endpoint, queryParser }, context: { request } }: Exchange): unknown {
  // `request.query` parses the query at each access.
  const query = request.url.includes('?') ? request.query : noQuery;
  if (endpoint.unknownInput === 'refused') {
    // Schemas drop this name, so `checkParameters` would not refuse it.
    if (Object.hasOwn(query, '__proto__')) throw new ServiceError('unknown_parameter', { field: '__proto__' });
    if (!queryParser.isOpen) checkParameters(query, queryParser.fields);
  }
  return queryParser.parse(query, false);
}

/** Lets a read wait until the views show the position of `X-Min-Position`. @throws ServiceError `invalid_position`, `unavailable` */
export function waitForPosition({ options, context }: Exchange): void | Promise<void> {
  const header = context.request.headers['x-min-position'];
  return header === undefined ? undefined : options.waitForPosition(String(header));
}

/** Lets a write wait a moment while the views lag. */
export const waitForViews = ({ options }: Exchange): Promise<void> | undefined => options.admit();

/** Refuses the request after another program has altered the log. @throws ServiceError `unavailable` */
export function demandIntactLog({ options }: Exchange): void {
  if (options.altered?.() !== undefined) throw new ServiceError('unavailable', {}, { retryAfter: 10 });
}

/** The caller of an endpoint that needs no API key. */
const nobody = { id: '', scopes: new Set<string>() };

/** Calls the handler of the endpoint. */
export async function handle(exchange: Exchange): Promise<void> {
  const { options, context, prepared, input, query, idempotencyKey } = exchange;
  const { request, response, requestId } = context;
  const { id: actor, scopes } = prepared.endpoint.scope === 'none' ? nobody : grantOf(context);
  const correlationId = correlationIdOf(options, context);
  exchange.answer = await prepared.handler({
    input,
    query,
    scopes,
    parameter: (name) => parameterOf(request, name),
    request,
    context: { correlationId, causationId: correlationId, requestId, actor },
    idempotencyKey,
    signal: () => ownedBy({ key: actor, stopping: options.stopping }, clientSignal(response)),
  });
}

function parameterOf(request: Request, name: string): string {
  const value = request.params[name];
  return typeof value === 'string' ? value : '';
}

/** Sends what the handler has answered. */
export function respond(exchange: Exchange): void | Promise<void> {
  const { options, prepared, context, answer } = exchange;
  const { answer: success, message } = prepared.endpoint;
  const { status = 200 } = success;
  exchange.status = status;
  if (answer === undefined) throw new Error('there is no answer to send');
  if ('pieces' in answer) return respondInPieces(exchange, answer);
  if ('send' in answer) answer.send(context.response, headersOf(options, context, []));
  else {
    const headers = headersOf(options, context, answer.headers ?? []);
    sendWhole(context.response, { status, headers, body: successBody(answer, message, status) });
  }
  return undefined;
}

async function respondInPieces(exchange: Exchange, answer: StreamedAnswer): Promise<void> {
  const { options, prepared, context } = exchange;
  const { request, response } = context;
  // The connection of lines is cut with the key already.
  if (prepared.endpoint.upload === undefined) cutWithKey(context);
  try {
    const headers = headersOf(options, context, []);
    await sendStream(response, answer, { headers, isHead: request.method === 'HEAD' });
  } finally {
    answer.close?.();
  }
  exchange.fault = answer.fault?.();
}

/** Answers an error that a step has thrown. */
function refuse(exchange: Exchange, fault: unknown): void {
  const { options, prepared, context } = exchange;
  const { response } = context;
  if (response.destroyed || fault instanceof RequestAbortedError) {
    response.destroy();
    exchange.status = response.headersSent ? 200 : clientClosedRequest;
    return;
  }
  const error = asAnswer(fault, prepared.endpoint);
  const { status } = errorCatalogue[error.code];
  // Closed without an end, so that a part does not look like the whole.
  if (response.headersSent) response.destroy();
  else {
    const body = errorBody({ code: error.code, message: error.message, data: errorData(error, exchange) });
    sendWhole(response, { status, headers: headersOf(options, context, errorHeaders(error)), body });
  }
  exchange.status = status;
  exchange.fault = status >= 500 ? fault : undefined;
}

function errorData(error: ServiceError, { prepared: { endpoint }, context }: Exchange): unknown {
  if (error.code === 'unauthorized' && endpoint.dataOf401 === 'absent') return undefined;
  return { ...echoFor(error.code, context.body, endpoint.echo), ...error.data };
}

/** Logs the request and ends its trace. Endpoints without a key are called every few seconds, so only their refusals are logged. */
function log({ options, prepared: { endpoint }, context, status, fault: error }: Exchange): void {
  if (endpoint.scope !== 'none') logRequest(options, context, { route: endpoint.path, status, error });
  else if (status >= 400) logRequest(options, context, { route: '-', status });
}

/** Returns the grant of a request that has passed `authenticate`. */
function grantOf({ grant }: RequestContext) {
  if (grant === undefined) throw new Error('a request was let in without a key');
  return grant;
}

/** Cuts the connection when the key ends, because a stream must not outlive it. */
function cutWithKey({ grant, response }: RequestContext): void {
  const cut = (): void => void response.destroy();
  grant?.streams.add(cut);
  response.once('close', () => grant?.streams.delete(cut));
}

async function run(exchange: Exchange): Promise<void> {
  try {
    for (const step of exchange.prepared.steps) {
      const pending = step(exchange);
      if (pending !== undefined) await pending;
    }
  } catch (fault) {
    refuse(exchange, fault);
  }
  log(exchange);
}

interface RequestAndResponse {
  readonly request: Request;
  readonly response: Response;
}

export interface Pipeline {
  /** Returns the Express handler of an endpoint. */
  readonly handlerOf: <Needs>(endpoint: Endpoint<Needs>, parts: Needs) => RequestHandler;
  /** Answers an error on a path or for a method without an endpoint. */
  readonly refuse: (
    exchange: RequestAndResponse,
    error: ServiceError,
    more?: { readonly headers?: readonly string[] },
  ) => void;
  /** Answers a preflight with 200. The request is neither logged nor traced. */
  readonly answer: (exchange: RequestAndResponse, data: object) => void;
  /** Returns the headers of an answer that is sent by other means. */
  readonly headers: (exchange: RequestAndResponse) => readonly string[];
}

export function prepare<Needs>(endpoint: Endpoint<Needs>, parts: Needs): Prepared {
  const bodyParser = createParser(endpoint.body);
  const queryParser = createParser(endpoint.query);
  const echo = endpoint.echo ?? { flat: bodyParser.fields, nested: [] };
  return {
    endpoint: { ...endpoint, echo },
    handler: (call) => endpoint.handle(call, parts),
    bodyParser,
    queryParser,
    steps: stepsOf(endpoint),
  };
}

/** Creates a request that no step has seen yet. */
export const createExchange = (options: PipelineOptions, prepared: Prepared, context: RequestContext): Exchange => ({
  options,
  prepared,
  context,
  input: undefined,
  query: undefined,
  idempotencyKey: undefined,
  answer: undefined,
  status: 0,
  fault: undefined,
});

export function createPipeline(options: PipelineOptions): Pipeline {
  const { limits, clientAddress = peerAddress } = options;
  return {
    handlerOf(endpoint, parts) {
      // Prepared at the first request, because all endpoints together take a tenth of a second.
      let prepared: Prepared | undefined;
      const createContext = isWatching(endpoint) ? createRequestContext : createTracedContext;
      return (request, response) => {
        prepared ??= prepare(endpoint, parts);
        const context = createContext(options, request, response);
        const exchange = createExchange(options, prepared, context);
        inTrace(context, () => run(exchange)).catch(() => response.destroy());
      };
    },
    refuse({ request, response }, error, { headers = [] } = {}) {
      const context = createTracedContext(options, request, response);
      if (/^(?:[a-z]+:\/\/[^/]*)?\/v1(?:[/?]|$)/i.test(request.originalUrl))
        context.headers = limits.anonymous.take(networkOf(clientAddress(request))).headers;
      const { status } = errorCatalogue[error.code];
      const body = errorBody({ code: error.code, message: error.message, data: {} });
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

/** Returns whether monitoring calls the endpoint every few seconds. Such requests are not traced. */
const isWatching = ({ scope }: Pick<Endpoint, 'scope'>): boolean => scope === 'metrics' || scope === 'none';
