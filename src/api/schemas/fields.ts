/** The fields of request bodies: what each of them may be. */
import { z } from 'zod';
import { isCalendarDay, parseTime } from '../../audit/times.js';
import { parseMailbox } from '../../commands/address.js';
import { maxEncoded, maxSubject, maxTemplate } from '../../commands/mustache.js';
import { isAddress } from '../../events/address.js';
import type { SubscriptionStatus } from '../../events/contact.js';
import { controlButLineBreak, controlButTabAndLineBreak, refusal, text, type TextRules } from './rules.js';

/** At least one character that is not blank, and none of the control characters. */
const controls = '\\x00-\\x1f\\x7f-\\x9f';
const notBlank = `^[^${controls}]*[^\\s${controls}][^${controls}]*$`;

const nameRules: TextRules = { maxCharacters: 255 };
export const name = (example: string) =>
  text(nameRules, {
    description: 'At most 255 characters; trimmed.',
    examples: [example],
    minLength: 1,
    pattern: notBlank,
  });

/** White space around an address counts too, so that every event fits one append. */
const maxBytes = 1024;
const isAddressForm = { fits: isAddress, code: 'invalid_email' } as const;
const inAddress = `[^\\s@<>${controls}]`;
/** What is trimmed. */
const blanks = `[^\\S${controls}]*`;
const addressPattern = `^${blanks}${inAddress}+@${inAddress}+\\.${inAddress}+${blanks}$`;

/** An address: trimmed, the request's own spelling. */
export const address = text(
  { maxBytes, form: isAddressForm },
  {
    description: 'An e-mail address, in any case of letters.',
    examples: ['ada@example.com'],
    minLength: 1,
    pattern: addressPattern,
  },
);

export const recipient = text(
  { maxBytes, form: isAddressForm, asReceived: true },
  {
    description: 'The address that the e-mail goes to.',
    examples: ['ada@example.com'],
    minLength: 1,
    pattern: addressPattern,
  },
);

export const mailbox = text(
  { maxBytes, form: { fits: (value) => parseMailbox(value) !== undefined, code: 'invalid_email' }, asReceived: true },
  {
    description: 'The sender: an address, or `Name <address>`.',
    examples: ['News <news@example.com>'],
    minLength: 1,
    pattern: `^[^${controls}]*${inAddress}+@${inAddress}+\\.${inAddress}+>?${blanks}$`,
  },
);

export const subject = text(
  { maxBytes: maxSubject, asReceived: true },
  { description: 'At most 900 bytes, one line.', examples: ['Your order'], minLength: 1, pattern: notBlank },
);

export const template = text({ forbidden: controlButTabAndLineBreak, maxBytes: maxTemplate, asReceived: true })
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= maxEncoded, refusal('too_many_bytes', maxEncoded))
  .meta({
    description: 'The body as HTML: at most 512 KiB, and 700 KiB as JSON.',
    examples: ['<p>Thank you!</p>'],
    minLength: 1,
    pattern: '\\S',
  });

export const status = text({ form: { fits: (value) => /^(?:un)?subscribed$/i.test(value), code: 'invalid_status' } })
  .transform((value): SubscriptionStatus => (/^un/i.test(value) ? 'Unsubscribed' : 'Subscribed'))
  .meta({
    description: 'Other cases of letters are taken, too.',
    examples: ['Subscribed'],
    enum: ['Subscribed', 'Unsubscribed'],
    pattern: undefined,
  });

/** In UTC with milliseconds. A date alone is refused: it leaves open when it was. */
export const moment = (about: z.GlobalMeta = {}) =>
  text({}, about)
    .transform((value) => (/^\S{11,}$/.test(value) ? parseTime(value, 'end') : undefined))
    .refine((time) => time !== undefined, refusal('invalid_moment'));

/** That it is in the future is a rule of the decider. */
export const futureMoment = moment({
  description: 'ISO 8601 with its zone, in the future.',
  format: 'date-time',
  // Generators of clients take one or the other.
  pattern: undefined,
  examples: ['2030-01-01T00:00:00Z'],
})
  .nullish()
  .transform((time) => time ?? undefined);

const maxTagNames = 100;
const tagName = text({ ...nameRules, form: { fits: (value) => value !== '', code: 'required' } });
const tagNameList = z
  .array(z.unknown())
  .refine((items) => items.every((item) => typeof item === 'string'), refusal('not_only_strings'))
  .refine((items) => items.length <= maxTagNames, refusal('too_many_names', maxTagNames))
  .pipe(z.array(tagName));
const aboutTagNames = {
  examples: [['Gold', 'Newsletter']],
  items: { type: 'string', minLength: 1, maxLength: 255, pattern: notBlank },
  maxItems: maxTagNames,
};

export const tagNames = tagNameList.meta({ ...aboutTagNames, description: 'Names of tags, 1 to 100.', minItems: 1 });

/** Absent, `null` and `[]` are nothing to attach. */
export const optionalTagNames = tagNameList
  .meta({ ...aboutTagNames, description: 'Names of tags to attach. Tags that do not exist yet are created.' })
  .nullish()
  .transform((names) => names ?? []);

/** An optional profile field: absent stays undefined, `null` and `""` become `null`. */
const profileText = (rules: TextRules, example: string, more: z.GlobalMeta = {}) =>
  text(rules, { examples: [example], ...more })
    .transform((value) => (value === '' ? null : value))
    .nullish();

const phone = (value: string): boolean => /^[0-9+().\-/ x]*$/.test(value) && value.replace(/[^0-9]/g, '').length >= 3;

/** An empty text is a cleared field and passes each check. `clock` tells milliseconds since the epoch. */
export function profile(clock: () => number) {
  const today = (): string => new Date(clock()).toISOString().slice(0, 10);
  const dateOfBirth = (value: string): boolean => isCalendarDay(value) && value >= '1900-01-01' && value <= today();
  const orEmpty = (fits: (value: string) => boolean) => (value: string) => value === '' || fits(value);
  const upTo255: TextRules = { maxCharacters: 255 };
  return {
    firstName: profileText(upTo255, 'Ada'),
    lastName: profileText(upTo255, 'King'),
    phone: profileText(
      { maxCharacters: 32, form: { fits: orEmpty(phone), code: 'invalid_phone' } },
      '+44 20 7946 0958',
      { pattern: '^(|([+(). /x-]*[0-9]){3}[0-9+(). /x-]*)$' },
    ),
    dateOfBirth: profileText({ form: { fits: orEmpty(dateOfBirth), code: 'invalid_date' } }, '1985-12-10', {
      pattern: '^(|(19|20)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01]))$',
    }),
    address: profileText({ forbidden: controlButLineBreak, maxCharacters: 500 }, '12 St James’s Square'),
    city: profileText(upTo255, 'London'),
    state: profileText(upTo255, 'Greater London'),
    country: profileText(upTo255, 'United Kingdom'),
    zipcode: profileText({ maxCharacters: 32 }, 'SW1Y 4JH'),
  };
}
