/** The view `memberships`: one thin document per contact and list, so that a list can be paged by status and tag. */
import type { SubscriptionStatus } from '../events/contact.js';
import { attached, detached } from './contacts.js';
import { CannotFoldError, existing, type Projection } from './projection.js';

export type MembershipDocument = {
  readonly contact_id: string;
  readonly list_id: string;
  readonly status: SubscriptionStatus;
  /** Deleted tags are still among them. */
  readonly tag_ids: readonly string[];
};

/** Ids of one list's memberships begin with this, and sort by contact id. */
export const membershipPrefix = (listId: string): string => `${listId}/`;
export const membershipId = (listId: string, contactId: string): string => `${listId}/${contactId}`;

export const memberships: Projection<MembershipDocument> = {
  name: 'memberships',
  version: 2,
  personal: false,
  indexes: [{ fields: ['list_id', 'status'] }],
  arrayIndexes: ['tag_ids'],
  fields: ['contact_id', 'list_id', 'status', 'tag_ids'],
  idFields: ['list_id', 'contact_id'],
  handles: ['ContactSubscribed', 'ContactUnsubscribed', 'TagsAttached', 'TagsDetached', 'ContactErased'],

  keys({ event: { type, data } }) {
    if (type === 'ContactErased') return data.list_ids.map((listId) => membershipId(listId, data.contact_id));
    return 'contact_id' in data && 'list_id' in data ? [membershipId(data.list_id, data.contact_id)] : [];
  },

  evolve(document, { event }) {
    switch (event.type) {
      case 'ContactSubscribed':
        return withStatus(document, event.data, 'Subscribed');
      case 'ContactUnsubscribed':
        return withStatus(document, event.data, 'Unsubscribed');
      case 'TagsAttached': {
        const before = existing(document, event.type);
        return withTagIds(before, attached(before.tag_ids, event.data.tags));
      }
      case 'TagsDetached': {
        const before = existing(document, event.type);
        return withTagIds(before, detached(before.tag_ids, event.data.tags));
      }
      case 'ContactErased':
        return null;
      default:
        throw new CannotFoldError(`memberships do not fold ${event.type}`);
    }
  },
};

function withStatus(
  document: MembershipDocument | undefined,
  { contact_id, list_id }: { readonly contact_id: string; readonly list_id: string },
  status: SubscriptionStatus,
): MembershipDocument {
  if (document === undefined) return { contact_id, list_id, status, tag_ids: [] };
  return document.status === status ? document : { ...document, status };
}

const withTagIds = (document: MembershipDocument, tag_ids: readonly string[]): MembershipDocument =>
  tag_ids === document.tag_ids ? document : { ...document, tag_ids };
