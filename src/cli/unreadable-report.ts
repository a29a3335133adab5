/** The warning about events that this version of the service cannot read, and that an answer leaves out. */
import type { UnreadableEvent } from '../audit/answers.js';
import type { Unreadable } from '../audit/unreadable.js';
import { count } from './progress-bar.js';
import { printable } from '../events/printable.js';

const told = 10;

export function unreadableInWords({ count: missed, events }: Unreadable): readonly string[] {
  if (missed === 0) return [];
  const what =
    missed === 1
      ? 'an event cannot be read: what it changed is'
      : `${count(missed)} events cannot be read: what they changed is`;
  const more = missed > told ? [`  and ${count(missed - told)} more`] : [];
  return [
    `Warning: ${what} not in the answer.`,
    ...events.slice(0, told).map((event) => `  ${placeOf(event)}`),
    ...more,
  ];
}

export const placeOf = ({ type, at, position, summary }: UnreadableEvent): string =>
  printable(`${at ?? 'at an unknown time'}  ${type}, position ${position}. ${summary}`);
