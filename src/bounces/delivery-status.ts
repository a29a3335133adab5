/** Reads what a mail server reports of a delivery: RFC 3464, and RFC 6533, which has the same fields in UTF-8. */
import { blocksOf, type Fields } from './fields.js';

export interface FailedDelivery {
  readonly type: 'bounce';
  readonly kind: 'hard' | 'soft';
  /** RFC 3463. Absent where the server gave none that means failure. */
  readonly enhanced_code?: string;
  /** The server's words; personal. */
  readonly diagnostic?: string;
  readonly envelopeId?: string;
}

/** Characters of the server's words. */
const longestDiagnostic = 1_000;

/** Undefined: nothing failed. It is delayed, or was delivered, relayed or expanded. */
export function failedDelivery(text: string): FailedDelivery | undefined {
  const blocks = blocksOf(text);
  const failed = blocks.find((fields) => /^failed\b/i.test(fields.get('action') ?? ''));
  if (failed === undefined) return undefined;
  const code = codeOf(failed);
  const words = diagnosticIn(failed).words.slice(0, longestDiagnostic).toWellFormed();
  const envelopeId = blocks.map((fields) => fields.get('original-envelope-id')).find((id) => id !== undefined);
  return {
    type: 'bounce',
    // It says that it gave up: without a code for good.
    kind: code?.startsWith('4.') === true ? 'soft' : 'hard',
    ...(code === undefined ? {} : { enhanced_code: code }),
    ...(words === '' ? {} : { diagnostic: words }),
    ...(envelopeId === undefined ? {} : { envelopeId }),
  };
}

/** Exim reports 5.0.0 for everything, and quotes the reply of the other server, which may have said more. */
function codeOf(failed: Fields): string | undefined {
  const status = codeIn(/^([45]\.\d{1,3}\.\d{1,3})(?![.\d])/, failed.get('status'));
  const { type, words } = diagnosticIn(failed);
  const replied = type === 'smtp' ? codeIn(/^\d{3}[ -]([45]\.\d{1,3}\.\d{1,3})(?!\.?\d)/, words) : undefined;
  if (status === undefined) return replied;
  return status.endsWith('.0.0') && replied?.startsWith(status.charAt(0)) === true ? replied : status;
}

const codeIn = (pattern: RegExp, text = ''): string | undefined => pattern.exec(text)?.[1];

/** `smtp; 550 5.1.1 …`: whose words these are, and the words. */
function diagnosticIn(failed: Fields): { readonly type: string; readonly words: string } {
  const [, type = '', words = ''] = /^([^;]*);(.*)$/s.exec(failed.get('diagnostic-code') ?? '') ?? [];
  return { type: type.trim().toLowerCase(), words: words.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim() };
}
