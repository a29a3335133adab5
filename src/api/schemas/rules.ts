/** Rules on texts, each with the error of the catalogue that is answered when a text breaks it. */
import { z } from 'zod';
import type { ErrorCode } from '../../errors.js';

// C0, DEL and C1; then the same without the characters that some fields allow.
const control = /[\u0000-\u001f\u007f-\u009f]/;
export const controlButLineBreak = /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
export const controlButTabAndLineBreak = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/**
 * Registers the enum that describes a text of a request in the API document. The text may be parsed more tolerantly.
 * `enumeration` is a `z.ZodEnum` with a name; a registry cannot have that type.
 */
export const describedBy = z.registry<{ readonly enumeration: unknown }>();

/** The issue that makes `parse.ts` answer with this error. Further rules of the field are not checked. */
export const refuseWith = (code: ErrorCode, limit?: number) => ({ abort: true, params: { code, limit } });

interface TextForm {
  readonly fits: (text: string) => boolean;
  readonly code: ErrorCode;
}

export interface TextRules {
  readonly forbidden?: RegExp;
  /** Code points, after trimming. */
  readonly maxCharacters?: number;
  /** Bytes in UTF-8, as received. */
  readonly maxBytes?: number;
  /** Checked on the trimmed text, in this order. */
  readonly form?: TextForm | readonly TextForm[];
  /** The value is the text as received, not the trimmed one. */
  readonly asReceived?: true;
}

export function textField(rules: TextRules, about: z.GlobalMeta = {}): z.ZodString {
  const { forbidden = control, maxCharacters, maxBytes, form, asReceived } = rules;
  let schema = z.string();
  if (maxBytes !== undefined)
    schema = schema.refine((value) => Buffer.byteLength(value) <= maxBytes, refuseWith('too_many_bytes', maxBytes));
  schema = schema.refine((value) => !forbidden.test(value) && value.isWellFormed(), refuseWith('invalid_characters'));
  if (asReceived === undefined) schema = schema.trim();
  if (maxCharacters !== undefined)
    schema = schema.refine(
      (value) => codePoints(value) <= maxCharacters,
      refuseWith('too_many_characters', maxCharacters),
    );
  for (const { fits, code } of form === undefined ? [] : [form].flat())
    schema = schema.refine((value) => fits(value.trim()), refuseWith(code));
  const most = maxCharacters ?? maxBytes;
  const length = most === undefined ? {} : { maxLength: most };
  const pattern = `^[^${charactersOf(forbidden)}]*$`;
  return schema.meta({ ...length, pattern, ...about });
}

/** Returns the characters of a class such as `[\u0000-\u001f]`, for a pattern. Regular expressions of some languages have no `\u`. */
const charactersOf = ({ source }: RegExp): string => source.slice(1, -1).replaceAll('\\u00', '\\x');

/** Returns the pattern of a text that is not blank and has no forbidden character. The parts of the pattern share no character, so that a match takes linear time. */
export function filledPattern(forbidden: RegExp = control): string {
  const characters = charactersOf(forbidden);
  return `^[^\\S${characters}]*[^\\s${characters}][^${characters}]*$`;
}

/** `length` is at least the number of code points: short texts need no counting. */
const codePoints = (value: string): number => (value.length <= 32 ? value.length : [...value].length);
