/** What the answers of the auditor have in common, in words. */
import type { Basis } from '../../audit/answers.js';
import type { Consent } from '../../events/contact.js';
import { printable } from '../table.js';

/** What an answer rests on, in one line, after what must be known of it. */
export function basisInWords(basis: Basis): readonly string[] {
  const { answered_at, log_id, position, ordinal, head, unlinked, future, list_note } = basis;
  const chain = ordinal === null ? `position ${position}` : `event ${ordinal}, head ${head}`;
  const rest = unlinked && ordinal !== null ? `; what came after it, up to position ${position}, has no link yet` : '';
  return [
    ...(list_note === undefined ? [] : [printable(list_note)]),
    ...(future ? ['The time is in the future: this is how it is now, and what happens until then may change it.'] : []),
    `Answered at ${answered_at} from the log ${log_id}, up to ${chain}${rest}.`,
  ];
}

/** The statement as it was written, each of its lines marked, so that none passes for a line of the answer. */
export function consentInWords({ statement, ...facts }: Consent): readonly string[] {
  const told = Object.entries(facts).flatMap(([name, value]) =>
    typeof value === 'string' ? [`${name} ${printable(value)}`] : [],
  );
  const lines = statement?.split('\n').map((line) => `| ${printable(line)}`) ?? [];
  return [...(told.length === 0 ? [] : [told.join(', ')]), ...lines];
}
