/** Composes HTTP: the API with its keys and limits, on a server that listens. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { createApp } from '../api/app.js';
import { clientAddressBehind, peerAddress } from '../api/client-address.js';
import type { Readiness } from '../api/health.js';
import { createRateLimiter } from '../api/rate-limit.js';
import { closeServer, createServer, renewCertificate } from '../api/server.js';
import { followCertificate, ownCertificate, type Certificate } from '../stores/certificate.js';
import type { Config } from '../stores/config.js';
import type { DataFolder } from '../stores/data-folder.js';
import { contactStream, type StreamKeys } from '../events/streams.js';
import type { EvidenceGuard } from './evidence-guard.js';
import type { Mailer } from '../mailer/mailer.js';
import { addressOf } from './banner.js';
import type { Keys } from './keys.js';
import type { LogDestination } from './log-destination.js';
import { createHeadLag, readiness } from './readiness.js';
import { requestLog } from './request-log.js';
import type { Views } from './views.js';
import type { OpenEventStore, StoreSettings } from '../stores/stores.js';
import type { Commands } from './commands.js';
import { version } from './version.js';

const closeTimeoutMs = 10_000;
/** Wrong keys from one address. */
const failuresAMinute = 300;

const monotonic = (): number => performance.now();

export interface Http {
  readonly address: string;
  readiness(): Promise<Readiness>;
  close(): Promise<void>;
}

export interface HttpOptions {
  readonly config: Config;
  /** Undefined: HTTP. */
  readonly certificate: Certificate | undefined;
  readonly folder: DataFolder;
  readonly settings: StoreSettings;
  readonly logger: Logger;
  readonly lines: LogDestination;
  readonly guard: EvidenceGuard | undefined;
  readonly store: OpenEventStore;
  readonly streamKeys: StreamKeys;
  /** Undefined without the role `api`. */
  readonly keys: Keys | undefined;
  readonly commands: Commands;
  readonly views: Views;
  readonly mailer: Mailer | undefined;
}

/** Listens. Without the role `api` health is all that it answers. Rejects when the port cannot be had. */
export async function openHttp(options: HttpOptions): Promise<Http> {
  const { config, certificate, folder, logger, lines, guard, store, streamKeys, keys, commands, views, mailer } =
    options;
  let stopping = false;
  const limiter = (name: string, quota: number) => createRateLimiter(name, quota, monotonic);
  const headLag = createHeadLag(monotonic);
  const isReady = () =>
    readiness({ store, views, guard, mailer: mailer?.status(), headLag, lines, roles: config.roles });
  const app = createApp({
    audience: commands.audience,
    queries: views.queries,
    analytics: views.analytics,
    ownWrites: views.ownWrites,
    events: store,
    corsOrigins: config.corsOrigins,
    clientAddress: config.isTrustedProxy ? clientAddressBehind(config.isTrustedProxy) : peerAddress,
    parked: views.parked,
    rebuilds: views.rebuilds,
    keys,
    views: () => ({ ...views.status(), position: views.ownWrites.visiblePosition(), lag: views.ownWrites.lag() }),
    readiness: isReady,
    streamOf: (email) => contactStream(streamKeys.contactKey(email)),
    clock: Date.now,
    version,
    authenticate: (request) => keys?.authenticate(request),
    limits: {
      api: limiter('default', config.rateLimit),
      email: limiter('email', config.rateLimitEmail),
      anonymous: limiter('default', config.rateLimit),
      failures: limiter('failures', failuresAMinute),
    },
    log: requestLog(logger, lines),
    now: monotonic,
    newUuid: randomUUID,
    isStopping: () => stopping,
  });
  const { tls } = config;
  const server = createServer(app, certificate);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  const address = addressOf(server.address(), config);
  folder.writeAddress(address, certificate && ownCertificate(certificate));
  const following =
    tls && certificate
      ? followCertificate({
          files: tls,
          current: certificate,
          onRenewed(renewed) {
            renewCertificate(server, renewed);
            folder.writeAddress(address, ownCertificate(renewed));
            logger.info('the certificate was renewed');
          },
          onFault: (reason) => logger.warn({ reason }, 'the new certificate cannot be used; the one before stays'),
        })
      : undefined;
  return {
    address,
    readiness: isReady,
    close() {
      stopping = true;
      following?.close();
      return closeServer(server, closeTimeoutMs);
    },
  };
}
