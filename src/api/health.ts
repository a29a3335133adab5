/** The router of health: alive, and ready with the state of each part. Neither limited nor behind a key. */
import { Router, type Request, type RequestHandler, type Response } from 'express';
import { ServiceError } from '../errors.js';
import type { EndpointRunner } from './endpoint-runner.js';

export interface Readiness {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, object>>;
}

export function healthRouter(readiness: () => Promise<Readiness>, runner: EndpointRunner): Router {
  const router = Router();
  const mount = (path: string, handler: RequestHandler): void => {
    router
      .route(path)
      .get(handler)
      .all((request, response) => {
        runner.refuse({ request, response }, new ServiceError('method_not_allowed'), {
          headers: ['Allow', 'GET, HEAD'],
        });
      });
  };
  mount('/live', (request, response) => {
    runner.answer({ request, response }, { alive: true });
  });
  mount('/ready', (request: Request, response: Response, next) => {
    readiness().then(({ ready, parts }) => {
      if (ready) runner.answer({ request, response }, parts);
      else
        runner.refuse({ request, response }, new ServiceError('unavailable', {}, { retryAfter: 1 }), { data: parts });
    }, next);
  });
  return router;
}
