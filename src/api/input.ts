/** Parses bodies into what the commands take: required fields first, then each field's form, in documented order. */
import type { SaveContact, StatusChange } from '../commands/audience.js';
import { profileFields, type ProfileChange, type ProfileField } from '../commands/contact.js';
import { ServiceError } from '../errors.js';
import type { Body } from './body.js';
import { consentCheck } from './consent.js';
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

export type Parser<Input> = (body: Body) => Input;

export const parseNothing: Parser<undefined> = () => undefined;

/** For own endpoints that take no body: any field is a mistake. */
export const parseEmptyBody: Parser<undefined> = (body) => checkFields(body, []);

/** @throws ServiceError `unknown_field` */
export function checkFields(body: Body, known: readonly string[]): undefined {
  for (const name of Object.keys(body))
    if (!known.includes(name))
      throw new ServiceError('unknown_field', { field: /^[\w.-]{1,64}$/.test(name) ? name : 'this' });
}

export const parseGroup = parser(['group_name'], (take) => ({ group_name: take('group_name', name) }));
export const parseList = parser(['list_name'], (take) => ({ list_name: take('list_name', name) }));
export const parseTag = parser(['tag_name'], (take) => ({ tag_name: take('tag_name', name) }));
const tagging = parser(['tag_name', 'contact_email'], (take) => ({
  tagNames: take('tag_name', tagNames),
  email: take('contact_email', address),
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

export type ContactInput = Omit<SaveContact, 'listId'>;

/** The parsers of contacts; `clock` tells milliseconds since the epoch. */
export function contactParsers(clock: () => number): {
  create: Parser<ContactInput>;
  upsert: Parser<ContactInput>;
  updateStatus: Parser<Omit<StatusChange, 'listId'>>;
} {
  const checks = profileChecks(() => new Date(clock()).toISOString().slice(0, 10));
  const consent = consentCheck(clock);
  const contact = (take: Take, tagNamesOf: (take: Take) => readonly string[]): ContactInput => ({
    email: take('email', address),
    status: take('status', status),
    profile: profileIn(take, checks),
    tagNames: tagNamesOf(take),
    consent: take('consent', consent),
  });
  const required = ['email', 'status'];
  const create = parser(required, (take) => contact(take, () => []), flatOrNested);
  const upsert = parser(required, (take) => contact(take, () => take('tag_name', optionalTagNames)), flatOrNested);
  const updateStatus = parser(['status', 'contact_email'], (take) => ({
    status: take('status', status),
    email: take('contact_email', address),
    consent: take('consent', consent),
  }));
  return { create, upsert, updateStatus };
}

function profileIn(take: Take, checks: ReturnType<typeof profileChecks>): ProfileChange {
  const profile: { [Field in ProfileField]?: string | null | undefined } = {};
  for (const field of profileFields) profile[field] = take(field, checks[field]);
  return profile;
}

/**
 * Profile fields may stand beside `email` and `status`, in an object `data`, or in both. So may a
 * consent: one in an unexpected place would be lost without a word.
 */
function flatOrNested(body: Body): Source {
  const nested = own(body, 'data');
  if (nested === undefined || nested === null) return (field) => own(body, field);
  if (!isObject(nested)) throw new ServiceError('not_an_object', { field: 'data' });
  for (const field of nestedFields)
    if (Object.hasOwn(nested, field) && Object.hasOwn(body, field) && nested[field] !== body[field])
      throw new ServiceError('given_twice', { field });
  return (field) => (nestedFields.has(field) && Object.hasOwn(nested, field) ? nested[field] : own(body, field));
}

/** What may stand in `data`, in documented order. */
const nestedFields: ReadonlySet<string> = new Set([...profileFields, 'consent']);

/** Where the fields of a body are: undefined for what was not given. */
type Source = (field: string) => unknown;

const own = (body: Body, field: string): unknown => (Object.hasOwn(body, field) ? body[field] : undefined);

/** The checked value of a field. @throws ServiceError */
type Take = <Value>(field: string, check: Check<Value>) => Value;

/** Required fields first; then `build` takes the fields in documented order, and the first that is wrong is answered. */
function parser<Input>(
  required: readonly string[],
  build: (take: Take) => Input,
  sourceOf: (body: Body) => Source = (body) => (field) => own(body, field),
): Parser<Input> {
  return (body) => {
    checkRequired(body, required);
    const source = sourceOf(body);
    return build((field, check) => valid(field, check(source(field))));
  };
}

/** An address from a path or a query. @throws ServiceError */
export const addressIn = (field: string, text: string): string => valid(field, address(text));

function valid<Value>(field: string, result: ReturnType<Check<Value>>): Value {
  if ('value' in result) return result.value;
  const { code, ...where } = result;
  throw new ServiceError(code, { field, ...where });
}

function checkRequired(body: Body, required: readonly string[], isMissing = isBlank): void {
  for (const field of required)
    if (!Object.hasOwn(body, field) || isMissing(body[field])) throw new ServiceError('required', { field });
}

/** Where an array is wanted, an empty one is missing too. */
const isBlankOrEmpty = (value: unknown): boolean => isBlank(value) || (Array.isArray(value) && value.length === 0);

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
