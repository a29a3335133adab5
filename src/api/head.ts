/** The head of an answer: a status line, lines that every answer has, and this answer's own headers. */
import { STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';
import type { Response } from 'express';

/** Headers that are the same for many answers: checked and put together once. */
export interface FixedHeaders {
  /** Name and value, alternating. */
  readonly list: readonly string[];
  /** The same as lines of a head. */
  readonly lines: string;
}

/** Node looks at these when it writes the head: they can't be fixed. */
const notFixed = new Set(['connection', 'content-length', 'date', 'trailer', 'transfer-encoding']);

/** @throws TypeError for a name or value that HTTP does not allow, or that Node must see. */
export function fixedHeaders(list: readonly string[]): FixedHeaders {
  let lines = '';
  for (let at = 0; at < list.length; at += 2) {
    const [name = '', value = ''] = [list[at], list[at + 1]];
    validateHeaderName(name);
    validateHeaderValue(name, value);
    if (notFixed.has(name.toLowerCase())) throw new TypeError(`${name} can't be fixed: Node goes by it`);
    lines += `${name}: ${value}\r\n`;
  }
  return { list, lines };
}

/** Where `writeHead` itself ends in every version of Node so far: it checks the headers, adds `Date` and `Connection`, and keeps the head for the first write. */
interface HeadWriter {
  readonly _storeHeader?: (firstLines: string, headers: readonly string[]) => void;
}

/**
 * As `response.writeHead` with all of these headers, of which the fixed ones are not checked and put together again: that
 * is a twentieth of a small answer. In a Node without that way it is `writeHead`. For statuses that have a body, and not
 * together with `setHeader` or a `checkContinue` listener, which only `writeHead` heeds.
 */
export function writeHead(
  response: Response,
  status: number,
  { fixed, headers }: { readonly fixed: FixedHeaders; readonly headers: readonly string[] },
): void {
  const writer: Response & HeadWriter = response;
  if (writer._storeHeader === undefined || response.headersSent) {
    response.writeHead(status, [...fixed.list, ...headers]);
    return;
  }
  response.statusCode = status;
  writer._storeHeader(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${fixed.lines}`, headers);
}
