/** What the answers of the auditor have in common, in words. */
import type { Basis } from '../../audit/answers.js';
import { basisInWords } from '../../audit/basis.js';
import type { Consent } from '../../events/contact.js';
import { printable } from '../../events/printable.js';

export const basisLines = (basis: Basis): readonly string[] => basisInWords(basis).map(printable);

/** The statement as it was written, each of its lines marked, so that none passes for a line of the answer. */
export function consentInWords({ statement, ...facts }: Consent, type: string): readonly string[] {
  const concerned = type === 'ContactUnsubscribed' ? ' that it concerns' : '';
  const told = Object.entries(facts).flatMap(([name, value]) =>
    typeof value === 'string' ? [`${name}${name === 'legal_basis' ? concerned : ''} ${printable(value)}`] : [],
  );
  const lines = statement?.split('\n').map((line) => `| ${printable(line)}`) ?? [];
  return [...(told.length === 0 ? [] : [told.join(', ')]), ...lines];
}
