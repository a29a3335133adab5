/** Reads the queries of audit requests: times, ids, positions. A parameter that a request does not have is refused, for a misspelt filter would answer more than was asked. */
import type { Request } from 'express';
import { isAddress } from '../commands/address.js';
import { ServiceError, type ErrorCode } from '../errors.js';
import { queryText } from './reads.js';

/** @throws ServiceError `unknown_parameter` */
export function checkParameters(request: Request, known: readonly string[]): void {
  for (const name of Object.keys(request.query))
    if (!known.includes(name))
      throw new ServiceError('unknown_parameter', { field: /^\w{1,64}$/.test(name) ? name : 'this' });
}

/** A query parameter, undefined where it is absent. An empty one is a mistake. @throws ServiceError `not_a_string` when it stands there twice, `required` */
export function optionalText(request: Request, name: string): string | undefined {
  const text = queryText(request, name);
  if (text === null) throw new ServiceError('not_a_string', { field: name });
  if (text?.trim() === '') throw new ServiceError('required', { field: name });
  return text;
}

export function requiredText(request: Request, name: string): string {
  const text = optionalText(request, name);
  if (text === undefined) throw new ServiceError('required', { field: name });
  return text;
}

/** One of the values; the first where the parameter is absent. @throws ServiceError with that code */
export function choice<Value extends string>(
  request: Request,
  name: string,
  { values, code }: { readonly values: readonly [Value, ...Value[]]; readonly code: ErrorCode },
): Value {
  const text = optionalText(request, name);
  if (text === undefined) return values[0];
  const value = values.find((one) => one === text);
  if (value === undefined) throw new ServiceError(code);
  return value;
}

/** What `{contact}` in a path stands for. @throws ServiceError `invalid_email` when it has an `@` and is no address */
export function parseContact(text: string): { readonly email: string } | { readonly contactId: string } {
  if (!text.includes('@')) return { contactId: text };
  const email = text.trim();
  if (!isAddress(email)) throw new ServiceError('invalid_email', { field: 'contact' });
  return { email };
}

/** Which end of a day a date alone stands for. */
type Edge = 'start' | 'end';

/** @throws ServiceError `invalid_time` */
export function optionalTime(request: Request, name: string, edge: Edge): string | undefined {
  const text = optionalText(request, name);
  if (text === undefined) return undefined;
  const time = parseTime(text, edge);
  if (time === undefined) throw new ServiceError('invalid_time', { field: name });
  return time;
}

export function requiredTime(request: Request, name: string, edge: Edge): string {
  requiredText(request, name);
  return optionalTime(request, name, edge) ?? '';
}

/** In a query a `+` that was not encoded has become a space; nothing else stands in its place. */
const timePattern =
  /^(\d{4}-\d{2}-\d{2})T((?:[01]\d|2[0-3]):[0-5]\d)(?::([0-5]\d)(?:[.,](\d{1,12}))?)?(Z|[+ -](?:[01]\d|2[0-3]):[0-5]\d)$/i;

/**
 * A point in time as UTC with milliseconds, or undefined. A date alone is its first or last millisecond in UTC. Of finer
 * fractions the last millisecond not after, or the first not before, is taken, so that no event is on the wrong side.
 */
export function parseTime(text: string, edge: Edge): string | undefined {
  const day = text.trim().slice(0, 10);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || !isCalendarDay(day)) return undefined;
  if (text.trim() === day) return edge === 'start' ? `${day}T00:00:00.000Z` : `${day}T23:59:59.999Z`;
  const parts = timePattern.exec(text.trim());
  return parts === null ? undefined : parseParts(parts, edge);
}

function parseParts([, day = '', clock = '', second, fraction = '', zone = '']: RegExpExecArray, edge: Edge) {
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0');
  const floor = Date.parse(`${day}T${clock}:${second ?? '00'}.${milliseconds}${zone.replace(' ', '+').toUpperCase()}`);
  const isBetween = /[1-9]/.test(fraction.slice(3));
  const time = new Date(edge === 'start' && isBetween ? floor + 1 : floor).toISOString();
  // Before the year 0 and after 9999 the text is longer, and times no longer sort as text.
  return time.length === 24 ? time : undefined;
}

function isCalendarDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}
