/** Reads what a mail server reports about a delivery: RFC 3464, and RFC 6533, which has the same fields in UTF-8. */
import { classifyRefusal, type Refusal } from '../events/refusal-kind.js';
import { blocksOf, type Fields } from './fields.js';

export interface FailedDelivery extends Refusal {
  readonly type: 'bounce';
  /** RFC 3463. Absent if the server gave no code that means failure. */
  readonly enhanced_code?: string;
  /** The server's words; personal. */
  readonly diagnostic?: string;
  readonly envelopeId?: string;
}

/** Characters of the server's words. */
const longestDiagnostic = 1_000;

/** Returns the failure, or undefined if the email is delayed, or was delivered, relayed or expanded. */
export function failedDelivery(text: string): FailedDelivery | undefined {
  const blocks = blocksOf(text);
  const failed = blocks.find((fields) => /^failed\b/i.test(fields.get('action') ?? ''));
  if (failed === undefined) return undefined;
  const { status, comment } = statusIn(failed);
  const replies = repliesIn(failed);
  const said = replies.join(' ');
  const code = replies.reduce(moreExactCode, status);
  const diagnostic = said.slice(0, longestDiagnostic).toWellFormed();
  const envelopeId = blocks.map((fields) => fields.get('original-envelope-id')).find((id) => id !== undefined);
  return {
    type: 'bounce',
    // Some servers explain the status in a comment and quote no reply.
    ...classifyRefusal({ status, reply: said === '' ? comment : said }),
    ...(code === undefined ? {} : { enhanced_code: code }),
    ...(diagnostic === '' ? {} : { diagnostic }),
    ...(envelopeId === undefined ? {} : { envelopeId }),
  };
}

/**
 * Reads `5.4.4 (Illegal host name found)`: the code, if it means failure, and the comment. If the code says nothing, reads
 * the code in `X-Supplementary-Info: <mx.example.net #5.1.1 smtp; 550 unknown>`.
 */
function statusIn(failed: Fields): { readonly status: string | undefined; readonly comment: string } {
  const [, status, comment = ''] =
    /^([45]\.\d{1,3}\.\d{1,3})(?![.\d])(?:[^(]*\(([^)]*))?/.exec(failed.get('status') ?? '') ?? [];
  const [, supplement] = /#([45]\.\d{1,3}\.\d{1,3})(?![.\d])/.exec(failed.get('x-supplementary-info') ?? '') ?? [];
  return { status: status === undefined || status.endsWith('.0.0') ? (supplement ?? status) : status, comment };
}

/**
 * Returns the code of a reply if it means failure of the same class as the status, and the status otherwise. The status is
 * often 5.0.0, or not what the recipient's server said.
 */
function moreExactCode(status: string | undefined, reply: string): string | undefined {
  const [, replied] = /^[45]\d\d[ -]([45]\.\d{1,3}\.\d{1,3})(?!\.?\d)/.exec(reply) ?? [];
  if (status === undefined || replied === undefined) return status ?? replied;
  return replied.endsWith('.0.0') || !replied.startsWith(status.charAt(0)) ? status : replied;
}

/** Returns the words of the recipient's server in `Diagnostic-Code` and in `X-Supplementary-Info`. */
function repliesIn(failed: Fields): readonly string[] {
  const [, diagnostic = ''] = /^[^;]*;(.*)$/s.exec(failed.get('diagnostic-code') ?? '') ?? [];
  // `<mx.example.net #5.0.0 smtp; 550 5.1.1 unknown>`
  const [, supplement = ''] =
    /(?:\bsmtp;|#[45]\.\d{1,3}\.\d{1,3} (?!\s*smtp;))([^>]*)/i.exec(failed.get('x-supplementary-info') ?? '') ?? [];
  return [oneLine(diagnostic), oneLine(supplement)].filter((reply) => reply !== '');
}

const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
