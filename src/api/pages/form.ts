/**
 * Reads the fields of a POST to a page, from a browser or a mail program (RFC 8058). Mail programs send a one-click request
 * in many forms, so the content of the body decides how it is read, and no media type is refused.
 */
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../errors.js';
import { collect } from '../http/body.js';
import { isObject } from '../http/envelope.js';

export const maxBytes = 64 * 1024;

/** The values of each field by its lower-case name. */
export type Fields = ReadonlyMap<string, readonly string[]>;

/** Reads the whole body. Returns an empty map if no field can be recognized. @throws ServiceError `too_large` @throws RequestAbortedError */
export async function readForm(request: IncomingMessage): Promise<Fields> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw new ServiceError('too_large');
  return await collect(request, {
    limit: maxBytes,
    take: (bytes) => fieldsOf(new TextDecoder().decode(bytes), request.headers['content-type']),
  });
}

/** Returns the fields of multipart/form-data, a JSON object, or `name=value` pairs separated by `&` or line breaks. Takes linear time. */
export function fieldsOf(body: string, contentType = ''): Fields {
  const text = body.replace(/\r\n?/g, '\n').trim();
  const delimiter = delimiterOf(text, contentType);
  const pairs = delimiter === undefined ? (jsonPairs(text) ?? textPairs(text)) : partPairs(text, delimiter);
  const fields = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const key = name.trim().toLowerCase();
    const values = fields.get(key);
    if (values === undefined) fields.set(key, [value.trim()]);
    else values.push(value.trim());
  }
  return fields;
}

type Pairs = Iterable<readonly [name: string, value: string]>;

/** Returns the line between the parts of a multipart body, or undefined if the body is of another kind. */
function delimiterOf(text: string, contentType: string): string | undefined {
  const [, quoted, bare] = /^\s*multipart\/[^;]*;.*?\bboundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary !== undefined && text.includes(`--${boundary}`)) return `--${boundary}`;
  const [firstLine = ''] = text.split('\n', 1);
  return /^--\S/.test(firstLine) ? firstLine.trimEnd() : undefined;
}

/** Yields the fields of a multipart body, without its files. */
function* partPairs(text: string, delimiter: string): Pairs {
  for (const part of text.split(delimiter).slice(1)) {
    const end = part.indexOf('\n\n');
    if (end < 0) continue;
    const head = part.slice(0, end);
    const name = /[;\s]name="?([^"\n;]*)/i.exec(head)?.[1];
    if (name !== undefined && !/[;\s]filename\*?=/i.test(head)) yield [name, part.slice(end + 2)];
  }
}

/** Returns the members of a JSON object, or undefined if the text is not a JSON object. */
function jsonPairs(text: string): Pairs | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? Object.entries(value).map(([name, field]) => [name, String(field)]) : undefined;
  } catch {
    return undefined;
  }
}

const textPairs = (text: string): Pairs => new URLSearchParams(text.replaceAll('\n', '&'));
