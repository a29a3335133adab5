/** Composes the MIME message of an e-mail: a function of the request alone, so that a second copy is byte for byte the first. */
import { compile } from 'html-to-text';
import MailComposer from 'nodemailer/lib/mail-composer';
import { parseMailbox } from '../commands/address.js';
import type { Mail } from './transport.js';

export interface RequestedMail {
  readonly email_id: string;
  /** UTC, ISO 8601: `at` of EmailRequested. */
  readonly requested_at: string;
  readonly message: {
    readonly from_email: string;
    readonly to_email: string;
    readonly subject: string;
    readonly mail_template: string;
  };
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
  const text = plainText(message.mail_template);
  const composer = new MailComposer({
    from: { name: from.name, address: from.address },
    to: { name: '', address: to.address },
    subject: message.subject,
    date: new Date(requested_at),
    messageId: `<${email_id}@${from.address.slice(from.address.indexOf('@') + 1)}>`,
    baseBoundary: email_id,
    // Descriptors, because a plain value would be looked at for a path or an address to load from.
    ...(text === '' ? {} : { text: part(text) }),
    html: part(message.mail_template),
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const bytes = await composer.compile().build();
  return { email_id, envelope: { from: from.address, to: to.address }, bytes };
}

/**
 * The encoding is chosen here: the library's own choice may add `format=flowed`, which alters spaces. Quoted-printable
 * can be read as it stands, but triples what is not ASCII.
 */
const part = (content: string) => ({
  content,
  contentTransferEncoding:
    Buffer.byteLength(content) > 1.2 * content.length ? ('base64' as const) : ('quoted-printable' as const),
});

/**
 * At most so much of the HTML goes into the text alternative. It is composed in the thread that answers requests, and
 * each tag costs 5 to 10 µs: docs/decisions/0005-mail-text.md.
 */
const maxTags = 6_000;
const maxTextSource = 256 * 1024;

const toText = compile({
  wordwrap: 78,
  limits: { maxDepth: 100, ellipsis: '…' },
  selectors: [
    { selector: 'img', format: 'skip' },
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
});

/** The text alternative. Ends in `[…]` where the HTML was too much to be read whole. */
export function plainText(html: string): string {
  const end = readableEnd(html);
  const text = toText(html.slice(0, end));
  return end < html.length ? `${text}\n\n[…]` : text;
}

function readableEnd(html: string): number {
  let tag = -1;
  for (let tags = 0; tags <= maxTags; tags += 1) {
    tag = html.indexOf('<', tag + 1);
    if (tag < 0 || tag > maxTextSource) return Math.min(html.length, maxTextSource);
  }
  return tag;
}
