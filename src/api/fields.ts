/** The fields of request bodies: what each of them may be, and what the contract says when it is not. */
import { isAddress, parseMailbox } from '../commands/address.js';
import type { ErrorCode } from '../errors.js';

export interface Problem {
  readonly code: ErrorCode;
  readonly limit?: number;
  readonly field?: string;
}

export type Check<Value> = (value: unknown) => { readonly value: Value } | Problem;

// C0, DEL and C1; and the same without what a field allows.
export const control = /[\u0000-\u001f\u007f-\u009f]/;
const controlButLineBreak = /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
export const controlButTabAndLineBreak = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

export interface TextRules {
  readonly forbidden: RegExp;
  /** Code points, after trimming. */
  readonly maxCharacters?: number;
  /** Bytes in UTF-8, as received. */
  readonly maxBytes?: number;
  readonly form?: { readonly fits: (text: string) => boolean; readonly code: ErrorCode };
}

export function checkText(
  value: unknown,
  { forbidden, maxCharacters, maxBytes, form }: TextRules,
): { value: string } | Problem {
  if (typeof value !== 'string') return { code: 'not_a_string' };
  if (maxBytes !== undefined && Buffer.byteLength(value) > maxBytes) return { code: 'too_many_bytes', limit: maxBytes };
  if (forbidden.test(value) || !value.isWellFormed()) return { code: 'invalid_characters' };
  const text = value.trim();
  if (maxCharacters !== undefined && codePoints(text) > maxCharacters)
    return { code: 'too_many_characters', limit: maxCharacters };
  return form === undefined || form.fits(text) ? { value: text } : { code: form.code };
}

/** Counted only where the cheap upper bound leaves a doubt. */
const codePoints = (text: string): number => (text.length <= 32 ? text.length : [...text].length);

const nameRules: TextRules = { forbidden: control, maxCharacters: 255 };
export const name: Check<string> = (value) => checkText(value, nameRules);

/** White space around an address counts too, so that every event fits one append. */
const maxAddressBytes = 1024;

/** An address: trimmed, the request's own spelling. */
const addressRules: TextRules = {
  forbidden: control,
  maxBytes: maxAddressBytes,
  form: { fits: isAddress, code: 'invalid_email' },
};
export const address: Check<string> = (value) => checkText(value, addressRules);

export const mailbox: Check<string> = (value) => asReceived(value, checkText(value, mailboxRules));
const mailboxRules: TextRules = {
  forbidden: control,
  maxBytes: maxAddressBytes,
  form: { fits: (text) => parseMailbox(text) !== undefined, code: 'invalid_email' },
};

export const recipient: Check<string> = (value) => asReceived(value, address(value));

export const subject: Check<string> = (value) =>
  asReceived(value, checkText(value, { forbidden: control, maxBytes: 900 }));

const maxTemplateBytes = 512 * 1024;
/** Bytes of its JSON in the event: the append must fit into EventStoreDB. */
const maxEncodedTemplateBytes = 700 * 1024;

export const template: Check<string> = (value) => {
  const result = checkText(value, { forbidden: controlButTabAndLineBreak, maxBytes: maxTemplateBytes });
  if ('code' in result || typeof value !== 'string') return result;
  const encoded = Buffer.byteLength(JSON.stringify(value));
  return encoded > maxEncodedTemplateBytes ? { code: 'too_many_bytes', limit: maxEncodedTemplateBytes } : { value };
};

function asReceived(value: unknown, result: { value: string } | Problem): { value: string } | Problem {
  return 'value' in result && typeof value === 'string' ? { value } : result;
}

export const status: Check<'Subscribed' | 'Unsubscribed'> = (value) => {
  const result = checkText(value, { forbidden: control });
  if ('code' in result) return result;
  const lower = result.value.toLowerCase();
  if (lower === 'subscribed') return { value: 'Subscribed' };
  return lower === 'unsubscribed' ? { value: 'Unsubscribed' } : { code: 'invalid_status' };
};

const maxTagNames = 100;

export const tagNames: Check<readonly string[]> = (value) => {
  if (!Array.isArray(value)) return { code: 'not_an_array' };
  const items: readonly unknown[] = value;
  if (!items.every((item) => typeof item === 'string')) return { code: 'not_only_strings' };
  if (items.length > maxTagNames) return { code: 'too_many_names', limit: maxTagNames };
  const names: string[] = [];
  for (const item of items) {
    const result = checkText(item, nameRules);
    if ('code' in result) return result;
    if (result.value === '') return { code: 'required' };
    names.push(result.value);
  }
  return { value: names };
};

/** As `tagNames`; absent, `null` and `[]` are nothing to attach. */
export const optionalTagNames: Check<readonly string[]> = (value) =>
  value === undefined || value === null ? { value: [] } : tagNames(value);

/** An optional profile field: absent stays undefined, `null` and `""` become `null`. */
const profileText =
  (rules: TextRules): Check<string | null | undefined> =>
  (value) => {
    if (value === undefined || value === null) return { value };
    const result = checkText(value, rules);
    return 'value' in result && result.value === '' ? { value: null } : result;
  };
const upTo = (maxCharacters: number): TextRules => ({ forbidden: control, maxCharacters });

const phone = (text: string): boolean => /^[0-9+().\-/ x]*$/.test(text) && text.replace(/[^0-9]/g, '').length >= 3;

/** The checks of the profile fields. An empty text is a cleared field and passes each of them. */
export function profileChecks(today: () => string) {
  const dateOfBirth = (text: string): boolean => isCalendarDay(text) && text >= '1900-01-01' && text <= today();
  const orEmpty = (fits: (text: string) => boolean) => (text: string) => text === '' || fits(text);
  return {
    firstName: profileText(upTo(255)),
    lastName: profileText(upTo(255)),
    phone: profileText({ ...upTo(32), form: { fits: orEmpty(phone), code: 'invalid_phone' } }),
    dateOfBirth: profileText({ forbidden: control, form: { fits: orEmpty(dateOfBirth), code: 'invalid_date' } }),
    address: profileText({ forbidden: controlButLineBreak, maxCharacters: 500 }),
    city: profileText(upTo(255)),
    state: profileText(upTo(255)),
    country: profileText(upTo(255)),
    zipcode: profileText(upTo(32)),
  };
}

function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
