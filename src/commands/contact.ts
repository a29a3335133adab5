/** The rules of a contact: one person, one address, one subscription per list. */
import {
  contactSchemas,
  profileFields,
  type ContactEvent,
  type ProfileField,
  type SubscriptionStatus,
} from '../events/contact.js';
import { knownBy, type Decider, type Decision } from './decider.js';

export { profileFields } from '../events/contact.js';
export type { ProfileField, SubscriptionStatus } from '../events/contact.js';

export interface Subscription {
  readonly status: SubscriptionStatus;
  /** Ids of the attached tags, deleted ones included. */
  readonly tags: ReadonlySet<string>;
}

export interface ContactState {
  /** `null`: no such contact. */
  readonly contactId: string | null;
  readonly profile: Readonly<Partial<Record<ProfileField, string>>>;
  /** By list id, deleted lists included. */
  readonly subscriptions: ReadonlyMap<string, Subscription>;
}

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

interface Save {
  /** For the contact, should it be new. */
  readonly contactId: string;
  readonly email: string;
  readonly profile: ProfileChange;
  readonly status: SubscriptionStatus;
  readonly list: ListReference;
}

export type ContactCommand =
  | ({ readonly type: 'Create' } & Save)
  | ({ readonly type: 'Upsert'; readonly tags: readonly TagReference[] } & Save)
  | { readonly type: 'UpdateStatus'; readonly list: ListReference; readonly status: SubscriptionStatus }
  | { readonly type: 'AddTags'; readonly list: ListReference; readonly tags: readonly TagReference[] }
  | { readonly type: 'RemoveTags'; readonly list: ListReference; readonly tags: readonly TagReference[] };

const initial: ContactState = { contactId: null, profile: {}, subscriptions: new Map() };

function evolve(state: ContactState, event: ContactEvent): ContactState {
  switch (event.type) {
    case 'ContactCreated':
      return { contactId: event.data.contact_id, profile: changed({}, event.data.person), subscriptions: new Map() };
    case 'ContactProfileChanged':
      return { ...state, profile: changed(state.profile, event.data.person) };
    case 'ContactSubscribed':
      return subscribed(state, event.data.list_id, { status: 'Subscribed' });
    case 'ContactUnsubscribed':
      return subscribed(state, event.data.list_id, { status: 'Unsubscribed' });
    case 'ConsentRecorded':
      return state;
    case 'TagsAttached':
      return subscribed(state, event.data.list_id, { tags: new Set([...tagsOf(state, event), ...idsOf(event)]) });
    case 'TagsDetached': {
      const detached = new Set(idsOf(event));
      const tags = tagsOf(state, event).filter((id) => !detached.has(id));
      return subscribed(state, event.data.list_id, { tags: new Set(tags) });
    }
    default:
      return event satisfies never;
  }
}

type TagsChanged = Extract<ContactEvent, { type: 'TagsAttached' | 'TagsDetached' }>;
const idsOf = ({ data }: TagsChanged): string[] => data.tags.map(({ tag_id }) => tag_id);
const tagsOf = (state: ContactState, { data }: TagsChanged): string[] => [
  ...(state.subscriptions.get(data.list_id)?.tags ?? []),
];

function changed(profile: ContactState['profile'], change: ProfileChange): ContactState['profile'] {
  const result: Partial<Record<ProfileField, string>> = { ...profile };
  for (const field of profileFields) {
    const value = change[field];
    if (value === null) delete result[field];
    else if (value !== undefined) result[field] = value;
  }
  return result;
}

function subscribed(state: ContactState, listId: string, change: Partial<Subscription>): ContactState {
  const before = state.subscriptions.get(listId) ?? { status: 'Subscribed', tags: new Set<string>() };
  return { ...state, subscriptions: new Map(state.subscriptions).set(listId, { ...before, ...change }) };
}

function decide(command: ContactCommand, state: ContactState): Decision<ContactEvent> {
  switch (command.type) {
    case 'Create':
      if (state.contactId === null) return created(command);
      return state.contactId === command.contactId ? [] : { refused: 'duplicate_email' };
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
  }
}

function created(save: Save): ContactEvent[] {
  const profile = changed({}, save.profile);
  return [
    { type: 'ContactCreated', data: { contact_id: save.contactId, person: { email: save.email, ...profile } } },
    ...statusChange(save.contactId, save, initial),
  ];
}

function upsert(command: Extract<ContactCommand, { type: 'Upsert' }>, state: ContactState): ContactEvent[] {
  const attached = state.subscriptions.get(command.list.list_id)?.tags ?? new Set<string>();
  if (state.contactId === null) return [...created(command), ...attach(command.contactId, command, attached)];
  return [
    ...profileChange(state.contactId, command.profile, state),
    ...statusChange(state.contactId, command, state),
    ...attach(state.contactId, command, attached),
  ];
}

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
  { list, status }: { readonly list: ListReference; readonly status: SubscriptionStatus },
  { subscriptions }: ContactState,
): ContactEvent[] {
  const previous = subscriptions.get(list.list_id)?.status ?? null;
  if (previous === status) return [];
  const data = { contact_id: contactId, list_id: list.list_id, list_name: list.list_name, previous_status: previous };
  return [{ type: status === 'Subscribed' ? 'ContactSubscribed' : 'ContactUnsubscribed', data }];
}

function attach(
  contactId: string,
  { list, tags }: { readonly list: ListReference; readonly tags: readonly TagReference[] },
  attached: ReadonlySet<string>,
): ContactEvent[] {
  const missing = tags.filter(({ tag_id }) => !attached.has(tag_id));
  if (missing.length === 0) return [];
  return [{ type: 'TagsAttached', data: { contact_id: contactId, list_id: list.list_id, tags: missing } }];
}

function inList(
  { list }: { readonly list: ListReference },
  state: ContactState,
  decided: (member: { contactId: string; subscription: Subscription }) => ContactEvent[],
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
