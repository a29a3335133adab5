/** Transactional email: send, look up, take reports of mail servers, release and cancel. */
import { z } from 'zod';
import { reportOutcomes } from '../../bounces/take-report.js';
import type { ChangedEmail, PlacedEmail } from '../../commands/email-requests.js';
import { ServiceError } from '../../errors.js';
import { refusalKinds } from '../../events/refusal-kind.js';
import { count, emailId, object, text, time } from '../../events/values.js';
import { latestAttempt } from '../../mailer/timings.js';
import { deliveryStates } from '../../projections/emails.js';
import type { EmailAnswer } from '../../projections/queries.js';
import { readMessage } from '../http/body.js';
import type { Call } from '../http/call.js';
import type { Resource } from '../http/endpoint.js';
import type { Answer } from '../http/envelope.js';
import { answerOfPage, pageRequest } from '../http/paging.js';
import { writtenHeaders } from '../http/request-headers.js';
import { idInPath, incomplete, namedChoice, pageSchema, paging } from '../schemas/parameters.js';
import { listOfSubscribers, mailbox, recipient, subject, template, variables } from './email-content.js';
import { lenientWrite, read, write, type Parts } from './parts.js';

const asSent = z.string().describe('As it was sent.');
const acceptedEmail = object('AcceptedEmail', {
  from_email: asSent,
  to_email: asSent,
  subject: asSent,
  mail_template: asSent,
});

const deliveryState = z.enum(deliveryStates).meta({ id: 'DeliveryState', description: 'What became of an e-mail.' });

const changedEmail = object('ChangedEmail', { email_id: emailId, state: deliveryState });

const verified = z.boolean().describe('The report came with the proof of the return path.');

const emailState = object(
  'Email',
  {
    email_id: emailId,
    state: deliveryState,
    attempts: count.describe('How often it was tried.'),
    requested_at: time,
    sent_at: time.nullable(),
    next_attempt_at: time.nullable().describe('Null when no attempt is planned, or one runs.'),
    last_error: text(
      'Reason of the last failure and, where the mail server replied, its codes.',
      'smtp_5xx 550 5.1.1',
    ).nullable(),
    bounced: object('Bounce', {
      at: time,
      verified,
      kind: z
        .enum(refusalKinds)
        .describe(
          '`hard`: the mailbox or its domain does not exist. `full`: the mailbox is over its quota. ' +
            '`policy`: the server refuses the sender or the message. `other`: everything else.',
        ),
      enhanced_code: text('As the mail server reported it.', '5.1.1').nullable(),
    })
      .nullable()
      .describe('What a mail server reported after it had been handed over; the report that says most.'),
    complained: object('Complaint', { at: time, verified }).nullable().describe('The recipient called it spam.'),
  },
  'The state of an e-mail. No addresses, no content.',
);

const maxEmail = 1024 * 1024;
const maxReport = 1024 * 1024;
const envelopeTo = 'X-Envelope-To';

