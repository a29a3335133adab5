/** Reads the machine-readable parts of a report from a mail server or mailbox provider. Prose is not interpreted. */
import { createHash } from 'node:crypto';
import type { Attachment } from 'postal-mime';
import { failedDelivery, type FailedDelivery } from './delivery-status.js';
import { complaintIn, type Complaint } from './feedback-report.js';
import { blocksOf, type Fields } from './fields.js';

export type MailReport = (FailedDelivery | Complaint) & {
  /** Message-ID of the returned email, if the report contains it. */
  readonly messageId?: string;
  /** SHA-256 of the machine-readable part without the lines that may hold an address. A repeat has the same digest. */
  readonly digest: string;
};

/** The most lines of a report that are read. The machine-readable parts are at its beginning. */
const mostLines = 5_000;
const limits = { maxHeadersSize: 64 * 1024, maxNestingDepth: 16 } as const;

const statusTypes = ['message/delivery-status', 'message/global-delivery-status'];
const feedbackTypes = ['message/feedback-report'];
const returnedTypes = ['message/rfc822', 'text/rfc822-headers', 'message/global', 'message/global-headers'];
const anyReport = /message\/(?:global-)?delivery-status|message\/feedback-report/i;

/**
 * Returns the report, or undefined if the bytes are not a report, cannot be parsed, or tell neither of a failure nor of
 * a complaint. Anybody can send the bytes, so the service calls this function in a thread with limits (`report-reader.ts`).
 */
export async function readReport(bytes: Uint8Array): Promise<MailReport | undefined> {
  const message = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read = message.subarray(0, endOfLine(message, mostLines));
  // Most of what comes to a published address is not a report.
  if (!anyReport.test(read.toString('latin1'))) return undefined;
  const parts = await partsOf(read);
  const report = reportIn(parts);
  if (report === undefined) return undefined;
  const messageId = returnedHeader(parts)?.get('message-id');
  return { ...report, ...(messageId === undefined ? {} : { messageId }) };
}

function reportIn(parts: readonly Attachment[]): MailReport | undefined {
  const status = textOf(parts, statusTypes);
  const failed = failedDelivery(status);
  if (failed !== undefined) return { ...failed, digest: digestOf(status) };
  const feedback = textOf(parts, feedbackTypes);
  const complaint = complaintIn(feedback);
  return complaint && { ...complaint, digest: digestOf(feedback) };
}

/** Returns the header of the email that the report is about. */
const returnedHeader = (parts: readonly Attachment[]): Fields | undefined =>
  blocksOf(textOf(parts, returnedTypes).split(/\r?\n\r?\n/, 1)[0] ?? '')[0];

const digestOf = (text: string): string => createHash('sha256').update(withoutAddresses(text)).digest('hex');

const withoutAddresses = (text: string): string =>
  text
    .replaceAll(/\r?\n[ \t]+/g, ' ')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !/@|^diagnostic-code:/i.test(line))
    .join('\n')
    .trim();

async function partsOf(message: Buffer): Promise<readonly Attachment[]> {
  try {
    const parser = await openParser();
    return (await parser.parse(message)).attachments;
  } catch {
    return [];
  }
}

/**
 * Returns a parser that never renders HTML. The library converts HTML to text in `renderTextContent`, with regular
 * expressions that take minutes on a hostile report, and has no option against that.
 */
async function openParser(): Promise<{ parse(message: Buffer): Promise<{ readonly attachments: Attachment[] }> }> {
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

/** Returns the offset after this line, or the length if there are fewer lines. */
function endOfLine(bytes: Buffer, line: number): number {
  let at = -1;
  for (let count = 0; count < line; count += 1) {
    at = bytes.indexOf('\n', at + 1);
    if (at < 0) return bytes.length;
  }
  return at + 1;
}
