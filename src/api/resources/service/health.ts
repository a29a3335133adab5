/** What the endpoints of health do: alive, and ready with the state of each part. Neither limited nor behind a key. */
import type { Express } from 'express';
import { ServiceError } from '../../../errors.js';
import { healthEndpoints } from './endpoints.js';
import type { EndpointRunner } from '../../http/endpoint-runner.js';
import { mountOpen } from '../../http/routes.js';

export interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, object>>;
}

export function healthRoutes(app: Express, readiness: () => Promise<Readiness>, runner: EndpointRunner): void {
  mountOpen({ app, runner, path: healthEndpoints.live.path }, (request, response) => {
    runner.answer({ request, response }, { alive: true });
  });
  mountOpen({ app, runner, path: healthEndpoints.ready.path }, (request, response, next) => {
    readiness().then(({ ready, parts }) => {
      if (ready) runner.answer({ request, response }, parts);
      else
        runner.refuse({ request, response }, new ServiceError('unavailable', {}, { retryAfter: 1 }), { data: parts });
    }, next);
  });
}
