/** The state of a contact, folded from its events, and the parts in which `ContactErased` names it: an erasure of a contact with very many lists and tags does not fit into one append. */
import { OrderedSet } from 'immutable';
import {
  consentDigest,
  profileFields,
  type ContactEvent,
  type ProfileField,
  type SubscriptionStatus,
} from '../events/contact.js';
import type { Metadata } from '../events/envelope.js';
import type { Creation } from './decider.js';

type OfType<Type extends ContactEvent['type']> = Extract<ContactEvent, { type: Type }>;

export interface SubscriptionState {
  readonly status: SubscriptionStatus;
  /** When the status became so. */
  readonly since: string;
  /** Ids of the attached tags, deleted ones included, in the order of attaching. */
  readonly tags: OrderedSet<string>;
  /** Digest of the last consent since the status became so; absent: none was given. */
  readonly consent?: string;
}

export interface ContactState {
  /** `null`: no such contact. */
  readonly contactId: string | null;
  readonly profile: Readonly<Partial<Record<ProfileField, string>>>;
  readonly subscriptions: ReadonlyMap<string, SubscriptionState>;
  /** How the contact was created, where the request had an `Idempotency-Key`. */
  readonly creation: Creation | undefined;
  /** The last one in the stream: a contact may have followed. */
  readonly erasure?: ContactErasure | undefined;
  /** By erasure id: who is erased, and what no ContactErased has named yet. Seldom anything. */
  readonly unnamed: ReadonlyMap<
    string,
    Omit<ContactErasure, 'erasure_id'> & { contact_id: string; lists: UnnamedSubscriptions }
  >;
}

/** Personal data is to be erased from the events up to the revision `through`. */
type ContactErasure = Pick<OfType<'ContactErased'>['data'], 'erasure_id' | 'through'>;

/** Fields to set; `null` clears; what is absent stays. */
export type ProfileChange = Readonly<Partial<Record<ProfileField, string | null | undefined>>>;

export const initial: ContactState = {
  contactId: null,
  profile: {},
  subscriptions: new Map(),
  creation: undefined,
  unnamed: new Map(),
};

export function evolve(
  state: ContactState,
  event: ContactEvent,
  { at, idempotency }: Pick<Metadata, 'at' | 'idempotency'>,
): ContactState {
  switch (event.type) {
    case 'ContactCreated': {
      const { contact_id: contactId, person } = event.data;
      const { erasure, unnamed } = state;
      const creation = person && idempotency ? { ...idempotency, salt: person.salt } : undefined;
      return { contactId, profile: changed({}, person), subscriptions: new Map(), creation, erasure, unnamed };
    }
    case 'ContactProfileChanged':
      return { ...state, profile: changed(state.profile, event.data.person) };
    case 'ContactSubscribed':
      return withStatus(state, event, { status: 'Subscribed', since: at });
    case 'ContactUnsubscribed':
      return withStatus(state, event, { status: 'Unsubscribed', since: at });
    case 'ConsentRecorded':
      return withConsent(state, event);
    case 'TagsAttached':
      return withTags(state, event, tagsOf(state, event).union(idsOf(event)));
    case 'TagsDetached':
      return withTags(state, event, removed(tagsOf(state, event), idsOf(event)));
    case 'ContactErased':
      return erased(state, event.data);
    default:
      return event satisfies never;
  }
}

type TagsChanged = Extract<ContactEvent, { type: 'TagsAttached' | 'TagsDetached' }>;
const idsOf = ({ data }: TagsChanged): string[] => data.tags.map(({ tag_id }) => tag_id);
export const noTags = OrderedSet<string>();
/** `subtract` goes through the whole set. */
const removed = (tags: OrderedSet<string>, ids: readonly string[]): OrderedSet<string> =>
  tags.withMutations((left) => ids.forEach((id) => left.delete(id)));
const tagsOf = (state: ContactState, { data }: TagsChanged): OrderedSet<string> =>
  state.subscriptions.get(data.list_id)?.tags ?? noTags;

/** Null: it was erased. */
export function changed(profile: ContactState['profile'], change: ProfileChange | null): ContactState['profile'] {
  const result: Partial<Record<ProfileField, string>> = { ...profile };
  for (const field of profileFields) {
    const value = change?.[field];
    if (value === null) delete result[field];
    else if (value !== undefined) result[field] = value;
  }
  return result;
}

