/** The endpoints of views: how far each is, and rebuilding them beside the live ones. */
import { z } from 'zod';
import { choice } from '../schemas/query.js';
import { described } from '../schemas/rules.js';
import { rebuild, viewStates } from '../schemas/answers-views.js';
import { endpoint, ownRead, ownWrite } from './endpoint.js';

const dryRun = described(z.boolean(), {
  description: 'Build and compare, but do not switch.',
  errors: ['not_a_boolean'],
})
  .nullish()
  .transform((value) => value ?? false);

export const projectionsEndpoints = {
  list: endpoint({
    ...ownRead,
    id: 'listProjections',
    path: '/v1/projections',
    scope: 'projections',
    summary: 'How far each view is',
    answer: { data: viewStates },
  }),
  rebuildStatus: endpoint({
    ...ownRead,
    id: 'getRebuild',
    path: '/v1/projections/rebuild',
    scope: 'projections',
    summary: 'The last rebuild, or its progress as server-sent events',
    query: z.object({
      follow: choice(['false', 'true'], {
        code: 'invalid_follow',
        description: '`true`: server-sent events until it is over.',
      }).optional(),
    }),
    answer: { data: rebuild, others: { 'text/event-stream': rebuild } },
    errors: ['not_found'],
  }),
  rebuild: endpoint({
    ...ownWrite,
    id: 'startRebuild',
    path: '/v1/projections/{name}/rebuild',
    scope: 'projections',
    summary: 'Rebuild views from the first event',
    description: '`name` is a view, several with commas, or `all`.',
    body: z.object({ dry_run: dryRun }),
    answer: { data: rebuild },
    errors: ['unknown_view', 'rebuild_running'],
  }),
};
