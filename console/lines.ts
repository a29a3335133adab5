/** Answers in lines, read piece by piece: the page counts while they come, and can stop them. */
import { errorOf } from '../client/errors.js';

/** What `client.http` resolves to with `parseAs: 'stream'`. */
interface Streamed {
  readonly data?: ReadableStream<Uint8Array> | null | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

/** @throws AudienceError what the API refuses */
export function piecesOf({ data, error, response }: Streamed): ReadableStream<Uint8Array> {
  if (!response.ok || data === null || data === undefined) throw errorOf(error, response);
  return data;
}

/** Each line of newline-delimited JSON. Rejects where the connection is cut. */
export async function* linesOf<Line>(pieces: ReadableStream<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder();
  const reader = pieces.getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    const lines = (rest + decoder.decode(value, { stream: !done })).split('\n');
    rest = done ? '' : (lines.pop() ?? '');
    for (const line of lines) if (line !== '') yield JSON.parse(line) as Line;
    if (done) return;
  }
}
