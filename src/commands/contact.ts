/** The rules of a contact: one person, one address, one subscription per list. */
import { OrderedSet } from 'immutable';
import {
  consentDigest,
  contactSchemas,
  profileFields,
  type Consent,
  type ContactEvent,
  type ProfileField,
  type SubscriptionStatus,
} from '../events/contact.js';
import type { Metadata } from '../events/envelope.js';
import {
  isRefusal,
  knownBy,
  replay,
  type Circumstances,
  type Creation,
  type Decider,
  type Decision,
} from './decider.js';
import { partOf, without, type Unnamed } from './erased-parts.js';

export { profileFields } from '../events/contact.js';
export type { Consent, ProfileField, SubscriptionStatus } from '../events/contact.js';

export interface Subscription {
  readonly status: SubscriptionStatus;
  /** Ids of the attached tags, deleted ones included, in the order of attaching. */
  readonly tags: OrderedSet<string>;
  /** Digest of the last consent since the status became so; absent: none was given. */
  readonly consent?: string;
}

export interface ContactState {
  /** `null`: no such contact. */
  readonly contactId: string | null;
  readonly profile: Readonly<Partial<Record<ProfileField, string>>>;
  readonly subscriptions: ReadonlyMap<string, Subscription>;
  /** How the contact was created, where the request had an `Idempotency-Key`. */
  readonly creation: Creation | undefined;
  /** The last one in the stream: a contact may have followed. */
  readonly erasure?: Erasure | undefined;
  /** By erasure id: who is erased, and what no ContactErased has named yet. Seldom anything. */
  readonly unnamed: ReadonlyMap<string, Omit<Erasure, 'erasure_id'> & { contact_id: string; lists: Unnamed }>;
}

/** Personal data is to go from the events up to the revision `through`. */
export type Erasure = Pick<OfType<'ContactErased'>['data'], 'erasure_id' | 'through'>;

export interface ListReference {
  readonly list_id: string;
  readonly list_name: string;
}

export interface TagReference {
  readonly tag_id: string;
  readonly tag_name: string;
}

/** Fields to set; `null` clears; what is absent stays. */
export type ProfileChange = Readonly<Partial<Record<ProfileField, string | null | undefined>>>;

/** The status of a contact in a list from now on, and how the person agreed. */
interface Standing {
  readonly list: ListReference;
  readonly status: SubscriptionStatus;
  readonly consent?: Consent | undefined;
}

interface Attachment {
  readonly list: ListReference;
  readonly tags: readonly TagReference[];
  /** Whether a tag is not deleted. Absent: all count. */
  readonly isLiving?: ((tagId: string) => boolean) | undefined;
}

interface Save extends Standing {
  readonly contactId: string;
  readonly email: string;
  readonly profile: ProfileChange;
}

export type ContactCommand =
  | ({ readonly type: 'Create' } & Save)
  | ({
      readonly type: 'Upsert';
      /** False: who has unsubscribed from the list stays so. */
      readonly resubscribe?: boolean | undefined;
    } & Save &
      Attachment)
  | ({ readonly type: 'UpdateStatus' } & Standing)
  | ({ readonly type: 'AddTags' } & Attachment)
  | { readonly type: 'RemoveTags'; readonly list: ListReference; readonly tags: readonly TagReference[] }
  | { readonly type: 'Erase'; readonly erasure_id: string; readonly reason?: string | undefined };

const initial: ContactState = {
  contactId: null,
  profile: {},
  subscriptions: new Map(),
  creation: undefined,
  unnamed: new Map(),
};

