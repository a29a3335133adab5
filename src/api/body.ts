/** Reads a request's body: size, media type, UTF-8, JSON object, in the contract's order. Plainer than express.json(), which costs a quarter of the throughput. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../errors.js';
import { isObject } from './envelope.js';

export type Body = Readonly<Record<string, unknown>>;

const nothing: Body = Object.freeze({});

/** The client went away before its body was complete: there is nobody to answer. */
export class RequestAbortedError extends Error {
  override readonly name = 'RequestAbortedError';
}

export interface BodyRules {
  /** Bytes. */
  readonly limit: number;
  /** Whether the endpoint has body fields: then a media type that is given must be JSON even where the body is empty. */
  readonly expected: boolean;
}

/**
 * The body as an object; `{}` where nothing was sent. @throws ServiceError `too_large`, `unsupported_media_type`,
 * `invalid_json` @throws RequestAbortedError
 */
export async function readBody(request: IncomingMessage, { limit, expected }: BodyRules): Promise<Body> {
  const { 'content-length': length, 'transfer-encoding': chunked, 'content-type': type } = request.headers;
  const isEmpty = chunked === undefined && (length === undefined || length === '0');
  if (isEmpty && !expected) return nothing;
  if (length !== undefined && Number(length) > limit) throw new ServiceError('too_large');
  if (
    !isEmpty &&
    request.headers['content-encoding'] !== undefined &&
    request.headers['content-encoding'] !== 'identity'
  )
    throw new ServiceError('unsupported_media_type');
  if (type !== undefined && !isJsonType(type)) {
    if (chunked !== undefined) await collect(request, limit);
    throw new ServiceError('unsupported_media_type');
  }
  return isEmpty ? nothing : parseObject(await collect(request, limit));
}

/** For an answer that echoes what an unknown caller sent: at most `limit` bytes are looked at, and whatever is wrong is `{}`. */
export async function readForEcho(request: IncomingMessage, limit: number): Promise<Body> {
  try {
    return await readBody(request, { limit, expected: false });
  } catch (error) {
    if (error instanceof ServiceError) return nothing;
    throw error;
  }
}

function isJsonType(type: string): boolean {
  if (type === 'application/json') return true;
  const [media = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  if (media !== 'application/json') return false;
  return parameters.every((parameter) => !parameter.startsWith('charset=') || /^charset="?utf-?8"?$/.test(parameter));
}

function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const aborted = (): void => reject(new RequestAbortedError('the client closed the connection'));
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) {
        chunks.push(chunk);
        return;
      }
      request.removeAllListeners('data');
      // What else arrives is thrown away, so that the client can read the answer.
      request.resume();
      reject(new ServiceError('too_large'));
    });
    request.on('end', () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    );
    request.on('error', aborted);
    request.on('close', aborted);
  });
}

function parseObject(bytes: Buffer): Body {
  if (bytes.length === 0) return nothing;
  let value: unknown;
  try {
    // A byte order mark survives decoding and is no JSON.
    value = isUtf8(bytes) ? JSON.parse(bytes.toString('utf8')) : undefined;
  } catch {
    value = undefined;
  }
  if (!isObject(value)) throw new ServiceError('invalid_json');
  return value;
}
