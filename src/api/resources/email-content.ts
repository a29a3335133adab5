/** The fields of an e-mail that is to be sent. */
import { z } from 'zod';
import { addressPart, parseMailbox } from '../../commands/address.js';
import { maxEncoded, maxSubject, maxTemplate } from '../../commands/mustache.js';
import { hasInvisibleCharacter } from '../../events/address.js';
import { isObject } from '../http/envelope.js';
import { addressForm, addressPattern, blanks, controls, inAddress, maxBytes } from '../schemas/fields.js';
import { controlButTabAndLineBreak, filledPattern, refuseWith, textField } from '../schemas/rules.js';

export const recipient = textField(
  { maxBytes, form: addressForm, asReceived: true },
  {
    description: 'The address that the e-mail goes to.',
    examples: ['ada@example.com'],
    minLength: 1,
    pattern: addressPattern,
  },
);

export const mailbox = textField(
  {
    maxBytes,
    form: [
      // A display name may contain invisible characters: emoji are joined by them.
      { fits: (value) => !hasInvisibleCharacter(addressPart(value)), code: 'invisible_in_email' },
      { fits: (value) => parseMailbox(value) !== undefined, code: 'invalid_email' },
    ],
    asReceived: true,
  },
  {
    description: 'The sender: an address, or `Name <address>`.',
    examples: ['News <news@example.com>'],
    minLength: 1,
    pattern: `^[^${controls}]*${inAddress}+@${inAddress}+\\.${inAddress}+>?${blanks}$`,
  },
);

export const subject = textField(
  { maxBytes: maxSubject, asReceived: true },
  { description: 'At most 900 bytes, one line.', examples: ['Your order'], minLength: 1, pattern: filledPattern() },
);

export const template = textField({ forbidden: controlButTabAndLineBreak, maxBytes: maxTemplate, asReceived: true })
  .refine((value) => Buffer.byteLength(JSON.stringify(value)) <= maxEncoded, refuseWith('too_many_bytes', maxEncoded))
  .meta({
    description:
      'The body in HTML, at most 512 KiB, and 700 KiB as JSON. The only control characters allowed are tab, line feed and carriage return.',
    examples: ['<p>Thank you!</p>'],
    minLength: 1,
    pattern: filledPattern(controlButTabAndLineBreak),
  });

const mostValues = 10_000;
const mostLevels = 10;

/** What the subject and the template are rendered with. Any JSON object, within bounds. */
export const variables = z
  .unknown()
  .refine(isObject, refuseWith('not_an_object'))
  .refine((value) => isWithin(value, mostLevels), refuseWith('too_deep', mostLevels))
  .refine((value) => [...partsOf(value)].length <= mostValues, refuseWith('too_many_values', mostValues))
  .refine((value) => [...partsOf(value)].every(isReadable), refuseWith('invalid_characters'))
  // Beyond what a double holds: JSON would keep it as null.
  .refine((value) => [...partsOf(value)].every((part) => !isInfinite(part)), refuseWith('invalid_number'))
  .meta({
    description:
      'With it, `subject` and `mail_template` are Mustache and are rendered with these values. Together with `mail_template` at most 700 KiB as JSON. Names and texts contain no control characters except tab, line feed and carriage return.',
    type: 'object',
    additionalProperties: true,
    examples: [{ name: 'Ada', items: [{ title: 'Notes', price: '3.00' }] }],
  })
  .nullish()
  .transform((value) => value ?? undefined);

/** An empty one names no list, and is not taken for none: the e-mail would go to people who have unsubscribed. */
export const listOfSubscribers = textField(
  {},
  {
    description:
      'The e-mail is for the subscribers of this list: it goes out only to a contact that is `Subscribed` there and has not refused such mail, and carries the links to unsubscribe. With `variables`, `unsubscribe_url` is one of those in `mail_template`.',
    examples: ['lst_01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  },
)
  .nullish()
  .transform((value) => value ?? undefined);

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isWithin = (value: unknown, levels: number): boolean =>
  !isContainer(value) || (levels > 0 && Object.values(value).every((inner) => isWithin(inner, levels - 1)));

/** The value and all that it holds. */
function* partsOf(value: unknown): Generator<unknown> {
  yield value;
  if (isContainer(value)) for (const inner of Object.values(value)) yield* partsOf(inner);
}

/** A member `__proto__` would be lost on the way. */
const isReadable = (part: unknown): boolean =>
  isContainer(part)
    ? Object.keys(part).every((name) => name !== '__proto__' && isText(name))
    : typeof part !== 'string' || isText(part);

const isText = (text: string): boolean => !controlButTabAndLineBreak.test(text) && text.isWellFormed();

const isInfinite = (part: unknown): boolean => typeof part === 'number' && !Number.isFinite(part);
