/** What a failed call means: whether anything can have been written, and whether asking again may help. */
import { ErrorType } from '@eventstore/db-client';
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
  | 'foreign'
  | 'too_large'
  | 'no_stream'
  /** The stream was tombstoned: it can never be written again. */
  | 'stream_deleted'
  /** The stream does not stand where the append expected it. */
  | 'conflict'
  /** Everything else: the server may have done what was asked, or may yet do it. */
  | 'unclear';

interface ServerFault {
  readonly kind: FaultKind;
  /** Type and code, and for connections the reason. Never a body, a credential or personal data. */
  readonly text: string;
}

export class SilenceError extends Error {
  override readonly name = 'SilenceError';
}

const kindsOfTypes: Readonly<Record<string, FaultKind>> = {
  [ErrorType.NOT_LEADER]: 'not_leader',
  [ErrorType.ACCESS_DENIED]: 'denied',
  [ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED]: 'too_large',
  [ErrorType.STREAM_NOT_FOUND]: 'no_stream',
  [ErrorType.STREAM_DELETED]: 'stream_deleted',
  [ErrorType.WRONG_EXPECTED_VERSION]: 'conflict',
};

/** Status codes of gRPC: PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED. */
const kindsOfCodes: Readonly<Record<number, FaultKind>> = { 7: 'denied', 12: 'foreign', 16: 'denied' };
const aborted = 10;

/** Words of the gRPC library for calls that never left: only these are certain. */
const neverLeft =
  /No connection established|Channel closed before call started|Channel has been shut down|Name resolution failed/;
/** The server answers so when it takes a request up, before it does anything. */
const notTakenUp = /(^|: )(Server Is Not Ready|Server Is Too Busy|No leader info available in response)$/;
const certificate = /certificate|\bCERT_|altnames|SSL routines|wrong version number|\bEPROTO\b/i;

export function serverFaultOf(error: unknown): ServerFault {
  const { type, code, message } = read(error);
  const kind = kindOf(error);
  const name = type ?? (error instanceof Error ? error.name : 'unknown');
  const number = code === undefined ? '' : ` (${code})`;
  // What the library says of a connection is about addresses; what a server says may be about anything.
  const isLocal = kind === 'unreachable' || kind === 'tls' || error instanceof SilenceError;
  return { kind, text: `${name}${number}${isLocal ? `: ${oneLine(message)}` : ''}` };
}

function kindOf(error: unknown): FaultKind {
  const { type, code, message } = read(error);
  const named = type === undefined ? undefined : kindsOfTypes[type];
  if (named !== undefined) return named;
  if (neverLeft.test(message)) return certificate.test(message) ? 'tls' : 'unreachable';
  if (notTakenUp.test(message)) return 'not_ready';
  return kindsOfCodes[code ?? -1] ?? 'unclear';
}

const oneLine = (text: string): string => text.replace(/ Resolution note:.*$/s, '').replace(/\s+/g, ' ');

/** The server gave up waiting for itself: at an append, or at a live subscription that could not keep up with a burst. */
export const isAborted = (error: unknown): boolean => read(error).code === aborted;

/** The connection was just being replaced: nothing was sent. */
export const isReplaced = (error: unknown): boolean =>
  /Channel (closed before call started|has been shut down)/.test(read(error).message);

/** EventStoreDB 23.10 ends its message after `Error`. KurrentDB 26.1 also says `InvalidPosition`, and adds ` >> ` with details. */
const noRecord = /Unexpected ReadAllResult: (Error|InvalidPosition)(?: >> |$)/;

/** Tells whether a read of the log failed because no record begins at its position, as with positions of another log. */
export const isNoRecord = (error: unknown): boolean => noRecord.test(read(error).message);

/** For reads: nothing is written, so every fault means "not now". */
export function serverUnavailable(error: unknown): StoreUnavailableError {
  if (error instanceof StoreUnavailableError) return error;
  return new StoreUnavailableError(`EventStoreDB: ${serverFaultOf(error).text}`);
}

/** For appends: in doubt unless it is certain that nothing was written. */
export function appendError(error: unknown): Error {
  if (error instanceof StoreUnavailableError) return error;
  const { kind, text } = serverFaultOf(error);
  if (kind === 'too_large') return new InvalidAppendError(`the server refuses an append of this size: ${text}`);
  if (kind === 'unclear') return new AppendInDoubtError(`EventStoreDB: ${text}`);
  return new StoreUnavailableError(`EventStoreDB: ${text}`);
}

/** What an error of the client or of its gRPC library has; of others the two are undefined. */
const read = (error: unknown): { readonly type?: string; readonly code?: number; readonly message: string } =>
  error instanceof Error ? error : { message: '' };

export const closedError = (): StoreUnavailableError => new StoreUnavailableError('the event store is closed');
