/** The bodies of requests about contacts: which values each field may have. A consent says how the person agreed, as evidence. */
import { isIP } from 'node:net';
import { z } from 'zod';
import { isCalendarDay } from '../../audit/times.js';
import { profileFields, type SubscriptionStatus } from '../../events/contact.js';
import { subscriptionStatus } from '../../events/values.js';
import { isObject, type EchoFields } from '../http/envelope.js';
import type { Values } from '../http/parse.js';
import { address, nameRules, moment } from '../schemas/fields.js';
import {
  controlButLineBreak,
  describedBy,
  filledPattern,
  refuseWith,
  textField,
  type TextRules,
  controlButTabAndLineBreak,
} from '../schemas/rules.js';

export const status = textField({
  form: { fits: (value) => /^(?:un)?subscribed$/i.test(value), code: 'invalid_status' },
})
  .transform((value): SubscriptionStatus => (/^un/i.test(value) ? 'Unsubscribed' : 'Subscribed'))
  .meta({ description: 'Any letter case is accepted.' })
  .register(describedBy, { enumeration: subscriptionStatus });

const maxTagNames = 100;
const tagName = textField({ ...nameRules, form: { fits: (value) => value !== '', code: 'required' } });
const tagNameList = z
  .array(z.unknown())
  .refine((items) => items.every((item) => typeof item === 'string'), refuseWith('not_only_strings'))
  .refine((items) => items.length <= maxTagNames, refuseWith('too_many_names', maxTagNames))
  .pipe(z.array(tagName));
const aboutTagNames = {
  examples: [['Gold', 'Newsletter']],
  items: { type: 'string', minLength: 1, maxLength: 255, pattern: filledPattern() },
  maxItems: maxTagNames,
};

const tagNames = tagNameList.meta({ ...aboutTagNames, description: 'Names of tags, 1 to 100.', minItems: 1 });

/** If absent, `null` or `[]`, no tags are attached. */
const optionalTagNames = tagNameList
  .meta({ ...aboutTagNames, description: 'Names of tags to attach. Tags that do not exist yet are created.' })
  .nullish()
  .transform((names) => names ?? []);

/** An optional profile field: absent stays undefined, `null` and `""` become `null`. */
const profileText = (rules: TextRules, example: string, more: z.GlobalMeta = {}) =>
  textField(rules, { examples: [example], ...more })
    .transform((value) => (value === '' ? null : value))
    .nullish();

const phone = (value: string): boolean => /^[0-9+().\-/ x]*$/.test(value) && value.replace(/[^0-9]/g, '').length >= 3;

/** Returns the schemas of the profile fields. An empty text is a cleared field and passes each check. @param clock returns milliseconds since 1970 */
function profileSchemas(clock: () => number) {
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

export const tagging = z.object({ tag_name: tagNames, contact_email: address });

const mostHits = 50;
const defaultHits = 20;
const isHits = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= mostHits;

export const searched = z.object({
  text: textField(
    { maxCharacters: 200 },
    {
      description: 'The beginning of the address or of a name.',
      examples: ['ada'],
      minLength: 1,
      pattern: filledPattern(),
    },
  ),
  limit: z
    .unknown()
    .refine(isHits, refuseWith('invalid_count', mostHits))
    .transform(Number)
    .meta({
      description: 'The maximum number of contacts in the answer.',
      type: 'integer',
      minimum: 1,
      maximum: mostHits,
    })
    .nullish()
    .transform((value) => value ?? defaultHits)
    .meta({ default: defaultHits }),
});

/** @param clock returns milliseconds since 1970 */
export function contactBodies(clock: () => number) {
  const fields = profileSchemas(clock);
  const howAgreed = consent(clock);
  const saving = { email: address, status, ...fields };
  const beside = {
    consent: howAgreed,
    data: z
      .object({ ...fields, consent: howAgreed })
      .meta({ title: 'NestedProfile' })
      .nullish()
      .meta({ description: 'Profile fields and consent may stand here instead of beside `email`.' }),
    message: z.unknown().optional().meta({ description: 'Ignored.' }),
  };
  return {
    create: z.preprocess(flattening(['email', 'status']), z.object({ ...saving, ...beside })),
    upsert: z.preprocess(
      flattening(['email', 'status', 'tag_name']),
      z.object({ ...saving, tag_name: optionalTagNames, ...beside }),
    ),
    updateStatus: z.object({ status, contact_email: address, consent: howAgreed }),
  };
}

export const createEcho: EchoFields = { flat: ['email', 'status', ...profileFields], nested: profileFields };
export const upsertEcho: EchoFields = { ...createEcho, flat: [...createEcho.flat, 'tag_name'] };

/** The fields that may be in `data`, in documented order. */
const nestedFields = [...profileFields, 'consent'];

/** Moves the fields of `data` beside `email` and `status`. Profile fields and a consent may be in either place, because a consent in an unexpected place would be lost silently. */
function flattening(others: readonly string[]) {
  return (body: unknown, context: z.RefinementCtx): unknown => {
    if (!isObject(body)) return body;
    const data = body['data'] ?? undefined;
    if (data === undefined) return body;
    const refuse = (field: string, code: string): void =>
      context.addIssue({ code: 'custom', path: [field], params: { code }, input: data });
    if (!isObject(data)) return refuse('data', 'not_an_object');
    nestedFields.filter((field) => differ(field, data, body)).forEach((field) => refuse(field, 'given_twice'));
    const flat: Record<string, unknown> = {};
    for (const field of others) flat[field] = body[field];
    for (const field of nestedFields) flat[field] = Object.hasOwn(data, field) ? data[field] : body[field];
    return flat;
  };
}

const differ = (field: string, one: Values, other: Values): boolean =>
  Object.hasOwn(one, field) && Object.hasOwn(other, field) && one[field] !== other[field];

/** How far the clock of a caller may be ahead of the service's. */
const maxSkewMs = 5 * 60_000;

/** Scoped addresses mean something on one machine only. */
const isAddress = (value: string): boolean => isIP(value) !== 0 && !value.includes('%');

/** Treats `null` and blank text like an absent field. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .preprocess(
      (value) => (value === null || (typeof value === 'string' && value.trim() === '') ? undefined : value),
      schema.nullish(),
    )
    .optional();

/** Returns the schema of a consent, which is undefined without any field. @param clock returns milliseconds since 1970 */
function consent(clock: () => number) {
  const fields = z.object({
    source: optional(
      textField({ maxCharacters: 255 }, { description: 'Where the person agreed.', examples: ['signup form'] }),
    ),
    // Several lines are allowed, because the statement is stored as the person saw it.
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
