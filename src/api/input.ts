/** Parses bodies into what the commands take: required fields first, then each field's form, in documented order. */
import { z } from 'zod';
import type { ProfileChange, SubscriptionStatus } from '../commands/contact.js';
import { errorCatalogue, ServiceError, type ErrorCode } from '../errors.js';
import type { Body } from './body.js';
import { isObject } from './envelope.js';
import {
  address,
  mailbox,
  name,
  optionalTagNames,
  profileChecks,
  profileField,
  recipient,
  status,
  subject,
  tagNames,
  template,
} from './fields.js';

/** Throws the ServiceError of the first thing that is wrong. */
export type Parser<Input> = (body: Body) => Input;

/** Of endpoints that take nothing from the body. */
export const parseNothing: Parser<undefined> = () => undefined;

export const parseGroup = parser(['group_name'], z.object({ group_name: name }));
export const parseList = parser(['list_name'], z.object({ list_name: name }));
export const parseTag = parser(['tag_name'], z.object({ tag_name: name }));
export const parseStatusChange = parser(['status', 'contact_email'], z.object({ status, contact_email: address }));
const tagging = parser(['tag_name', 'contact_email'], z.object({ tag_name: tagNames, contact_email: address }));
export const parseTagging: typeof tagging = (body) => {
  checkRequired(body, ['tag_name'], isBlankOrEmpty);
  return tagging(body);
};
export const parseEmail = parser(
  ['from_email', 'to_email', 'subject', 'mail_template'],
  z.object({ from_email: mailbox, to_email: recipient, subject, mail_template: template }),
);

export const profileFieldNames = [
  'firstName',
  'lastName',
  'phone',
  'dateOfBirth',
  'address',
  'city',
  'state',
  'country',
  'zipcode',
] as const;

export interface ContactInput {
  readonly email: string;
  readonly status: SubscriptionStatus;
  readonly profile: ProfileChange;
  readonly tag_name: readonly string[];
}

/** The two parsers of contacts; `today` is the UTC day as YYYY-MM-DD. */
export function contactParsers(today: () => string): { create: Parser<ContactInput>; upsert: Parser<ContactInput> } {
  const checks = profileChecks(today);
  const contact = {
    email: address,
    status,
    firstName: profileField(checks.firstName),
    lastName: profileField(checks.lastName),
    phone: profileField(checks.phone),
    dateOfBirth: profileField(checks.dateOfBirth),
    address: profileField(checks.address),
    city: profileField(checks.city),
    state: profileField(checks.state),
    country: profileField(checks.country),
    zipcode: profileField(checks.zipcode),
  };
  const required = ['email', 'status'] as const;
  const create = parser(required, z.object(contact));
  const upsert = parser(required, z.object({ ...contact, tag_name: optionalTagNames }));
  return {
    create: (body) => {
      const { email, status: wanted, ...profile } = create(flattened(body));
      return { email, status: wanted, profile, tag_name: [] };
    },
    upsert: (body) => {
      const { email, status: wanted, tag_name, ...profile } = upsert(flattened(body));
      return { email, status: wanted, profile, tag_name };
    },
  };
}

/** Profile fields may stand beside `email` and `status`, in an object `data`, or in both. */
function flattened(body: Body): Body {
  checkRequired(body, ['email', 'status']);
  const nested = Object.hasOwn(body, 'data') ? body['data'] : undefined;
  if (nested === undefined || nested === null) return body;
  if (!isObject(nested)) throw new ServiceError('not_an_object', { field: 'data' });
  const flat = picked(body, ['email', 'status', 'tag_name', ...profileFieldNames]);
  for (const [field, value] of Object.entries(picked(nested, profileFieldNames))) {
    if (Object.hasOwn(flat, field) && flat[field] !== value) throw new ServiceError('given_twice', { field });
    flat[field] = value;
  }
  return flat;
}

function picked(body: Body, fields: readonly string[]): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const field of fields) if (Object.hasOwn(body, field)) result[field] = body[field];
  return result;
}

function parser<Schema extends z.ZodObject>(required: readonly string[], schema: Schema): Parser<z.output<Schema>> {
  return (body) => {
    checkRequired(body, required);
    const result = schema.safeParse(body);
    if (result.success) return result.data;
    throw asServiceError(result.error);
  };
}

function checkRequired(body: Body, required: readonly string[], isMissing = isBlank): void {
  for (const field of required)
    if (!Object.hasOwn(body, field) || isMissing(body[field])) throw new ServiceError('required', { field });
}

/** Where an array is wanted, an empty one is missing too. */
const isBlankOrEmpty = (value: unknown): boolean => isBlank(value) || (Array.isArray(value) && value.length === 0);

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

function asServiceError({ issues }: z.ZodError): ServiceError {
  const [issue] = issues;
  const field = String(issue?.path[0] ?? 'body');
  if (issue?.code !== 'custom') return new ServiceError('not_a_string', { field });
  const code: unknown = issue.params?.['code'];
  const limit: unknown = issue.params?.['limit'];
  if (!isErrorCode(code)) throw new TypeError(`no error code for ${field}`);
  return new ServiceError(code, typeof limit === 'number' ? { field, limit } : { field });
}

const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(errorCatalogue, code);
