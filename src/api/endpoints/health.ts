/** The endpoints of health: neither limited nor behind a key. */
import { nothing } from '../schemas/query.js';
import { alive, readiness } from '../schemas/answers-views.js';
import { endpoint } from './endpoint.js';

const shared = { method: 'get', scope: 'none', body: nothing, query: nothing } as const;

export const healthEndpoints = {
  live: endpoint({
    ...shared,
    id: 'getLive',
    path: '/health/live',
    summary: 'Whether the process runs',
    answer: { data: alive },
    errors: [],
  }),
  ready: endpoint({
    ...shared,
    id: 'getReady',
    path: '/health/ready',
    summary: 'Whether the service is ready, part by part',
    answer: { data: readiness },
    errors: ['unavailable'],
  }),
};
