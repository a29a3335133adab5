/** `variables` of an e-mail: what its subject and template are rendered with. Any JSON object, within bounds. */
import { z } from 'zod';
import type { ErrorCode } from '../../errors.js';
import { controlButTabAndLineBreak, described } from './rules.js';

const limits = { too_many_values: 10_000, too_deep: 10 } as const;

export const variables = described(
  z.record(z.string(), z.unknown()).superRefine((value, context) => {
    const code = problemOf(value, 0, { values: 0 });
    if (code === undefined) return;
    const limit = code === 'too_deep' || code === 'too_many_values' ? limits[code] : undefined;
    context.addIssue({ code: 'custom', params: { code, limit } });
  }),
  {
    description:
      'With it, `subject` and `mail_template` are Mustache and are rendered with these values. Together with `mail_template` at most 700 KiB as JSON.',
    examples: [{ name: 'Ada', items: [{ title: 'Notes', price: '3.00' }] }],
    errors: ['not_an_object', 'too_many_values', 'too_deep', 'invalid_characters', 'invalid_number'],
  },
)
  .nullish()
  .transform((value) => value ?? undefined);

/** Depth first, so that nothing is entered which is too deep. */
function problemOf(value: unknown, depth: number, seen: { values: number }): ErrorCode | undefined {
  seen.values += 1;
  if (seen.values > limits.too_many_values) return 'too_many_values';
  if (typeof value !== 'object' || value === null) return problemOfScalar(value);
  if (depth === limits.too_deep) return 'too_deep';
  for (const [name, inner] of Object.entries(value)) {
    const problem = isText(name) ? problemOf(inner, depth + 1, seen) : 'invalid_characters';
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOfScalar(value: unknown): ErrorCode | undefined {
  if (typeof value === 'string') return isText(value) ? undefined : 'invalid_characters';
  // Beyond what a double holds: JSON would keep it as null.
  return typeof value === 'number' && !Number.isFinite(value) ? 'invalid_number' : undefined;
}

const isText = (text: string): boolean => !controlButTabAndLineBreak.test(text) && text.isWellFormed();
