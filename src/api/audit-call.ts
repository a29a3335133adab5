/** What all audit requests share: they end when the client goes away, and say so when the log cannot be read. */
import { UnreadableHistoryError } from '../audit/reading.js';
import { ServiceError } from '../errors.js';
import { RequestAbortedError } from './body.js';
import type { Call } from './call.js';

/** Replays until the client goes away. */
export async function audited<Result>(
  { request }: Pick<Call<unknown>, 'request'>,
  answer: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  request.socket.once('close', leave);
  try {
    return await answer(gone.signal);
  } catch (error) {
    if (gone.signal.aborted) throw new RequestAbortedError();
    throw asServiceError(error);
  } finally {
    request.socket.removeListener('close', leave);
  }
}

/** What no version of ours can read is out of reach, and a repeat within seconds makes no sense. */
export function asServiceError(error: unknown): unknown {
  if (!(error instanceof UnreadableHistoryError)) return error;
  return new ServiceError('unavailable', {}, { cause: error, retryAfter: 60 });
}
