/** Composes the MIME message of an e-mail: a function of the request alone, so that a second copy is byte for byte the first. */
import MailComposer from 'nodemailer/lib/mail-composer';
import { parseMailbox } from '../commands/address.js';
import type { EmailMessage } from '../commands/email.js';
import { emailContent } from '../commands/email-content.js';
import { sentAddress } from '../events/address.js';
import { plainText } from './plain-text.js';
import { isAscii, type Mail } from './transport.js';

export interface RequestedMail {
  readonly email_id: string;
  /** UTC, ISO 8601: `at` of EmailRequested. */
  readonly requested_at: string;
  readonly message: EmailMessage;
}

/** The request cannot become one message from one sender to one recipient. It was validated when it was taken, so this is a fault. */
export class InvalidMessageError extends Error {
  override readonly name = 'InvalidMessageError';
}

/** @throws InvalidMessageError */
export async function composeMail({ email_id, requested_at, message }: RequestedMail): Promise<Mail> {
  const from = parseMailbox(message.from_email);
  const to = parseMailbox(message.to_email);
  if (from === undefined || to?.name !== '') throw new InvalidMessageError('address');
  // nodemailer would turn a line break into a space; what holds one never came through the API.
  if (/[\r\n\0]/.test(message.subject + from.name)) throw new InvalidMessageError('header');
  const { subject, html } = emailContent(message);
  // Where the HTML says nothing, as that of one image, the subject does.
  const text = plainText(html) || subject;
  const envelope = { from: sentAddress(from.address), to: sentAddress(to.address) };
  const [sender, recipient] = [inHeader(envelope.from, `${email_id}-from`), inHeader(envelope.to, `${email_id}-to`)];
  const composer = new MailComposer({
    from: { name: headerText(from.name), address: sender.address },
    to: { name: '', address: recipient.address },
    subject: headerText(subject),
    date: new Date(requested_at),
    messageId: `<${email_id}@${envelope.from.slice(envelope.from.indexOf('@') + 1)}>`,
    baseBoundary: email_id,
    // Descriptors, because nodemailer looks into plain values for a path or an address to load from.
    ...(text === '' ? {} : { text: part(text) }),
    html: part(html),
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const bytes = await composer.compile().build();
  return { email_id, envelope, bytes: recipient.complete(sender.complete(bytes)) };
}

/**
 * Beside a local part that is not ASCII, nodemailer writes the domain in Unicode, by Node's tables, which change. So it
 * gets a stand-in for the local part, and `complete` puts the real one into the header.
 */
function inHeader(address: string, standIn: string): { address: string; complete: (bytes: Buffer) => Buffer } {
  if (isAscii(address)) return { address, complete: (bytes) => bytes };
  const at = address.indexOf('@');
  const complete = (bytes: Buffer): Buffer => {
    const start = bytes.indexOf(`${standIn}@`);
    if (start < 0) throw new InvalidMessageError('header');
    return Buffer.concat([
      bytes.subarray(0, start),
      Buffer.from(address.slice(0, at)),
      bytes.subarray(start + standIn.length),
    ]);
  };
  return { address: standIn + address.slice(at), complete };
}

/**
 * The encoding is chosen here: the library's own choice may add `format=flowed`, which alters spaces. Quoted-printable
 * can be read as it stands, but triples what is not ASCII.
 */
const part = (content: string) => ({
  content,
  contentTransferEncoding: isReadable(content) ? ('quoted-printable' as const) : ('base64' as const),
});

/** Mostly ASCII, and without a lone CR, which quoted-printable would leave as it is. */
const isReadable = (content: string): boolean =>
  Buffer.byteLength(content) <= 1.2 * content.length && !/\r(?!\n)/.test(content);

/** Text that looks like an encoded word (RFC 2047) would be decoded by its reader: encoded once more, it arrives as typed. */
function headerText(text: string): string {
  if (!text.includes('=?')) return text;
  const words: string[] = [];
  let word = '';
  for (const character of text) {
    // With its frame a word may have 75 characters: 45 bytes make 60 of base64.
    if (Buffer.byteLength(word + character) > 45) {
      words.push(word);
      word = '';
    }
    word += character;
  }
  return [...words, word].map((part) => `=?UTF-8?B?${Buffer.from(part, 'utf8').toString('base64')}?=`).join(' ');
}
