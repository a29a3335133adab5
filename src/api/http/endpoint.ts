/**
 * Endpoints and resources. The routes, the API document and the client are all made from these objects. An endpoint with
 * its handler:
 *
 * ```ts
 * get: read('getErasure', '/v1/privacy/erasures/{erasure_id}', {
 *   scope: 'privacy',
 *   summary: 'How far an erasure is',
 *   answer: { data: erasure },
 *   handle: async ({ parameter }, { erasures }) => {
 *     const found = (await erasures.all()).get(parameter('erasure_id'));
 *     if (found === undefined) throw new ServiceError('not_found');
 *     return { data: shown(found) };
 *   },
 * }),
 * ```
 */
import { z } from 'zod';
import type { ErrorCode } from '../../errors.js';
import type { Scope } from '../../events/keys.js';
import type { PathParameter } from '../schemas/parameters.js';
import type { Call, HandlerAnswer } from './call.js';
import type { EchoFields } from './envelope.js';

/** The answer to a successful request. */
interface Success {
  /** 202 if the work goes on after the answer. Default: 200. */
  readonly status?: 202;
  /** Schema of `data` in the envelope. */
  readonly data?: z.ZodType;
  /** Fields beside `data` in the envelope. */
  readonly beside?: z.ZodRawShape;
  /** Answers without the envelope, by media type. For lines and server-sent events, the schema describes one of them. */
  readonly others?: Readonly<Record<string, z.ZodType>>;
  /** Whether the answer has `X-Position`, the position of what was written. */
  readonly position?: true;
  /** Names of headers that do not follow from the other fields. */
  readonly headers?: readonly string[];
  /** Whether the answer has an `ETag`, and is 304 if the client has that version. */
  readonly etag?: true;
}

/** The scope that the view named in the path needs. Its handler checks the scope. */
export const scopeOfView = 'by_view';
/** The scope of an endpoint that every valid key may use. */
export const anyKey = 'any_key';

/** A body that the handler reads itself, in place of a JSON body. An upload may be sent again. */
type Upload =
  | {
      /** NDJSON. The answer is NDJSON, too. */
      readonly type: 'lines';
      /** Schema of each line. */
      readonly schema: z.ZodType;
      /** Name of the schema in the API document. */
      readonly title: string;
      /** If true, the body may also be one line as JSON. Then `body` is the optional schema of that line. */
      readonly isOneToo?: true;
    }
  | {
      /** An email (`message/rfc822`). */
      readonly type: 'email';
      /** Names of the request headers that the handler needs. */
      readonly headers: readonly string[];
    };

/** `Needs` are the parts of the service that its handler works with. An `Endpoint` without them can only be described. */
export interface Endpoint<Needs = never> {
  /** Name of the operation in the API document and in the client. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'postOrDelete';
  /** The path, with its parameters in braces. */
  readonly path: string;
  /** The scope that the API key must have. `none` if the endpoint needs no API key. */
  readonly scope: Scope | 'none' | typeof anyKey | typeof scopeOfView;
  readonly summary: string;
  readonly description?: string;
  /** Reads wait for `X-Min-Position`. Writes are slowed down while the views lag. */
  readonly effect: 'read' | 'write';
  /**
   * Decides how unknown body fields, query parameters and ids are treated. `ignored`, as in the seventeen endpoints of the
   * original API: unknown fields and parameters have no effect, and an unknown id has an error of its own. `refused`:
   * unknown fields and parameters are refused, and an unknown id is 404.
   */
  readonly unknownInput: 'ignored' | 'refused';
  /** Whether the answer rests on the log, so that it is 503 after another program has altered the log. */
  readonly needsIntactLog: boolean;
  /** Whether a repeat with the same `Idempotency-Key` and the same input gets the first answer. */
  readonly takesIdempotencyKey?: true;
  /** Schema of the JSON body. */
  readonly body: z.ZodType;
  readonly upload?: Upload;
  readonly query: z.ZodType;
  /** The fields of the body that errors repeat in `data`. Default: every documented field. */
  readonly echo?: EchoFields;
  /** The `data` of a 401: the echo, an empty object, or no `data` at all. Default: `echo`. */
  readonly dataOf401?: 'empty' | 'absent';
  /** The error that answers an unexpected fault. Default: `internal`. */
  readonly serverFault?: 'internal_update';
  /** The most bytes of the body. Default: 256 KiB. A body of lines has the limit of `bulk.ts`. */
  readonly bodyLimit?: number;
  /** The rate limit that counts the request. Default: that of the API. */
  readonly rateLimit?: 'email';
  /** The `message` of a success. GETs have none. */
  readonly message?: string;
  readonly answer: Success;
  /** Errors of the rules of the endpoint. Those that follow from its other fields and schemas are added. */
  readonly errors?: readonly ErrorCode[];
  readonly handle: (call: Call, parts: Needs) => HandlerAnswer | Promise<HandlerAnswer>;
}

