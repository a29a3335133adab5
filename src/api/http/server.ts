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

type Server = http.Server & Partial<Pick<https.Server, 'setSecureContext'>>;

interface AppServer {
  readonly server: Server;
  /** Answers all further requests with another app. */
  replaceApp(app: Express): void;
}

export function createServer(
  first: Express,
  { certificate, connections = createConnections() }: ServerOptions = {},
): AppServer {
  const { options, adopt } = createMessages();
  let app = adopt(first);
  const server: Server =
    certificate === undefined
      ? http.createServer(options)
      : https.createServer({ ...options, ...certificate, handshakeTimeout: 5_000 });
  server.maxRequestsPerSocket = 1000;
  connections.serve(server, (request, response) => {
    app(request, response);
  });
  return { server, replaceApp: (next) => (app = adopt(next)) };
}

/**
 * Creates the classes of requests and responses. Express sets the prototype of every such object, which alone halves its
 * throughput, so `adopt` gives the classes the prototypes of an app. Clients are cut off after 10 s without complete
 * headers; `body.ts` limits the time of a body.
 */
function createMessages() {
  class Incoming extends http.IncomingMessage {}
  class Outgoing extends http.ServerResponse {}
  const options = {
    IncomingMessage: Incoming,
    ServerResponse: Outgoing,
    headersTimeout: 10_000,
    requestTimeout: 3_600_000,
    connectionsCheckingInterval: 2_000,
    keepAliveTimeout: 30_000,
    // `connections.ts` refuses requests without `Host` in their turn.
    requireHostHeader: false,
  };
  return {
    options,
    adopt(app: Express): Express {
      Object.setPrototypeOf(Incoming.prototype, app.request);
      Object.setPrototypeOf(Outgoing.prototype, app.response);
      Object.assign(app, { request: Incoming.prototype, response: Outgoing.prototype });
      return app;
    },
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
