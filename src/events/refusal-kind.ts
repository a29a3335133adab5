/** Classifies what a mail server said when it refused an email, in an SMTP reply or in a bounce. */

/**
 * `hard`: the mailbox or its domain does not exist. `full`: the mailbox is over its quota. `policy`: the server refuses the
 * sender, the network or this message. `other`: everything else.
 */
export const refusalKinds = ['hard', 'full', 'policy', 'other'] as const;
export type RefusalKind = (typeof refusalKinds)[number];

export interface Refusal {
  readonly kind: RefusalKind;
  /** Whether the server gave up for good (5.x.x) instead of for now (4.x.x). */
  readonly isPermanent: boolean;
}

interface RefusalText {
  /** Enhanced status code (RFC 3463), such as `5.1.1`: `Status:` of a bounce. */
  readonly status?: string | undefined;
  /** The reply of the SMTP server, such as `550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown`. */
  readonly reply?: string | undefined;
}

const hardCodes: ReadonlySet<string> = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1']);

export function classifyRefusal({ status = '', reply = '' }: RefusalText): Refusal {
  const code = status === '' ? (/^\d{3}[ -]([45]\.\d{1,3}\.\d{1,3})/.exec(reply)?.[1] ?? '') : status;
  return { kind: hardCodes.has(code) ? 'hard' : 'other', isPermanent: !code.startsWith('4.') };
}

/**
 * Returns how a refusal counts toward the suppression of an address. Returns undefined if it does not count, because the
 * mailbox does not exist (the address is suppressed at once) or the refusal is about the sender and not the recipient.
 */
export function countedKind({ kind, isPermanent }: Refusal): 'soft' | 'unclear' | undefined {
  if (kind === 'hard' || kind === 'policy') return undefined;
  return kind === 'full' || !isPermanent ? 'soft' : 'unclear';
}
