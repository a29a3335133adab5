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
  const said = wordsIn(failed);
  const code = codeOf(status, said);
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

/** Reads `5.4.4 (Illegal host name found)`: the code, if it means failure, and the comment. */
function statusIn(failed: Fields): { readonly status: string | undefined; readonly comment: string } {
  const [, status, comment = ''] =
    /^([45]\.\d{1,3}\.\d{1,3})(?![.\d])(?:[^(]*\(([^)]*))?/.exec(failed.get('status') ?? '') ?? [];
  return { status, comment };
}

/**
 * Returns the code to record. The code of the quoted reply is preferred if it means failure of the same class, because
 * `Status:` is often 5.0.0, or not what the recipient's server said.
 */
function codeOf(status: string | undefined, said: string): string | undefined {
  const [, replied] = /^[45]\d\d[ -]([45]\.\d{1,3}\.\d{1,3})(?!\.?\d)/.exec(said) ?? [];
  if (status === undefined || replied === undefined) return status ?? replied;
  return replied.endsWith('.0.0') || !replied.startsWith(status.charAt(0)) ? status : replied;
}

/** Returns the words of the server in `Diagnostic-Code`, or those in `X-Supplementary-Info` if there are none. */
function wordsIn(failed: Fields): string {
  const [, diagnostic = ''] = /^[^;]*;(.*)$/s.exec(failed.get('diagnostic-code') ?? '') ?? [];
  // `<mx.example.net #5.0.0 smtp; 550 5.1.1 unknown>`
  const [, supplement = ''] = /\bsmtp;([^>]*)/i.exec(failed.get('x-supplementary-info') ?? '') ?? [];
  return oneLine(diagnostic) || oneLine(supplement);
}

const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim();
