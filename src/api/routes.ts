/** Puts endpoints on a router, so that a path with another method answers 405 with `Allow`. */
import type { Router } from 'express';
import { ServiceError } from '../errors.js';
import type { Calls, Endpoint } from './call.js';

type Method = 'get' | 'post' | 'delete';

/** What one path answers, by method. `path` is relative to the router. */
export interface PathEndpoints {
  readonly path: string;
  readonly methods: readonly Method[];
}

/** Mounts one endpoint under all its methods. */
export function mount<Input>(
  router: Router,
  { path, methods }: PathEndpoints,
  mounted: { calls: Calls; endpoint: Endpoint<Input> },
): void {
  const route = router.route(path);
  const handler = mounted.calls.run(mounted.endpoint);
  for (const method of methods) route[method](handler);
  const allow = methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])).join(', ');
  route.all((request, response) => {
    mounted.calls.refuse({ request, response }, new ServiceError('method_not_allowed'), { headers: ['Allow', allow] });
  });
}
