/** The router of health: alive, and ready with the state of each part. Neither limited nor behind a key. */
import { Router, type Response } from 'express';
import { errorCatalogue } from '../errors.js';
import { send } from './envelope.js';

export interface Readiness {
  readonly ready: boolean;
  /** State of each part, without personal data. */
  readonly parts: Readonly<Record<string, object>>;
}

export interface HealthRouter {
  readonly readiness: () => Promise<Readiness>;
  readonly headers: readonly string[];
}

export function healthRouter({ readiness, headers }: HealthRouter): Router {
  const router = Router();
  const answer = (response: Response, { status, body }: { status: number; body: object }): void => {
    send(response, status, { headers, body: JSON.stringify(body) });
  };
  router.get('/live', (_request, response) => {
    answer(response, { status: 200, body: { statusCode: 200, status: 'Success', data: { alive: true } } });
  });
  router.get('/ready', async (_request, response) => {
    const { ready, parts: data } = await readiness();
    if (ready) {
      answer(response, { status: 200, body: { statusCode: 200, status: 'Success', data } });
      return;
    }
    const { status, message, type } = errorCatalogue.unavailable;
    const body = { statusCode: status, status: 'Error', message, type, data };
    send(response, status, { headers: [...headers, 'Retry-After', '1'], body: JSON.stringify(body) });
  });
  return router;
}
