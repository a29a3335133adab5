/** The Express app: all routes, and what answers when none of them does. */
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { createAudit } from '../audit/audit.js';
import type { AuditSources } from '../audit/basis.js';
import type { EmailHints } from '../audit/emails.js';
import type { AuditReader } from '../audit/reading.js';
import type { Reports } from '../bounces/take-report.js';
import type { RecordRead } from '../commands/access.js';
import type { Audience } from '../commands/audience.js';
import { subjectOf } from '../commands/mustache.js';
import { ServiceError } from '../errors.js';
import type { Proofs } from '../integrity/service-proofs.js';
import type { Erasures } from '../privacy/erasures.js';
import type { AnalyticsQueries } from '../projections/analytics-queries.js';
import type { Queries } from '../projections/queries.js';
import type { SuppressionLookup } from '../projections/suppressions.js';
import { liveProjections } from '../projections/views.js';
import type { OwnWrites } from '../projector/read-your-writes.js';
import { mountConsole } from './console/routes.js';
import { createAccessLog } from './http/access-log.js';
import { peerAddress } from './http/client-address.js';
import { allowOrigins, isPreflight } from './http/cors.js';
import { createEndpointRunner, type EndpointRunner, type EndpointRunnerOptions } from './http/endpoint-runner.js';
import type { ReadMetrics } from './http/metrics-server.js';
import { createRateLimiter } from './http/rate-limit.js';
import { createReads, type StreamOfView } from './http/reads.js';
import type { RequestOptions } from './http/request-context.js';
import { minPositionOf } from './http/request-headers.js';
import { createRoutes, type Altered } from './http/routes.js';
import { createDocument, readExamples } from './openapi/document.js';
import type { KeysOfApi } from './keys/known-keys.js';
import type { PauseTimings } from '../mailer/timings.js';
import type { Rebuilds, ViewsState } from './resources/projections/handlers.js';
import { healthRoutes, liveRoutes, type Prove, type Readiness } from './resources/service/handlers.js';
import { createResources } from './resources/table.js';
import { mountPages, type PagesOptions } from './pages/routes.js';

