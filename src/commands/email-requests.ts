/** What clients can ask for of transactional e-mail: send, release, cancel. */
import { ServiceError, type ErrorCode } from '../errors.js';
import type { EmailEvent } from '../events/email.js';
import { emailStream, type StreamKeys } from '../events/streams.js';
import type { CommandContext } from './batch.js';
import type { CommandHandler, CommandResult } from './command-handler.js';
import { emailContent, linkVariable, longestLink } from './mustache.js';
import type { EmailMessage } from './email-commands.js';
import type { EmailCommand, EmailState, EmailStatus } from './email.js';
import type { CheckRecipient, RecipientVerdict } from './recipients.js';

export interface ChangedEmail {
  readonly emailId: string;
  readonly status: EmailStatus;
  readonly position: string;
}

export type EmailRequests = ReturnType<typeof createEmailRequests>;

interface SendEmail {
  readonly message: EmailMessage;
  /** It is mail to a subscriber of this list. */
  readonly listId?: string | undefined;
  readonly idempotencyKey: string | undefined;
}

/** Errors with a message of their own, by the reason of the suppression. */
const suppressedError: ReadonlyMap<string, ErrorCode> = new Map([
  ['hard_bounce', 'no_mailbox'],
  ['repeated_bounces', 'keeps_refusing'],
]);

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
  readonly checkRecipient: CheckRecipient;
  /** Whether links can be put into e-mails: they lead to `PUBLIC_URL`. */
  readonly hasPublicUrl: boolean;
}

/** Each of them throws a ServiceError: a refusal of the contract, or `unavailable`. */
export function createEmailRequests(options: EmailRequestsOptions) {
  const { emails, keys, newId, newSalt, isToBeErased, checkRecipient, hasPublicUrl } = options;

  function requestHash({ message, listId }: SendEmail, salt?: string): string {
    const { from_email, to_email, subject, mail_template, ...rest } = message;
    const fields = [from_email, to_email, subject, mail_template];
    const more = Object.entries(listId === undefined ? rest : { ...rest, list_id: listId });
    const sorted = more.sort(([one], [other]) => (one < other ? -1 : 1));
    return keys.requestHash([...fields, Object.fromEntries(sorted)], salt);
  }

  /** Why a request that is no repeat is refused. */
  function refusalFor(verdict: RecipientVerdict, { listId }: SendEmail): ServiceError | undefined {
    switch (verdict.status) {
      case 'no_list':
        return new ServiceError('unknown_list');
      case 'not_in_list':
        return new ServiceError('not_in_list');
      case 'suppressed':
      case 'unsubscribed': {
        const { reason, since } = verdict;
        return new ServiceError(suppressedError.get(reason) ?? 'suppressed', {}, { data: { reason, since } });
      }
      case 'wanted':
        return listId === undefined || hasPublicUrl
          ? undefined
          : new ServiceError('not_configured', { names: 'PUBLIC_URL' });
      default:
        return verdict satisfies never;
    }
  }

  return {
    /** `replayed`: an earlier request with the same key had been accepted already. */
    async send(request: SendEmail, context: CommandContext) {
      const { message, listId, idempotencyKey } = request;
      const emailId = newId('eml');
      const key = keys.emailKey(idempotencyKey === undefined ? { emailId } : { idempotencyKey });
      const stream = emailStream(key);
      checkContent(request);
      const recipient_key = keys.contactKey(message.to_email);
      const verdict = await checkRecipient({ key: recipient_key, listId });
      const refusal = refusalFor(verdict, request);
      const isRepeat = async (): Promise<boolean> =>
        idempotencyKey !== undefined && (await emails.fresh(stream)).state.status !== 'none';
      // A repeat gets the answer to the first request, whatever has happened since.
      if (refusal !== undefined && !(await isRepeat())) throw refusal;
      const list = verdict.status === 'wanted' ? verdict.list : undefined;
      const idempotency = { key_hash: key, hash: (salt?: string) => requestHash(request, salt) };
      const { state, position } = await emails.execute({
        stream,
        command: {
          type: 'RequestEmail',
          email_id: emailId,
          recipient_key,
          list,
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

/** @throws ServiceError */
function checkContent({ message, listId }: SendEmail): void {
  if (listId === undefined) return void emailContent(message);
  if (message.variables !== undefined && Object.hasOwn(message.variables, linkVariable))
    throw new ServiceError('made_by_service', { field: `variables.${linkVariable}` });
  emailContent(message, longestLink);
}
