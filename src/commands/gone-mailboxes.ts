/** Stops mail to an address of which a mail server says that there is no such mailbox. */
import { suppressionStream } from '../events/streams.js';
import { everyMail } from '../events/suppressions.js';
import type { CommandContext } from './batch.js';
import type { SuppressionHandler } from './suppression-requests.js';

interface GoneOptions {
  readonly suppressions: SuppressionHandler;
  /** Whether the recipient has asked to be erased since the e-mail was requested. By the log. */
  readonly isToBeErased: (email: Pick<UndeliverableEmail, 'recipientKey' | 'position'>) => Promise<boolean>;
}

export interface UndeliverableEmail {
  readonly emailId: string;
  readonly recipientKey: string;
  /** Of its request. */
  readonly position: string;
  /** Undefined: it is erased. */
  readonly address: string | undefined;
}

export type SuppressGone = ReturnType<typeof createSuppressGone>;

/** A repeat changes nothing. @throws ServiceError `unavailable` @throws what the stores throw */
export const createSuppressGone =
  ({ suppressions, isToBeErased }: GoneOptions) =>
  async (email: UndeliverableEmail, context: CommandContext): Promise<void> => {
    const { emailId, recipientKey, address } = email;
    const isKnown = address !== undefined && !(await isToBeErased(email));
    await suppressions.execute({
      stream: suppressionStream(recipientKey),
      command: {
        type: 'Suppress',
        entries: [{ scope: everyMail, reason: 'hard_bounce', email_id: emailId }],
        person: isKnown ? { email: address } : undefined,
      },
      context,
    });
  };
