/** Requests by the pattern of their path, method and status. */
import { Histogram, type Registry } from '@prometheus-io/client';
import type { RequestLine } from '../flow/observe.js';

const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS']);

export function countRequests(registry: Registry): (line: RequestLine) => void {
  const durations = new Histogram({
    name: 'audience_http_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer. Refused keys have the code 401, requests beyond the rate limit 429.',
    labelNames: ['method', 'route', 'code'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  return ({ method, route, status, duration }) =>
    durations.observe({ method: methods.has(method) ? method : 'other', route, code: status }, duration / 1_000);
}
