/** The endpoints of transactional e-mail, and what they answer. */
import { z } from 'zod';
import { refusalKinds } from '../../../events/refusal-kind.js';
import { count, emailId, object, text, time } from '../../../events/values.js';
import { deliveryStates } from '../../../projections/emails.js';
import { ownRead, ownWrite, write, type Resource } from '../../http/endpoint.js';
import { idInPath, incomplete, namedChoice, pageSchema, paging } from '../../schemas/parameters.js';
import { reportEndpoint } from './reports.js';
import { listOfSubscribers, mailbox, recipient, subject, template, variables } from './content.js';

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

export const emailEndpoints = {
  send: write('sendEmail', '/v1/email/send', {
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
    replays: true,
    bodyLimit: 1024 * 1024,
    bucket: 'email',
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
  }),
  report: reportEndpoint,
  release: ownWrite('releaseEmail', '/v1/email/{email_id}/release', {
    scope: 'email:write',
    summary: 'Send an e-mail again that is held or has failed',
    message: 'Email released successfully!',
    answer: { data: changedEmail, position: true },
    errors: ['email_not_releasable', 'email_erased', 'recipient_erased'],
  }),
  cancel: ownWrite('cancelEmail', '/v1/email/{email_id}/cancel', {
    scope: 'email:write',
    summary: 'End an e-mail that has not been sent',
    message: 'Email cancelled successfully!',
    answer: { data: changedEmail, position: true },
    errors: ['email_not_cancellable'],
  }),
  get: ownRead('getEmail', '/v1/email/{email_id}', {
    scope: 'email:read',
    summary: 'What became of an e-mail',
    answer: { data: emailState },
  }),
  page: ownRead('listEmails', '/v1/email', {
    scope: 'email:read',
    summary: 'List the e-mails',
    query: z.object({
      state: namedChoice(deliveryState, 'Only emails in this state.').optional(),
      ...paging,
    }),
    answer: pageSchema(emailState, { incomplete: incomplete }),
  }),
};

export const emailResource: Resource = {
  name: 'Email',
  description: 'Transactional e-mail, one recipient per request.',
  parameters: { email_id: idInPath('eml', 'email') },
  endpoints: emailEndpoints,
};