export interface ApiOptions
  extends Omit<EndpointRunnerOptions, 'admit' | 'minPosition'>, Pick<AuditSources, 'logBasis' | 'sealOf'> {
  readonly audience: Audience;
  readonly queries: Queries;
  readonly suppressed: SuppressionLookup;
  readonly analytics: AnalyticsQueries;
  readonly ownWrites: OwnWrites;
  readonly events: AuditReader;
  /** Why the log is not trusted, checked at each call. Absent where this process cannot tell. */
  readonly altered?: Altered;
  readonly proofs: Proofs;
  /** The maximum number of events that are read for one page of the feed. Only tests set it. */
  readonly mostSearched?: number | undefined;
  /** Undefined: reads are not recorded. */
  readonly recordRead?: RecordRead | undefined;
  /** Origins whose pages may call the API from a browser. */
  readonly corsOrigins?: readonly string[];
  /** Of the service, for its description. */
  readonly version: string;
  readonly parked: () => readonly StreamOfView[];
  readonly rebuilds: Rebuilds;
  /** Undefined: only health answers. */
  readonly keys: KeysOfApi | undefined;
  /** The pages of recipients. Undefined if the service has none. */
  readonly pages?: Omit<PagesOptions, 'clientAddress' | 'clock' | 'trustedNow'> | undefined;
  readonly erasures: Pick<Erasures, 'request' | 'all'>;
  readonly reports: Pick<Reports, 'take'>;
  readonly views: () => ViewsState;
  readonly readiness: () => Promise<Readiness>;
  readonly prove: Prove;
  readonly readMetrics: ReadMetrics;
  /** Trusts the clock from now on. Resolves with the time, in milliseconds since 1970. */
  readonly confirmClock: () => Promise<number>;
  /** Returns the milliseconds since 1970, or undefined while the clock is not trusted. */
  readonly trustedNow: () => number | undefined;
  /** How long emails wait for their next attempt. */
  readonly pauses: PauseTimings;
  readonly streamOf: (email: string) => string;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** Writes wait while the views are further behind than this, so that the lag stays under a second. */
const maxLagMs = 750;
const slowedByMs = 250;

export function createApp(options: ApiOptions): Express {
  const { ownWrites, events, keys, corsOrigins = [] } = options;
  const admit = (): Promise<void> | undefined =>
    ownWrites.lag() < maxLagMs ? undefined : ownWrites.waitForLag(maxLagMs, slowedByMs);
  const positions = { shown: ownWrites.visiblePosition, head: () => events.head() };
  const runner = createEndpointRunner({
    ...options,
    admit,
    minPosition: (header) => minPositionOf(header, positions),
  });

  const app = emptyApp(corsOrigins);
  if (keys === undefined) healthRoutes({ ...options, app, runner });
  else {
    const resources = createResources(options.clock);
    const document = () => createDocument({ resources, examples: readExamples(), version: options.version });
    const parts = { ...partsOf(options), keys, admit, app, runner, document };
    const routes = createRoutes(app, runner);
    for (const resource of resources) resource.mount(routes, parts);
    if (options.pages !== undefined)
      mountPages(app, runner, { clientAddress: peerAddress, ...options, ...options.pages });
    mountConsole(app, runner);
  }
  app.use(unknownRoute(runner));
  app.use(routingFault(runner));
  return app;
}

interface StartingOptions extends Omit<RequestOptions, 'authenticate' | 'limits'> {
  /** Origins whose pages may read answers in a browser. */
  readonly corsOrigins: readonly string[];
  /** Returns what the start waits for. */
  readonly readiness: () => Readiness;
}

/** Creates the app of a service that is starting. It reports that the service is alive and not ready, and answers all other requests with 503. */
export function createStartingApp({ corsOrigins, readiness, ...options }: StartingOptions): Express {
  const runner = createEndpointRunner({
    ...options,
    authenticate: () => undefined,
    limits: { api: unlimited, email: unlimited, anonymous: unlimited, failures: unlimited },
    admit: () => undefined,
    minPosition: async () => await Promise.resolve(undefined),
  });
  const app = emptyApp(corsOrigins);
  liveRoutes({ app, runner, readiness: async () => await Promise.resolve(readiness()) });
  app.use((request, response) => {
    if (isPreflight(request, response, everyMethod)) runner.answer({ request, response }, {});
    else runner.refuse({ request, response }, new ServiceError('unavailable', {}, { retryAfter: 1 }));
  });
  return app;
}

const unlimited = createRateLimiter('default', 0, () => 0);

function emptyApp(corsOrigins: readonly string[]): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  if (corsOrigins.length > 0) app.use(allowOrigins(corsOrigins));
  return app;
}

/** What the handlers need, beside what the app is given. */
function partsOf(options: ApiOptions) {
  const { ownWrites, recordRead, events } = options;
  return {
    ...options,
    projections: liveProjections,
    reads: createReads(ownWrites, options.parked),
    audit: createAudit({ ...options, reader: events, emails: emailHints(options) }),
    access: createAccessLog(recordRead),
  };
}

const emailHints = ({ ownWrites, queries }: ApiOptions): EmailHints => ({
  until: async () => ownWrites.visiblePosition(),
  to: queries.emailsTo,
  subjectOf,
});

const everyMethod = 'GET, HEAD, POST, DELETE';

const unknownRoute =
  (runner: EndpointRunner): RequestHandler =>
  (request, response) => {
    // A page of another origin may read the 404.
    if (isPreflight(request, response, everyMethod)) runner.answer({ request, response }, {});
    else runner.refuse({ request, response }, new ServiceError('not_found'));
  };

/** Express itself fails only on a path that cannot be decoded: no such route. */
const routingFault =
  (runner: EndpointRunner): ErrorRequestHandler =>
  // eslint-disable-next-line max-params -- Express tells error handlers by their four parameters
  (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const isUndecodable = error instanceof URIError;
    runner.refuse(
      { request, response },
      new ServiceError(isUndecodable ? 'not_found' : 'internal', {}, { cause: error }),
    );
  };
