/** The fields that bodies of several resources have. */
import { z } from 'zod';
import { parseTime } from '../../audit/times.js';
import { hasInvisibleCharacter, isAddress } from '../../events/address.js';
import { filledPattern, refuseWith, textField, type TextRules } from './rules.js';

/** The control characters, for a pattern. */
export const controls = '\\x00-\\x1f\\x7f-\\x9f';

export const nameRules: TextRules = { maxCharacters: 255 };
export const name = (example: string) =>
  textField(nameRules, {
    description: 'At most 255 characters; trimmed.',
    examples: [example],
    minLength: 1,
    pattern: filledPattern(),
  });

/** Of an address as received, with white space around it: so every event fits into one append. */
export const maxBytes = 1024;
export const addressForm = [
  { fits: (text: string) => !hasInvisibleCharacter(text), code: 'invisible_in_email' },
  { fits: isAddress, code: 'invalid_email' },
] as const;
export const inAddress = `[^\\s@<>${controls}]`;
/** White space that is trimmed. */
export const blanks = `[^\\S${controls}]*`;
export const addressPattern = `^${blanks}${inAddress}+@${inAddress}+\\.${inAddress}+${blanks}$`;

/** An address: trimmed, otherwise as the request spells it. */
export const address = textField(
  { maxBytes, form: addressForm },
  {
    description: 'An email address of at most 254 bytes, in any letter case. White space around it is removed.',
    examples: ['ada@example.com'],
    minLength: 1,
    pattern: addressPattern,
  },
);

/** In UTC with milliseconds. A date alone is refused, because it is no moment. */
export const moment = (about: z.GlobalMeta = {}) =>
  textField({}, about)
    .transform((value) => (/^\S{11,}$/.test(value) ? parseTime(value, 'end') : undefined))
    .refine((time) => time !== undefined, refuseWith('invalid_moment'));
