/** The query parameters of requests. One that stands there twice is a mistake, and so is an empty one. */
import { z } from 'zod';
import { parseTime, type Edge } from '../../audit/times.js';
import type { ErrorCode } from '../../errors.js';
import { address, addressPattern, canonicalStatus, isStatus, statusPattern } from './fields.js';
import { described, refusal, type Described } from './rules.js';

export const nothing = z.object({});

export const defaultLimit = 50;
const maxLimit = 200;

const limit = described(
  z
    .unknown()
    .refine((value) => typeof value === 'string' && isLimit(value), refusal('invalid_limit'))
    .transform(Number),
  {
    description: 'The most entries of the answer.',
    type: 'integer',
    minimum: 1,
    maximum: maxLimit,
    default: defaultLimit,
    errors: ['invalid_limit'],
  },
);

const isLimit = (value: string): boolean =>
  /^[0-9]{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= maxLimit;

const cursor = described(
  z
    .unknown()
    .refine((value) => typeof value === 'string', refusal('invalid_cursor'))
    .transform(String),
  { description: '`next_cursor` of the page before.', type: 'string', errors: ['invalid_cursor'] },
);

export const paging = { limit: limit.default(defaultLimit), cursor: cursor.optional() };
export const optionalLimit = limit.optional();

/** A text, not blank, as it stands there. */
const filled = (about: Described) =>
  described(
    z.string().refine((value) => value.trim() !== '', refusal('required')),
    { ...about, pattern: '\\S', errors: ['not_a_string', 'required', ...(about.errors ?? [])] },
  );

export const optionalText = (about: Described) => filled(about).optional();

/** A text that may be empty. */
export const anyText = (about: Described) => described(z.string(), { ...about, errors: ['not_a_string'] }).optional();

export const email = described(
  z
    .string()
    .refine((value) => value.trim() !== '', refusal('required'))
    .pipe(address),
  {
    description: 'The address of the contact.',
    pattern: addressPattern,
    errors: ['not_a_string', 'required', 'too_many_bytes', 'invalid_characters', 'invalid_email'],
  },
);

export const subscriptionStatus = described(
  z
    .unknown()
    .refine((value) => typeof value === 'string' && isStatus(value), refusal('invalid_status'))
    .transform((value) => canonicalStatus(String(value))),
  {
    description: 'Only contacts with this status.',
    type: 'string',
    pattern: statusPattern,
    errors: ['invalid_status'],
  },
);

/** One of the values; the first where the parameter is absent. */
export function choice<Value extends string>(
  values: readonly [Value, ...Value[]],
  { code, ...about }: Described & { readonly code: ErrorCode },
) {
  return described(
    filled({}).transform((value, context) => {
      const found = values.find((one) => one === value);
      if (found !== undefined) return found;
      context.addIssue({ code: 'custom', input: value, params: { code } });
      return z.NEVER;
    }),
    { ...about, type: 'string', enum: [...values], errors: ['not_a_string', 'required', code] },
  );
}

const timePattern =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,12})?)?(Z|[+-][0-9]{2}:[0-9]{2}))?$';

/** UTC with milliseconds; a date alone is its first or last moment. */
export const time = (edge: Edge, description: string) =>
  described(
    filled({})
      .transform((value) => parseTime(value, edge))
      .refine((value) => value !== undefined, refusal('invalid_time'))
      .transform(String),
    {
      description,
      type: 'string',
      pattern: timePattern,
      examples: ['2026-03-01', '2026-03-01T12:00:00Z'],
      errors: ['not_a_string', 'required', 'invalid_time'],
    },
  );

/** `from` and `to`. */
export const between = {
  from: time('start', 'Only what happened then or later.').optional(),
  to: time('end', 'Only what happened then or earlier.').optional(),
};

export const inOrder = ({ from, to }: { from?: string | undefined; to?: string | undefined }): boolean =>
  from === undefined || to === undefined || from <= to;

export const outOfOrder = refusal('invalid_range');
