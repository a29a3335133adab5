/** The way of one request through an endpoint, in the contract's order of checks: key → rate limit → body → input → handle → answer. */
import type { Request, Response } from 'express';
import type { CommandContext } from '../commands/batch.js';
import { errorCatalogue, ServiceError } from '../errors.js';
import { StoreUnavailableError } from '../eventstore/event-store.js';
import { InvalidCursorError, ReadModelsUnavailableError } from '../readmodels/read-models.js';
import { readBody, readForEcho, RequestAbortedError, type Body } from './body.js';
import { echo, errorBody, errorHeaders, successBody, type Answer, type EchoFields } from './envelope.js';
import { writeWhole } from './head.js';
import type { Parser } from './input.js';
import {
  beginPassage,
  headersOf,
  logPassage,
  whenItsTurn,
  type Passage,
  type PassageOptions,
} from './request-context.js';
import type { RateVerdict } from './rate-limit.js';

/** What an endpoint is, apart from where it is mounted. */
export interface Endpoint<Input> {
  /** The whole route pattern: what the log names, never the URL. */
  readonly route: string;
  readonly parse: Parser<Input>;
  /** Documented fields of the body, echoed by errors; absent where the endpoint takes none. */
  readonly fields?: EchoFields;
  /** What a 401 carries as `data`. Default: the echo. */
  readonly unauthorized?: 'echo' | 'empty' | 'absent';
  readonly serverFault?: 'internal' | 'internal_update';
  /** Endpoints of our own answer 404 to an unknown id. */
  readonly isOurs?: boolean;
  /** Bytes; default 256 KiB. */
  readonly bodyLimit?: number;
  readonly bucket?: 'email';
  readonly handle: (call: Call<Input>) => Promise<Answer>;
}

/** A request that has passed every check but those of the rules. */
export interface Call<Input> {
  readonly input: Input;
  /** A path parameter. */
  readonly parameter: (name: string) => string;
  readonly request: Request;
  readonly context: CommandContext;
}

export interface CallOptions extends PassageOptions {
  /** Slows writes down while the views lag. */
  readonly admit: () => Promise<void> | undefined;
}

const defaultBodyLimit = 256 * 1024;
/** An unknown caller's body is looked at only so far. */
const anonymousBodyLimit = 8 * 1024;
const noFields: EchoFields = { flat: [], nested: [] };

interface Reply {
  readonly status: number;
  readonly headers?: readonly string[] | undefined;
  readonly body: string;
}

export type Runner = <Input>(endpoint: Endpoint<Input>) => (request: Request, response: Response) => void;

export interface Calls {
  /** The Express handler of an endpoint. */
  readonly run: Runner;
  /** Answers an error that no endpoint stands behind: 404, 405, not ready. */
  readonly refuse: (
    exchange: Exchange,
    error: ServiceError,
    more?: { headers?: readonly string[]; data?: object },
  ) => void;
  /** Answers 200 where no endpoint stands behind: health. Not logged, for it is asked every few seconds. */
  readonly answer: (exchange: Exchange, data: object) => void;
}

export interface Exchange {
  readonly request: Request;
  readonly response: Response;
}

