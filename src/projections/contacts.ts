/** The view `contacts`: one document per contact with its profile and, per list, the status, what made it so, and tag ids. */
import type { DomainEvent } from '../events/codec.js';
import {
  noProfile,
  profileFields,
  type ContactEvent,
  type ProfileField,
  type SubscriptionStatus,
} from '../events/contact.js';
import type { RecordedEvent } from '../events/envelope.js';
import { absent, CannotFoldError, existing, type Projection } from './projection.js';

/** The event that made a status so. Its type goes without saying. */
export type StatusCause = {
  readonly event_id: string;
  readonly at: string;
  readonly actor: string;
  readonly request_id: string;
  readonly position: string;
};

export type Subscription = {
  readonly status: SubscriptionStatus;
  readonly because: StatusCause;
  /** In the order of attaching. Deleted tags are still among them. */
  readonly tag_ids: readonly string[];
};

type Profile = { readonly [Field in ProfileField]: string | null };

export type ContactDocument = Profile & {
  readonly contact_id: string;
  /** The stream's whole name; one stream may hold several lives, each a contact id. */
  readonly stream: string;
  /** Null: the person is erased, and the event that says so follows. Such a contact is not shown. */
  readonly email: string | null;
  readonly created_at: string;
  /** By list id; deleted lists are still among them. */
  readonly subscriptions: { readonly [listId: string]: Subscription };
};

type Changes<Type extends ContactEvent['type']> = Extract<ContactEvent, { type: Type }>['data'];

export const contacts: Projection<ContactDocument> = {
  name: 'contacts',
  version: 3,
  personal: true,
  indexes: [{ fields: ['stream'], scattered: true }],
  fields: ['contact_id', 'stream', 'email', ...profileFields, 'created_at', 'subscriptions'],
  idFields: ['contact_id'],
  handles: [
    'ContactCreated',
    'ContactProfileChanged',
    'ContactSubscribed',
    'ContactUnsubscribed',
    'TagsAttached',
    'TagsDetached',
    'ContactErased',
  ],

  keys: ({ event }) => ('contact_id' in event.data ? [event.data.contact_id] : []),

  evolve(document, recorded) {
    const { event, stream, metadata } = recorded;
    switch (event.type) {
      case 'ContactCreated':
        absent(document, event.type);
        return created(event.data, stream, metadata.at);
      case 'ContactProfileChanged':
        return { ...existing(document, event.type), ...changedFields(event.data.person) };
      case 'ContactErased':
        return null;
      case 'ContactSubscribed':
        return withStatus(existing(document, event.type), event.data.list_id, { status: 'Subscribed', recorded });
      case 'ContactUnsubscribed':
        return withStatus(existing(document, event.type), event.data.list_id, { status: 'Unsubscribed', recorded });
      case 'TagsAttached':
      case 'TagsDetached':
        return withTags(existing(document, event.type), event);
      default:
        throw new CannotFoldError(`contacts do not fold ${event.type}`);
    }
  },
};

type TagChange = readonly { readonly tag_id: string }[];

export const attached = (tagIds: readonly string[], more: TagChange): readonly string[] =>
  withTagIds(tagIds, (ids) => more.forEach(({ tag_id }) => ids.add(tag_id)));

export const detached = (tagIds: readonly string[], gone: TagChange): readonly string[] =>
  withTagIds(tagIds, (ids) => gone.forEach(({ tag_id }) => ids.delete(tag_id)));

/** Of long arrays that a fold has made: the next event of a batch need not collect them again. */
const collected = new WeakMap<readonly string[], Set<string>>();
const long = 256;

/** The same array where nothing changes. */
function withTagIds(tagIds: readonly string[], change: (ids: Set<string>) => void): readonly string[] {
  const ids = collected.get(tagIds) ?? new Set(tagIds);
  change(ids);
  if (ids.size === tagIds.length) return tagIds;
  collected.delete(tagIds);
  const all = [...ids];
  if (all.length > long) collected.set(all, ids);
  return all;
}

function created({ contact_id, person }: Changes<'ContactCreated'>, stream: string, at: string): ContactDocument {
  return {
    contact_id,
    stream,
    email: person?.email ?? null,
    ...noProfile,
    ...changedFields(person),
    created_at: at,
    subscriptions: {},
  };
}

/** Null: they were erased. */
function changedFields(person: Changes<'ContactProfileChanged' | 'ContactCreated'>['person']): Partial<Profile> {
  const changed: { [Field in ProfileField]?: string | null } = {};
  for (const field of profileFields) {
    const value = person?.[field];
    if (value !== undefined) changed[field] = value;
  }
  return changed;
}

function withStatus(
  document: ContactDocument,
  listId: string,
  { status, recorded }: { readonly status: SubscriptionStatus; readonly recorded: RecordedEvent<DomainEvent> },
): ContactDocument {
  const before = subscriptionOf(document, listId);
  if (before?.status === status) return document;
  const { id, metadata, position } = recorded;
  const { at, actor, request_id } = metadata;
  const because = { event_id: id, at, actor, request_id, position };
  return withSubscription(document, listId, { status, because, tag_ids: before?.tag_ids ?? [] });
}

function withTags(
  document: ContactDocument,
  { type, data }: Extract<ContactEvent, { type: 'TagsAttached' | 'TagsDetached' }>,
): ContactDocument {
  const before = subscriptionOf(document, data.list_id);
  if (before === undefined) throw new CannotFoldError(`${type} without its subscription`);
  const tag_ids = (type === 'TagsAttached' ? attached : detached)(before.tag_ids, data.tags);
  return tag_ids === before.tag_ids ? document : withSubscription(document, data.list_id, { ...before, tag_ids });
}

/** Own properties only: an id in the log could have any name. */
export const subscriptionOf = (document: ContactDocument, listId: string): Subscription | undefined =>
  Object.hasOwn(document.subscriptions, listId) ? document.subscriptions[listId] : undefined;

const withSubscription = (document: ContactDocument, listId: string, subscription: Subscription): ContactDocument => ({
  ...document,
  subscriptions: { ...document.subscriptions, [listId]: subscription },
});
