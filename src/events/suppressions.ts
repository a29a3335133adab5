/** What is known of an address that must not be mailed: the facts of a stream `suppression-<key>`. Personal data stands under `person` only. */
import { z } from 'zod';
import { personal, type EventOf } from './envelope.js';

export const suppressionReasons = ['hard_bounce', 'repeated_bounces', 'complaint', 'unsubscribe', 'manual'] as const;
export type SuppressionReason = (typeof suppressionReasons)[number];

/** Beside the ids of lists: mail of every kind. */
export const everyMail = 'all';

/** The reason of a release that lifts what was refused in every scope. */
export const forgottenReason = 'forgotten';

/** `unclear`: a permanent refusal that does not say that the mailbox does not exist. `soft`: a temporary refusal, or the mailbox is full. */
export const countedKinds = ['soft', 'unclear'] as const;

/** How the person did it, with the SHA-256 of the link's token (base64url) as evidence. */
const by = z.object({ kind: z.enum(['one_click', 'page']), token_hash: z.string() });
export type PersonsClick = z.infer<typeof by>;

const text = z.string().optional();

export const suppressionSchemas = {
  AddressSuppressed: z.object({
    reason: z.enum(suppressionReasons),
    /** `all` or the id of a list. */
    scope: z.string(),
    /** The e-mail that it was said about. */
    email_id: text,
    by: by.optional(),
    /** Absent: of an erased person nothing is known but the key. */
    person: personal({ email: z.string(), note: text, ip: text }).optional(),
  }),
  /** Lifts every reason of exactly this scope; with the reason `forgotten` those of all scopes. */
  AddressReleased: z.object({
    scope: z.string(),
    /** A code. */
    reason: z.string(),
    by: by.optional(),
    person: personal({ note: text }).optional(),
  }),
  /** The recipient's mail server refused this email. Enough such refusals are followed by `AddressSuppressed`. */
  BounceCounted: z.object({ email_id: z.string(), kind: z.enum(countedKinds) }),
  /** What the stream holds up to the revision `through` has no more personal data. What is refused stays refused. */
  SuppressionErased: z.object({ through: z.number().int().min(0) }),
};

export type SuppressionEvent = EventOf<typeof suppressionSchemas>;

/** One reason why mail of a scope is refused. */
export interface Suppression {
  /** `all` or the id of a list. */
  readonly scope: string;
  readonly reason: SuppressionReason;
  readonly since: string;
  readonly email_id?: string | undefined;
}

/** What is refused after an event. */
export function activeAfter(
  active: readonly Suppression[],
  { type, data }: Extract<SuppressionEvent, { type: 'AddressSuppressed' | 'AddressReleased' }>,
  at: string,
): readonly Suppression[] {
  const { scope, reason } = data;
  if (type === 'AddressReleased')
    return reason === forgottenReason ? [] : active.filter((entry) => entry.scope !== scope);
  if (isActive(active, data)) return active;
  const { email_id } = data;
  return [...active, { scope, reason: data.reason, since: at, ...(email_id === undefined ? {} : { email_id }) }];
}

export const isActive = (
  active: readonly Suppression[],
  { scope, reason }: Pick<Suppression, 'scope' | 'reason'>,
): boolean => active.some((entry) => entry.scope === scope && entry.reason === reason);
