/** Reads a report of a mail server or mailbox provider: its parts for machines, and nothing else. Prose is not guessed at. */
import type { Attachment } from 'postal-mime';
import { failedDelivery, type FailedDelivery } from './delivery-status.js';
import { complaintIn, type Complaint } from './feedback-report.js';
import { blocksOf, type Fields } from './fields.js';

export type MailReport = (FailedDelivery | Complaint) & {
  /** Of the returned e-mail, as far as the report has it. */
  readonly messageId?: string;
  /** The part for machines, by which a repeat is known, without the lines that may hold an address. */
  readonly text: string;
};

/** What is read of a report: its parts for machines stand at its beginning. Bounded, for anybody can send one. */
const mostLines = 5_000;
const limits = { maxHeadersSize: 64 * 1024, maxNestingDepth: 16 } as const;

const statusTypes = ['message/delivery-status', 'message/global-delivery-status'];
const feedbackTypes = ['message/feedback-report'];
const returnedTypes = ['message/rfc822', 'text/rfc822-headers', 'message/global', 'message/global-headers'];
const anyReport = /message\/(?:global-)?delivery-status|message\/feedback-report/i;

/** Undefined: it is no report, cannot be read, or says neither that an e-mail failed nor that somebody complained of it. */
export async function readReport(bytes: Buffer): Promise<MailReport | undefined> {
  const read = bytes.subarray(0, endOfLine(bytes, mostLines));
  // Most of what comes to a published address is no report.
  if (!anyReport.test(read.toString('latin1'))) return undefined;
  const parts = await partsOf(read);
  const said = saidIn(parts);
  if (said === undefined) return undefined;
  const messageId = returnedHeader(parts)?.get('message-id');
  return { ...said, ...(messageId === undefined ? {} : { messageId }) };
}

function saidIn(parts: readonly Attachment[]): MailReport | undefined {
  const status = textOf(parts, statusTypes);
  const failed = failedDelivery(status);
  if (failed !== undefined) return { ...failed, text: withoutAddresses(status) };
  const feedback = textOf(parts, feedbackTypes);
  const complaint = complaintIn(feedback);
  return complaint && { ...complaint, text: withoutAddresses(feedback) };
}

/** Of the e-mail that the report is about. */
const returnedHeader = (parts: readonly Attachment[]): Fields | undefined =>
  blocksOf(textOf(parts, returnedTypes).split(/\r?\n\r?\n/, 1)[0] ?? '')[0];

const withoutAddresses = (text: string): string =>
  text
    .replaceAll(/\r?\n[ \t]+/g, ' ')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !/@|^diagnostic-code:/i.test(line))
    .join('\n')
    .trim();

async function partsOf(message: Buffer): Promise<readonly Attachment[]> {
  // Needed by reports alone.
  const { default: PostalMime } = await import('postal-mime');
  try {
    return (await PostalMime.parse(message, { ...limits, forceRfc822Attachments: true })).attachments;
  } catch {
    return [];
  }
}

/** Of the first part of these types; empty where there is none. */
function textOf(parts: readonly Attachment[], types: readonly string[]): string {
  const { content = '' } = parts.find(({ mimeType }) => types.includes(mimeType)) ?? {};
  return typeof content === 'string' ? content : new TextDecoder().decode(content);
}

/** Where this line ends. */
function endOfLine(bytes: Buffer, line: number): number {
  let at = -1;
  for (let count = 0; count < line; count += 1) {
    at = bytes.indexOf('\n', at + 1);
    if (at < 0) return bytes.length;
  }
  return at + 1;
}
