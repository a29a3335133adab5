/** Parses bodies into what the commands take: required fields first, then each field's form, in documented order. */
import { profileFields, type ProfileChange, type SubscriptionStatus } from '../commands/contact.js';
import { ServiceError } from '../errors.js';
import type { Body } from './body.js';
import { isObject } from './envelope.js';
import {
  address,
  mailbox,
  name,
  optionalTagNames,
  profileChecks,
  recipient,
  status,
  subject,
  tagNames,
  template,
  type Check,
} from './fields.js';

/** Throws the ServiceError of the first thing that is wrong. */
export type Parser<Input> = (body: Body) => Input;

/** Of endpoints that take nothing from the body. */
export const parseNothing: Parser<undefined> = () => undefined;

export const parseGroup = parser(['group_name'], (take) => ({ group_name: take('group_name', name) }));
export const parseList = parser(['list_name'], (take) => ({ list_name: take('list_name', name) }));
export const parseTag = parser(['tag_name'], (take) => ({ tag_name: take('tag_name', name) }));
export const parseStatusChange = parser(['status', 'contact_email'], (take) => ({
  status: take('status', status),
  contact_email: take('contact_email', address),
}));
const tagging = parser(['tag_name', 'contact_email'], (take) => ({
  tag_name: take('tag_name', tagNames),
  contact_email: take('contact_email', address),
}));
export const parseTagging: typeof tagging = (body) => {
  checkRequired(body, ['tag_name'], isBlankOrEmpty);
  return tagging(body);
};
export const parseEmail = parser(['from_email', 'to_email', 'subject', 'mail_template'], (take) => ({
  from_email: take('from_email', mailbox),
  to_email: take('to_email', recipient),
  subject: take('subject', subject),
  mail_template: take('mail_template', template),
}));

export interface ContactInput {
  readonly email: string;
  readonly status: SubscriptionStatus;
  readonly profile: ProfileChange;
  readonly tag_name: readonly string[];
}

/** The two parsers of contacts; `today` is the UTC day as YYYY-MM-DD. */
export function contactParsers(today: () => string): { create: Parser<ContactInput>; upsert: Parser<ContactInput> } {
  const checks = profileChecks(today);
  const contact = (take: Take) => ({
    email: take('email', address),
    status: take('status', status),
    profile: {
      firstName: take('firstName', checks.firstName),
      lastName: take('lastName', checks.lastName),
      phone: take('phone', checks.phone),
      dateOfBirth: take('dateOfBirth', checks.dateOfBirth),
      address: take('address', checks.address),
      city: take('city', checks.city),
      state: take('state', checks.state),
      country: take('country', checks.country),
      zipcode: take('zipcode', checks.zipcode),
    },
  });
  const required = ['email', 'status'];
  const create = parser(required, (take) => ({ ...contact(take), tag_name: [] }));
  const upsert = parser(required, (take) => ({ ...contact(take), tag_name: take('tag_name', optionalTagNames) }));
  return { create: (body) => create(flattened(body)), upsert: (body) => upsert(flattened(body)) };
}

/** Profile fields may stand beside `email` and `status`, in an object `data`, or in both. */
function flattened(body: Body): Body {
  checkRequired(body, ['email', 'status']);
  const nested = Object.hasOwn(body, 'data') ? body['data'] : undefined;
  if (nested === undefined || nested === null) return body;
  if (!isObject(nested)) throw new ServiceError('not_an_object', { field: 'data' });
  const flat = picked(body, ['email', 'status', 'tag_name', ...profileFields]);
  for (const [field, value] of Object.entries(picked(nested, profileFields))) {
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

/** The checked value of a field. @throws ServiceError */
type Take = <Value>(field: string, check: Check<Value>) => Value;

/** Required fields first; then `build` takes the fields in documented order, and the first that is wrong is answered. */
function parser<Input>(required: readonly string[], build: (take: Take) => Input): Parser<Input> {
  return (body) => {
    checkRequired(body, required);
    return build((field, check) => {
      const result = check(Object.hasOwn(body, field) ? body[field] : undefined);
      if ('value' in result) return result.value;
      throw new ServiceError(result.code, result.limit === undefined ? { field } : { field, limit: result.limit });
    });
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