export function createCalls(options: CallOptions): Calls {
  const { limits } = options;

  function count(passage: Passage, verdict: RateVerdict): void {
    passage.rateHeaders = verdict.headers;
    if (!verdict.allowed) throw new ServiceError('rate_limited', {}, { retryAfter: verdict.resetSeconds });
  }

  const addressOf = ({ request }: Passage): string => request.socket.remoteAddress ?? '';

  /** Whose key it is, and within the limit: then what is in the body. */
  function enter<Input>(passage: Passage, endpoint: Endpoint<Input>): Body | Promise<Body> {
    const { request } = passage;
    const actor = options.authenticate(request);
    if (actor === undefined) return refuseUnknown(passage, endpoint);
    passage.actor = actor;
    count(passage, (endpoint.bucket === 'email' ? limits.email : limits.api).take(actor));
    return readBody(request, {
      limit: endpoint.bodyLimit ?? defaultBodyLimit,
      expected: endpoint.fields !== undefined,
    });
  }

  async function refuseUnknown<Input>(passage: Passage, endpoint: Endpoint<Input>): Promise<Body> {
    count(passage, limits.anonymous.take(addressOf(passage)));
    if (endpoint.fields !== undefined && endpoint.unauthorized === undefined)
      passage.body = await readForEcho(passage.request, anonymousBodyLimit);
    throw new ServiceError('unauthorized');
  }

  async function handle<Input>(passage: Passage, endpoint: Endpoint<Input>): Promise<void> {
    passage.body = await enter(passage, endpoint);
    const { request, requestId, actor = '' } = passage;
    // A UUID of our own serves as both.
    const correlationId = passage.isOwnId ? requestId : options.newUuid();
    const input = endpoint.parse(passage.body);
    const admission = request.method === 'GET' ? undefined : options.admit();
    if (admission !== undefined) await admission;
    const answer = await endpoint.handle({
      input,
      parameter: (name) => parameterOf(request, name),
      request,
      context: { correlationId, causationId: correlationId, requestId, actor },
    });
    reply(passage, { status: 200, headers: answer.headers, body: successBody(answer) });
    logPassage(options, passage, { route: endpoint.route, status: 200 });
  }

  function reply(passage: Passage, { status, headers, body }: Reply): void {
    writeWhole(passage.response, status, { fixed: options.fixed, headers: headersOf(options, passage, headers), body });
  }

  function fail<Input>(passage: Passage, endpoint: Endpoint<Input>, fault: unknown): void {
    if (fault instanceof RequestAbortedError) {
      passage.response.destroy();
      return;
    }
    const error = asAnswer(fault, endpoint);
    const { status } = errorCatalogue[error.code];
    const body = errorBody({
      code: error.code,
      message: error.message,
      data: errorData(error, endpoint, passage.body),
    });
    reply(passage, { status, headers: errorHeaders(error), body });
    logPassage(options, passage, { route: endpoint.route, status, error: status >= 500 ? fault : undefined });
  }

  return {
    run: (endpoint) => (request, response) => {
      const start = (): void => {
        const passage = beginPassage(options, request, response);
        handle(passage, endpoint).catch((fault: unknown) => {
          try {
            fail(passage, endpoint, fault);
          } catch {
            // Half an answer is out: the client must not take it for a whole one.
            response.destroy();
          }
        });
      };
      whenItsTurn(response, start);
    },
    refuse({ request, response }, error, { headers = [], data = {} } = {}) {
      const passage = beginPassage(options, request, response);
      if (/^(?:[a-z]+:\/\/[^/]*)?\/v1(?:[/?]|$)/i.test(request.originalUrl))
        passage.rateHeaders = limits.anonymous.take(addressOf(passage)).headers;
      const { status } = errorCatalogue[error.code];
      const body = errorBody({ code: error.code, message: error.message, data });
      reply(passage, { status, headers: [...errorHeaders(error), ...headers], body });
      logPassage(options, passage, { route: '-', status });
    },
    answer({ request, response }, data) {
      reply(beginPassage(options, request, response), { status: 200, body: successBody({ data }) });
    },
  };
}

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

function asAnswer<Input>(fault: unknown, endpoint: Endpoint<Input>): ServiceError {
  const error = asServiceError(fault, endpoint.serverFault ?? 'internal');
  const isUnknown = errorCatalogue[error.code].type === 'unknown_id';
  return isUnknown && endpoint.isOurs === true ? new ServiceError('not_found') : error;
}

function asServiceError(fault: unknown, serverFault: 'internal' | 'internal_update'): ServiceError {
  if (fault instanceof ServiceError) return fault;
  if (fault instanceof InvalidCursorError) return new ServiceError('invalid_cursor');
  if (fault instanceof ReadModelsUnavailableError || fault instanceof StoreUnavailableError)
    return new ServiceError('unavailable', {}, { cause: fault, retryAfter: 1 });
  return new ServiceError(serverFault, {}, { cause: fault });
}
