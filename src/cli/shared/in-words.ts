/** What answers have in common, in words: what they rest on, consent, what was not recorded or could not be read. */
import type { Basis, ContactLife, UnreadableEvent } from '../../audit/answers.js';
import { lifeInWords } from '../../audit/lives.js';
import type { UnreadableSummary } from '../../audit/unreadable.js';
import { formatCount } from './numbers.js';
import type { CommandLine } from './command-line.js';
import { basisInWords } from '../../audit/basis.js';
import type { Consent } from '../../events/contact.js';
import { printable } from '../../events/printable.js';

export const basisLines = (basis: Basis): readonly string[] => basisInWords(basis).map(printable);

/** All contacts that an address has had. Returns nothing if there was one, which was not erased. */
export function livesLines(lives: readonly ContactLife[]): readonly string[] {
  if (lives.every(({ erased }) => erased === null) && lives.length < 2) return [];
  const title =
    lives.length === 1 ? 'This address has had one contact:' : `This address has had ${lives.length} contacts:`;
  return ['', title, ...lives.map((life) => `  ${printable(lifeInWords(life))}`)];
}

/** The statement as it was written, each of its lines marked, so that none passes for a line of the answer. */
export function consentInWords({ statement, ...facts }: Consent, type: string): readonly string[] {
  const concerned = type === 'ContactUnsubscribed' ? ' that it concerns' : '';
  const named = Object.entries(facts).flatMap(([name, value]) =>
    typeof value === 'string' ? [`${name}${name === 'legal_basis' ? concerned : ''} ${printable(value)}`] : [],
  );
  const lines = statement?.split('\n').map((line) => `| ${printable(line)}`) ?? [];
  return [...(named.length === 0 ? [] : [named.join(', ')]), ...lines];
}

/** Of a command that shows persons and reads the log itself: only the service records who looked. */
export const sayNotRecorded = ({ stderr }: Pick<CommandLine, 'stderr'>): void => {
  stderr.write('Not recorded: the command read the log itself, and only the service records reads.\n');
};

/** The same in a JSON answer that is of the command line alone. */
export const notRecorded = { recorded: false } as const;

const mostNamed = 10;

/** Events that this version of the service cannot read, and that an answer leaves out. */
export function unreadableInWords({ count: missed, events }: UnreadableSummary): readonly string[] {
  if (missed === 0) return [];
  const what =
    missed === 1
      ? 'an event cannot be read: what it changed is'
      : `${formatCount(missed)} events cannot be read: what they changed is`;
  const more = missed > mostNamed ? [`  and ${formatCount(missed - mostNamed)} more`] : [];
  return [
    `Warning: ${what} not in the answer.`,
    ...events.slice(0, mostNamed).map((event) => `  ${placeOf(event)}`),
    ...more,
  ];
}

export const placeOf = ({ type, at, position, summary }: UnreadableEvent): string =>
  printable(`${at ?? 'at an unknown time'}  ${type}, position ${position}. ${summary}`);
