/** Reads the complaints of mailbox providers: feedback reports (RFC 5965), and the form of Microsoft that has none. */
import { blocksOf, unfolded, type Fields } from './fields.js';

export interface Complaint {
  readonly type: 'complaint';
  /** The envelope sender of the email as the provider names it, perhaps in several places. */
  readonly senders: readonly string[];
  readonly envelopeId?: string;
}

/** What recipients say. The other types are about authentication or viruses, or say that it is no spam. */
const complaints = new Set(['abuse', 'fraud', 'opt-out', 'opt-out-list']);

/** Returns undefined if the text of a feedback report is not a complaint. */
export function complaintIn(text: string): Complaint | undefined {
  const [fields] = blocksOf(text);
  if (!complaints.has(fields?.get('feedback-type')?.toLowerCase() ?? '')) return undefined;
  const originalSender = fields?.get('original-mail-from');
  const envelopeId = fields?.get('original-envelope-id');
  return {
    type: 'complaint',
    senders: originalSender === undefined ? [] : [originalSender],
    ...(envelopeId === undefined ? {} : { envelopeId }),
  };
}

/** The address from which Microsoft (Outlook.com, Hotmail) sends complaints. */
export const microsoftSender = 'staff@hotmail.com';

interface ForwardedEmail {
  /** Address in `From` of the message that contains the email. */
  readonly from: string | undefined;
  readonly subject: string | undefined;
  /** Header of the email in the message. */
  readonly returned: Fields | undefined;
}

/**
 * Returns whether a message without a feedback report is a complaint of Microsoft. A person who forwards an email as an
 * attachment does not complain. So the message must come from Microsoft's address and must also have Microsoft's subject
 * or the field that Microsoft adds to the email.
 */
export function isMicrosoftComplaint({ from = '', subject = '', returned }: ForwardedEmail): boolean {
  if (returned === undefined || from.toLowerCase() !== microsoftSender) return false;
  return returned.has('x-hmxmroriginalrecipient') || /^\s*complaint about message from\b/i.test(subject);
}

/** The most places of one header in which an envelope sender is looked for. */
const mostSenders = 20;

/** Returns the envelope senders that the header of a delivered email names: `Return-Path`, and `smtp.mailfrom` (RFC 8601). */
export function sendersIn(header: string): readonly string[] {
  const senders: string[] = [];
  for (const [, name = '', value = ''] of unfolded(header).matchAll(
    /^(return-path|authentication-results)[ \t]*:(.*)$/gim,
  )) {
    if (senders.length >= mostSenders) break;
    if (name.toLowerCase() === 'return-path') senders.push(value.trim());
    else
      senders.push(
        ...[...value.matchAll(/\bsmtp\.mailfrom[ \t]*=[ \t]*"?([^\s;"]{1,320})/gi)].map(([, one = '']) => one),
      );
  }
  return senders.slice(0, mostSenders);
}
