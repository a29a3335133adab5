/** Files that are held in memory and sent whole, compressed if the client accepts that. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Response } from 'express';

interface FileOptions {
  /** A media type, or its short name. */
  readonly type: string;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  readonly content: string | Buffer;
  /** Whether the file has an `ETag`, so that clients that have it get 304. Default: false. */
  readonly isTagged?: boolean;
}

export type ServedFile = ReturnType<typeof createFile>;

export function createFile({ type, headers, content, isTagged = false }: FileOptions) {
  const identity = Buffer.from(content);
  const digest = isTagged ? createHash('sha256').update(identity).digest('base64url') : undefined;
  return { type, headers, identity, gzip: gzipSync(identity), digest };
}

/** @param common the headers of every answer */
export function sendFile(
  response: Response,
  { type, headers, identity, gzip, digest }: ServedFile,
  common: readonly string[],
): void {
  const isZipped = response.req.acceptsEncodings(['gzip', 'identity']) === 'gzip';
  setHeaders(response, [...common, ...headers]);
  if (digest !== undefined) response.setHeader('ETag', isZipped ? `"${digest}-gzip"` : `"${digest}"`);
  if (isZipped) response.setHeader('Content-Encoding', 'gzip');
  response
    .vary('Accept-Encoding')
    .type(type)
    .send(isZipped ? gzip : identity);
}

/** Sets headers from an array in which names and values alternate. */
export function setHeaders(response: Response, headers: readonly string[]): void {
  for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at] ?? '', headers[at + 1] ?? '');
}
