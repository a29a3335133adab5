/** What can happen to a contact: the facts of a stream `contact-<key>`. Personal data stands under `person` only. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { personal, type EventOf } from './envelope.js';

const subscriptionStatuses = ['Subscribed', 'Unsubscribed'] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

export const profileFields = [
  'firstName',
  'lastName',
  'phone',
  'dateOfBirth',
  'address',
  'city',
  'state',
  'country',
  'zipcode',
] as const;
export type ProfileField = (typeof profileFields)[number];

/** Of a contact of whom only the address is known. */
export const noProfile: { readonly [Field in ProfileField]: null } = {
  firstName: null,
  lastName: null,
  phone: null,
  dateOfBirth: null,
  address: null,
  city: null,
  state: null,
  country: null,
  zipcode: null,
};

const text = z.string().optional();
const change = z.string().nullable().optional();

const consent = z.object({
  source: text,
  statement: text,
  ip: text,
  legal_basis: text,
  /** UTC, ISO 8601. */
  occurred_at: text,
});
export type Consent = z.infer<typeof consent>;

/** A new field comes last. */
export const consentFields = consent.keyof().options;
/** Hashes of these are stored. */
const firstConsentFields = 5;

/** Returns the values of a consent, in this order. Leaves out fields that were added later and have no value, so that stored hashes stay the same. */
export function consentValues(consent: Consent, fields: readonly string[] = consentFields): readonly unknown[] {
  const values = new Map<string, unknown>(Object.entries(consent));
  const last = fields.findLastIndex((field) => values.get(field) !== undefined);
  return fields.slice(0, Math.max(firstConsentFields, last + 1)).map((field) => values.get(field));
}

/** The same for consents that say the same; short, and nothing personal can be read from it. */
export const consentDigest = (consent: Consent): string =>
  createHash('sha256')
    .update(JSON.stringify(consentValues(consent)))
    .digest('base64url');

/** How the person decided by a link in an e-mail, or that they complained about it. */
const byPerson = z.object({ kind: z.enum(['one_click', 'page', 'complaint']), email_id: z.string() });
export type ByPerson = z.infer<typeof byPerson>;

const subscriptionChange = z.object({
  contact_id: z.string(),
  list_id: z.string(),
  list_name: z.string(),
  /** `null`: the contact's first time in this list. */
  previous_status: z.enum(subscriptionStatuses).nullable(),
  /** For information only. Absent where the API or an import said so. */
  by: byPerson.optional(),
  person: personal({ consent }).optional(),
});

const tagsChange = z.object({
  contact_id: z.string(),
  list_id: z.string(),
  tags: z.array(z.object({ tag_id: z.string(), tag_name: z.string() })),
});

const profile = <Field extends z.ZodType>(field: Field) => ({
  firstName: field,
  lastName: field,
  phone: field,
  dateOfBirth: field,
  address: field,
  city: field,
  state: field,
  country: field,
  zipcode: field,
});

export const contactSchemas = {
  ContactCreated: z.object({
    contact_id: z.string(),
    person: personal({ email: z.string(), ...profile(text) }),
  }),
  /** Changed fields only; `null` = cleared. */
  ContactProfileChanged: z.object({ contact_id: z.string(), person: personal(profile(change)) }),
  ContactSubscribed: subscriptionChange,
  ContactUnsubscribed: subscriptionChange,
  /** Consent given while the status stays. */
  ConsentRecorded: z.object({
    contact_id: z.string(),
    list_id: z.string(),
    list_name: z.string(),
    status: z.enum(subscriptionStatuses),
    person: personal({ consent }),
  }),
  TagsAttached: tagsChange,
  TagsDetached: tagsChange,
  /** The person is forgotten: what the stream holds up to the revision `through` has no more personal data. Another contact may follow. */
  ContactErased: z.object({
    erasure_id: z.string(),
    contact_id: z.string(),
    through: z.number().int().min(0),
    /** Every list that the contact was ever in. What is too much for one append is in further events, with the same ids and the same `through`. */
    list_ids: z.array(z.string()),
    /** Those where the status was Subscribed. */
    subscribed_list_ids: z.array(z.string()),
    /** The tags that the contact bore, by list. */
    attached: z.array(z.object({ list_id: z.string(), tag_ids: z.array(z.string()) })),
    reason: z.string().optional(),
  }),
};

export type ContactEvent = EventOf<typeof contactSchemas>;

/** Of ContactErased: an earlier event of the same erasure has ended the contact, and another one may have followed since. */
export const isLaterPart = ({ through }: { readonly through: number }, revision: bigint): boolean =>
  revision > BigInt(through) + 1n;

type LifeEvent = 'ContactCreated' | 'ContactErased';
export const lifeEvents: ReadonlySet<string> = new Set<LifeEvent>(['ContactCreated', 'ContactErased']);

/** Whether a contact begins or ends with this event of its stream. */
export function lifeChange(
  { type, data }: { readonly type: string; readonly data: object },
  revision: bigint,
): 'begins' | 'ends' | undefined {
  if (type === 'ContactCreated') return 'begins';
  if (type !== 'ContactErased' || !('through' in data)) return undefined;
  return isLaterPart({ through: Number(data.through) }, revision) ? undefined : 'ends';
}
