/** What calls of the client reject with. */
import type { KnownErrorType } from './api.js';
import { retryAfterOf } from './repeats.js';

/** The stable codes of errors, and those of later versions; `unknown` where the answer is none of the service, but of a proxy perhaps. */
export type ErrorType = KnownErrorType | 'unknown' | (string & {});

/** An answer other than success. */
export class AudienceError extends Error {
  override readonly name = 'AudienceError';

  readonly statusCode: number;
  readonly type: ErrorType;
  /** `X-Request-Id`: with it the operator finds the request. */
  readonly requestId: string | undefined;
  /** Seconds after which a repeat makes sense. */
  readonly retryAfter: number | undefined;
  /** The documented fields of the request, as they were received. */
  readonly data: unknown;

  constructor({ message, type, data }: Envelope, { status, headers }: Response) {
    super(message);
    this.statusCode = status;
    this.type = type;
    this.requestId = headers.get('x-request-id') ?? undefined;
    this.retryAfter = retryAfterOf(headers);
    this.data = data;
  }
}

/** There was no answer; the cause says why. Of a write it is not known whether it was carried out. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

export function errorOf(body: unknown, response: Response): AudienceError {
  const other = { message: `HTTP ${response.status} ${response.statusText}`, type: 'unknown', data: body } as const;
  return new AudienceError(isEnvelope(body) ? body : other, response);
}

interface Envelope {
  readonly message: string;
  readonly type: ErrorType;
  readonly data?: unknown;
}

const isEnvelope = (body: unknown): body is Envelope =>
  typeof body === 'object' && body !== null && 'message' in body && 'type' in body && 'statusCode' in body;
