/** The HTTP server under the app: request and response classes that already have the app's prototypes, and short time-outs for slow clients. */
import http from 'node:http';
import type { Express } from 'express';

/**
 * Express sets the prototype of every request and response object, which alone halves its throughput. Here they are
 * born with it. Slow clients are cut off after 10 s without complete headers and 15 s without a complete request.
 */
export function createServer(app: Express): http.Server {
  class Incoming extends http.IncomingMessage {}
  class Outgoing extends http.ServerResponse {}
  Object.setPrototypeOf(Incoming.prototype, app.request);
  Object.setPrototypeOf(Outgoing.prototype, app.response);
  Object.assign(app, { request: Incoming.prototype, response: Outgoing.prototype });
  const server = http.createServer(
    {
      IncomingMessage: Incoming,
      ServerResponse: Outgoing,
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      connectionsCheckingInterval: 2_000,
      keepAliveTimeout: 30_000,
    },
    app,
  );
  server.maxRequestsPerSocket = 1000;
  return server;
}

/** Stops accepting, lets running requests finish for at most `timeout` milliseconds, then cuts what is left. */
export async function closeServer(server: http.Server, timeout: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  const timer = setTimeout(() => {
    server.closeAllConnections();
  }, timeout);
  // Connections that fall idle while the last requests finish.
  const sweep = setInterval(() => {
    server.closeIdleConnections();
  }, 50);
  await closed;
  clearTimeout(timer);
  clearInterval(sweep);
}
