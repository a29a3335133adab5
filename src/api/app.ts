/** The Express app: all routes, and what answers when none of them does. */
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { LogHead } from '../audit/answers.js';
import { createAudit } from '../audit/audit.js';
import type { EmailHints } from '../audit/emails.js';
import type { AuditReader } from '../audit/reading.js';
import type { RecordRead } from '../commands/access.js';
import type { Audience } from '../commands/audience.js';
import { subjectOf } from '../commands/mustache.js';
import { ServiceError } from '../errors.js';
import type { Proofs } from '../evidence/person-proofs.js';
import type { Erasures } from '../privacy/erasures.js';
import type { AnalyticsQueries } from '../projections/analytics-queries.js';
import type { Queries } from '../projections/queries.js';
import { liveProjections } from '../projections/views.js';
import type { OwnWrites } from '../projector/read-your-writes.js';
import { createAccessLog } from './http/access-log.js';
import { allowOrigins, isPreflight } from './http/cors.js';
import { createEndpointRunner, type EndpointRunner, type EndpointRunnerOptions } from './http/endpoint-runner.js';
import { createReads, type StreamOfView } from './http/reads.js';
import { minPositionOf } from './http/request-headers.js';
import { createRoutes, type Routes } from './http/routes.js';
import { createDocument, readExamples } from './openapi/document.js';
import { analyticsRoutes } from './resources/analytics/handlers.js';
import { auditRoutes } from './resources/audit/handlers.js';
import { kinds } from './resources/catalogues/endpoints.js';
import { catalogueRoutes } from './resources/catalogues/handlers.js';
import { contactRoutes } from './resources/contacts/handlers.js';
import { emailRoutes } from './resources/email/handlers.js';
import type { KeysOfApi } from './keys/known-keys.js';
import { keysRoutes } from './resources/keys/handlers.js';
import { addPersonExport, privacyRoutes } from './resources/privacy/handlers.js';
import { projectionsRoutes, type Rebuilds, type ViewsState } from './resources/projections/handlers.js';
import { docsRoutes, healthRoutes, type Readiness } from './resources/service/handlers.js';
import { createResources } from './resources/table.js';
import { viewsRoutes } from './resources/views/handlers.js';

export interface ApiOptions extends Omit<EndpointRunnerOptions, 'admit' | 'minPosition'> {
  readonly audience: Audience;
  readonly queries: Queries;
  readonly analytics: AnalyticsQueries;
  readonly ownWrites: OwnWrites;
  readonly events: AuditReader;
  /** Why the log is not trusted, checked at each call. Absent where this process cannot tell. */
  readonly altered?: (() => string | undefined) | undefined;
  /** Named in the auditor's answers: how far the log was read. */
  readonly logHead: () => Promise<LogHead>;
  readonly proofs: Proofs;
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
  readonly erasures: Pick<Erasures, 'request' | 'all'>;
  readonly views: () => ViewsState;
  readonly readiness: () => Promise<Readiness>;
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

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  if (corsOrigins.length > 0) app.use(allowOrigins(corsOrigins));
  if (keys !== undefined) mountEndpoints(app, { ...options, keys, admit }, runner);
  healthRoutes(app, options.readiness, runner);
  app.use(unknownRoute(runner));
  app.use(routingFault(runner));
  return app;
}

function mountEndpoints(
  app: Express,
  options: ApiOptions & { readonly keys: KeysOfApi; readonly admit: () => Promise<void> | undefined },
  runner: EndpointRunner,
): void {
  const { audience, queries } = options;
  const reads = createReads(options.ownWrites, options.parked);
  const routes = createRoutes(app, runner);
  docsRoutes(app, runner, () =>
    createDocument({ resources: createResources(options.clock), examples: readExamples(), version: options.version }),
  );
  contactRoutes(routes, { ...options, reads });
  for (const kind of kinds) {
    const name = `${kind}s` as const;
    catalogueRoutes(routes, { kind, catalogue: audience[name], reads, ...queries[name] });
  }
  emailRoutes(routes, { ...options, email: audience.email, reads });
  analyticsRoutes(routes, { ...options, reads });
  projectionsRoutes(routes, { ...options, projections: liveProjections });
  viewsRoutes(routes, { ...options, projections: liveProjections, reads });
  keysRoutes(routes, options);
  privacyRoutes(routes, options);
  const audit = createAudit({ ...options, reader: options.events, emails: emailHints(options) });
  const access = createAccessLog(options.recordRead);
  const audited = ofIntactLog(routes, options.altered);
  auditRoutes(audited, { ...options, audit, access, reads });
  addPersonExport(audited, { ...options, audit, access, reads });
}

/** Answers 503 once the log was altered by somebody else. */
const ofIntactLog = (routes: Routes, altered?: () => string | undefined): Routes => ({
  on(endpoint, handle) {
    routes.on(endpoint, async (call) => {
      if (altered?.() !== undefined) throw new ServiceError('unavailable', {}, { retryAfter: 10 });
      return await handle(call);
    });
  },
});

const emailHints = ({ ownWrites, queries }: ApiOptions): EmailHints => ({
  until: async () => ownWrites.visiblePosition(),
  to: queries.emailsTo,
  subjectOf,
});

const unknownRoute =
  (runner: EndpointRunner): RequestHandler =>
  (request, response) => {
    // A page of another origin may read the 404.
    if (isPreflight(request, response, 'GET, HEAD, POST, DELETE')) runner.answer({ request, response }, {});
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
