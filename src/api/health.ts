/** The router of health: alive, and ready with the state of each part. Neither limited nor behind a key. */
import { Router, type Request, type RequestHandler, type Response } from 'express';
import { ServiceError } from '../errors.js';
import type { Calls } from './call.js';

export interface Readiness {
  readonly ready: boolean;
  /** State of each part, without personal data. */
  readonly parts: Readonly<Record<string, object>>;
}

export function healthRouter(readiness: () => Promise<Readiness>, calls: Calls): Router {
  const router = Router();
  const mount = (path: string, handler: RequestHandler): void => {
    router
      .route(path)
      .get(handler)
      .all((request, response) => {
        calls.refuse({ request, response }, new ServiceError('method_not_allowed'), {
          headers: ['Allow', 'GET, HEAD'],
        });
      });
  };
  mount('/live', (request, response) => {
    calls.answer({ request, response }, { alive: true });
  });
  mount('/ready', (request: Request, response: Response, next) => {
    readiness().then(({ ready, parts }) => {
      if (ready) calls.answer({ request, response }, parts);
      else calls.refuse({ request, response }, new ServiceError('unavailable', {}, { retryAfter: 1 }), { data: parts });
    }, next);
  });
  return router;
}
