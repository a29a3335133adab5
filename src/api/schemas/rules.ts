/** How a schema says no: rules on texts, each with the error of the catalogue that its breach is answered with. */
import { z } from 'zod';
import type { ErrorCode } from '../../errors.js';

// C0, DEL and C1; and the same without what a field allows.
export const control = /[\u0000-\u001f\u007f-\u009f]/;
export const controlButLineBreak = /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u009f]/;
export const controlButTabAndLineBreak = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/;

/** What JSON Schema can say of a field, and `x-errors`: the codes of its errors, for the API document. */
export interface Described {
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly errors?: readonly ErrorCode[];
  readonly [keyword: string]: unknown;
}

/** The issue that makes `parse.ts` answer with this error. Further rules of the field are not asked. */
export const refusal = (code: ErrorCode, limit?: number) => ({ abort: true, params: { code, limit } });

/** The schema with what the API document says of it. To be called last: other methods of zod lose it. */
export function described<Schema extends z.ZodType>(schema: Schema, { errors = [], ...about }: Described): Schema {
  return schema.meta({ ...about, ...(errors.length === 0 ? {} : { 'x-errors': [...errors] }) });
}

export interface TextRules {
  readonly forbidden?: RegExp;
  /** Code points, after trimming. */
  readonly maxCharacters?: number;
  /** Bytes in UTF-8, as received. */
  readonly maxBytes?: number;
  /** Asked about the trimmed text. */
  readonly form?: { readonly fits: (text: string) => boolean; readonly code: ErrorCode };
  /** The value is the text as received, not the trimmed one. */
  readonly asReceived?: true;
}

export function text(rules: TextRules, about: Described = {}): z.ZodString {
  const { forbidden = control, maxCharacters, maxBytes, form, asReceived } = rules;
  const errors: ErrorCode[] = ['not_a_string', ...(about.errors ?? [])];
  let schema = z.string();
  const rule = (code: ErrorCode, holds: (text: string) => boolean, limit?: number): void => {
    errors.push(code);
    schema = schema.refine(holds, refusal(code, limit));
  };
  if (maxBytes !== undefined) rule('too_many_bytes', (value) => Buffer.byteLength(value) <= maxBytes, maxBytes);
  rule('invalid_characters', (value) => !forbidden.test(value) && value.isWellFormed());
  if (asReceived === undefined) schema = schema.trim();
  if (maxCharacters !== undefined)
    rule('too_many_characters', (value) => codePoints(value) <= maxCharacters, maxCharacters);
  if (form !== undefined) rule(form.code, (value) => form.fits(value.trim()));
  return described(schema, { ...lengths(rules), pattern: `^[^${forbidden.source.slice(1)}*$`, ...about, errors });
}

const lengths = ({ maxCharacters, maxBytes }: TextRules): Described => {
  const most = maxCharacters ?? maxBytes;
  return most === undefined ? {} : { maxLength: most };
};

/** Counted only where the cheap upper bound leaves a doubt. */
const codePoints = (value: string): number => (value.length <= 32 ? value.length : [...value].length);
