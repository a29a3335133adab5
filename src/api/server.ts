/** The HTTP or HTTPS server under the app: request and response classes that already have the app's prototypes, and short time-outs for slow clients. */
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions } from 'node:tls';
import type { Express } from 'express';
import { isUploading } from './body.js';

const minVersion = 'TLSv1.2';

/** With a certificate: HTTPS. */
export function createServer(app: Express, certificate?: SecureContextOptions): http.Server {
  const options = optionsFor(app);
  const server =
    certificate === undefined
      ? http.createServer(options, app)
      : https.createServer({ ...options, ...certificate, minVersion, handshakeTimeout: 5_000 }, app);
  server.maxRequestsPerSocket = 1000;
  server.on('clientError', refuseClient);
  // Comes after `clientError`, for want of a handshake: no HTTP can be answered, so nothing is waited for.
  server.on('tlsClientError', (_error: Error, socket: Duplex) => socket.destroy());
  return server;
}

/** New connections get the certificate; those that are open keep theirs. */
export function renewCertificate(server: http.Server, certificate: SecureContextOptions): void {
  if (server instanceof https.Server) server.setSecureContext({ ...certificate, minVersion });
}

/** What comes too slowly, or is no HTTP, is answered as Node does by itself, with one exception. */
function refuseClient(error: NodeJS.ErrnoException, socket: Duplex): void {
  // A bulk upload has a time-out of its own: it may take long, as long as it moves.
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading(socket)) return;
  if (socket.writable && !isAnswering(socket)) {
    const reason = refusedAs[error.code ?? ''] ?? '400 Bad Request';
    socket.write(`HTTP/1.1 ${reason}\r\nConnection: close\r\n\r\n`);
  }
  if (socket instanceof net.Socket) socket.destroySoon();
  else socket.destroy();
}

/** Whether a part of a response has been sent: no other can follow it. Node keeps the running one at the socket. */
function isAnswering(socket: Duplex): boolean {
  const response: unknown = Reflect.get(socket, '_httpMessage');
  return response instanceof http.ServerResponse && response.headersSent;
}

const refusedAs: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/**
 * Express sets the prototype of every request and response object, which alone halves its throughput. Here they are
 * born with it. Slow clients are cut off after 10 s without complete headers and 15 s without a complete request.
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
    requestTimeout: 15_000,
    connectionsCheckingInterval: 2_000,
    keepAliveTimeout: 30_000,
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
