/** The endpoints of analysts: what the log says, counted by day, week or month. */
import { z } from 'zod';
import { intervals } from '../../../projections/calendar.js';
import { between, choice, inOrder, outOfOrder } from '../../schemas/query.js';
import { incomplete } from '../contacts/answers.js';
import * as answers from '../views/answers.js';
import { ownRead } from '../../http/endpoint.js';

const query = z
  .object({
    ...between,
    interval: choice(intervals, 'What a row spans.').default(intervals[0]),
  })
  .refine(inOrder, outOfOrder);

const shared = { scope: 'analytics:read', query, errors: ['too_many_rows'] } as const;

const beside = { incomplete };

export const analyticsEndpoints = {
  listGrowth: ownRead('getListGrowth', '/v1/analytics/lists/{list_id}/growth', {
    ...shared,
    summary: 'Who joined a list, left it and came back',
    answer: { data: answers.listGrowth, beside },
  }),
  tagUse: ownRead('getTagUse', '/v1/analytics/tags/{tag_id}/use', {
    ...shared,
    summary: 'How often a tag was attached and detached',
    answer: { data: answers.tagUse, beside },
  }),
  emailOutcomes: ownRead('getEmailOutcomes', '/v1/analytics/emails/outcomes', {
    ...shared,
    summary: 'What was requested to be sent, and what became of it',
    answer: { data: answers.emailOutcomes, beside },
  }),
};
