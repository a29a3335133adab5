/** Handles the refusal of a recipient's mail server: stops mail to the address, or counts the refusal. */
import { countedKind, type Refusal } from '../events/refusal-kind.js';
import { suppressionStream } from '../events/streams.js';
import { everyMail, type countedKinds } from '../events/suppressions.js';
import type { CommandContext } from './batch.js';
import type { SuppressionHandler } from './suppression-requests.js';
import type { SuppressionCommand } from './suppressions.js';

interface BouncedOptions {
  readonly suppressions: SuppressionHandler;
  /** Returns whether the recipient has asked to be erased since the email was requested, according to the log. */
  readonly isToBeErased: (email: Pick<UndeliverableEmail, 'recipientKey' | 'position'>) => Promise<boolean>;
  /** BOUNCE_THRESHOLD. If it is 0, refusals are not counted. */
  readonly unclearDays: number;
}

export interface UndeliverableEmail {
  readonly emailId: string;
  readonly recipientKey: string;
  /** Position of the request of the email. */
  readonly position: string;
  /** Undefined if the content of the email is erased. */
  readonly address: string | undefined;
  /** Whether the content was erased with the person, and not by retention. */
  readonly isErasedWithPerson?: boolean;
}

/** `gone` means that the mailbox does not exist. The other kinds are counted, and stop mail at a threshold. */
export type MailboxBounce = 'gone' | (typeof countedKinds)[number];

/** Returns what a refusal says about the mailbox, or undefined if it is about the sender or the message. */
export const mailboxBounce = (refusal: Refusal): MailboxBounce | undefined =>
  refusal.kind === 'hard' ? 'gone' : countedKind(refusal);

export type RecordMailboxBounce = ReturnType<typeof createRecordMailboxBounce>;

/** A repeat changes nothing. @throws ServiceError `unavailable` @throws what the stores throw */
export const createRecordMailboxBounce =
  ({ suppressions, isToBeErased, unclearDays }: BouncedOptions) =>
  async (email: UndeliverableEmail, bounce: MailboxBounce, context: CommandContext): Promise<void> => {
    const { emailId: email_id, recipientKey, address } = email;
    if (bounce !== 'gone' && unclearDays === 0) return;
    const isErased = email.isErasedWithPerson === true || (await isToBeErased(email));
    // Otherwise the refusal would count against the next person who uses the address.
    if (bounce !== 'gone' && isErased) return;
    const person = isErased || address === undefined ? undefined : { email: address };
    const command: SuppressionCommand =
      bounce === 'gone'
        ? { type: 'Suppress', entries: [{ scope: everyMail, reason: 'hard_bounce', email_id }], person }
        : { type: 'CountBounce', email_id, kind: bounce, unclearDays, person };
    await suppressions.execute({ stream: suppressionStream(recipientKey), command, context });
  };