/** Endpoints that belong together, and what the API document says about them. */
export interface Resource<Needs = never> {
  /** The tag of its operations. No other resource has it. */
  readonly name: string;
  readonly description: string;
  /** The parameters in the paths of its endpoints. */
  readonly parameters: Readonly<Record<string, PathParameter>>;
  /** Endpoints in the order in which requests are compared with their paths, so fixed words come before parameters. */
  readonly endpoints: Readonly<Record<string, Endpoint<Needs>>>;
}

/** The names in braces in a path. */
type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

type Kind = Pick<Endpoint, 'method' | 'effect' | 'unknownInput' | 'needsIntactLog'>;

/** The fields of an endpoint that its kind does not set. The types of the call follow from the schemas and the path. */
type Description<Body extends z.ZodType, Query extends z.ZodType, Path extends string, Needs> = Omit<
  Endpoint,
  keyof Kind | 'id' | 'path' | 'body' | 'query' | 'handle'
> & {
  readonly body?: Body;
  readonly query?: Query;
  readonly handle: (
    call: Call<z.output<Body>, z.output<Query>, ParameterOf<Path>>,
    parts: Needs,
  ) => HandlerAnswer | Promise<HandlerAnswer>;
};

/** A description whose handler may be called with any values, because the schemas of its endpoint have parsed them. */
type Erased<Needs> = Omit<Endpoint<Needs>, keyof Kind | 'id' | 'path' | 'body' | 'query'> &
  Partial<Pick<Endpoint, 'body' | 'query'>>;

const noParameters = z.object({});

function kind<Needs>(common: Kind) {
  function endpoint<
    const Path extends string,
    Body extends z.ZodType = typeof noParameters,
    Query extends z.ZodType = typeof noParameters,
  >(id: string, path: Path, description: Description<Body, Query, Path, Needs>): Endpoint<Needs>;
  function endpoint(id: string, path: string, description: Erased<Needs>): Endpoint<Needs> {
    return { id, path, body: noParameters, query: noParameters, ...common, ...description };
  }
  return endpoint;
}

const get = { method: 'get', effect: 'read', unknownInput: 'refused', needsIntactLog: false } as const;
const post = { method: 'post', effect: 'write', unknownInput: 'refused', needsIntactLog: false } as const;

/** Returns the functions that make endpoints whose handlers work with `Needs`. */
export const endpointsWith = <Needs>() => ({
  read: kind<Needs>(get),
  /** A GET that is answered from the log. */
  readOfLog: kind<Needs>({ ...get, needsIntactLog: true }),
  /** A POST that changes nothing, such as a search for a text that must not be in a URL. */
  search: kind<Needs>({ ...post, effect: 'read' }),
  write: kind<Needs>(post),
  // The lenient kinds are for the endpoints of the original API, and for those without an API key.
  lenientRead: kind<Needs>({ ...get, unknownInput: 'ignored' }),
  lenientWrite: kind<Needs>({ ...post, unknownInput: 'ignored' }),
  lenientRemove: kind<Needs>({ ...post, unknownInput: 'ignored', method: 'postOrDelete' }),
});
