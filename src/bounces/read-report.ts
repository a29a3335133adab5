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
const messageTypes = ['message/rfc822', 'message/global'];
const returnedTypes = [...messageTypes, 'text/rfc822-headers', 'message/global-headers'];
/** A report or a message that may contain one. */
const anyReport = /message\/(?:(?:global-)?delivery-status|feedback-report|rfc822|global\b)/i;

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

/** Returns the report that a message is, or one that is attached to it at most so many levels deep. */
async function reportWithin(message: Uint8Array, levels: number): Promise<MailReport | undefined> {
  const parts = await partsOf(message);
  const report = reportIn(parts);
  if (report !== undefined) {
    const messageId = returnedHeader(parts)?.get('message-id');
    return { ...report, ...(messageId === undefined ? {} : { messageId }) };
  }
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
    .filter((line) => line !== '' && !/@|^(?:diagnostic-code|x-supplementary-info):/i.test(line))
    .join('\n')
    .trim();

async function partsOf(message: Uint8Array): Promise<readonly Attachment[]> {
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
async function openParser(): Promise<{ parse(message: Uint8Array): Promise<{ readonly attachments: Attachment[] }> }> {
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
