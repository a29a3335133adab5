/** Analytics: how lists grow, how tags are used, and what becomes of email, by day, week or month. */
import { z } from 'zod';
import { ServiceError } from '../../errors.js';
import { count, day, listId, listName, object, tagId, tagName, text, time } from '../../events/values.js';
import type { GrowthAnswer, Rows, TagUseAnswer, SeriesRequest } from '../../projections/analytics-queries.js';
import { intervals, countIntervals, dayOf, later, type Range } from '../../projections/calendar.js';
import { outcomesWithReason } from '../../projections/email-outcomes.js';
import type { Resource } from '../http/endpoint.js';
import type { Answer } from '../http/envelope.js';
import { answerOfPage, besideOf, pageRequest } from '../http/paging.js';
import {
  between,
  choice,
  idInPath,
  incomplete,
  isInOrder,
  outOfOrder,
  pageSchema,
  paging,
} from '../schemas/parameters.js';
import { read, type Parts } from './parts.js';

const query = z
  .object({
    ...between,
    interval: choice(intervals, 'What a row spans.').default(intervals[0]),
  })
  .refine(isInOrder, outOfOrder);

const shared = { scope: 'analytics:read', query, errors: ['too_many_rows'] } as const;

const beside = { incomplete };

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

const listGrowthSchema = object('ListGrowth', {
  list_id: listId,
  list_name: listName,
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

const tagUseSchema = object('TagUse', {
  tag_id: tagId,
  tag_name: tagName,
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

const emailOutcomesSchema = object(
  'EmailOutcomes',
  series('EmailOutcomesRow', {
    requested: count.describe('E-mails that the API took.'),
    sent: count.describe('E-mails that were handed over.'),
    deferred: count.describe('Attempts without success that are not the end.'),
    failed: count.describe('E-mails that were given up.'),
    reopened: count.describe('Failed e-mails that were released: `failed` less these are failed still.'),
    in_doubt: count.describe('Attempts that perhaps succeeded.'),
    bounced: count.describe('Verified reports that an email could not be delivered.'),
    complained: count.describe('Verified reports that an email was called spam.'),
    unverified: count.describe('Reports of either kind that were not verified.'),
    held: count.describe('E-mails that wait for an operator.'),
    cancelled: count.describe('E-mails that were cancelled.'),
    reasons: z
      .array(
        object('OutcomeReason', {
          outcome: z.enum(outcomesWithReason),
          reason: text('A code of docs/events.md; of `bounced` its `hard` or `soft`.', 'smtp_5xx'),
          count: count.min(1),
        }),
      )
      .describe(
        'Why: each of these outcomes by its reasons, the most frequent first. Those that did not occur are absent.',
      ),
  }),
);

const listCountSchema = object('ListCount', {
  list_id: listId,
  list_name: listName,
  subscribed: change.describe('Are subscribed now.'),
});

const tagCountSchema = object('TagCount', {
  tag_id: tagId,
  tag_name: tagName,
  in_use: change.describe('Bear it now, counted per contact and list.'),
});

const countsShared = { scope: 'analytics:read', query: z.object(paging) } as const;

const endpoints = {
  listCounts: read('listListCounts', '/v1/analytics/lists', {
    ...countsShared,
    summary: 'All lists, and how many are subscribed to each',
    answer: pageSchema(listCountSchema, beside),
    handle: async (call, { analytics }) => {
      const scope = ['list counts'];
      return answerOfPage(await analytics.listCounts(pageRequest(call.query, scope)), { scope });
    },
  }),
  tagCounts: read('listTagCounts', '/v1/analytics/tags', {
    ...countsShared,
    summary: 'All tags, and how many bear each',
    answer: pageSchema(tagCountSchema, beside),
    handle: async (call, { analytics }) => {
      const scope = ['tag counts'];
      return answerOfPage(await analytics.tagCounts(pageRequest(call.query, scope)), { scope });
    },
  }),
  listGrowth: read('getListGrowth', '/v1/analytics/lists/{list_id}/growth', {
    ...shared,
    summary: 'Who joined a list, left it and came back',
    answer: { data: listGrowthSchema, beside },
    handle: async (call, { analytics, clock }) =>
      answerOfLife(await analytics.listGrowth(call.parameter('list_id'), requestOf(call.query, clock))),
  }),
  tagUse: read('getTagUse', '/v1/analytics/tags/{tag_id}/use', {
    ...shared,
    summary: 'How often a tag was attached and detached',
    answer: { data: tagUseSchema, beside },
    handle: async (call, { analytics, clock }) =>
      answerOfLife(await analytics.tagUse(call.parameter('tag_id'), requestOf(call.query, clock))),
  }),
  emailOutcomes: read('getEmailOutcomes', '/v1/analytics/emails/outcomes', {
    ...shared,
    summary: 'What was requested to be sent, and what became of it',
    answer: { data: emailOutcomesSchema, beside },
    handle: async (call, { analytics, clock }) =>
      answerOfSeries(await analytics.emailOutcomes(requestOf(call.query, clock))),
  }),
};

export const analyticsResource: Resource<Parts> = {
  name: 'Analytics',
  description: 'How lists grow, how tags are used, what becomes of e-mail.',
  parameters: { list_id: idInPath('lst', 'list'), tag_id: idInPath('tag', 'tag') },
  endpoints,
};

const maxRows = 3_700;

/** @param about the list or tag that the rows are about */
const answerOfSeries = (
  { range, rows, isIncomplete }: Rows<{ from: string; to: string }>,
  about: object = {},
): Answer => ({
  data: { ...about, interval: range.interval, from: rows[0]?.from, to: rows.at(-1)?.to, rows },
  beside: besideOf(isIncomplete),
});

/** @throws ServiceError `not_found` */
function answerOfLife(found: GrowthAnswer | TagUseAnswer | undefined): Answer {
  if (found === undefined) throw new ServiceError('not_found');
  const { kind: _, void: __, deleted, ...life } = found.life;
  return answerOfSeries(found, { ...life, deleted_at: deleted?.at ?? null });
}

function requestOf({ from, to, interval }: z.output<typeof query>, clock: () => number): SeriesRequest {
  const today = dayOf(new Date(clock()).toISOString());
  const first = from === undefined ? undefined : dayOf(from);
  return { from: first, to: to === undefined ? later(today, first ?? '') : dayOf(to), interval, check };
}

/** @throws ServiceError `too_many_rows` */
function check(range: Range): void {
  if (countIntervals(range) > maxRows) throw new ServiceError('too_many_rows', { limit: maxRows });
}
