/** The service itself: health, the clock, metrics, the OpenAPI document, and a page on which people read and try it. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import express, { type Express, type Response } from 'express';
import { z } from 'zod';
import { ServiceError } from '../../errors.js';
import { count, maybePosition, object, time } from '../../events/values.js';
import { lag, parked, viewName as view } from '../../rebuild/answers.js';
import { nonceForm, ownEnd } from '../../stores/identity.js';
import { endpointsWith, type Resource } from '../http/endpoint.js';
import { createFile, sendFile, setHeaders, type ServedFile } from '../http/files.js';
import { metricsFormOf } from '../http/metrics-server.js';
import type { Pipeline } from '../http/pipeline.js';
import { securityHeaders } from '../http/security-headers.js';
import type { DirectAnswer } from '../http/send.js';
import { textField } from '../schemas/rules.js';
import { lenientRead, write, type HealthParts, type Parts } from './parts.js';

const flag = z.boolean();

const alive = object('Alive', { alive: z.literal(true) });

const readinessSchema = object('Readiness', {
  roles: object('Roles', { api: flag, projector: flag, mailer: flag }),
  event_store: object('EventStoreReadiness', { reachable: flag, writable: flag, head: maybePosition.nullable() }),
  read_models: object('ReadModelsReadiness', { reachable: flag }),
  projections: object('ProjectionsReadiness', {
    caught_up: flag,
    rebuilding: flag,
    missing: z.array(view),
    damaged: z.array(view).describe('Damaged views. Their reads are answered with 503 until a rebuild ends.'),
    projector: z.enum(['leading', 'standby', 'elsewhere']),
    position: maybePosition,
    lag_ms: lag,
    unknown_events: z.record(z.string(), count).describe('By type.'),
    parked: z.array(object('ParkedStreamOfView', { view, ...parked })),
  }),
  integrity: z
    .strictObject({
      read_back_count: count.describe('Number of events that were read back from the store and found unaltered.'),
      read_back_at: time.nullable().describe('When. Null if nothing was read back yet.'),
      fault: z.string().nullable().describe('Why events cannot be read back. Null if nothing is wrong.'),
    })
    .meta({ id: 'IntegrityReadiness' })
    .optional()
    .describe('The read-back of the log. Absent if another process does it.'),
  erasures: z
    .strictObject({
      waiting: count.describe('Erasures that cannot be completed yet.'),
      why: z
        .array(
          object('WaitingErasure', {
            erasure_id: z.string(),
            reason: z.enum(['email_being_sent', 'view_being_built', 'unreadable_event', 'unavailable', 'failed']),
          }),
        )
        .describe('The first hundred.'),
    })
    .meta({ id: 'ErasuresReadiness' })
    .optional()
    .describe('Absent where another process carries erasures through.'),
  email_reports: object('EmailReportCounts', {
    bounced: count,
    complained: count,
    unverified: count,
    known: count,
    ignored: count,
    unmatched: count,
  }).describe('Reports about e-mails since this process began.'),
  log_lines: object('LogLines', { dropped: count }),
  clock: object('ClockReadiness', {
    trusted: flag.describe('Whether decisions that cannot be undone may depend on the clock.'),
    reason: z
      .enum(['jumped', 'ahead'])
      .optional()
      .describe(
        '`jumped`: the clock was set within the last ten minutes. `ahead`: the clock is more than a day ahead of the last time that was known to be right.',
      ),
    trusted_in_seconds: count.optional().describe('Seconds until the clock is trusted if it does not jump again.'),
  }),
  mailer: object('MailerReadiness', {
    running: count,
    worklist_readable: flag,
    relay: object('Relay', {
      connections: count.describe(
        'At most, now: fewer than configured after the mail server said that there are too many.',
      ),
      refuses: object('RelayRefusal', {
        since: time.describe('No e-mail was taken since then.'),
        reason: z.string().describe('As in the reasons of events.'),
        smtp_code: count.optional(),
        enhanced_code: z.string().optional(),
        tls_code: z.string().optional().describe('What is wrong with TLS: a code of OpenSSL or Node.'),
      })
        .optional()
        .describe('What the mail server last said. E-mails wait meanwhile. Absent while it takes e-mails.'),
    }),
  })
    .optional()
    .describe('Absent where another process sends.'),
});

/** A challenge to the service. */
const challenge = z.object({
  nonce: textField(
    { form: { fits: (text) => nonceForm.test(text), code: 'invalid_nonce' } },
    { description: '32 random bytes in hexadecimal digits, new for each request.', pattern: nonceForm.source },
  ),
});

const readiness = endpointsWith<Pick<HealthParts, 'readiness'>>();
const identity = endpointsWith<HealthParts>();

/** Health endpoints, which every process has, whatever its roles. */
export const healthEndpoints = {
  live: readiness.lenientRead('getLive', '/health/live', {
    scope: 'none',
    summary: 'Whether the process runs',
    description:
      'This request does not check the stores. The answer is 200 even while a store is unreachable or the service starts.',
    answer: { data: alive },
    handle: () => ({ data: { alive: true } }),
  }),
  ready: readiness.lenientRead('getReady', '/health/ready', {
    scope: 'none',
    summary: 'Whether the service is ready, part by part',
    description:
      'If the service is not ready, the answer is 503 with the same parts in `data`. While the service starts, the answer is 503, and `data.starting` says what the start waits for (`waiting_for`: `event_store`, `read_models` or `checks`) and why (`reason`: `unreachable` or `not_ready`). During this time, all other paths except `/health/live` are also answered with 503.',
    answer: { data: readinessSchema },
    errors: ['unavailable'],
    handle: async (_, parts) => {
      const { ready, parts: state } = await parts.readiness();
      if (!ready) throw new ServiceError('unavailable', {}, { retryAfter: 1, data: state });
      return { data: state };
    },
  }),
  identity: identity.lenientRead('getIdentity', '/health/identity', {
    scope: 'none',
    summary: 'Prove that the service has the secret of a data folder',
    description:
      'Answers a nonce with an HMAC-SHA-256 under a key derived from `SECRET`. The HMAC also covers the address, port and certificate at which the request arrived, so that no other process can pass off the answer as its own. The command line calls this endpoint before it sends the API key of a data folder.',
    query: challenge,
    answer: { data: object('Identity', { proof: z.string().describe('64 hexadecimal digits.') }) },
    handle: ({ query, request }, { prove }) => ({ data: { proof: prove(query.nonce, ownEnd(request.socket)) } }),
  }),
};

