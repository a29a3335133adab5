/** Reads query parameters: texts, choices, times. */
import type { Request } from 'express';
import { parseTime, type Edge } from '../audit/times.js';
import { ServiceError, type ErrorCode } from '../errors.js';
import { addressIn } from './input.js';

const longestName = 64;

/** A misspelt filter would answer more than was asked for. @throws ServiceError `unknown_parameter` */
export function checkParameters(request: Request, known: readonly string[]): void {
  if (!request.url.includes('?')) return;
  for (const name of Object.keys(request.query))
    if (!known.includes(name)) throw new ServiceError('unknown_parameter', { field: name.slice(0, longestName) });
}

/** A query parameter; `null` when it is given more than once. */
export function queryText(request: Request, name: string): string | undefined | null {
  const value: unknown = request.query[name];
  if (value === undefined) return undefined;
  return typeof value === 'string' ? value : null;
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
  return { email: addressIn('contact', text) };
}

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
