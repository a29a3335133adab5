/** The routes of transactional e-mail: send, what became of it, release and cancel. */
import type { ChangedEmail, EmailRequests } from '../commands/email-requests.js';
import { ServiceError } from '../errors.js';
import { deliveryStates } from '../projections/emails.js';
import type { Queries } from '../projections/queries.js';
import type { Call, Endpoint } from './endpoint-runner.js';
import { parseEmail, parseEmptyBody } from './input.js';
import { optionalText } from './query.js';
import { pageOf, pageParameters, pageRequest, type Reads } from './reads.js';
import type { Routes } from './routes.js';

export interface EmailRoutes {
  readonly email: EmailRequests;
  readonly queries: Queries;
  readonly reads: Reads;
  readonly clock: () => number;
}

const bodyLimit = 1024 * 1024;

export function emailRoutes(routes: Routes, { email, queries, reads, clock }: EmailRoutes): void {
  routes.post('/v1/email/send', {
    parse: parseEmail,
    fields: { flat: ['from_email', 'to_email', 'subject', 'mail_template'], nested: [] },
    bodyLimit,
    bucket: 'email',
    async handle(call) {
      const { from_email, to_email, subject, mail_template } = call.input;
      const message = { from_email, to_email, subject, mail_template };
      const idempotencyKey = idempotencyKeyOf(call);
      const { emailId, replayed, position } = await email.send({ message, idempotencyKey }, call.context);
      const headers = ['Location', `/v1/email/${emailId}`, 'X-Position', position];
      return {
        message: 'Email accepted for delivery!',
        data: message,
        headers: replayed ? [...headers, 'Idempotent-Replayed', 'true'] : headers,
      };
    },
  });

  /** The stream follows from the id only where there was no `Idempotency-Key`, so the view is asked. @throws ServiceError `not_found` */
  async function streamOf(call: Call<unknown>): Promise<string> {
    const id = call.parameter('email_id');
    await reads.visible(call, { touched: [`emails/${id}`], parked: [] });
    const stream = await queries.streamOfEmail(id);
    if (stream === undefined) throw new ServiceError('not_found');
    return stream;
  }

  const operation = (
    message: string,
    change: (stream: string, call: Call<undefined>) => Promise<ChangedEmail>,
  ): Endpoint<undefined> => ({
    parse: parseEmptyBody,
    isBeyondContract: true,
    query: [],
    async handle(call) {
      const { emailId, status, position } = await change(await streamOf(call), call);
      return { message, data: { email_id: emailId, state: status }, headers: ['X-Position', position] };
    },
  });

  routes.post(
    '/v1/email/:email_id/release',
    operation('Email released successfully!', (stream, { context }) =>
      email.release({ stream, now: new Date(clock()).toISOString() }, context),
    ),
  );

  routes.post(
    '/v1/email/:email_id/cancel',
    operation('Email cancelled successfully!', (stream, { context }) => email.cancel({ stream }, context)),
  );

  routes.get('/v1/email/:email_id', {
    isBeyondContract: true,
    query: [],
    async handle(call) {
      const id = call.parameter('email_id');
      await reads.visible(call, { touched: [`emails/${id}`], parked: [] });
      const found = await queries.getEmail(id);
      if (found === undefined) throw new ServiceError('not_found');
      if (reads.isIncomplete(['emails']))
        reads.checkParked({ view: 'emails', stream: (await queries.streamOfEmail(id)) ?? '' });
      return { data: found };
    },
  });

  routes.get('/v1/email', {
    isBeyondContract: true,
    query: ['state', ...pageParameters],
    async handle(call) {
      const text = optionalText(call.request, 'state');
      const state = deliveryStates.find((one) => one === text);
      if (state === undefined && text !== undefined) throw new ServiceError('invalid_email_state');
      const scope = ['emails', state ?? ''];
      const page = pageRequest(call.request, scope);
      await reads.visible(call, { touched: ['emails'], parked: [] });
      const isIncomplete = reads.isIncomplete(['emails']);
      return pageOf(await queries.pageEmails({ ...page, state }), { show: (one) => one, isIncomplete, scope });
    },
  });
}

function idempotencyKeyOf({ request }: Call<unknown>): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) throw new ServiceError('invalid_idempotency_key');
  return key;
}
