/** Composes HTTP: the API with its keys and limits, on a server that listens. */
import type { KeyObject } from 'node:crypto';
import type { Logger } from 'pino';
import { createApp } from '../api/app.js';
import { clientAddressBehind, peerAddress } from '../api/http/client-address.js';
import type { Readiness } from '../api/resources/parts.js';
import type { Connections } from '../api/http/connections.js';
import { createRateLimiter } from '../api/http/rate-limit.js';
import { followCertificate, ownCertificate, type Certificate } from '../stores/certificate.js';
import type { Config } from '../stores/config.js';
import { createProver } from '../stores/identity.js';
import type { DataFolder } from '../stores/data-folder.js';
import { contactStream, type StreamKeys } from '../events/streams.js';
import { createLogBasis } from '../integrity/log-basis.js';
import type { Integrity } from './integrity.js';
import { mailerTimings } from '../mailer/timings.js';
import { openMetricsServer } from '../api/http/metrics-server.js';
import type { Metrics } from '../metrics/metrics.js';
import type { Mailer } from './mail.js';
import { addressOf } from './banner.js';
import type { Listener } from './listener.js';
import type { Erasures } from '../privacy/erasures.js';
import type { Keys } from '../api/keys/known-keys.js';
import type { Appearance } from '../api/pages/texts.js';
import type { LogDestination } from '../flow/log-destination.js';
import type { Clocks } from '../flow/subscriber.js';
import { createProofs } from '../integrity/service-proofs.js';
import { createHeadLag, readiness } from '../api/readiness.js';
import type { Observe } from '../flow/observe.js';
import type { Views } from './views.js';
import type { OpenEventStore } from '../stores/stores.js';
import type { TrustedClock } from '../stores/trusted-clock.js';
import { openPages } from './pages.js';
import type { Commands } from './commands.js';
import { version } from './version.js';

/** Wrong keys from one address. */
const failuresAMinute = 300;

export type Http = Awaited<ReturnType<typeof openHttp>>;

interface HttpOptions extends Clocks {
  readonly config: Config;
  readonly certificate: Certificate | undefined;
  readonly listener: Listener;
  readonly connections: Connections;
  readonly folder: DataFolder;
  readonly logger: Logger;
  readonly lines: LogDestination;
  readonly observe: Observe;
  readonly integrity: Integrity;
  readonly sealKey: () => KeyObject;
  readonly store: OpenEventStore;
  readonly streamKeys: StreamKeys;
  /** Undefined without the role `api`. */
  readonly keys: Keys | undefined;
  readonly commands: Commands;
  readonly views: Views;
  readonly mailer: Pick<Mailer, 'status'> | undefined;
  readonly erasures: Erasures;
  readonly metrics: Pick<Metrics, 'read'>;
  readonly newUuid: () => string;
  readonly secret: string;
  readonly appearance: Appearance;
  readonly trustedClock: TrustedClock;
  readonly mostSearched?: number | undefined;
}

/** Lets the listener answer with the whole API; without the role `api`, with health checks only. Rejects if the port for metrics cannot be used. */
export async function openHttp(options: HttpOptions) {
  const { config, certificate, listener, connections, folder, logger, lines, integrity, sealKey } = options;
  const { store, streamKeys, keys, commands, observe } = options;
  const { views, mailer, erasures, metrics, clock, monotonic, newUuid, trustedClock } = options;
  const { server, address, stopping } = listener;
  const limiter = (name: string, quota: number) => createRateLimiter(name, quota, monotonic);
  const headLag = createHeadLag(monotonic);
  const isReady = (): Promise<Readiness> =>
    readiness({
      store,
      views,
      readBack: () => integrity.readBack?.(),
      mailer: mailer?.status(),
      erasures,
      reports: commands.reports,
      headLag,
      lines,
      clock: trustedClock.status(),
      roles: config.roles,
    });
  const app = createApp({
    audience: commands.audience,
    recordRead: config.isAccessLogged ? commands.recordRead : undefined,
    queries: views.queries,
    suppressed: views.suppressed,
    analytics: views.analytics,
    ownWrites: views.ownWrites,
    events: store,
    altered: store.altered,
    ...createLogBasis({
      log: store,
      ordinalAt: async (position) => (await views.tree.ordinalsAt([position]))[0],
      newestSeal: async () => await Promise.resolve(integrity.seals.newest()),
    }),
    mostSearched: options.mostSearched,
    proofs: createProofs({
      ...{ log: store, tree: views.tree, seals: integrity.seals, sealKey },
      readBack: integrity.readBack,
      onAltered: integrity.report,
    }),
    corsOrigins: config.corsOrigins,
    clientAddress: config.isTrustedProxy ? clientAddressBehind(config.isTrustedProxy) : peerAddress,
    rebuilds: views.rebuilds,
    erasures,
    reports: commands.reports,
    keys,
    views: () => ({ ...views.status(), position: views.ownWrites.visiblePosition(), lag: views.ownWrites.lag() }),
    readiness: isReady,
    confirmClock: trustedClock.confirm,
    trustedNow: trustedClock.now,
    pauses: { ...mailerTimings, ...config.mailTimings },
    prove: createProver(options.secret),
    streamOf: (email) => contactStream(streamKeys.contactKey(email)),
    clock,
    version,
    authenticate: (request) => keys?.authenticate(request),
    limits: {
      api: limiter('default', config.rateLimit),
      email: limiter('email', config.rateLimitEmail),
      anonymous: limiter('default', config.rateLimit),
      failures: limiter('failures', failuresAMinute),
    },
    pages: openPages({ ...options, limiter: limiter('pages', config.rateLimitPages) }),
    observe,
    readMetrics: metrics.read,
    now: monotonic,
    newUuid,
    stopping,
  });
  const figures = config.metrics && (await openMetricsServer({ ...config.metrics, read: metrics.read, connections }));
  listener.replaceApp(app);
  folder.writeAddress(address, certificate && ownCertificate(certificate));
  if (certificate !== undefined)
    void followCertificate(certificate, {
      files: config.tls,
      signal: stopping,
      // New connections get a renewed certificate; those that are open keep theirs.
      onRenewed(renewed) {
        server.setSecureContext?.(renewed);
        folder.writeAddress(address, ownCertificate(renewed));
        logger.info('the certificate was renewed');
      },
      onFault: (error) => logger.warn({ err: error }, 'the new certificate cannot be used; the one before stays'),
    });
  return {
    address,
    /** Of the port for metrics alone. */
    metricsAddress: config.metrics && addressOf(figures?.address() ?? null, { ...config.metrics, tls: undefined }),
    readiness: isReady,
    async close(): Promise<void> {
      figures?.close();
      figures?.closeAllConnections();
      await listener.close();
    },
  };
}
