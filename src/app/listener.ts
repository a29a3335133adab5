/** Listens from the beginning of a start, so that monitoring can tell a waiting service from a dead one. */
import type { Logger } from 'pino';
import { createStartingApp } from '../api/app.js';
import type { Connections } from '../api/http/connections.js';
import type { Observe } from '../flow/observe.js';
import { closeServer, createServer } from '../api/http/server.js';
import type { Certificate } from '../stores/certificate.js';
import type { Config } from '../stores/config.js';
import { addressOf } from './banner.js';

const closeTimeoutMs = 10_000;

/** The step that a start waits for: the log opens, the views can be used, or both are checked and read. */
type StartStep = 'event_store' | 'read_models' | 'checks';

type AppServer = ReturnType<typeof createServer>;

export interface Listener extends Pick<AppServer, 'replaceApp'> {
  readonly server: AppServer['server'];
  readonly address: string;
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal;
  /** Sets what `/health/ready` says that the start waits for, and the reason if it is known. */
  report(step: StartStep, reason?: string): void;
  /** Stops accepting, answers requests that wait for a slot with 503, and lets the others end within 10 s. */
  close(): Promise<void>;
}

interface ListenerOptions {
  readonly config: Config;
  readonly certificate: Certificate | undefined;
  readonly connections: Connections;
  readonly logger: Logger;
  readonly observe: Observe;
  /** Milliseconds, monotonic. */
  readonly monotonic: () => number;
  readonly newUuid: () => string;
}

/** Opens the port. Until `replaceApp` is called, only `/health/live` answers 200. Rejects if the port cannot be used. */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  const { config, certificate, connections, logger, observe, monotonic, newUuid } = options;
  const closing = new AbortController();
  let waiting: { readonly waiting_for: StartStep; readonly reason?: string } = { waiting_for: 'event_store' };
  const app = createStartingApp({
    corsOrigins: config.corsOrigins,
    readiness: () => ({ ready: false, parts: { starting: waiting } }),
    stopping: closing.signal,
    observe,
    now: monotonic,
    newUuid,
  });
  const { server, replaceApp } = createServer(app, { certificate, connections });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  const address = addressOf(server.address(), config);
  logger.debug({ address }, 'starting: until the stores are open, only /health/live answers 200');
  return {
    server,
    replaceApp,
    address,
    stopping: closing.signal,
    report: (step, reason) => (waiting = { waiting_for: step, ...(reason !== undefined && { reason }) }),
    async close() {
      closing.abort();
      await closeServer(server, closeTimeoutMs);
    },
  };
}
