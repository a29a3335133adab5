/** The endpoints of views: how far each is, and rebuilding them beside the live ones. */
import { z } from 'zod';
import { rebuild, viewState } from '../../../rebuild/answers.js';
import { ownRead, ownWrite, type Resource } from '../../http/endpoint.js';
import { optionalFlag, textInPath } from '../../schemas/parameters.js';

const flagOf = (description: string) =>
  z
    .boolean()
    .meta({ description })
    .nullish()
    .transform((value) => value ?? false);

export const projectionsEndpoints = {
  list: ownRead('listProjections', '/v1/projections', {
    scope: 'projections',
    summary: 'How far each view is',
    answer: { data: z.array(viewState) },
  }),
  rebuildStatus: ownRead('getRebuild', '/v1/projections/rebuild', {
    scope: 'projections',
    summary: 'The last rebuild, or its progress as server-sent events',
    query: z.object({
      follow: optionalFlag('If `true`, the progress is sent as server-sent events until the rebuild ends.'),
    }),
    answer: { data: rebuild, others: { 'text/event-stream': rebuild } },
    errors: ['not_found'],
  }),
  rebuild: ownWrite('startRebuild', '/v1/projections/{name}/rebuild', {
    scope: 'projections',
    summary: 'Rebuild views from the first event',
    description: '`name` is a view, several with commas, or `all`.',
    body: z.object({
      dry_run: flagOf('Build and compare, but do not switch.'),
      accept_differences: flagOf('Switch although the new views differ: the live ones were damaged.'),
    }),
    answer: { data: rebuild },
    errors: ['unknown_view', 'rebuild_running'],
  }),
};

export const projections: Resource = {
  name: 'Projections',
  description: 'How far each view is, and rebuilding it.',
  parameters: { name: textInPath('Name of a view.') },
  endpoints: projectionsEndpoints,
};
