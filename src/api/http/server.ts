/** Creates the HTTP or HTTPS server under the app, with short time-outs for slow clients. */
import http from 'node:http';
import https from 'node:https';
import type { SecureContextOptions } from 'node:tls';
import type { Express } from 'express';
import { createConnections, type Connections } from './connections.js';

interface ServerOptions {
  /** The certificate of HTTPS. Undefined for HTTP. */
  readonly certificate?: SecureContextOptions | undefined;
  readonly connections?: Connections;
}

export function createServer(
  app: Express,
  { certificate, connections = createConnections() }: ServerOptions = {},
): http.Server & Partial<Pick<https.Server, 'setSecureContext'>> {
  const options = optionsFor(app);
  const server =
    certificate === undefined
      ? http.createServer(options)
      : https.createServer({ ...options, ...certificate, handshakeTimeout: 5_000 });
  server.maxRequestsPerSocket = 1000;
  connections.serve(server, app);
  return server;
}

/**
 * Express sets the prototype of every request and response object, which alone halves its throughput. Here they are
 * born with it. Clients are cut off after 10 s without complete headers; how long a body may take is said in `body.ts`.
 */
function optionsFor(app: Express) {
  class Incoming extends http.IncomingMessage {}
  class Outgoing extends http.ServerResponse {}
  Object.setPrototypeOf(Incoming.prototype, app.request);
  Object.setPrototypeOf(Outgoing.prototype, app.response);
  Object.assign(app, { request: Incoming.prototype, response: Outgoing.prototype });
  return {
    IncomingMessage: Incoming,
    ServerResponse: Outgoing,
    headersTimeout: 10_000,
    requestTimeout: 3_600_000,
    connectionsCheckingInterval: 2_000,
    keepAliveTimeout: 30_000,
    // `connections.ts` refuses requests without `Host` in their turn.
    requireHostHeader: false,
  };
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
