/** What a failed call means: whether anything can have been written, and whether asking again may help. */
import { AppendInDoubtError, InvalidAppendError, StoreUnavailableError } from '../event-store.js';

export type FaultKind =
  /** There was no connection: nothing was sent. */
  | 'unreachable'
  /** There was no connection because of certificates or keys: nothing was sent, and it will not come by itself. */
  | 'tls'
  /** The server answered that it does not serve at present. */
  | 'not_ready'
  | 'not_leader'
  /** Wrong credentials, or the right ones without the right. */
  | 'denied'
  /** Something that is no EventStoreDB. */
  | 'foreign'
  | 'too_large'
  /** The stream was tombstoned: it can never be written again. */
  | 'stream_deleted'
  /** Everything else: the server may have done what was asked, or may yet do it. */
  | 'unclear';

export interface Fault {
  readonly kind: FaultKind;
  /** Type and code, and for connections the reason. Never a body, a credential or personal data. */
  readonly text: string;
}

/** The call was given up before anything was sent. */
export class NotSentError extends Error {
  override readonly name = 'NotSentError';
}

/** The server has been silent for too long. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';
}

/** What the server answered in place of a message, or what became of the connection; read like an error of the gRPC library, by the client, too. */
export class CallError extends Error {
  override readonly name = 'CallError';
  /** gRPC's. */
  readonly code: number;
  readonly details: string;
  readonly metadata: {
    get(key: string): readonly string[];
    getMap(): Readonly<Record<string, string>>;
  };

  constructor({
    code,
    details,
    trailers = {},
  }: {
    readonly code: number;
    readonly details: string;
    readonly trailers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  }) {
    super(details);
    this.code = code;
    this.details = details;
    const map = Object.fromEntries(Object.entries(trailers).map(([key, value]) => [key, String(value)]));
    this.metadata = { getMap: () => map, get: (key) => (map[key] === undefined ? [] : [map[key]]) };
  }
}

/** Status codes of gRPC, those that mean something here. */
export const codes = {
  ok: 0,
  unknown: 2,
  permissionDenied: 7,
  aborted: 10,
  unimplemented: 12,
  unavailable: 14,
  unauthenticated: 16,
} as const;

const codeNames = [
  ['OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS'],
  ['PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED'],
  ['INTERNAL', 'UNAVAILABLE', 'DATA_LOSS', 'UNAUTHENTICATED'],
].flat();

/** The trailer `exception` of an answer names these, whatever the code. */
const exceptions: Readonly<Record<string, FaultKind>> = {
  'access-denied': 'denied',
  'not-leader': 'not_leader',
  'maximum-append-size-exceeded': 'too_large',
  'stream-deleted': 'stream_deleted',
};

/** Words of the gRPC library for calls that never left: only these are certain. */
const neverLeft =
  /No connection established|Channel closed before call started|Channel has been shut down|Name resolution failed/;
/** The server answers so when it takes a request up, before it does anything. */
const notTakenUp = /^(Server Is Not Ready|Server Is Too Busy|No leader info available in response)$/;
const certificate = /certificate|\bCERT_|altnames|SSL routines|wrong version number|\bEPROTO\b/i;

export function faultOf(error: unknown): Fault {
  const { code, details, exception, message } = read(error);
  const kind = kindOf(error);
  const name = exception ?? (code === undefined ? undefined : codeNames[code]) ?? nameOf(error);
  const number = code === undefined ? '' : ` (${code})`;
  // What the library says of a connection is about addresses; what a server says may be about anything.
  const reason = isLocal(kind, error) ? `: ${oneLine(details ?? message)}` : '';
  return { kind, text: `${name}${number}${reason}` };
}

function kindOf(error: unknown): FaultKind {
  const { code, details, exception, message } = read(error);
  const named = exception === undefined ? undefined : exceptions[exception];
  const text = details ?? message;
  if (named !== undefined) return named;
  if (error instanceof NotSentError || neverLeft.test(text)) return certificate.test(text) ? 'tls' : 'unreachable';
  return kindOfCode(code, text);
}

function kindOfCode(code: number | undefined, text: string): FaultKind {
  switch (code) {
    case codes.permissionDenied:
    case codes.unauthenticated:
      return 'denied';
    case codes.unimplemented:
      return 'foreign';
    case codes.unavailable:
    case codes.unknown:
      return notTakenUp.test(text) ? 'not_ready' : 'unclear';
    default:
      return 'unclear';
  }
}

const oneLine = (text: string): string => text.replace(/ Resolution note:.*$/s, '').replace(/\s+/g, ' ');

const isLocal = (kind: FaultKind, error: unknown): boolean =>
  kind === 'unreachable' || kind === 'tls' || error instanceof SilenceError;

/** The server has waited for itself in vain: of an append, or of a live subscription that could not keep up with a burst. */
export const isAborted = (error: unknown): boolean => read(error).code === codes.aborted;

/** Reading the log from a place where no record begins: positions of another log look so. */
export function isNoRecord(error: unknown): boolean {
  const { code, details } = read(error);
  return code === codes.unknown && details === 'Unexpected ReadAllResult: Error';
}

/** For reads: nothing is written, so every fault means "not now". */
export function unavailable(error: unknown): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  return new StoreUnavailableError(`EventStoreDB: ${faultOf(error).text}`);
}

/** For appends: in doubt unless it is certain that nothing was written. */
export function appendError(error: unknown): Error {
  if (error instanceof StoreUnavailableError) return error;
  const { kind, text } = faultOf(error);
  if (kind === 'too_large') return new InvalidAppendError(`the server refuses an append of this size: ${text}`);
  if (kind === 'unclear') return new AppendInDoubtError(`EventStoreDB: ${text}`);
  return new StoreUnavailableError(`EventStoreDB: ${text}`);
}

interface Parts {
  readonly code?: number;
  readonly details?: string;
  readonly exception?: string;
  readonly message: string;
}

function read(error: unknown): Parts {
  if (!(error instanceof Error)) return { message: '' };
  const exception = trailer(error, 'exception');
  return {
    message: error.message,
    ...('code' in error && typeof error.code === 'number' && { code: error.code }),
    ...('details' in error && typeof error.details === 'string' && { details: error.details }),
    ...(exception !== undefined && { exception }),
  };
}

export function trailer(error: Error, name: string): string | undefined {
  if (!('metadata' in error)) return undefined;
  const metadata = error.metadata as { get?(key: string): readonly unknown[] } | undefined;
  const value = metadata?.get?.(name)[0];
  return typeof value === 'string' ? value : undefined;
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'unknown');
