/** Answers in lines, read piece by piece: the page counts while they come, and can stop them. */
import { ConnectionError, errorOf } from '../client/errors.js';

/** What `client.http` resolves to with `parseAs: 'stream'`. */
interface Streamed {
  readonly data?: ReadableStream<Uint8Array> | null | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

/** Returns the answer to a request of `client.http`. @throws ConnectionError if the service does not answer. @throws the reason of the signal */
export async function answerTo<Answer>(request: Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
  try {
    return await request;
  } catch (error) {
    signal?.throwIfAborted();
    throw new ConnectionError('no answer', { cause: error });
  }
}

/** Returns the stream of an answer. @throws AudienceError if the API refuses */
export function piecesOf({ data, error, response }: Streamed): ReadableStream<Uint8Array> {
  if (!response.ok || data === null || data === undefined) throw errorOf(error, response);
  return data;
}

/** Yields each line of newline-delimited JSON. @throws ConnectionError if the answer breaks off, or the reason of the signal */
export async function* linesOf<Line>(pieces: ReadableStream<Uint8Array>, signal?: AbortSignal): AsyncGenerator<Line> {
  const decoder = new TextDecoder();
  const reader = pieces.getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await answerTo(reader.read(), signal);
    const lines = (rest + decoder.decode(value, { stream: !done })).split('\n');
    rest = done ? '' : (lines.pop() ?? '');
    for (const line of lines) if (line !== '') yield JSON.parse(line) as Line;
    if (done) return;
  }
}
