/** What the endpoints of transactional e-mail do: send, what became of it, release and cancel. */
import type { ChangedEmail, EmailRequests, PlacedEmail } from '../../../commands/email-requests.js';
import { ServiceError } from '../../../errors.js';
import type { EmailAnswer, Queries } from '../../../projections/queries.js';
import { latestAttempt, type PauseTimings } from '../../../mailer/timings.js';
import { touchedDocument } from '../../../projector/touched.js';
import type { Call } from '../../http/endpoint-runner.js';
import type { Answer } from '../../http/envelope.js';
import { answerOfPage, pageRequest, type Reads } from '../../http/reads.js';
import { writtenHeaders } from '../../http/request-headers.js';
import type { Routes } from '../../http/routes.js';
import { emailEndpoints } from './endpoints.js';
import { reportRoutes, type ReportParts } from './reports.js';

export interface EmailParts extends ReportParts {
  readonly audience: { readonly email: EmailRequests };
  readonly queries: Queries;
  readonly reads: Reads;
  readonly clock: () => number;
  readonly pauses: PauseTimings;
}

type EmailCall = Call<unknown, unknown, 'email_id'>;

export function emailRoutes(routes: Routes, parts: EmailParts): void {
  const { audience, queries, reads, clock, pauses } = parts;
  const { email } = audience;
  // Register these before the paths with an id.
  reportRoutes(routes, parts);

  routes.on(emailEndpoints.send, async ({ input, context, idempotencyKey }) => {
    const { list_id: listId, ...message } = input;
    const { variables: _, ...shown } = message;
    const accepted = await email.send({ message, listId, idempotencyKey }, context);
    const location = ['Location', `/v1/email/${accepted.emailId}`];
    const headers = [...location, ...writtenHeaders(accepted)];
    return { data: shown, beside: { email_id: accepted.emailId }, headers };
  });

  /** The stream follows from the id only where there was no `Idempotency-Key`, so the view is asked. @throws ServiceError `not_found` */
  async function placeOf(call: EmailCall): Promise<PlacedEmail> {
    const id = call.parameter('email_id');
    await reads.visible(call, { touched: [touchedDocument('emails', id)], parked: [] });
    const place = await queries.placeOfEmail(id);
    if (place === undefined) throw new ServiceError('not_found');
    return place;
  }

  /** Returns the email with the next attempt as the mailer will make it, even if the email was deferred while the clock was ahead. */
  function shown(email: EmailAnswer): EmailAnswer {
    const { next_attempt_at } = email;
    if (next_attempt_at === null) return email;
    const latest = latestAttempt({ ...email, next_attempt_at }, pauses, clock());
    return { ...email, next_attempt_at: new Date(latest).toISOString() };
  }

  const changed = ({ emailId, status, position }: ChangedEmail): Answer => ({
    data: { email_id: emailId, state: status },
    headers: ['X-Position', position],
  });

  routes.on(emailEndpoints.release, async (call) => {
    const now = new Date(clock()).toISOString();
    return changed(await email.release(await placeOf(call), now, call.context));
  });

  routes.on(emailEndpoints.cancel, async (call) => changed(await email.cancel(await placeOf(call), call.context)));

  routes.on(emailEndpoints.get, async (call) => {
    const id = call.parameter('email_id');
    await reads.visible(call, { touched: [touchedDocument('emails', id)], parked: [] });
    const found = await queries.getEmail(id);
    if (found === undefined) throw new ServiceError('not_found');
    if (reads.isIncomplete(['emails']))
      reads.checkParked({ view: 'emails', stream: (await queries.placeOfEmail(id))?.stream ?? '' });
    return { data: shown(found) };
  });

  routes.on(emailEndpoints.page, async (call) => {
    const { state } = call.query;
    const scope = ['emails', state ?? ''];
    const page = pageRequest(call.query, scope);
    await reads.visible(call, { touched: ['emails'], parked: [] });
    const isIncomplete = reads.isIncomplete(['emails']);
    const { items, ...rest } = await queries.pageEmails({ ...page, state });
    return answerOfPage({ ...rest, items: items.map(shown) }, { isIncomplete, scope });
  });
}
