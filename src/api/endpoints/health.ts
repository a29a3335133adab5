/** The endpoints of health: neither limited nor behind a key. */
import { nothing } from '../schemas/query.js';
import { endpoint } from './endpoint.js';

const shared = { method: 'get', scope: 'none', body: nothing, query: nothing } as const;

export const healthEndpoints = {
  live: endpoint({ ...shared, id: 'getLive', path: '/health/live', summary: 'Whether the process runs', errors: [] }),
  ready: endpoint({
    ...shared,
    id: 'getReady',
    path: '/health/ready',
    summary: 'Whether the service is ready, part by part',
    errors: ['unavailable'],
  }),
};
