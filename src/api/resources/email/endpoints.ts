/** The endpoints of transactional e-mail. */
import { z } from 'zod';
import { deliveryStates } from '../../../projections/emails.js';
import { mailbox, recipient, subject, template } from '../../schemas/fields.js';
import { choice, paging } from '../../schemas/query.js';
import * as answers from '../contacts/answers.js';
import { variables } from './content.js';
import { ownRead, ownWrite, write } from '../../http/endpoint.js';

export const emailEndpoints = {
  send: write('sendEmail', '/v1/email/send', {
    scope: 'email:write',
    summary: 'Send one e-mail',
    description: 'The answer means: the request is stored durably, and the e-mail will be sent.',
    body: z.object({ from_email: mailbox, to_email: recipient, subject, mail_template: template, variables }),
    echo: { flat: ['from_email', 'to_email', 'subject', 'mail_template'], nested: [] },
    replays: true,
    bodyLimit: 1024 * 1024,
    bucket: 'email',
    message: 'Email accepted for delivery!',
    answer: { data: answers.acceptedEmail, headers: ['Location'] },
    errors: ['invalid_template', 'not_a_scalar'],
  }),
  release: ownWrite('releaseEmail', '/v1/email/{email_id}/release', {
    scope: 'email:write',
    summary: 'Send an e-mail again that is held or has failed',
    message: 'Email released successfully!',
    answer: { data: answers.changedEmail },
    errors: ['email_not_releasable', 'email_erased', 'recipient_erased'],
  }),
  cancel: ownWrite('cancelEmail', '/v1/email/{email_id}/cancel', {
    scope: 'email:write',
    summary: 'End an e-mail that has not been sent',
    message: 'Email cancelled successfully!',
    answer: { data: answers.changedEmail },
    errors: ['email_not_cancellable'],
  }),
  get: ownRead('getEmail', '/v1/email/{email_id}', {
    scope: 'email:read',
    summary: 'What became of an e-mail',
    answer: { data: answers.emailState },
  }),
  page: ownRead('listEmails', '/v1/email', {
    scope: 'email:read',
    summary: 'List the e-mails',
    query: z.object({
      state: choice(deliveryStates, 'Only e-mails in this state.').optional(),
      ...paging,
    }),
    answer: answers.pageOf(answers.emailState, { incomplete: answers.incomplete }),
  }),
};
