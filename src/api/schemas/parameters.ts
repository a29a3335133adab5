/** The parameters of requests in path and query. One that is given twice in a query is an error, and so is an empty one. */
import { z } from 'zod';
import { parseTime, type Edge } from '../../audit/times.js';
import { text } from '../../events/values.js';
import { describedBy, refuseWith } from './rules.js';

/** What may stand in a path, for the API document. */
export interface PathParameter {
  readonly description: string;
  readonly schema: { readonly type: 'string'; readonly pattern: string; readonly minLength?: number };
}

/** `prefix` is that of the ids, `noun` what has them. */
export const idInPath = (prefix: string, noun: string): PathParameter => ({
  description: `Id of ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}.`,
  schema: { type: 'string', pattern: `^${prefix}_[0-9A-Z]{26}$` },
});

export const textInPath = (description: string): PathParameter => ({
  description,
  schema: { type: 'string', minLength: 1, pattern: '\\S' },
});

export const defaultLimit = 50;
const maxLimit = 200;

const limit = z
  .unknown()
  .refine((value) => typeof value === 'string' && isLimit(value), refuseWith('invalid_limit'))
  .transform(Number)
  .meta({
    description: 'The most entries of the answer.',
    type: 'integer',
    minimum: 1,
    maximum: maxLimit,
    default: defaultLimit,
  });

const isLimit = (value: string): boolean =>
  /^[0-9]{1,3}$/.test(value) && Number(value) >= 1 && Number(value) <= maxLimit;

const cursor = z
  .unknown()
  .refine((value) => typeof value === 'string' && value !== '', refuseWith('invalid_cursor'))
  .transform(String)
  .meta({ description: '`next_cursor` of the previous page.', type: 'string', minLength: 1 });

export const paging = { limit: limit.default(defaultLimit), cursor: cursor.optional() };
export const optionalLimit = limit.optional();

/** A text that is not blank, as received. */
const filled = z
  .string()
  .refine((value) => value.trim() !== '', refuseWith('empty'))
  .meta({ minLength: 1, pattern: '\\S' });

export const optionalText = (description: string) => filled.meta({ description }).optional();

/** A text that may be empty. */
export const anyText = (description: string) => z.string().meta({ description }).optional();

export const choice = <const Value extends string>(values: readonly Value[], description: string) =>
  filled
    .pipe(z.enum(values))
    .meta({ description, type: 'string', enum: [...values], minLength: undefined, pattern: undefined });

/** One of the values of an enum that has a name in the API document. */
export const namedChoice = <Values extends Readonly<Record<string, string>>>(
  enumeration: z.ZodEnum<Values>,
  description: string,
) => filled.pipe(enumeration).meta({ description }).register(describedBy, { enumeration });

/** `true` or `false`, and no other spelling. */
export const optionalFlag = (description: string) =>
  filled
    .pipe(z.enum(['true', 'false']))
    .transform((value) => value === 'true')
    .meta({ description, type: 'boolean', minLength: undefined, pattern: undefined })
    .optional();

/** `true` or `false`, with a default. */
export const flag = (description: string, otherwise: boolean) =>
  optionalFlag(description)
    .transform((value) => value ?? otherwise)
    .meta({ default: otherwise });

const timePattern =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,12})?)?(Z|[+-][0-9]{2}:[0-9]{2}))?$';

/** UTC with milliseconds; a date alone is its first or last moment. */
export const timeParameter = (edge: Edge, description: string) =>
  filled
    .transform((value) => parseTime(value, edge))
    .refine((value) => value !== undefined, refuseWith('invalid_time'))
    .transform(String)
    .meta({ description, type: 'string', pattern: timePattern, examples: ['2026-03-01', '2026-03-01T12:00:00Z'] });

/** `from` and `to`. */
export const between = {
  from: timeParameter('start', 'Only what happened then or later.').optional(),
  to: timeParameter('end', 'Only what happened then or earlier.').optional(),
};

export const isInOrder = ({ from, to }: { from?: string | undefined; to?: string | undefined }): boolean =>
  from === undefined || to === undefined || from <= to;

export const outOfOrder = refuseWith('invalid_range');

const nextCursor = text(
  'The `cursor` of the next page, with the same filters. Absent on the last.',
  'eyJhZnRlciI6ImxzdF8wMSJ9',
);

export const incomplete = z
  .literal(true)
  .optional()
  .describe('Something may be missing: see `/health/ready`. Else absent.');

/** A page, and what may stand beside it. */
export const pageSchema = (item: z.ZodType, more: z.ZodRawShape = {}) => ({
  data: z.array(item),
  beside: { next_cursor: nextCursor.optional(), ...more },
});
