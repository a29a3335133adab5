/** CORS: which pages of other origins may call the API and read its answers. `Cross-Origin-Resource-Policy` stays: browsers heed it only without CORS. */
import cors from 'cors';
import type { Request, RequestHandler, Response } from 'express';

const requestHeaders =
  'Authorization,Content-Type,Idempotency-Key,If-None-Match,Last-Event-ID,Prefer,traceparent,tracestate,X-Min-Position,X-Request-Id';
const answerHeaders =
  'Allow,ETag,Idempotent-Replayed,Location,Preference-Applied,RateLimit,RateLimit-Policy,Retry-After,WWW-Authenticate,X-Ignored-Fields,X-Position,X-Request-Id';

/** Sets the headers. Preflights are answered by their routes. */
export const allowOrigins = (origins: readonly string[]): RequestHandler =>
  cors({
    origin: [...origins],
    allowedHeaders: requestHeaders,
    exposedHeaders: answerHeaders,
    maxAge: 600,
    preflightContinue: true,
  });

/** Whether it is a preflight of an allowed origin. Then it sets the header that names the `methods`. */
export function isPreflight({ method }: Request, response: Response, methods: string): boolean {
  if (method !== 'OPTIONS' || !response.hasHeader('Access-Control-Allow-Origin')) return false;
  response.setHeader('Access-Control-Allow-Methods', methods);
  return true;
}
