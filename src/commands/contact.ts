/** The rules of a contact: one person, one address, one subscription per list. */
import type { OrderedSet } from 'immutable';
import {
  consentDigest,
  contactSchemas,
  profileFields,
  type Consent,
  type ContactEvent,
  type ProfileField,
  type ByPerson,
  type SubscriptionStatus,
} from '../events/contact.js';
import { everyMail } from '../events/suppressions.js';
import {
  changed,
  evolve,
  initial,
  noTags,
  partOf,
  type ContactState,
  type ProfileChange,
  type SubscriptionState,
} from './contact-state.js';
import { isRefusal, knownBy, decideRepeat, type DecisionContext, type Decider, type Decision } from './decider.js';

export interface ListReference {
  readonly list_id: string;
  readonly list_name: string;
}

export interface TagReference {
  readonly tag_id: string;
  readonly tag_name: string;
}

/** The status of a contact in a list from now on, and how the person agreed. */
interface Standing {
  readonly list: ListReference;
  readonly status: SubscriptionStatus;
  readonly consent?: Consent | undefined;
  readonly by?: ByPerson | undefined;
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
      /** False: an unsubscribed contact stays unsubscribed. */
      readonly resubscribe?: boolean | undefined;
    } & Save &
      Attachment)
  | ({
      readonly type: 'UpdateStatus';
      /** If given, the command is refused as `unknown_contact` once the address belongs to another contact, after an erasure. */
      readonly contactId?: string;
    } & Standing)
  | ({ readonly type: 'AddTags' } & Attachment)
  | { readonly type: 'RemoveTags'; readonly list: ListReference; readonly tags: readonly TagReference[] }
  /** The person refuses mail: at most `refusedAtOnce` lists, so the same command is repeated until none is left. */
  | {
      readonly type: 'Refuse';
      /** A list, or `all`: every list. */
      readonly scope: string;
      /** Of a list that is not deleted. */
      readonly nameOf: (listId: string) => string | undefined;
      readonly by: ByPerson;
    }
  | { readonly type: 'Erase'; readonly erasure_id: string; readonly reason?: string | undefined };

type OfCommand<Type extends ContactCommand['type']> = Extract<ContactCommand, { type: Type }>;

function decide(command: ContactCommand, state: ContactState, circumstances: DecisionContext): Decision<ContactEvent> {
  switch (command.type) {
    case 'Create':
      if (state.contactId === null) return created(command);
      if (state.contactId === command.contactId) return [];
      return decideRepeat(state.creation, circumstances.idempotency) ?? { refused: 'duplicate_email' };
    case 'Upsert':
      return upsert(command, state);
    case 'UpdateStatus':
      if (command.contactId !== undefined && command.contactId !== state.contactId)
        return { refused: 'unknown_contact' };
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
    case 'Refuse':
      return refuse(command, state);
    case 'Erase':
      return erase(command, state, circumstances);
  }
}

/** One part per command: the same command is repeated until nothing is left. A contact that was created since the first part is another one, and stays. */
function erase(
  { erasure_id, reason }: OfCommand<'Erase'>,
  { contactId, subscriptions, erasure, unnamed }: ContactState,
  { revision }: DecisionContext,
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
  { list, status, consent, by }: Standing,
  { subscriptions }: Pick<ContactState, 'subscriptions'>,
): ContactEvent[] {
  const { list_id, list_name } = list;
  const before = subscriptions.get(list_id);
  if (before?.status === status) {
    if (consent === undefined || consentDigest(consent) === before.consent) return [];
    return [
      { type: 'ConsentRecorded', data: { contact_id: contactId, list_id, list_name, status, person: { consent } } },
    ];
  }
  const data = {
    contact_id: contactId,
    list_id,
    list_name,
    previous_status: before?.status ?? null,
    ...(by && { by }),
    ...(consent && { person: { consent } }),
  };
  return [{ type: status === 'Subscribed' ? 'ContactSubscribed' : 'ContactUnsubscribed', data }];
}

/** Of one append. */
const refusedAtOnce = 500;

function refuse(
  { scope, nameOf, by }: OfCommand<'Refuse'>,
  { contactId, subscriptions }: ContactState,
): Decision<ContactEvent> {
  if (contactId === null) return [];
  const refused = scope === everyMail ? [...subscriptions.keys()] : [scope];
  const events = refused.flatMap((list_id) => {
    const list_name = nameOf(list_id);
    if (list_name === undefined || subscriptions.get(list_id)?.status !== 'Subscribed') return [];
    const list = { list_id, list_name };
    return statusChange(contactId, { list, status: 'Unsubscribed', by }, { subscriptions });
  });
  return events.slice(0, refusedAtOnce);
}

/** The maximum number of tags of a contact in a list, not counting deleted tags. A contact of an imported log may have more and keeps them. */
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
  decided: (member: { contactId: string; subscription: SubscriptionState }) => Decision<ContactEvent>,
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
