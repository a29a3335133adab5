/** The endpoints of health: neither limited nor behind a key. */
import { alive, readiness } from '../views/answers.js';
import { read } from '../../http/endpoint.js';

export const healthEndpoints = {
  live: read('getLive', '/health/live', {
    scope: 'none',
    summary: 'Whether the process runs',
    answer: { data: alive },
  }),
  ready: read('getReady', '/health/ready', {
    scope: 'none',
    summary: 'Whether the service is ready, part by part',
    answer: { data: readiness },
    errors: ['unavailable'],
  }),
};
