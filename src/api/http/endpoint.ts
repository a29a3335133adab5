/** What an endpoint is, and a resource: what routes, handlers, the API document and the client are made from. */
import { z } from 'zod';
import type { ErrorCode } from '../../errors.js';
import type { Scope } from '../../events/keys.js';
import type { PathParameter } from '../schemas/parameters.js';
import type { EchoFields } from './envelope.js';

/** What a success answers. */
interface Success {
  /** 202: the work goes on after the answer. Default: 200. */
  readonly status?: 202;
  readonly data?: z.ZodType;
  /** What may stand beside `data`. */
  readonly beside?: z.ZodRawShape;
  /** Without the envelope, by media type; of lines and events: what one of them holds. */
  readonly others?: Readonly<Record<string, z.ZodType>>;
  /** The answer has an `X-Position`: that of what was written. */
  readonly position?: true;
  /** In addition to those that follow from the other fields. */
  readonly headers?: readonly string[];
  /** The answer has an `ETag`, and is 304 where the client has that version. */
  readonly cached?: true;
}

/** The scope that the view named in the path needs; its handler checks it. */
export const scopeOfView = 'by_view';
/** Every key may, whatever its scopes. */
export const anyKey = 'any_key';

interface Lines {
  readonly schema: z.ZodType;
  readonly title: string;
  readonly isOneToo?: true;
}

export interface Endpoint<Body extends z.ZodType, Query extends z.ZodType, Path extends string> {
  /** Name of the operation in the API document and in the client. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'postOrDelete';
  /** With its parameters in braces. */
  readonly path: Path;
  /** What the API key must be allowed to do; `none`: no key is asked for. */
  readonly scope: Scope | 'none' | typeof anyKey | typeof scopeOfView;
  readonly summary: string;
  readonly description?: string;
  /**
   * Not one of the seventeen of the original API: 404 for an unknown id, and unknown body fields
   * and query parameters are refused. The seventeen ignore these.
   */
  readonly own?: true;
  /** A POST that changes nothing: a search, whose text must not stand in an address. Like a GET it waits for `X-Min-Position` and is not slowed down while views lag. */
  readonly readsOnly?: true;
  /** With the same `Idempotency-Key` and the same input a repeat gets the first answer. */
  readonly replays?: true;
  readonly body: Body;
  /** Schema of each line of an NDJSON body. The handler reads the lines and answers with NDJSON. Lines may be sent again. `title` is the name of the schema in the API document. If `isOneToo` is true, the body may also be a single line as JSON, and `body` is the optional schema of that line. */
  readonly lines?: Lines;
  /** The body is an e-mail (`message/rfc822`). Its handler reads it. It may be sent again. `headers`: of the request, that its handler needs. */
  readonly mail?: { readonly headers: readonly string[] };
  readonly query: Query;
  /** The fields of the body that errors echo. Default: every documented field. */
  readonly echo?: EchoFields;
  /** What a 401 carries as `data`. Default: the echo. */
  readonly unauthorized?: 'empty' | 'absent';
  readonly serverFault?: 'internal_update';
  /** Bytes; default 256 KiB. */
  readonly bodyLimit?: number;
  readonly bucket?: 'email';
  /** Of a success. Absent on GETs. */
  readonly message?: string;
  readonly answer: Success;
  /** The errors of its rules, in addition to those that follow from its other fields and from the schemas. */
  readonly errors?: readonly ErrorCode[];
}

/** Endpoints that belong together, and what the API document says of them. */
export interface Resource {
  /** Tag of its operations, and of no other resource's. */
  readonly name: string;
  readonly description: string;
  /** Those in the paths of its endpoints. */
  readonly parameters: Readonly<Record<string, PathParameter>>;
  readonly endpoints: Readonly<Record<string, AnyEndpoint>>;
}

export type AnyEndpoint = Endpoint<z.ZodType, z.ZodType, string>;

/** The names in braces. */
export type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

/** The fields of an endpoint that its kind does not set. */
type Description<Body extends z.ZodType, Query extends z.ZodType> = Omit<
  Endpoint<Body, Query, string>,
  'id' | 'path' | 'method' | 'own' | 'readsOnly' | 'body' | 'query'
> & { readonly body?: Body; readonly query?: Query };

const noParameters = z.object({});

function kind(common: Pick<AnyEndpoint, 'method' | 'own' | 'readsOnly'>) {
  function endpoint<
    const Path extends string,
    Body extends z.ZodType = typeof noParameters,
    Query extends z.ZodType = typeof noParameters,
  >(id: string, path: Path, description: Description<Body, Query>): Endpoint<Body, Query, Path>;
  function endpoint(id: string, path: string, description: Description<z.ZodType, z.ZodType>): AnyEndpoint {
    return { id, path, body: noParameters, query: noParameters, ...common, ...description };
  }
  return endpoint;
}

export const read = kind({ method: 'get' });
export const write = kind({ method: 'post' });
export const remove = kind({ method: 'postOrDelete' });
export const ownRead = kind({ method: 'get', own: true });
export const ownSearch = kind({ method: 'post', own: true, readsOnly: true });
export const ownWrite = kind({ method: 'post', own: true });
