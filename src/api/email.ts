/** The router of transactional e-mail: send, and what became of it. */
import type { Router } from 'express';
import type { Audience } from '../commands/audience.js';
import { ServiceError } from '../errors.js';
import type { Queries } from '../projections/queries.js';
import type { Call, EndpointRunner } from './endpoint-runner.js';
import { parseEmail } from './input.js';
import type { Reads } from './reads.js';
import { createRoutes } from './routes.js';

export interface EmailRouter {
  readonly audience: Audience;
  readonly queries: Queries;
  readonly reads: Reads;
}

const bodyLimit = 1024 * 1024;

export function emailRouter({ audience, queries, reads }: EmailRouter, runner: EndpointRunner): Router {
  const routes = createRoutes(runner, '/v1/email');

  routes.post('/send', {
    parse: parseEmail,
    fields: { flat: ['from_email', 'to_email', 'subject', 'mail_template'], nested: [] },
    bodyLimit,
    bucket: 'email',
    async handle(call) {
      const { from_email, to_email, subject, mail_template } = call.input;
      const message = { from_email, to_email, subject, mail_template };
      const idempotencyKey = idempotencyKeyOf(call);
      const { emailId, replayed, position } = await audience.sendEmail({ message, idempotencyKey }, call.context);
      const headers = ['Location', `/v1/email/${emailId}`, 'X-Position', position];
      return {
        message: 'Email accepted for delivery!',
        data: message,
        headers: replayed ? [...headers, 'Idempotent-Replayed', 'true'] : headers,
      };
    },
  });

  routes.get('/:email_id', {
    isOurs: true,
    query: [],
    async handle(call) {
      const id = call.parameter('email_id');
      await reads.visible(call, { touched: [`emails/${id}`], parked: [] });
      const email = await queries.getEmail(id);
      if (email === undefined) throw new ServiceError('not_found');
      if (reads.isIncomplete(['emails']))
        reads.checkParked({ view: 'emails', stream: (await queries.streamOfEmail(id)) ?? '' });
      return { data: email };
    },
  });

  return routes.router;
}

function idempotencyKeyOf({ request }: Call<unknown>): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) throw new ServiceError('invalid_idempotency_key');
  return key;
}
