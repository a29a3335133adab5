/** Metrics on a port of their own, without a key: for a network that only the operator reaches. */
import http from 'node:http';
import type { Connections } from './connections.js';
import type { MetricsForm, MetricsText } from '../../metrics/metrics.js';

export type ReadMetrics = (form: MetricsForm) => Promise<MetricsText>;

/** By the header `Accept` of the request. */
export const metricsFormOf = (accept: string | undefined): MetricsForm =>
  accept?.includes('application/openmetrics-text') === true ? 'openmetrics' : 'prometheus';

interface MetricsServerOptions {
  readonly port: number;
  readonly host: string;
  readonly read: ReadMetrics;
  readonly connections: Connections;
}

/** Opens the server. Rejects if the port cannot be used. */
export async function openMetricsServer({ port, host, read, connections }: MetricsServerOptions): Promise<http.Server> {
  const server = http.createServer({ headersTimeout: 10_000, requestTimeout: 10_000, requireHostHeader: false });
  connections.serve(server, (request, response) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const isMetrics = URL.parse(request.url ?? '/', 'http://localhost')?.pathname === '/metrics';
    if (!isRead || !isMetrics) {
      response.writeHead(isMetrics ? 405 : 404, isMetrics ? { Allow: 'GET, HEAD' } : {}).end();
      return;
    }
    read(metricsFormOf(request.headers.accept)).then(
      ({ contentType, text }) =>
        response.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}
