/** The endpoints of analysts: what the log says, counted by day, week or month. */
import { z } from 'zod';
import { intervals } from '../../projections/calendar.js';
import { between, choice, inOrder, outOfOrder } from '../schemas/query.js';
import { incomplete } from '../schemas/answers.js';
import * as answers from '../schemas/answers-views.js';
import { endpoint, ownRead } from './endpoint.js';

const query = z
  .object({
    ...between,
    interval: choice(intervals, { code: 'invalid_interval', description: 'What a row spans.' }).default(intervals[0]),
  })
  .refine(inOrder, outOfOrder);

const shared = { ...ownRead, scope: 'analytics:read', query } as const;

const beside = { incomplete };

export const analyticsEndpoints = {
  listGrowth: endpoint({
    ...shared,
    id: 'getListGrowth',
    path: '/v1/analytics/lists/{list_id}/growth',
    summary: 'Who joined a list, left it and came back',
    answer: { data: answers.listGrowth, beside },
    errors: ['invalid_range', 'too_many_rows', 'not_found'],
  }),
  tagUse: endpoint({
    ...shared,
    id: 'getTagUse',
    path: '/v1/analytics/tags/{tag_id}/use',
    summary: 'How often a tag was attached and detached',
    answer: { data: answers.tagUse, beside },
    errors: ['invalid_range', 'too_many_rows', 'not_found'],
  }),
  emailOutcomes: endpoint({
    ...shared,
    id: 'getEmailOutcomes',
    path: '/v1/analytics/emails/outcomes',
    summary: 'What was requested to be sent, and what became of it',
    answer: { data: answers.emailOutcomes, beside },
    errors: ['invalid_range', 'too_many_rows'],
  }),
};
