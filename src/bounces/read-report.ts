/** Reads the machine-readable parts of a report from a mail server or mailbox provider. Prose is not interpreted. */
import { createHash } from 'node:crypto';
import type { Attachment, Email } from 'postal-mime';
import { failedDelivery, type FailedDelivery } from './delivery-status.js';
import { emailHeader } from '../events/email-proof.js';
import { complaintIn, isMicrosoftComplaint, microsoftSender, sendersIn, type Complaint } from './feedback-report.js';
import { blocksOf, type Fields } from './fields.js';

export type MailReport = (FailedDelivery | Complaint) & {
  /** Message-ID of the returned email, if the report contains it. */
  readonly messageId?: string | undefined;
  /** X-Audience-Email of the returned email, if the report contains it. */
  readonly emailHeader?: string | undefined;
  /** `To` of the report. */
  readonly to?: string | undefined;
  /** SHA-256 of the machine-readable part without the lines that may hold an address. A repeat has the same digest. */
  readonly digest: string;
};

/** The most lines of a report that are read. The machine-readable parts are at its beginning. */
const mostLines = 5_000;
const limits = { maxHeadersSize: 64 * 1024, maxNestingDepth: 16 } as const;

const statusTypes = ['message/delivery-status', 'message/global-delivery-status'];
const feedbackTypes = ['message/feedback-report'];
const messageTypes = ['message/rfc822', 'message/global'];
const returnedTypes = [...messageTypes, 'text/rfc822-headers', 'message/global-headers'];
/** A report or a message that may contain one. */
const anyReport = new RegExp(
  `message/(?:(?:global-)?delivery-status|feedback-report|rfc822|global\\b)|${microsoftSender.replace('.', '\\.')}`,
  'i',
);

/** Levels of attached messages in which a report is looked for, such as a report that a person forwarded as an attachment. */
const deepestLevel = 3;
/** The most attached messages of one message that are read. */
const mostAttached = 10;

/**
 * Returns the report, or undefined if the bytes are not a report, cannot be parsed, or tell neither of a failure nor of
 * a complaint. Anybody can send the bytes, so the service calls this function in a thread with limits (`report-reader.ts`).
 */
export async function readReport(bytes: Uint8Array): Promise<MailReport | undefined> {
  const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read = message.subarray(0, endOfLine(message, mostLines));
  // Most of what comes to a published address is not a report.
  return anyReport.test(read.toString('latin1')) ? await reportWithin(read, deepestLevel) : undefined;
}

/** Returns the report in a message, or in an attached message at most this many levels deep. */
async function reportWithin(message: Uint8Array, levels: number): Promise<MailReport | undefined> {
  const mail = await parsed(message);
  const report = reportIn(mail);
  if (report !== undefined) return report;
  const { attachments: parts } = mail;
  // The message attached to a report is the returned email. It says nothing about its own delivery.
  if (levels === 0 || isReport(parts)) return undefined;
  const attached = parts.filter(({ mimeType }) => messageTypes.includes(mimeType)).slice(0, mostAttached);
  for (const { content } of attached) {
    const found = await reportWithin(bytesOf(content), levels - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isReport = (parts: readonly Attachment[]): boolean =>
  parts.some(({ mimeType }) => [...statusTypes, ...feedbackTypes].includes(mimeType));

/** Returns what the parts for machines say, with what identifies the returned email. */
function reportIn(mail: Mail): MailReport | undefined {
  const header = returnedHeader(mail.attachments);
  const [returned] = blocksOf(header);
  const report = isReport(mail.attachments) ? statementIn(mail.attachments) : microsoftComplaint(mail, returned);
  if (report === undefined) return undefined;
  return {
    ...report,
    ...(report.type === 'complaint' ? { senders: [...report.senders, ...sendersIn(header)] } : {}),
    messageId: returned?.get('message-id'),
    emailHeader: returned?.get(emailHeader.toLowerCase()),
    to: mail.headers.find(({ key }) => key === 'to')?.value.slice(0, longestTo),
  };
}

/** The most characters of `To` of a report. */
const longestTo = 1_000;

function statementIn(parts: readonly Attachment[]): MailReport | undefined {
  const status = textOf(parts, statusTypes);
  const failed = failedDelivery(status);
  if (failed !== undefined) return { ...failed, digest: digestOf(status) };
  const feedback = textOf(parts, feedbackTypes);
  const complaint = complaintIn(feedback);
  return complaint && { ...complaint, digest: digestOf(feedback) };
}

function microsoftComplaint({ from, subject }: Mail, returned: Fields | undefined): MailReport | undefined {
  if (!isMicrosoftComplaint({ from: from?.address, subject, returned })) return undefined;
  // Microsoft says nothing beyond the email itself, so all its complaints about an email are the same report.
  return { type: 'complaint', senders: [], digest: digestOf(microsoftSender.replace('@', ' at ')) };
}

/** Returns the text of the header of the email that the report is about, or an empty text. */
const returnedHeader = (parts: readonly Attachment[]): string =>
  (textOf(parts, returnedTypes).split(/\r?\n\r?\n/, 1)[0] ?? '').slice(0, limits.maxHeadersSize);

const digestOf = (text: string): string => createHash('sha256').update(withoutAddresses(text)).digest('hex');

const withoutAddresses = (text: string): string =>
  text
    .replaceAll(/\r?\n[ \t]+/g, ' ')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !/@|^(?:diagnostic-code|x-supplementary-info):/i.test(line))
    .join('\n')
    .trim();

type Mail = Pick<Email, 'attachments' | 'from' | 'headers' | 'subject'>;

/** Returns a message without content if the bytes cannot be parsed. */
async function parsed(message: Uint8Array): Promise<Mail> {
  try {
    const parser = await openParser();
    return await parser.parse(message);
  } catch {
    return { attachments: [], headers: [] };
  }
}

/**
 * Returns a parser that never renders HTML. The library converts HTML to text in `renderTextContent`, with regular
 * expressions that take minutes on a hostile report, and has no option against that.
 */
async function openParser(): Promise<{ parse(message: Uint8Array): Promise<Mail> }> {
  const { default: PostalMime } = await import('postal-mime');
  class PartsOnly extends PostalMime {
    renderTextContent(): void {
      // Not needed, because all machine-readable parts are attachments.
    }
  }
  return new PartsOnly({ ...limits, forceRfc822Attachments: true });
}

/** Returns the text of the first part of these types, or an empty text. */
function textOf(parts: readonly Attachment[], types: readonly string[]): string {
  const { content = '' } = parts.find(({ mimeType }) => types.includes(mimeType)) ?? {};
  return typeof content === 'string' ? content : new TextDecoder().decode(content);
}

const bytesOf = (content: Attachment['content']): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);

/** Returns the offset after this line, or the length if there are fewer lines. */
function endOfLine(bytes: Buffer, line: number): number {
  let at = -1;
  for (let count = 0; count < line; count += 1) {
    at = bytes.indexOf('\n', at + 1);
    if (at < 0) return bytes.length;
  }
  return at + 1;
}
