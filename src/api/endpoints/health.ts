/** The endpoints of health: neither limited nor behind a key. */
import { alive, readiness } from '../schemas/answers-views.js';
import { endpoint, read } from './endpoint.js';

const shared = { ...read, scope: 'none' } as const;

export const healthEndpoints = {
  live: endpoint({
    ...shared,
    id: 'getLive',
    path: '/health/live',
    summary: 'Whether the process runs',
    answer: { data: alive },
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
