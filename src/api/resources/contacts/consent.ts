/** The optional `consent` of a contact: how the person agreed, as evidence. Kept as given, but trimmed and with its time in UTC. */
import { isIP } from 'node:net';
import { z } from 'zod';
import { moment } from '../../schemas/fields.js';
import { controlButTabAndLineBreak, refuseWith, textField } from '../../schemas/rules.js';

/** How far the clock of a caller may be ahead of the service's. */
const maxSkewMs = 5 * 60_000;

/** Scoped addresses mean something on one machine only. */
const isAddress = (value: string): boolean => isIP(value) !== 0 && !value.includes('%');

/** Absent, `null` and blank are nothing. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .preprocess(
      (value) => (value === null || (typeof value === 'string' && value.trim() === '') ? undefined : value),
      schema.nullish(),
    )
    .optional();

/** A consent with at least one field; undefined where there is none. `clock` tells milliseconds since the epoch. */
export function consent(clock: () => number) {
  const fields = z.object({
    source: optional(
      textField({ maxCharacters: 255 }, { description: 'Where the person agreed.', examples: ['signup form'] }),
    ),
    // As it was shown to the person: it may have several lines.
    statement: optional(
      textField(
        { forbidden: controlButTabAndLineBreak, maxCharacters: 2_000 },
        { description: 'What the person agreed to, as it was shown.', examples: ['Yes, send me the newsletter.'] },
      ),
    ),
    ip: optional(
      textField(
        { form: { fits: isAddress, code: 'invalid_ip' } },
        { description: 'IPv4 or IPv6.', examples: ['203.0.113.7'], pattern: '^ *[0-9A-Fa-f.:]* *$' },
      ),
    ),
    legal_basis: optional(
      textField({ maxCharacters: 100 }, { description: 'For example an article of a law.', examples: ['consent'] }),
    ),
    occurred_at: optional(pastMoment(clock)),
  });
  return fields
    .meta({ title: 'Consent', description: 'How the person agreed: evidence for auditors.' })
    .transform((given) => {
      const present = Object.entries(given).filter(([, value]) => value !== undefined);
      return present.length === 0 ? undefined : Object.fromEntries(present);
    })
    .nullish()
    .transform((given) => given ?? undefined);
}

const pastMoment = (clock: () => number) =>
  moment()
    .refine((time) => Date.parse(time ?? '') <= clock() + maxSkewMs, refuseWith('in_the_future'))
    .meta({
      description: 'When the person agreed: ISO 8601 with its zone, not in the future.',
      examples: ['2026-03-01T12:00:00+02:00'],
      format: 'date-time',
      pattern: undefined,
    });
