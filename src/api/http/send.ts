/** Sends answers: a whole JSON text, or a stream of pieces at the client's pace. */
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Response } from 'express';
import { clientSignal } from './request-context.js';
import { securityHeaders } from './security-headers.js';

const fixedHeaders = securityHeaders();
const jsonHeaders = [...fixedHeaders, 'content-type', 'application/json; charset=utf-8'];

interface WholeAnswer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
  /** In place of those of JSON. */
  readonly fixed?: readonly string[];
}

export interface StreamedAnswer {
  readonly contentType: string;
  /** Pieces of text. Each is asked for when the one before has been written. */
  readonly pieces: AsyncIterable<string>;
  /** Security headers in place of those of an API. */
  readonly security?: readonly string[];
  readonly close?: () => void;
  /** What went wrong inside it, for the log. */
  readonly fault?: () => unknown;
}

/** An answer that Express sends: a file with an `ETag`, or a redirect. */
export interface DirectAnswer {
  /** `headers` are those of every answer. */
  readonly send: (response: Response, headers: readonly string[]) => void;
}

/** Milliseconds in which the rest of an unread body may arrive. */
const restTimeoutMs = 15_000;

export function sendWhole(response: Response, { status, headers, body, fixed = jsonHeaders }: WholeAnswer): void {
  if (!response.req.complete) endWithoutRest(response);
  response.writeHead(status, [...fixed, ...headers, 'Content-Length', String(Buffer.byteLength(body))]);
  response.end(body);
}

/** A client that is refused early may still be sending. It gets some time to read the answer. */
function endWithoutRest({ req: request }: Response): void {
  const timer = setTimeout(() => {
    if (!request.complete) request.destroy();
  }, restTimeoutMs);
  request.once('close', () => clearTimeout(timer));
}

interface StreamOptions {
  readonly headers: readonly string[];
  readonly isHead: boolean;
}

/** Sends a streamed answer. Headers go out with the first piece, so that earlier errors get an error answer. Rejects when the client goes away. */
export async function sendStream(
  response: Response,
  { contentType, pieces, security = fixedHeaders }: StreamedAnswer,
  { headers, isHead }: StreamOptions,
): Promise<void> {
  const signal = clientSignal(response);
  signal.throwIfAborted();
  const start = (): void => {
    if (!response.headersSent) response.writeHead(200, [...security, 'content-type', contentType, ...headers]);
  };
  for await (const piece of pieces) {
    signal.throwIfAborted();
    start();
    // The first piece is made for HEAD, too: it may fail, and the read is recorded with it.
    if (isHead) break;
    if (!response.write(piece)) await once(response, 'drain', { signal });
    // A fast client must not keep all others waiting until the end.
    await nextTurn();
  }
  signal.throwIfAborted();
  start();
  response.end();
}