function evolve(
  state: ContactState,
  event: ContactEvent,
  { idempotency }: Pick<Metadata, 'idempotency'>,
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
      return withStatus(state, event, 'Subscribed');
    case 'ContactUnsubscribed':
      return withStatus(state, event, 'Unsubscribed');
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
function changed(profile: ContactState['profile'], change: ProfileChange | null): ContactState['profile'] {
  const result: Partial<Record<ProfileField, string>> = { ...profile };
  for (const field of profileFields) {
    const value = change?.[field];
    if (value === null) delete result[field];
    else if (value !== undefined) result[field] = value;
  }
  return result;
}

type OfCommand<Type extends ContactCommand['type']> = Extract<ContactCommand, { type: Type }>;
type OfType<Type extends ContactEvent['type']> = Extract<ContactEvent, { type: Type }>;
const none: Subscription = { status: 'Subscribed', tags: noTags };

/** A consent goes with the status that it was given for: after another status the same consent is recorded again. */
function withStatus(
  state: ContactState,
  { data }: OfType<'ContactSubscribed' | 'ContactUnsubscribed'>,
  status: SubscriptionStatus,
): ContactState {
  const { tags } = state.subscriptions.get(data.list_id) ?? none;
  const subscription = data.person ? { status, tags, consent: consentDigest(data.person.consent) } : { status, tags };
  return withSubscription(state, data.list_id, subscription);
}

function withConsent(state: ContactState, { data }: OfType<'ConsentRecorded'>): ContactState {
  const before = state.subscriptions.get(data.list_id) ?? none;
  const { status, tags } = before;
  return withSubscription(
    state,
    data.list_id,
    data.person ? { status, tags, consent: consentDigest(data.person.consent) } : { status, tags },
  );
}

const withTags = (state: ContactState, { data }: TagsChanged, tags: OrderedSet<string>): ContactState =>
  withSubscription(state, data.list_id, { ...(state.subscriptions.get(data.list_id) ?? none), tags });

const withSubscription = (
  { contactId, profile, subscriptions, creation, erasure, unnamed }: ContactState,
  listId: string,
  subscription: Subscription,
): ContactState => ({
  contactId,
  profile,
  subscriptions: new Map(subscriptions).set(listId, subscription),
  creation,
  erasure,
  unnamed,
});

/** The first part of an erasure ends the contact; a later one leaves alone who has come since. */
function erased(state: ContactState, data: OfType<'ContactErased'>['data']): ContactState {
  const { erasure_id, contact_id, through } = data;
  const isEnd = state.contactId === contact_id;
  const lists = without(isEnd ? state.subscriptions : (state.unnamed.get(erasure_id)?.lists ?? new Map()), data);
  const unnamed = new Map(state.unnamed).set(erasure_id, { contact_id, through, lists });
  if (lists.size === 0) unnamed.delete(erasure_id);
  return isEnd ? { ...initial, erasure: { erasure_id, through }, unnamed } : { ...state, unnamed };
}

function decide(command: ContactCommand, state: ContactState, circumstances: Circumstances): Decision<ContactEvent> {
  switch (command.type) {
    case 'Create':
      if (state.contactId === null) return created(command);
      if (state.contactId === command.contactId) return [];
      return replay(state.creation, circumstances.idempotency) ?? { refused: 'duplicate_email' };
    case 'Upsert':
      return upsert(command, state);
    case 'UpdateStatus':
      return inList(command, state, ({ contactId }) => statusChange(contactId, command, state));
    case 'AddTags':
      return inList(command, state, ({ contactId, subscription }) => attach(contactId, command, subscription.tags));
    case 'RemoveTags':
      return inList(command, state, ({ contactId, subscription }) => {
        const tags = command.tags.filter(({ tag_id }) => subscription.tags.has(tag_id));
        return tags.length === 0
          ? []
          : [{ type: 'TagsDetached', data: { contact_id: contactId, list_id: command.list.list_id, tags } }];
      });
    case 'Erase':
      return erase(command, state, circumstances);
  }
}

/** A part at a time: the next one with the same command, until nothing is left. Who has come back since the erasure began is somebody else. */
function erase(
  { erasure_id, reason }: OfCommand<'Erase'>,
  { contactId, subscriptions, erasure, unnamed }: ContactState,
  { revision }: Circumstances,
): ContactEvent[] {
  const isOver = contactId === null || erasure?.erasure_id === erasure_id;
  const end = isOver ? undefined : { contact_id: contactId, through: Number(revision), lists: subscriptions };
  const going = unnamed.get(erasure_id) ?? end;
  if (going === undefined) return [];
  const { contact_id, through, lists } = going;
  const data = { erasure_id, contact_id, through, ...partOf(lists) };
  return [{ type: 'ContactErased', data: reason === undefined ? data : { ...data, reason } }];
}

function created(save: Save): ContactEvent[] {
  const profile = changed({}, save.profile);
  return [
    { type: 'ContactCreated', data: { contact_id: save.contactId, person: { email: save.email, ...profile } } },
    ...statusChange(save.contactId, save, initial),
  ];
}

function upsert(command: OfCommand<'Upsert'>, state: ContactState): Decision<ContactEvent> {
  const before = state.subscriptions.get(command.list.list_id)?.tags ?? noTags;
  const attached = attach(state.contactId ?? command.contactId, command, before);
  if (isRefusal(attached)) return attached;
  if (state.contactId === null) return [...created(command), ...attached];
  return [
    ...profileChange(state.contactId, command.profile, state),
    ...(isResubscription(command, state) && command.resubscribe === false
      ? []
      : statusChange(state.contactId, command, state)),
    ...attached,
  ];
}

const isResubscription = ({ list, status }: Standing, { subscriptions }: ContactState): boolean =>
  status === 'Subscribed' && subscriptions.get(list.list_id)?.status === 'Unsubscribed';

function profileChange(contactId: string, wanted: ProfileChange, { profile }: ContactState): ContactEvent[] {
  const change: Partial<Record<ProfileField, string | null>> = {};
  for (const field of profileFields) {
    const value = wanted[field];
    if (value !== undefined && value !== (profile[field] ?? null)) change[field] = value;
  }
  if (Object.keys(change).length === 0) return [];
  return [{ type: 'ContactProfileChanged', data: { contact_id: contactId, person: change } }];
}

function statusChange(
  contactId: string,
  { list, status, consent }: Standing,
  { subscriptions }: ContactState,
): ContactEvent[] {
  const { list_id, list_name } = list;
  const before = subscriptions.get(list_id);
  if (before?.status === status) {
    if (consent === undefined || consentDigest(consent) === before.consent) return [];
    return [
      { type: 'ConsentRecorded', data: { contact_id: contactId, list_id, list_name, status, person: { consent } } },
    ];
  }
  const data = { contact_id: contactId, list_id, list_name, previous_status: before?.status ?? null };
  return [
    {
      type: status === 'Subscribed' ? 'ContactSubscribed' : 'ContactUnsubscribed',
      data: consent === undefined ? data : { ...data, person: { consent } },
    },
  ];
}

/** Living ones of a contact in a list. Logs of earlier versions hold more: those stay, and none is added. */
const maxTags = 200;

/** The refusal, where these tags beside the attached ones are too many. */
export function tooManyTags(
  attached: OrderedSet<string>,
  tags: readonly TagReference[],
  { isLiving }: Pick<Attachment, 'isLiving'>,
) {
  const more = tags.filter(({ tag_id }) => !attached.has(tag_id)).length;
  if (more === 0 || attached.size + more <= maxTags) return undefined;
  const living = isLiving === undefined ? attached.size : attached.count(isLiving);
  return living + more <= maxTags ? undefined : ({ refused: 'too_many_tags', parameters: { limit: maxTags } } as const);
}

function attach(contactId: string, attachment: Attachment, attached: OrderedSet<string>): Decision<ContactEvent> {
  const { list, tags } = attachment;
  const missing = tags.filter(({ tag_id }) => !attached.has(tag_id));
  if (missing.length === 0) return [];
  const added = { contact_id: contactId, list_id: list.list_id, tags: missing };
  return tooManyTags(attached, missing, attachment) ?? [{ type: 'TagsAttached', data: added }];
}

function inList(
  { list }: { readonly list: ListReference },
  state: ContactState,
  decided: (member: { contactId: string; subscription: Subscription }) => Decision<ContactEvent>,
): Decision<ContactEvent> {
  if (state.contactId === null) return { refused: 'unknown_contact' };
  const subscription = state.subscriptions.get(list.list_id);
  if (subscription === undefined) return { refused: 'not_in_list' };
  return decided({ contactId: state.contactId, subscription });
}

export const contactDecider: Decider<ContactState, ContactCommand, ContactEvent> = {
  initial,
  evolve,
  decide,
  knows: knownBy<ContactEvent>(contactSchemas),
};
