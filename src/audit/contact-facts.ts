/** The facts of a contact while its stream is folded: each with the event that made it so, and the next one that changed it. */
import type { DomainEvent } from '../events/codec.js';
import type { Consent, ContactEvent, SubscriptionStatus } from '../events/contact.js';
import type { Recorded } from '../events/envelope.js';
import type { ProfileValues, UnreadableEvent } from './answers.js';
import type { NamedKind, NameVersion } from './names.js';

export type Cause = Recorded<DomainEvent> | { readonly kind: NamedKind; readonly version: NameVersion };

export interface Fact {
  /** Undefined: it has always been so. */
  readonly because: Cause | undefined;
  /** The first event of the contact after the time that changes it. */
  next: Cause | undefined;
}

export interface MembershipFacts {
  readonly name: string;
  /** Null: not yet in the list; then `next` is the entry. */
  readonly status: SubscriptionStatus | null;
  readonly fact: Fact;
  consent: { readonly consent: Consent; readonly because: Cause } | undefined;
  /** Deleted tags are still among them. */
  readonly tags: Map<string, TagHeld>;
}

export interface TagHeld {
  readonly name: string;
  readonly fact: Fact;
}

export interface Life {
  readonly contactId: string;
  readonly created: Recorded<ContactEvent>;
  profile: ProfileValues;
  profileFact: Fact;
}

export const factOf = (because: Cause): Fact => ({ because, next: undefined });

/** What is known of a contact at a time; written while its stream is folded. */
export interface ContactFold {
  /** The contact of the last event before the cut; undefined where none could be read. */
  contactId: string | undefined;
  /** Undefined: no such contact at the time, or its creation is among what cannot be read. */
  life: Life | undefined;
  /** Where there is no life: the creation that came later. */
  creation: Recorded<ContactEvent> | undefined;
  /** The erasure that ended the last life before the cut. */
  erasure: Recorded<ContactEvent> | undefined;
  /** By list id, of that life; deleted lists are still among them. */
  memberships: Map<string, MembershipFacts>;
  /** Events at or before the time, in log order, that are not folded: what they changed is not known. */
  unreadable: UnreadableEvent[];
  /** The first unreadable event that may be after the time and about this contact: a `next` after it may not be the next change. */
  nextUnreadable: UnreadableEvent | undefined;
}
