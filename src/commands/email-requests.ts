/** What clients can ask for of transactional e-mail: send, release, cancel. */
import type { EmailEvent } from '../events/email.js';
import { emailStream, type StreamKeys } from '../events/streams.js';
import type { CommandContext } from './batch.js';
import type { CommandHandler, Handled } from './command-handler.js';
import { emailContent } from './email-content.js';
import type { EmailCommand, EmailMessage, EmailState, EmailStatus } from './email.js';

export interface AcceptedEmail {
  readonly emailId: string;
  /** True when an earlier request with the same key had been accepted already. */
  readonly replayed: boolean;
  readonly position: string;
}

export interface ChangedEmail {
  readonly emailId: string;
  readonly status: EmailStatus;
  readonly position: string;
}

export type EmailRequests = ReturnType<typeof createEmailRequests>;

interface SendEmail {
  readonly message: EmailMessage;
  readonly idempotencyKey: string | undefined;
}
type ChangeEmail = { readonly stream: string };

interface EmailRequestsOptions {
  readonly emails: CommandHandler<EmailState, EmailCommand, EmailEvent>;
  readonly keys: StreamKeys;
  readonly newId: (prefix: 'eml') => string;
}

/** Each of them throws a ServiceError: a refusal of the contract, or `unavailable`. */
export function createEmailRequests({ emails, keys, newId }: EmailRequestsOptions) {
  return {
    async send({ message, idempotencyKey }: SendEmail, context: CommandContext): Promise<AcceptedEmail> {
      const emailId = newId('eml');
      const key = keys.emailKey(idempotencyKey === undefined ? { emailId } : { idempotencyKey });
      emailContent(message);
      const { from_email, to_email, subject, mail_template, variables } = message;
      const fields = [from_email, to_email, subject, mail_template] as const;
      const requestHash = keys.requestHash(variables === undefined ? fields : [...fields, variables]);
      const idempotency = { key_hash: key, request_hash: requestHash };
      const { state, position } = await emails.execute({
        stream: emailStream(key),
        command: {
          type: 'RequestEmail',
          email_id: emailId,
          recipient_key: keys.contactKey(to_email),
          request_hash: requestHash,
          message,
        },
        context: idempotencyKey === undefined ? context : { ...context, idempotency },
        assumeNew: true,
      });
      return { emailId: state.email_id, replayed: state.email_id !== emailId, position };
    },
    /** `stream` is the whole name of the e-mail's stream, `now` a time in ISO 8601 with milliseconds. */
    async release({ stream, now }: ChangeEmail & { readonly now: string }, context: CommandContext) {
      const command = { type: 'ReleaseEmail', next_attempt_at: now } as const;
      return changed(await emails.execute({ stream, command, context }));
    },
    async cancel({ stream }: ChangeEmail, context: CommandContext) {
      const command = { type: 'CancelEmail', reason: 'requested_by_client' } as const;
      return changed(await emails.execute({ stream, command, context }));
    },
  };
}

const changed = ({ state, position }: Handled<EmailState, unknown>): ChangedEmail => ({
  emailId: state.email_id,
  status: state.status,
  position,
});