const none: SubscriptionState = { status: 'Subscribed', since: '', tags: noTags };

/** A consent goes with the status that it was given for: after another status the same consent is recorded again. */
function withStatus(
  state: ContactState,
  { data }: OfType<'ContactSubscribed' | 'ContactUnsubscribed'>,
  standing: Pick<SubscriptionState, 'status' | 'since'>,
): ContactState {
  const { tags } = state.subscriptions.get(data.list_id) ?? none;
  const subscription = data.person
    ? { ...standing, tags, consent: consentDigest(data.person.consent) }
    : { ...standing, tags };
  return withSubscription(state, data.list_id, subscription);
}

function withConsent(state: ContactState, { data }: OfType<'ConsentRecorded'>): ContactState {
  const before = state.subscriptions.get(data.list_id) ?? none;
  const { status, since, tags } = before;
  return withSubscription(
    state,
    data.list_id,
    data.person ? { status, since, tags, consent: consentDigest(data.person.consent) } : { status, since, tags },
  );
}

const withTags = (state: ContactState, { data }: TagsChanged, tags: OrderedSet<string>): ContactState =>
  withSubscription(state, data.list_id, { ...(state.subscriptions.get(data.list_id) ?? none), tags });

const withSubscription = (
  { contactId, profile, subscriptions, creation, erasure, unnamed }: ContactState,
  listId: string,
  subscription: SubscriptionState,
): ContactState => ({
  contactId,
  profile,
  subscriptions: new Map(subscriptions).set(listId, subscription),
  creation,
  erasure,
  unnamed,
});

/** The first part of an erasure ends the contact; a later one leaves alone a contact that was created since. */
function erased(state: ContactState, data: OfType<'ContactErased'>['data']): ContactState {
  const { erasure_id, contact_id, through } = data;
  const isEnd = state.contactId === contact_id;
  const lists = without(isEnd ? state.subscriptions : (state.unnamed.get(erasure_id)?.lists ?? new Map()), data);
  const unnamed = new Map(state.unnamed).set(erasure_id, { contact_id, through, lists });
  if (lists.size === 0) unnamed.delete(erasure_id);
  return isEnd ? { ...initial, erasure: { erasure_id, through }, unnamed } : { ...state, unnamed };
}

type Erased = Extract<ContactEvent, { type: 'ContactErased' }>['data'];
type ErasedPart = Pick<Erased, 'list_ids' | 'subscribed_list_ids' | 'attached'>;

/** By list id. Without a status: the list itself is named already, these tags in it are not. */
type UnnamedSubscriptions = ReadonlyMap<
  string,
  { readonly status?: SubscriptionStatus | undefined; readonly tags: OrderedSet<string> }
>;

/** Characters of a part. With metadata it stays far below what one append takes (1 MiB). */
const partLength = 256 * 1024;
/** Quotes, comma and the names of members around an id, at most. */
const aroundId = 32;

/** As much as one event names. */
export function partOf(unnamed: UnnamedSubscriptions): ErasedPart {
  const part: ErasedPart = { list_ids: [], subscribed_list_ids: [], attached: [] };
  let length = 0;
  for (const [list_id, { status, tags }] of unnamed) {
    if (length >= partLength) break;
    length += 3 * (list_id.length + aroundId);
    if (status !== undefined) part.list_ids.push(list_id);
    if (status === 'Subscribed') part.subscribed_list_ids.push(list_id);
    const tag_ids = [...tags.takeWhile((id) => (length += id.length + 3) < partLength)];
    if (tag_ids.length > 0) part.attached.push({ list_id, tag_ids });
  }
  return part;
}

/** What is left when a part is named. */
function without(unnamed: UnnamedSubscriptions, { list_ids, attached }: ErasedPart): UnnamedSubscriptions {
  const lists = new Set(list_ids);
  const tagsIn = new Map(attached.map(({ list_id, tag_ids }) => [list_id, new Set(tag_ids)]));
  return new Map(
    [...unnamed].flatMap(([list_id, { status, tags }]) => {
      const named = tagsIn.get(list_id);
      const left = {
        status: lists.has(list_id) ? undefined : status,
        tags: named === undefined ? tags : tags.filterNot((id) => named.has(id)),
      };
      return left.status === undefined && left.tags.isEmpty() ? [] : [[list_id, left] as const];
    }),
  );
}
