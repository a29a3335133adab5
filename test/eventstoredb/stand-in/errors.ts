/** The errors of the stand-in for EventStoreDB: codes, texts and trailers as a real 23.10 sends them. */
import grpc, { type Metadata } from '@grpc/grpc-js';

/** What one append may carry, in bytes of data: a real server of this version does not count the metadata. */
export const maxAppendSize = 1024 * 1024;

export interface CallError extends Error {
  readonly code: number;
  readonly details: string;
  readonly metadata: Metadata;
}

/** An error that ends a call; the client tells by the trailers what it is about. */
function callError(code: number, details: string, trailers: Readonly<Record<string, string>> = {}): CallError {
  const metadata = new grpc.Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  return Object.assign(new Error(details), { code, details, metadata });
}

const { status } = grpc;
export const errors = {
  /** Whatever a real server did not expect. */
  handler: () => callError(status.UNKNOWN, 'Exception was thrown by handler.'),
  readAll: () => callError(status.UNKNOWN, 'Unexpected ReadAllResult: Error'),
  readStream: () => callError(status.UNKNOWN, 'Unexpected ReadStreamResult: Error'),
  notReady: () => callError(status.UNAVAILABLE, 'Server Is Not Ready'),
  tooBusy: () => callError(status.UNAVAILABLE, 'Server Is Too Busy'),
  unauthenticated: () => callError(status.UNAUTHENTICATED, 'Unauthenticated'),
  accessDenied: () => callError(status.PERMISSION_DENIED, 'Access Denied', { exception: 'access-denied' }),
  tooSlow: () =>
    callError(
      status.ABORTED,
      'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
    ),
  /** What a client makes of a server that ends calls on its way down. */
  shutDown: () => callError(status.INTERNAL, 'Received RST_STREAM with code 0 (Call ended without gRPC status)'),
  notLeader: ({ host, port }: { readonly host: string; readonly port: number }) =>
    callError(status.NOT_FOUND, 'Leader info available', {
      exception: 'not-leader',
      'leader-endpoint-host': host,
      'leader-endpoint-port': `${port}`,
    }),
  tooLarge: () =>
    callError(status.INVALID_ARGUMENT, `Maximum Append Size of ${maxAppendSize} Exceeded.`, {
      exception: 'maximum-append-size-exceeded',
      'maximum-append-size': `${maxAppendSize}`,
    }),
  deleted: (stream: string) =>
    callError(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
      exception: 'stream-deleted',
      'stream-name': stream,
    }),
  wrongVersion: (stream: string, expected: bigint, actual: bigint) =>
    callError(
      status.FAILED_PRECONDITION,
      `Delete failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${expected}, Actual version: ${actual}`,
      {
        exception: 'wrong-expected-version',
        'stream-name': stream,
        'expected-version': `${expected}`,
        'actual-version': `${actual}`,
      },
    ),
};
