/** What the endpoints of the analyst do: list growth, tag use and e-mail outcomes by day, week or month, and counts of now. */
import type { z } from 'zod';
import { ServiceError } from '../../../errors.js';
import type {
  AnalyticsQueries,
  GrowthAnswer,
  Rows,
  TagUseAnswer,
  SeriesRequest,
} from '../../../projections/analytics-queries.js';
import { countIntervals, dayOf, later, type Range } from '../../../projections/calendar.js';
import { lifeId } from '../../../projections/list-growth.js';
import { tagLifeId } from '../../../projections/tag-use.js';
import { touchedDocument, touchedPart } from '../../../projector/touched.js';
import type { Answer } from '../../http/envelope.js';
import { answerOfPage, pageRequest, type Reads } from '../../http/reads.js';
import type { Routes } from '../../http/routes.js';
import { analyticsEndpoints } from './endpoints.js';

export interface AnalyticsParts {
  readonly analytics: AnalyticsQueries;
  readonly reads: Reads;
  readonly clock: () => number;
}

const maxRows = 3_700;

export function analyticsRoutes(routes: Routes, { analytics, reads, clock }: AnalyticsParts): void {
  const today = (): string => dayOf(new Date(clock()).toISOString());

  const answer = (view: string, { range, rows }: Rows<{ from: string; to: string }>, about: object = {}): Answer => ({
    data: { ...about, interval: range.interval, from: rows[0]?.from, to: rows.at(-1)?.to, rows },
    beside: reads.isIncomplete([view]) ? { incomplete: true } : {},
  });

  function ofLife(view: string, found: GrowthAnswer | TagUseAnswer | undefined): Answer {
    if (found === undefined) throw new ServiceError('not_found');
    const { kind: _, void: __, deleted, ...life } = found.life;
    return answer(view, found, { ...life, deleted_at: deleted?.at ?? null });
  }

  routes.on(analyticsEndpoints.listCounts, async (call) => {
    const scope = ['list counts'];
    const views = ['lists', 'list_growth'];
    const request = pageRequest(call.query, scope);
    await reads.visible(call, { touched: views, parked: views.map((view) => ({ view, stream: 'lists' })) });
    return answerOfPage(await analytics.listCounts(request), { scope, isIncomplete: reads.isIncomplete(views) });
  });

  routes.on(analyticsEndpoints.tagCounts, async (call) => {
    const scope = ['tag counts'];
    const views = ['tags', 'tag_use'];
    const request = pageRequest(call.query, scope);
    const parked = [...views.map((view) => ({ view, stream: 'tags' })), { view: 'tag_use', stream: 'lists' }];
    await reads.visible(call, { touched: views, parked });
    return answerOfPage(await analytics.tagCounts(request), { scope, isIncomplete: reads.isIncomplete(views) });
  });

  routes.on(analyticsEndpoints.listGrowth, async (call) => {
    const request = requestOf(call.query, today());
    const id = call.parameter('list_id');
    const view = 'list_growth';
    const touched = [touchedDocument(view, lifeId(id)), touchedPart(view, id)];
    await reads.visible(call, { touched, parked: [{ view, stream: 'lists' }] });
    return ofLife(view, await analytics.listGrowth(id, request));
  });

  routes.on(analyticsEndpoints.tagUse, async (call) => {
    const request = requestOf(call.query, today());
    const id = call.parameter('tag_id');
    const view = 'tag_use';
    // Also where a list has just been deleted: its contacts lose the tag.
    const touched = [touchedDocument(view, tagLifeId(id)), touchedPart(view, id), 'lists'];
    const streams = ['lists', 'tags'];
    await reads.visible(call, { touched, parked: streams.map((stream) => ({ view, stream })) });
    return ofLife(view, await analytics.tagUse(id, request));
  });

  routes.on(analyticsEndpoints.emailOutcomes, async (call) => {
    const request = requestOf(call.query, today());
    const view = 'email_outcomes';
    await reads.visible(call, { touched: [view], parked: [] });
    return answer(view, await analytics.emailOutcomes(request));
  });
}

function requestOf(
  { from, to, interval }: z.output<typeof analyticsEndpoints.listGrowth.query>,
  today: string,
): SeriesRequest {
  const first = from === undefined ? undefined : dayOf(from);
  return { from: first, to: to === undefined ? later(today, first ?? '') : dayOf(to), interval, check };
}

/** @throws ServiceError `too_many_rows` */
function check(range: Range): void {
  if (countIntervals(range) > maxRows) throw new ServiceError('too_many_rows', { limit: maxRows });
}
