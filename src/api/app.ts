/** The Express app: all routes, and what answers when none of them does. */
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { createAudit } from '../audit/audit.js';
import type { AuditSources } from '../audit/basis.js';
import type { EmailHints } from '../audit/emails.js';
import type { AuditReader } from '../audit/reading.js';
import { subjectOf } from '../commands/mustache.js';
import { ServiceError } from '../errors.js';
import { liveProjections } from '../projections/views.js';
import type { OwnWrites } from '../projector/read-your-writes.js';
import { mountConsole } from './console/routes.js';
import { createAccessLog } from './http/access-log.js';
import { peerAddress } from './http/client-address.js';
import { allowOrigins, isPreflight } from './http/cors.js';
import type { ServedFile } from './http/files.js';
import { createPipeline, type Pipeline, type PipelineOptions } from './http/pipeline.js';
import { createRateLimiter } from './http/rate-limit.js';
import type { RequestOptions } from './http/request-context.js';
import { minPositionOf } from './http/request-headers.js';
import { mountEndpoints } from './http/routes.js';
import type { KeysOfApi } from './keys/known-keys.js';
import { createDocument, readExamples } from './openapi/document.js';
import { mountPages, type PagesOptions } from './pages/routes.js';
import { createBounds, type Parts, type Readiness } from './resources/parts.js';
import { healthEndpoints, mountDocsFiles, openApiFile } from './resources/service.js';
import { createResources, endpointsOf } from './resources/table.js';

export interface ApiOptions
  extends
    Omit<PipelineOptions, 'admit' | 'waitForPosition'>,
    Omit<Parts, 'audit' | 'projections' | 'access' | 'bounds' | 'openApi' | 'keys'>,
    Pick<AuditSources, 'logBasis' | 'sealOf'> {
  readonly ownWrites: OwnWrites;
  readonly events: AuditReader;
  /** The maximum number of events that are read for one page of the feed. Only tests set it. */
  readonly mostSearched?: number | undefined;
  /** Origins whose pages may call the API from a browser. */
  readonly corsOrigins?: readonly string[];
  /** The version of the service, for the OpenAPI document. */
  readonly version: string;
  /** Undefined if the process answers health checks only. */
  readonly keys: KeysOfApi | undefined;
  /** The pages of recipients. Undefined if the service has none. */
  readonly pages?: Omit<PagesOptions, 'clientAddress' | 'clock' | 'trustedNow'> | undefined;
  /** Returns the milliseconds since 1970, or undefined while the clock is not trusted. */
  readonly trustedNow: () => number | undefined;
}

/** Writes wait while the views are further behind than this, so that the lag stays under a second. */
const maxLagMs = 750;
const slowedByMs = 250;

export function createApp(options: ApiOptions): Express {
  const { ownWrites, events, keys, corsOrigins = [] } = options;
  const admit = (): Promise<void> | undefined =>
    ownWrites.lag() < maxLagMs ? undefined : ownWrites.waitForLag(maxLagMs, slowedByMs);
  const positions = { shown: ownWrites.visiblePosition, head: () => events.head() };
  const pipeline = createPipeline({
    ...options,
    admit,
    async waitForPosition(header) {
      const position = await minPositionOf(header, positions);
      if (position !== undefined) await ownWrites.shows(position);
    },
  });

  const app = emptyApp(corsOrigins);
  if (keys === undefined) mountEndpoints(Object.values(healthEndpoints), { app, pipeline, parts: options });
  else {
    const resources = createResources(options.clock);
    let openApi: ServedFile | undefined;
    const makeOpenApi = (): ServedFile =>
      openApiFile(createDocument({ resources, examples: readExamples(), version: options.version }));
    const parts = { ...partsOf(options, admit), keys, openApi: () => (openApi ??= makeOpenApi()) };
    mountEndpoints(endpointsOf(resources), { app, pipeline, parts });
    mountDocsFiles(app, pipeline);
    if (options.pages !== undefined)
      mountPages(app, pipeline, { clientAddress: peerAddress, ...options, ...options.pages });
    mountConsole(app, pipeline);
  }
  app.use(unknownRoute(pipeline));
  app.use(routingFault(pipeline));
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
  const pipeline = createPipeline({
    ...options,
    authenticate: () => undefined,
    limits: { api: unlimited, email: unlimited, anonymous: unlimited, failures: unlimited },
    admit: () => undefined,
    waitForPosition: () => Promise.resolve(),
  });
  const app = emptyApp(corsOrigins);
  const { live, ready } = healthEndpoints;
  const parts = { readiness: () => Promise.resolve(readiness()) };
  mountEndpoints([live, ready], { app, pipeline, parts });
  app.use((request, response) => {
    if (isPreflight(request, response, everyMethod)) pipeline.answer({ request, response }, {});
    else pipeline.refuse({ request, response }, new ServiceError('unavailable', {}, { retryAfter: 1 }));
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

/** Returns the parts that the handlers need: the options of the app, and parts made from them. */
function partsOf(options: ApiOptions, admit: PipelineOptions['admit']) {
  const { recordRead, events, stopping } = options;
  return {
    ...options,
    projections: liveProjections,
    audit: createAudit({ ...options, reader: events, emails: emailHints(options) }),
    access: createAccessLog(recordRead),
    bounds: createBounds({ admit, stopping }),
  };
}

const emailHints = ({ ownWrites, queries }: ApiOptions): EmailHints => ({
  async until() {
    await queries.settleEmails();
    return ownWrites.visiblePosition();
  },
  to: queries.emailsTo,
  subjectOf,
});

const everyMethod = 'GET, HEAD, POST, DELETE';

const unknownRoute =
  (pipeline: Pipeline): RequestHandler =>
  (request, response) => {
    // A page of another origin may read the 404.
    if (isPreflight(request, response, everyMethod)) pipeline.answer({ request, response }, {});
    else pipeline.refuse({ request, response }, new ServiceError('not_found'));
  };

/** Express itself fails only on a path that cannot be decoded: no such route. */
const routingFault =
  (pipeline: Pipeline): ErrorRequestHandler =>
  // eslint-disable-next-line max-params -- Express tells error handlers by their four parameters
  (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const isUndecodable = error instanceof URIError;
    pipeline.refuse(
      { request, response },
      new ServiceError(isUndecodable ? 'not_found' : 'internal', {}, { cause: error }),
    );
  };