export const emailEndpoints = {
  send: lenientWrite('sendEmail', '/v1/email/send', {
    scope: 'email:write',
    summary: 'Send one e-mail',
    description:
      'The answer means: the request is stored durably, and the email will be sent. Its `email_id` is beside `data`.',
    body: z.object({
      from_email: mailbox,
      to_email: recipient,
      subject,
      mail_template: template,
      variables,
      list_id: listOfSubscribers,
    }),
    echo: { flat: ['from_email', 'to_email', 'subject', 'mail_template'], nested: [] },
    takesIdempotencyKey: true,
    bodyLimit: maxEmail,
    rateLimit: 'email',
    message: 'Email accepted for delivery!',
    answer: { data: acceptedEmail, beside: { email_id: emailId }, headers: ['Location'], position: true },
    errors: [
      'invalid_template',
      'not_a_scalar',
      'made_by_service',
      'unknown_list',
      'not_in_list',
      'suppressed',
      'no_mailbox',
      'keeps_refusing',
      'not_configured',
    ],
    handle: async ({ input, context, idempotencyKey }, { audience }) => {
      const { list_id: listId, ...message } = input;
      const { variables: _, ...shown } = message;
      const accepted = await audience.email.send({ message, listId, idempotencyKey }, context);
      const location = ['Location', `/v1/email/${accepted.emailId}`];
      const headers = [...location, ...writtenHeaders(accepted)];
      return { data: shown, beside: { email_id: accepted.emailId }, headers };
    },
  }),
  report: write('takeReport', '/v1/email/reports', {
    scope: 'reports',
    summary: 'Take a report about an e-mail',
    description:
      'A bounce or a complaint as it was received (RFC 3464, 6533, 5965). A report that is sent again, or that is about no e-mail of this service, changes nothing and is 202, too.',
    upload: { type: 'email', headers: [envelopeTo] },
    bodyLimit: maxReport,
    message: 'Report taken!',
    answer: {
      status: 202,
      position: true,
      data: object('TakenReport', {
        outcome: z
          .enum(reportOutcomes)
          .describe(
            '`unverified`: recorded, but not believed, so the report changes nothing. `known`: the report says nothing new. `ignored`: the report tells neither of a failure nor of a complaint, cannot be read, or came to a return path that is not valid. `unmatched`: the report is not about an email that was sent.',
          ),
        email_id: emailId.nullable(),
        verified: z.boolean().describe('The report came to the return path of the email, or names it.'),
      }),
    },
    errors: ['required'],
    handle: async (call, { queries, reports }) => {
      const bytes = await readMessage(call.request, maxReport);
      if (bytes.length === 0) throw new ServiceError('required', { field: 'Request body' });
      const recipient = call.request.headers[envelopeTo.toLowerCase()];
      if (typeof recipient !== 'string' || recipient.trim() === '')
        throw new ServiceError('required', { field: envelopeTo });
      const streamOf = async (id: string) => (await queries.placeOfEmail(id))?.stream;
      const taken = await reports.take({ recipient, bytes, streamOf }, call.context);
      const { outcome, emailId: email_id, verified, position } = taken;
      return { data: { outcome, email_id, verified }, headers: ['X-Position', position] };
    },
  }),
  release: write('releaseEmail', '/v1/email/{email_id}/release', {
    scope: 'email:write',
    summary: 'Send an e-mail again that is held or has failed',
    message: 'Email released successfully!',
    answer: { data: changedEmail, position: true },
    errors: ['email_not_releasable', 'email_erased', 'recipient_erased'],
    handle: async (call, parts) => {
      const { audience, clock } = parts;
      const now = new Date(clock()).toISOString();
      return changed(await audience.email.release(await placeOf(call, parts), now, call.context));
    },
  }),
  cancel: write('cancelEmail', '/v1/email/{email_id}/cancel', {
    scope: 'email:write',
    summary: 'End an e-mail that has not been sent',
    message: 'Email cancelled successfully!',
    answer: { data: changedEmail, position: true },
    errors: ['email_not_cancellable'],
    handle: async (call, parts) => changed(await parts.audience.email.cancel(await placeOf(call, parts), call.context)),
  }),
  get: read('getEmail', '/v1/email/{email_id}', {
    scope: 'email:read',
    summary: 'What became of an e-mail',
    answer: { data: emailState },
    handle: async (call, parts) => {
      const found = await parts.queries.getEmail(call.parameter('email_id'));
      if (found === undefined) throw new ServiceError('not_found');
      return { data: shown(found, parts) };
    },
  }),
  page: read('listEmails', '/v1/email', {
    scope: 'email:read',
    summary: 'List the e-mails',
    query: z.object({
      state: namedChoice(deliveryState, 'Only emails in this state.').optional(),
      ...paging,
    }),
    answer: pageSchema(emailState, { incomplete }),
    handle: async (call, parts) => {
      const { state } = call.query;
      const scope = ['emails', state ?? ''];
      const page = pageRequest(call.query, scope);
      const { items, ...rest } = await parts.queries.pageEmails({ ...page, state });
      return answerOfPage({ ...rest, items: items.map((email) => shown(email, parts)) }, { scope });
    },
  }),
};

export const emailResource: Resource<Parts> = {
  name: 'Email',
  description: 'Transactional e-mail, one recipient per request.',
  parameters: { email_id: idInPath('eml', 'email') },
  endpoints: emailEndpoints,
};

type EmailCall = Call<unknown, unknown, 'email_id'>;

/** Asks the view, because the stream follows from the id only if the email was sent without an `Idempotency-Key`. @throws ServiceError `not_found` */
async function placeOf(call: EmailCall, { queries }: Parts): Promise<PlacedEmail> {
  const place = await queries.placeOfEmail(call.parameter('email_id'));
  if (place === undefined) throw new ServiceError('not_found');
  return place;
}

/** Returns the email with the next attempt as the mailer will make it, even if the email was deferred while the clock was ahead. */
function shown(email: EmailAnswer, { pauses, clock }: Parts): EmailAnswer {
  const { next_attempt_at } = email;
  if (next_attempt_at === null) return email;
  const latest = latestAttempt({ ...email, next_attempt_at }, pauses, clock());
  return { ...email, next_attempt_at: new Date(latest).toISOString() };
}

const changed = ({ emailId, status, position }: ChangedEmail): Answer => ({
  data: { email_id: emailId, state: status },
  headers: ['X-Position', position],
});
