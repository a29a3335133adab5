/** Writes whole answers: a status line, lines that every answer has, this answer's own headers, a text. */
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

/** What `writeHead` and `end` rest on in every version of Node so far. */
interface HeadWriter {
  /** Where `writeHead` ends: checks the headers, adds `Date` and `Connection`, and keeps the head for the first write. */
  readonly _storeHeader?: (firstLines: string, headers: readonly string[]) => void;
  /** The head that is kept. */
  _header?: unknown;
  /** The request's method allows a body. */
  readonly _hasBody?: boolean;
}

export interface WholeAnswer {
  readonly fixed: FixedHeaders;
  /** Name and value, alternating; the length is added. */
  readonly headers: readonly string[];
  readonly body: string;
}

/**
 * As `writeHead` and `end(body)`, in one piece where it can be: Node writes two, of which the second is empty, at a tenth of a
 * small answer's cost. For statuses that have a body.
 */
export function writeWhole(response: Response, status: number, { fixed, headers, body }: WholeAnswer): void {
  const bytes = Buffer.byteLength(body);
  writeHead(response, status, { fixed, headers: [...headers, 'Content-Length', String(bytes)] });
  const writer: Response & HeadWriter = response;
  // Heads go out as Latin-1, so that only ASCII may go with them.
  if (typeof writer._header !== 'string' || writer._hasBody !== true || bytes !== body.length) {
    response.end(body, 'utf8');
    return;
  }
  writer._header += body;
  response.end();
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
