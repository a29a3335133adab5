/** What clients can ask for of transactional e-mail: send, release, cancel. */
import { ServiceError } from '../errors.js';
import type { EmailEvent } from '../events/email.js';
import { emailStream, type StreamKeys } from '../events/streams.js';
import type { CommandContext } from './batch.js';
import type { CommandHandler, CommandResult } from './command-handler.js';
import { emailContent } from './mustache.js';
import type { EmailMessage } from './email-commands.js';
import type { EmailCommand, EmailState, EmailStatus } from './email.js';

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

/** Its stream, whole name, and what its request says: whose it is and where the log has it. */
export interface PlacedEmail {
  readonly stream: string;
  readonly recipientKey: string;
  readonly position: string;
}

export interface EmailRequestsOptions {
  readonly emails: CommandHandler<EmailState, EmailCommand, EmailEvent>;
  readonly keys: StreamKeys;
  readonly newId: (prefix: 'eml') => string;
  readonly newSalt: () => string;
  /** Whether the recipient has asked to be erased since the e-mail was requested. By the log. */
  readonly isToBeErased: (email: PlacedEmail) => Promise<boolean>;
}

/** Each of them throws a ServiceError: a refusal of the contract, or `unavailable`. */
export function createEmailRequests({ emails, keys, newId, newSalt, isToBeErased }: EmailRequestsOptions) {
  /** Without a salt as in schema 1 of `EmailRequested`. */
  function requestHash({ from_email, to_email, subject, mail_template, ...more }: EmailMessage, salt?: string): string {
    const fields = [from_email, to_email, subject, mail_template];
    if (salt === undefined)
      return keys.requestHash(more.variables === undefined ? fields : [...fields, more.variables]);
    const sorted = Object.entries(more).sort(([one], [other]) => (one < other ? -1 : 1));
    return keys.requestHash([...fields, Object.fromEntries(sorted)], salt);
  }

  return {
    /** `replayed`: an earlier request with the same key had been accepted already. */
    async send({ message, idempotencyKey }: SendEmail, context: CommandContext) {
      const emailId = newId('eml');
      const key = keys.emailKey(idempotencyKey === undefined ? { emailId } : { idempotencyKey });
      emailContent(message);
      const idempotency = { key_hash: key, hash: (salt?: string) => requestHash(message, salt) };
      const { state, position } = await emails.execute({
        stream: emailStream(key),
        command: {
          type: 'RequestEmail',
          email_id: emailId,
          recipient_key: keys.contactKey(message.to_email),
          message: { salt: newSalt(), ...message },
        },
        context: idempotencyKey === undefined ? context : { ...context, idempotency },
        assumeNew: true,
      });
      return { emailId: state.email_id, replayed: state.email_id !== emailId, position };
    },
    /** `now`: a time in ISO 8601 with milliseconds. An erasure that is requested meanwhile cancels the e-mail. */
    async release(email: PlacedEmail, now: string, context: CommandContext) {
      if (await isToBeErased(email)) throw new ServiceError('recipient_erased');
      const command = { type: 'ReleaseEmail', next_attempt_at: now } as const;
      return changed(await emails.execute({ stream: email.stream, command, context }));
    },
    async cancel({ stream }: Pick<PlacedEmail, 'stream'>, context: CommandContext) {
      const command = { type: 'CancelEmail', reason: 'requested_by_client' } as const;
      return changed(await emails.execute({ stream, command, context }));
    },
  };
}

const changed = ({ state, position }: CommandResult<EmailState, unknown>): ChangedEmail => ({
  emailId: state.email_id,
  status: state.status,
  position,
});
