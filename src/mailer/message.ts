/**
 * Composes the MIME message of an email. The message depends only on the request, the link to unsubscribe, the header
 * X-Audience-Email and the key of DKIM, so that a second copy has the same bytes.
 */
import MailComposer from 'nodemailer/lib/mail-composer';
import { parseMailbox } from '../commands/address.js';
import type { EmailMessage } from '../commands/email-commands.js';
import { emailContent } from '../commands/mustache.js';
import { sentAddress } from '../events/address.js';
import { emailHeader } from '../events/email-proof.js';
import { signed, type DkimSettings } from './dkim.js';
import { encoded, isReadable, looksEncoded } from './encoded-word.js';
import { listHeaders, type ListOfMail } from './list-headers.js';
import { plainText } from './plain-text.js';
import { isAscii, type Mail } from './transport.js';
import { encode as base64, wrap as wrapBase64 } from 'nodemailer/lib/base64';
import type MimeNode from 'nodemailer/lib/mime-node';
import { encode as quotedPrintable, wrap as wrapQuotedPrintable } from 'nodemailer/lib/qp';

export interface RequestedMail {
  readonly email_id: string;
  /** UTC, ISO 8601: `at` of EmailRequested. */
  readonly requested_at: string;
  readonly message: EmailMessage;
  /** Where it is mail to a subscriber of a list. */
  readonly list?: ListOfMail | undefined;
}

export interface Composition {
  /** What the e-mail is signed with; undefined: it is not. */
  readonly dkim?: DkimSettings | undefined;
  /** With which the recipient unsubscribes from the list; needed where there is one. */
  readonly link?: string | undefined;
  /** The value of the header X-Audience-Email. Only a message that tests the mail server has none. */
  readonly proof?: string | undefined;
}

/** The request cannot become one message from one sender to one recipient. It was validated when it was taken, so this is a fault. */
export class InvalidMessageError extends Error {
  override readonly name = 'InvalidMessageError';
}

/** @throws InvalidMessageError */
export async function composeMail(
  { email_id, requested_at, message, list }: RequestedMail,
  { dkim, link, proof }: Composition = {},
): Promise<Mail> {
  const { fromName, envelope } = partiesOf(message);
  const headers = [...(proof === undefined ? [] : [{ key: emailHeader, value: proof }]), ...headersFor(list, link)];
  const { subject, html } = emailContent(message, link);
  // Where the HTML says nothing, as that of one image, the subject does.
  const text = plainText(html) || subject;
  const name = nameInHeader(fromName, `${email_id}_name`);
  const sender = addressInHeader(envelope.from, `${email_id}-from`);
  const recipient = addressInHeader(envelope.to, `${email_id}-to`);
  const composer = new MailComposer({
    from: { name: name.text, address: sender.text },
    to: { name: '', address: recipient.text },
    subject: looksEncoded(subject) ? encoded(subject) : subject,
    date: new Date(requested_at),
    messageId: `<${email_id}@${envelope.from.slice(envelope.from.indexOf('@') + 1)}>`,
    baseBoundary: email_id,
    headers,
    // Descriptors, because nodemailer looks into plain values for a path or an address to load from.
    ...(text === '' ? {} : { text: part(text) }),
    html: part(html),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const built = assembled(composer.compile());
  const bytes = [name, sender, recipient].reduce((whole, part) => part.complete(whole), built);
  return { email_id, envelope, bytes: dkim === undefined ? bytes : await signed(bytes, dkim) };
}

/** @throws InvalidMessageError */
function partiesOf({ from_email, to_email, subject }: EmailMessage) {
  const from = parseMailbox(from_email);
  const to = parseMailbox(to_email);
  if (from === undefined || to?.name !== '') throw new InvalidMessageError('address');
  // nodemailer would turn a line break into a space; what holds one never came through the API.
  if (/[\r\n\0]/.test(subject + from.name)) throw new InvalidMessageError('header');
  return { fromName: from.name, envelope: { from: sentAddress(from.address), to: sentAddress(to.address) } };
}

/** @throws InvalidMessageError */
function headersFor(list: RequestedMail['list'], link: string | undefined) {
  if (list === undefined) return [];
  if (link === undefined) throw new InvalidMessageError('link');
  return listHeaders(list, link);
}

/** A text for the library, and what puts the real one into its place in the message. */
interface InHeader {
  readonly text: string;
  readonly complete: (bytes: Buffer) => Buffer;
}

const asItIs = (text: string): InHeader => ({ text, complete: (bytes) => bytes });

/** `standIn` is of letters, digits, `_` and `-`, and occurs nowhere else before its place. */
const replaced = (standIn: string, text: string): InHeader => ({
  text: standIn,
  complete: (bytes) => {
    const start = bytes.indexOf(standIn);
    if (start < 0) throw new InvalidMessageError('header');
    return Buffer.concat([bytes.subarray(0, start), Buffer.from(text), bytes.subarray(start + standIn.length)]);
  },
});

/** Beside a local part that is not ASCII, nodemailer writes the domain in Unicode, by Node's tables, which change. */
function addressInHeader(address: string, standIn: string): InHeader {
  if (isAscii(address)) return asItIs(address);
  const at = address.indexOf('@');
  const { text, complete } = replaced(standIn, address.slice(0, at));
  return { text: text + address.slice(at), complete };
}

/** nodemailer would put a name that looks like an encoded word into quotes, where some readers decode it. */
const nameInHeader = (name: string, standIn: string): InHeader =>
  looksEncoded(name) ? replaced(standIn, encoded(name).replaceAll(' ', '\r\n ')) : asItIs(name);

/** The encoding is chosen here: the library's own choice may add `format=flowed`, which alters spaces. */
const part = (content: string) => ({
  content,
  contentTransferEncoding: isReadable(content) ? ('quoted-printable' as const) : ('base64' as const),
});

/** CRLF throughout, and at the end. Contents are texts, in quoted-printable or base64. */
export function assembled(message: MimeNode): Buffer {
  const text = written(message);
  return Buffer.from((text.endsWith('\n') ? text : `${text}\r\n`).replaceAll(/(?<!\r)\n/g, '\r\n'));
}

function written(node: MimeNode): string {
  const headers = `${node.buildHeaders()}\r\n\r\n`;
  const { boundary } = node;
  if (boundary === undefined || boundary === false) return headers + contentOf(node);
  const parts = node.childNodes.map((part) => `--${boundary}\r\n${written(part)}`);
  return `${headers}${parts.join('\r\n')}\r\n--${boundary}--\r\n`;
}

function contentOf(node: MimeNode): string {
  const content = Buffer.from(typeof node.content === 'string' ? node.content : '');
  return node.getHeader('Content-Transfer-Encoding') === 'base64'
    ? wrapBase64(base64(content))
    : wrapQuotedPrintable(quotedPrintable(content));
}