const confirmedClock = object('ConfirmedClock', {
  trusted: z.literal(true),
  confirmed_at: time.describe('The time that the clock showed.'),
});

const clockEndpoints = {
  confirm: write('confirmClock', '/v1/clock/confirm', {
    scope: 'clock',
    summary: 'Trust the clock of the service from now on',
    description:
      'Tells the service that its clock is right. While the clock is not trusted, nothing that cannot be undone depends on it. `GET /health/ready` tells whether the clock is trusted.',
    message: 'Clock confirmed successfully!',
    answer: { data: confirmedClock },
    handle: async (_, { confirmClock }) => {
      const confirmed = await confirmClock().catch((cause: unknown) => {
        throw new ServiceError('unavailable', {}, { cause, retryAfter: 1 });
      });
      return { data: { trusted: true, confirmed_at: new Date(confirmed).toISOString() } };
    },
  }),
};

const metrics = lenientRead('getMetrics', '/metrics', {
  scope: 'metrics',
  summary: 'Figures of this process for Prometheus',
  description: 'In the form that `Accept` asks for: Prometheus text or OpenMetrics.',
  answer: { others: { 'text/plain': z.string(), 'application/openmetrics-text': z.string() } },
  handle: async ({ request }, { readMetrics }) => {
    const { contentType, text } = await readMetrics(metricsFormOf(request.headers.accept));
    return { contentType, pieces: Readable.from([text]) };
  },
});

const script =
  "SwaggerUIBundle({ url: 'openapi.json', domNode: document.querySelector('main'), deepLinking: true, validatorUrl: null });";
const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>audience-ledger: API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<main></main>
<script src="docs/swagger-ui-bundle.js"></script>
<script>${script}</script>
</html>
`;

const scriptDigest = createHash('sha256').update(script).digest('base64');

const pageHeaders = securityHeaders({
  scriptSrc: ["'self'", `'sha256-${scriptDigest}'`],
  styleSrc: ["'self'"],
  imgSrc: ['data:'],
  connectSrc: ["'self'"],
});

const fileHeaders = securityHeaders();

/** Creates a file that clients ask for each time. They get its content only if it has changed. */
const revalidatedFile = ({ type, headers, content }: Parameters<typeof createFile>[0]): ServedFile =>
  createFile({ type, headers: [...headers, 'Cache-Control', 'no-cache'], content, isTagged: true });

/** Returns the API document as it is served. */
export const openApiFile = (document: object): ServedFile =>
  revalidatedFile({ type: 'application/json', headers: fileHeaders, content: JSON.stringify(document) });

/** Returns the page of the API document, which is made at the first request. */
const page = (): ServedFile => (madePage ??= revalidatedFile({ type: 'html', headers: pageHeaders, content: html }));
let madePage: ServedFile | undefined;

const fileAnswer = (file: ServedFile): DirectAnswer => ({
  send: (response, common) => sendFile(response, file, common),
});

const redirect = (to: string): DirectAnswer => ({
  send(response, common) {
    setHeaders(response, [...common, ...fileHeaders]);
    response.redirect(301, to);
  },
});

const docsEndpoints = {
  openApi: lenientRead('getOpenApi', '/openapi.json', {
    scope: 'none',
    summary: 'This document',
    description: 'Each version of the service has its own.',
    answer: { others: { 'application/json': z.record(z.string(), z.unknown()) }, etag: true },
    handle: (_, { openApi }) => fileAnswer(openApi()),
  }),
  page: lenientRead('getDocs', '/docs', {
    scope: 'none',
    summary: 'A page to read this document, and to try the API',
    description: 'The page loads all its parts from the service itself.',
    answer: { others: { 'text/html': z.string() }, etag: true },
    handle: ({ request }) =>
      // The page loads its parts by relative paths, so that it works below any prefix of a proxy.
      request.path.endsWith('/') ? redirect('../docs') : fileAnswer(page()),
  }),
};

export const serviceResource: Resource<Parts> = {
  name: 'Service',
  description: 'Health, metrics, the clock, and this description.',
  parameters: {},
  endpoints: { ...healthEndpoints, ...docsEndpoints, ...clockEndpoints, metrics },
};

/** Swagger UI: the build copies it from its package. */
const assets = fileURLToPath(new URL('../../swagger-ui/', import.meta.url));

const assetHeaders = [...fileHeaders, 'Cache-Control', 'public, max-age=3600'];

/** Mounts the files that the page of the API document loads. */
export function mountDocsFiles(app: Express, pipeline: Pipeline): void {
  app.use(
    docsEndpoints.page.path,
    express.static(assets, {
      index: false,
      redirect: false,
      setHeaders: (response: Response) =>
        setHeaders(response, [...pipeline.headers({ request: response.req, response }), ...assetHeaders]),
    }),
  );
}
