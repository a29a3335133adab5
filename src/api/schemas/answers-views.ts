/** What the endpoints of analytics, views and health answer. For the API description and for tests. */
import { z } from 'zod';
import { intervals } from '../../projections/calendar.js';
import { count, day, listId, listName, maybePosition, position, tagId, tagName, text, time } from './values.js';

const change = z.int().meta({ examples: [2] });
const span = { from: day.describe('First day.'), to: day.describe('Last day.') };
const range = {
  interval: z.enum(intervals),
  from: day.describe('First day of the first row.'),
  to: day.describe('Last day of the last row.'),
};
const life = {
  created_at: time,
  deleted_at: time.nullable().describe('Null while it exists.'),
};

const growthRow = z
  .strictObject({
    ...span,
    joined: change.describe('Subscribed for the first time.'),
    unsubscribed: change.describe('Left the list.'),
    resubscribed: change.describe('Came back.'),
    left_with_list: change.describe('Were subscribed when the list was deleted.'),
    net: change.describe('`joined` + `resubscribed` − `unsubscribed` − `left_with_list`.'),
    total: change.describe('Are subscribed at the end of the interval.'),
  })
  .meta({ id: 'GrowthRow' });

export const listGrowth = z
  .strictObject({ list_id: listId, list_name: listName, ...life, ...range, rows: z.array(growthRow).min(1) })
  .meta({ id: 'ListGrowth', description: 'Who joined, left and came back, one row for each interval.' });

const tagUseRow = z
  .strictObject({
    ...span,
    attached: change.describe('The tag was attached.'),
    detached: change.describe('The tag was detached.'),
    left_with_list: change.describe('Bore it in a list when that list was deleted.'),
    left_with_tag: change.describe('Bore it when the tag itself was deleted.'),
    net: change.describe('`attached` − `detached` − `left_with_list` − `left_with_tag`.'),
    in_use: change.describe('Bear it at the end of the interval.'),
  })
  .meta({ id: 'TagUseRow' });

export const tagUse = z
  .strictObject({ tag_id: tagId, tag_name: tagName, ...life, ...range, rows: z.array(tagUseRow).min(1) })
  .meta({ id: 'TagUse', description: 'How often the tag was attached and detached, one row for each interval.' });

const outcomesRow = z
  .strictObject({
    ...span,
    requested: count.describe('E-mails that the API took.'),
    sent: count.describe('E-mails that were handed over.'),
    deferred: count.describe('Attempts without success that are not the end.'),
    failed: count.describe('E-mails that were given up.'),
    in_doubt: count.describe('Attempts that perhaps succeeded.'),
    held: count.describe('E-mails that wait for an operator.'),
  })
  .meta({ id: 'EmailOutcomesRow' });

export const emailOutcomes = z
  .strictObject({ ...range, rows: z.array(outcomesRow).min(1) })
  .meta({ id: 'EmailOutcomes', description: 'What was requested and what became of it, one row for each interval.' });

const viewName = text('Name of the view.', 'contacts');
const parked = {
  stream: text('A stream that the view no longer folds.', 'contact-0123456789abcdef0123456789abcdef'),
  position: position.describe('Of the event that cannot be folded.'),
  reason: text('Why. Nothing personal.', 'ContactCreated for a document that exists'),
};
const parkedEvent = { event_id: z.guid(), event_type: text('Name of the event.', 'ContactCreated') };
const lag = z
  .int()
  .min(0)
  .meta({ description: 'Milliseconds.', examples: [12] });

export const viewStates = z
  .array(
    z
      .strictObject({
        name: viewName,
        version: count.min(1),
        state: z.enum(['live', 'missing']),
        storage_version: count.nullable().describe('Null while the view is missing.'),
        position: maybePosition,
        lag_ms: lag,
        parked: z.array(z.strictObject({ ...parked, ...parkedEvent })),
        rebuild_id: z.guid().nullable().describe('The rebuild that runs for this view.'),
      })
      .meta({ id: 'ViewState', description: 'How far a view is.' }),
  )
  .meta({ id: 'ViewStates' });

const whenCompared = count.nullable().describe('Null: it was not compared.');

const rebuiltView = z
  .strictObject({
    name: viewName,
    version: count.min(1),
    storage_version: count,
    is_changed: z.boolean().describe('Differences are expected.'),
    documents: whenCompared,
    live_documents: whenCompared,
    hash: z.string().nullable(),
    differing: whenCompared,
    differences: z.array(z.string()).describe('Ids of documents that differ, the first of them.'),
  })
  .meta({ id: 'RebuiltView' });

const rebuildProgress = z
  .strictObject({
    stage: z.enum(['filling', 'catching_up', 'comparing', 'switching']),
    position: maybePosition,
    until: maybePosition,
    share: z
      .number()
      .min(0)
      .max(1)
      .meta({ description: 'Of the bulk build.', examples: [0.5] }),
    events: count,
    events_per_second: count,
    seconds_left: count.nullable().describe('Null while it cannot be told.'),
    documents_compared: count,
  })
  .meta({ id: 'RebuildProgress' });

export const rebuild = z
  .strictObject({
    rebuild_id: z.guid(),
    views: z.array(viewName),
    dry_run: z.boolean(),
    cause: z.enum(['request', 'start']),
    requested_at: time,
    state: z.enum(['waiting', 'running', 'finished', 'failed']),
    finished_at: time.nullable(),
    progress: rebuildProgress.nullable(),
    fault: z.string().nullable().describe('Why it does not go on, or why it failed.'),
    outcome: z.enum(['switched', 'checked', 'prepared', 'differs', 'poison']).nullable(),
    results: z.array(rebuiltView),
    poison: z
      .strictObject({
        view: viewName,
        ...parked,
        ...parkedEvent,
        data: z.string().nullable().describe('The event that ended the rebuild, as stored.'),
        metadata: z.string().nullable(),
      })
      .nullable(),
  })
  .meta({ id: 'Rebuild', description: 'A rebuild of views: what was asked for, how far it is, what came of it.' });

export const alive = z.strictObject({ alive: z.literal(true) }).meta({ id: 'Alive' });

export const readiness = z
  .strictObject({
    roles: z.strictObject({ api: z.boolean(), projector: z.boolean(), mailer: z.boolean() }),
    event_store: z.strictObject({ reachable: z.boolean(), writable: z.boolean(), head: maybePosition.nullable() }),
    read_models: z.strictObject({ reachable: z.boolean() }),
    projections: z.strictObject({
      caught_up: z.boolean(),
      rebuilding: z.boolean(),
      missing: z.array(viewName),
      projector: z.enum(['leading', 'standby', 'elsewhere']),
      position: maybePosition,
      lag_ms: lag,
      unknown_events: z.record(z.string(), count).describe('By type.'),
      parked: z.array(z.strictObject({ view: viewName, ...parked })),
    }),
    evidence: z
      .strictObject({
        count,
        head: z.string(),
        position: maybePosition,
        verified: z.boolean().optional(),
        fault: z.string().nullable().optional(),
      })
      .optional()
      .describe('The chain of evidence; absent where another process keeps it.'),
    log_lines: z.strictObject({ dropped: count }),
    mailer: z.strictObject({ running: count, worklist_readable: z.boolean() }).optional(),
  })
  .meta({ id: 'Readiness', description: 'The state of each part of the service.' });
