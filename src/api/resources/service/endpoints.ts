/** The endpoints of health and of the description of the API, and what they answer: neither limited nor behind a key. */
import { z } from 'zod';
import { count, maybePosition, object, time } from '../../../events/values.js';
import { lag, parked, viewName as view } from '../../../rebuild/answers.js';
import { read, type Resource } from '../../http/endpoint.js';

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
    projector: z.enum(['leading', 'standby', 'elsewhere']),
    position: maybePosition,
    lag_ms: lag,
    unknown_events: z.record(z.string(), count).describe('By type.'),
    parked: z.array(object('ParkedStreamOfView', { view, ...parked })),
  }),
  evidence: z
    .strictObject({
      count,
      head: z.string(),
      position: maybePosition,
      verified: flag.optional(),
      fault: z.string().nullish(),
    })
    .meta({ id: 'EvidenceReadiness' })
    .optional()
    .describe('The chain of evidence; absent where another process keeps it.'),
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

export const healthEndpoints = {
  live: read('getLive', '/health/live', {
    scope: 'none',
    summary: 'Whether the process runs',
    description: 'Stores are not asked: also where one is out of reach the answer is 200.',
    answer: { data: alive },
  }),
  ready: read('getReady', '/health/ready', {
    scope: 'none',
    summary: 'Whether the service is ready, part by part',
    description: 'While it is not ready: 503, with the same parts in `data`.',
    answer: { data: readinessSchema },
    errors: ['unavailable'],
  }),
};

export const metricsEndpoint = read('getMetrics', '/metrics', {
  scope: 'metrics',
  summary: 'Figures of this process for Prometheus',
  description: 'In the form that `Accept` asks for: Prometheus text or OpenMetrics.',
  answer: { others: { 'text/plain': z.string(), 'application/openmetrics-text': z.string() } },
});

export const docsEndpoints = {
  openApi: read('getOpenApi', '/openapi.json', {
    scope: 'none',
    summary: 'This document',
    description: 'Each version of the service has its own.',
    answer: { others: { 'application/json': z.record(z.string(), z.unknown()) }, cached: true },
  }),
  page: read('getDocs', '/docs', {
    scope: 'none',
    summary: 'A page to read this document, and to try the API',
    description: 'The page loads all its parts from the service itself.',
    answer: { others: { 'text/html': z.string() }, cached: true },
  }),
};

export const service: Resource = {
  name: 'Service',
  description: 'Health and this description: without API key and rate limit.',
  parameters: {},
  endpoints: { ...healthEndpoints, ...docsEndpoints, metrics: metricsEndpoint },
};
