/** What the options of the audit commands mean: times, numbers, contacts. */
import { Option } from 'commander';
import { isCalendarDay, parseTime, type Edge } from '../../audit/times.js';
import { isAddress } from '../../events/address.js';
import { UsageError } from '../../transfer/failures.js';

/** `--time` and `--at` are two names of one option. */
export const timeOption = (flags: string): Option =>
  new Option(
    flags,
    'ISO 8601; a date alone is its last millisecond in UTC, a time without fraction its first: 12:00Z is 12:00:00.000Z',
  ).argParser((text: string, before: unknown) => {
    if (before !== undefined) throw new UsageError('--time and --at are one option: give it once');
    return text;
  });

/** UTC with milliseconds. @throws UsageError */
export function timeIn(option: string, text: string, edge: Edge): string {
  const time = parseTime(text, edge);
  const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
  if (day !== undefined && !isCalendarDay(day)) throw new UsageError(`${option}: there is no day ${day}`);
  if (time === undefined)
    throw new UsageError(`${option} must be an ISO 8601 date, or a date and time with its zone (2026-03-01T12:00Z)`);
  return time;
}

/** @throws UsageError */
export function wholeNumberIn(option: string, text: string): number {
  if (/^[1-9][0-9]{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`${option} must be a whole number from 1`);
}

/** An id, or an e-mail address. @throws UsageError */
export function contactIn(text: string): { readonly email: string } | { readonly contactId: string } {
  if (!text.includes('@')) return { contactId: text };
  const email = text.trim();
  if (!isAddress(email)) throw new UsageError('<contact> must be a contact id or a valid email address');
  return { email };
}
