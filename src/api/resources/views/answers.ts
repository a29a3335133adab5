/** What the endpoints of analytics, views and health answer. For the API description and for tests. */
import { z } from 'zod';
import { intervals } from '../../../projections/calendar.js';
import * as value from '../../../events/values.js';
import { count, day, maybePosition, object, time } from '../../../events/values.js';
import { lag, parked, viewName as view } from '../../../rebuild/answers.js';

const change = z.int().meta({ examples: [2] });

/** A row for each interval. */
const series = (name: string, row: z.ZodRawShape) => ({
  interval: z.enum(intervals),
  from: day.describe('First day of the first row.'),
  to: day.describe('Last day of the last row.'),
  rows: z
    .array(object(name, { from: day.describe('First day.'), to: day.describe('Last day.'), ...row }))
    .min(1)
    .describe('One for each interval.'),
});

const life = { created_at: time, deleted_at: time.nullable().describe('Null while it exists.') };

export const listGrowth = object('ListGrowth', {
  list_id: value.listId,
  list_name: value.listName,
  ...life,
  ...series('ListGrowthRow', {
    joined: change.describe('Subscribed for the first time.'),
    unsubscribed: change.describe('Left the list.'),
    resubscribed: change.describe('Came back.'),
    erased: change.describe('Were subscribed when the person was erased.'),
    left_with_list: change.describe('Were subscribed when the list was deleted.'),
    net: change.describe('`joined` + `resubscribed` − `unsubscribed` − `erased` − `left_with_list`.'),
    total: change.describe('Are subscribed at the end of the interval.'),
  }),
});

export const tagUse = object('TagUse', {
  tag_id: value.tagId,
  tag_name: value.tagName,
  ...life,
  ...series('TagUseRow', {
    attached: change.describe('The tag was attached.'),
    detached: change.describe('The tag was detached.'),
    erased: change.describe('Borne by a person who was erased.'),
    left_with_list: change.describe('Bore it in a list when that list was deleted.'),
    left_with_tag: change.describe('Bore it when the tag itself was deleted.'),
    net: change.describe('`attached` − `detached` − `erased` − `left_with_list` − `left_with_tag`.'),
    in_use: change.describe('Bear it at the end of the interval.'),
  }),
});

export const emailOutcomes = object(
  'EmailOutcomes',
  series('EmailOutcomesRow', {
    requested: count.describe('E-mails that the API took.'),
    sent: count.describe('E-mails that were handed over.'),
    deferred: count.describe('Attempts without success that are not the end.'),
    failed: count.describe('E-mails that were given up.'),
    reopened: count.describe('Failed e-mails that were released: `failed` less these are failed still.'),
    in_doubt: count.describe('Attempts that perhaps succeeded.'),
    held: count.describe('E-mails that wait for an operator.'),
  }),
);

const flag = z.boolean();

export const alive = object('Alive', { alive: z.literal(true) });

export const readiness = object('Readiness', {
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

const fields = z.array(z.string());

export const listedView = object('ListedView', {
  name: view,
  version: count.min(1),
  indexes: z.array(fields).describe('The fields of each index, in its order.'),
  array_fields: fields.describe('Fields that hold texts and are asked for one of them.'),
});

export const viewDocument = object(
  'ViewDocument',
  {
    id: value.text('Id of the document.', '2026-03-01'),
    document: z.record(z.string(), z.unknown()).describe('As the view has made it.'),
    position: value.position.describe('Of the last event that changed it.'),
  },
  'A document of a view.',
);
