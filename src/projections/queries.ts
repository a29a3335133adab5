/** The queries of the API. They join the names of lists and tags, and hide deleted lists and tags. */
import { nameKey } from '../events/catalogues.js';
import type { SubscriptionStatus } from '../events/contact.js';
import type { FindQuery, DocumentPage, View } from '../readmodels/read-models.js';
import { contactSearch, contactsFoundBy } from './contact-search.js';
import { contacts, subscriptionOf, type ContactDocument, type StatusCause, type Subscription } from './contacts.js';
import { emails, type DeliveryState, type EmailDocument } from './emails.js';
import { emailsTo } from './email-worklist.js';
import { groups, type GroupDocument, lists, type ListDocument, tags, type TagDocument } from './catalogues.js';
import { createNames, type Names, type Standing } from './names.js';
import { foundBy, suppressions, type SuppressionDocument } from './suppressions.js';
import type { Suppression } from '../events/suppressions.js';
import { memberships, membershipPrefix, type MembershipDocument } from './memberships.js';
import type { QueryReader, QueryViews } from './query-reader.js';

type AttachedTag = Pick<TagDocument, 'tag_id' | 'tag_name'>;

type ShownContact = ContactDocument & { readonly email: string };

/** The stream is not shown. */
type ContactAnswer = Omit<ShownContact, 'stream' | 'subscriptions'>;

/** A contact's standing in a list, and the event that made it so, as in the auditor's answers. */
type StandingAnswer = Pick<Subscription, 'status'> & {
  readonly tags: readonly AttachedTag[];
  readonly because: StatusCause & { readonly type: `Contact${SubscriptionStatus}` };
};

type ContactInListAnswer = ContactAnswer & StandingAnswer;
type SubscriptionAnswer = Pick<ListDocument, 'list_id' | 'list_name'> & StandingAnswer;
type ContactWithSubscriptionsAnswer = ContactAnswer & { readonly subscriptions: readonly SubscriptionAnswer[] };

type HiddenOfEmail =
  | ('stream' | 'recipient_key' | 'requested_position' | 'open' | 'open_since' | 'deadline')
  | ('run_id' | 'kept_since' | 'erased_at');

/** No next attempt while one is running. */
export type EmailAnswer = Omit<EmailDocument, HiddenOfEmail>;

export interface PageRequest {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

export interface PageAnswer<Item> {
  readonly items: readonly Item[];
  readonly next_cursor?: string;
}

/** A page that was read from views. */
export interface ViewPage<Item> extends PageAnswer<Item> {
  /** Whether items may be missing because their events cannot be read. */
  readonly isIncomplete: boolean;
}

interface ContactsOfListRequest extends PageRequest {
  readonly status?: SubscriptionStatus | undefined;
  readonly tagName?: string | undefined;
}

type SuppressionsRequest = PageRequest & { readonly [Name in 'scope' | 'reason']?: Suppression[Name] | undefined };

type DocumentsRequest = PageRequest & Pick<FindQuery, 'where' | 'contains'>;

export type Queries = ReturnType<typeof createQueries>;

interface QueriesOptions {
  /** Returns the id of the last contact in a stream. Needed if the views have no index of streams. */
  readonly contactOf?: ((stream: string) => Promise<string | undefined>) | undefined;
  /** Returns the stream of a contact that was erased, from the tombstone of its document. */
  readonly streamOfErased?: (contactId: string) => Promise<string | undefined>;
  /** If absent, names of lists and tags are read for each answer. */
  readonly standing?: Standing;
}

const contactViews = [contacts, lists, tags];
const memberViews = [memberships, contacts, lists, tags];
const emailViews = [emails];

/**
 * Creates the queries of the API. Each query reads the document that names an id before the document with that id. So the
 * document of every id exists, and a name is at least as new as what the views are known to show. Queries return undefined
 * if there is no such document.
 * @throws ReadModelsUnavailableError @throws what the readers of `views` throw @throws InvalidCursorError from the pages
 */
export function createQueries(views: QueryViews, { contactOf, streamOfErased, standing }: QueriesOptions = {}) {
  const namesOf = createNames(standing);

  const placeOfEmail = async (reader: QueryReader, id: string) =>
    mapped(await read<EmailDocument>(reader, emails, id), ({ stream, recipient_key, requested_position }) => ({
      stream,
      recipientKey: recipient_key,
      position: requested_position,
    }));

  return {
    groups: catalogueIn<GroupDocument>(views, groups),
    lists: catalogueIn<ListDocument>(views, lists),
    tags: catalogueIn<TagDocument>(views, tags),
    contactById: async (contactId: string) => {
      const reader = views.open(contactViews);
      return await withSubscriptions(reader, namesOf, await read<ContactDocument>(reader, contacts, contactId));
    },
    /** Returns the contact of a stream. If the stream has had several contacts, returns the last one. */
    contactByStream: async (stream: string) => {
      const reader = views.open(contactViews);
      const contact = await lastContactIn(reader, stream, contactOf);
      // The view may lack the contact because it could not fold its events.
      reader.refuseParked(contacts, stream);
      return await withSubscriptions(reader, namesOf, contact);
    },
    searchContacts: async (sought: { readonly text: string; readonly limit: number }) => {
      const reader = views.open([contactSearch, contacts]);
      const ids = await contactsFoundBy(reader, sought);
      const people = await reader.getMany<ContactDocument>(contacts, ids);
      const items = ids
        .map((id) => people.get(id)?.document)
        .filter(isShown)
        .map(toContactAnswer);
      return { items, isIncomplete: reader.isIncomplete() };
    },
    /** Returns the stream of a contact, also of an erased one. */
    streamOfContact: async (contactId: string) => {
      const reader = views.open([contacts]);
      const contact = await read<ContactDocument>(reader, contacts, contactId);
      const stream = isShown(contact) ? contact.stream : await streamOfErased?.(contactId);
      if (stream === undefined) reader.refuseIncomplete();
      return stream;
    },
    /** Returns contacts in the order of their ids, or undefined if the list does not exist. A deleted tag finds no contacts. */
    pageContactsOfList: (listId: string, request: ContactsOfListRequest) =>
      pageContactsOfList({ reader: views.open(memberViews), namesOf }, listId, request),
    getDocument: async (view: View, id: string) => {
      const reader = views.openAsStored(view);
      return { found: await reader.get(view, id), isIncomplete: reader.isIncomplete() };
    },
    pageDocuments: async (view: View, { where, contains, ...page }: DocumentsRequest) => {
      const reader = views.openAsStored(view);
      const filters = { ...(where === undefined ? {} : { where }), ...(contains === undefined ? {} : { contains }) };
      const { documents: items, nextCursor } = await reader.find(view, { ...filters, ...pageOf(page) });
      const isIncomplete = reader.isIncomplete();
      return { items, isIncomplete, ...(nextCursor === undefined ? {} : { next_cursor: nextCursor }) };
    },
    placeOfEmail: (id: string) => placeOfEmail(views.open(emailViews), id),
    /** @throws ServiceError `unavailable` if the view may lack the email because it cannot fold an event of the email */
    placeOfRecordedEmail: async (id: string) => {
      const reader = views.open(emailViews);
      const place = await placeOfEmail(reader, id);
      if (place === undefined) reader.refuseIncomplete();
      return place;
    },
    getEmail: async (id: string) => {
      const reader = views.open(emailViews);
      const email = await read<EmailDocument>(reader, emails, id);
      if (email !== undefined) reader.refuseParked(emails, email.stream);
      return mapped(email, toEmailAnswer);
    },
    pageEmails: async ({ state, ...page }: PageRequest & { readonly state?: DeliveryState | undefined }) => {
      const reader = views.open(emailViews);
      const where = state === undefined ? {} : { where: { state } };
      return toItems(reader, await reader.find<EmailDocument>(emails, { ...pageOf(page), ...where }), toEmailAnswer);
    },
    /** Yields the streams of the emails to a recipient, as `emailsTo` of the worklist does. */
    emailsTo: (recipientKey: string) => emailsTo(views.open(emailViews), recipientKey),
    /** Resolves when `emailsTo` would not wait. */
    settleEmails: async () => {
      await views.open(emailViews).settle(emails);
    },
    /** Returns whether `emailsTo` may lack emails because their events cannot be read. */
    lacksEmails: () => views.open(emailViews).isIncomplete(),
    pageSuppressions: async ({ scope, reason, ...page }: SuppressionsRequest) => {
      const reader = views.open([suppressions]);
      const value = foundBy({ scope, reason });
      const contains = value === undefined ? {} : { contains: { field: 'found_by', value } };
      const found = await reader.find<SuppressionDocument>(suppressions, { ...pageOf(page), ...contains });
      return toItems(reader, found, toListed);
    },
  };
}

const catalogueIn = <D extends GroupDocument | ListDocument | TagDocument>(views: QueryViews, view: View) => {
  const opened = [view];
  return {
    get: async (id: string) => mapped(await read<D>(views.open(opened), view, id), withoutKey),
    page: async (page: PageRequest) => {
      const reader = views.open(opened);
      return toItems(reader, await reader.find<D>(view, pageOf(page)), withoutKey);
    },
  };
};

async function lastContactIn(
  reader: QueryReader,
  stream: string,
  contactOf: QueriesOptions['contactOf'],
): Promise<ContactDocument | undefined> {
  if (contactOf !== undefined) {
    const id = await contactOf(stream);
    return id === undefined ? undefined : await read<ContactDocument>(reader, contacts, id);
  }
  const last = { sort: 'id', descending: true, limit: 1 };
  return (await reader.findInStream<ContactDocument>(contacts, stream, last)).documents[0]?.document;
}

const read = async <D>(reader: QueryReader, view: View, id: string): Promise<D | undefined> =>
  (await reader.get<D>(view, id))?.document;

const mapped = <D, Answer>(document: D | undefined, map: (document: D) => Answer): Answer | undefined =>
  document === undefined ? undefined : map(document);

function withoutKey<D extends { readonly name_key: string }>({ name_key: _, ...answer }: D): Omit<D, 'name_key'> {
  return answer;
}

export const pageOf = ({ limit, cursor }: PageRequest): { limit: number; cursor?: string } =>
  cursor === undefined ? { limit } : { limit, cursor };

const toItems = <D, Item>(
  reader: QueryReader,
  { documents, nextCursor }: DocumentPage<D>,
  map: (document: D) => Item,
): ViewPage<Item> => ({
  items: documents.map(({ document }) => map(document)),
  isIncomplete: reader.isIncomplete(),
  ...(nextCursor === undefined ? {} : { next_cursor: nextCursor }),
});

type NamesOf = ReturnType<typeof createNames>;

/** @throws ServiceError `unavailable` if the document may be out of date */
async function withSubscriptions(
  reader: QueryReader,
  namesOf: NamesOf,
  contact: ContactDocument | undefined,
): Promise<ContactWithSubscriptionsAnswer | undefined> {
  if (!isShown(contact)) return undefined;
  reader.refuseParked(contacts, contact.stream);
  const entries = Object.entries(contact.subscriptions);
  const names = await namesOf(reader, {
    lists: Object.keys(contact.subscriptions),
    tags: tagsIn(Object.values(contact.subscriptions)),
  });
  const subscriptions = entries.flatMap(([list_id, subscription]) => {
    const list_name = names.lists.get(list_id);
    return list_name === undefined ? [] : [{ list_id, list_name, ...standing(subscription, names) }];
  });
  return { ...toContactAnswer(contact), subscriptions: subscriptions.sort((a, b) => (a.list_id < b.list_id ? -1 : 1)) };
}

async function pageContactsOfList(
  { reader, namesOf }: { readonly reader: QueryReader; readonly namesOf: NamesOf },
  listId: string,
  { status, tagName, ...page }: ContactsOfListRequest,
): Promise<ViewPage<ContactInListAnswer> | undefined> {
  // No contact has an unknown tag. The list must exist all the same.
  const tagId = tagName === undefined ? undefined : ((await tagByName(reader, tagName))?.tag_id ?? '');
  const found = await reader.find<MembershipDocument>(memberships, {
    ...pageOf(page),
    ...membersQuery(listId, status, tagId),
  });
  const members = found.documents.map(({ document }) => document);
  const people = await reader.getMany<ContactDocument>(
    contacts,
    members.map(({ contact_id }) => contact_id),
  );
  // A membership only finds the contact. What is shown comes from the contact's document alone, so that it is consistent, and fits the filter.
  const fits = (one: Subscription): boolean =>
    (status === undefined || one.status === status) && (tagId === undefined || one.tag_ids.includes(tagId));
  const shown = members.flatMap(({ contact_id }) => {
    const contact = people.get(contact_id)?.document;
    const subscription = contact && subscriptionOf(contact, listId);
    // The document of a parked stream may be out of date.
    if (contact !== undefined && reader.isParked(contacts, contact.stream)) return [];
    return isShown(contact) && subscription !== undefined && fits(subscription) ? [{ contact, subscription }] : [];
  });
  const shownTags = tagsIn(shown.map(({ subscription }) => subscription));
  const names = await namesOf(reader, {
    lists: [listId],
    tags: tagId === undefined ? shownTags : [...shownTags, tagId],
  });
  if (!names.lists.has(listId)) return undefined;
  const isIncomplete = reader.isIncomplete();
  if (tagId !== undefined && !names.tags.has(tagId)) return { items: [], isIncomplete };
  const items = shown.map(({ contact, subscription }) => inList(contact, subscription, names));
  return { items, isIncomplete, ...(found.nextCursor === undefined ? {} : { next_cursor: found.nextCursor }) };
}

const membersQuery = (
  listId: string,
  status: SubscriptionStatus | undefined,
  tagId: string | undefined,
): Omit<FindQuery, 'limit'> => ({
  idPrefix: membershipPrefix(listId),
  ...(status === undefined ? {} : { where: { list_id: listId, status } }),
  ...(tagId === undefined ? {} : { contains: { field: 'tag_ids', value: tagId } }),
});

async function tagByName(reader: QueryReader, name: string): Promise<TagDocument | undefined> {
  const found = await reader.find<TagDocument>(tags, { where: { name_key: nameKey(name) }, limit: 1 });
  return found.documents[0]?.document;
}

const tagsIn = (holders: readonly { readonly tag_ids: readonly string[] }[]): string[] =>
  holders.flatMap(({ tag_ids }) => tag_ids);

const tagsOf = (tagIds: readonly string[], { tags: names }: Names): readonly AttachedTag[] =>
  [...tagIds].sort().flatMap((tag_id) => {
    const tag_name = names.get(tag_id);
    return tag_name === undefined ? [] : [{ tag_id, tag_name }];
  });

const inList = (contact: ShownContact, subscription: Subscription, names: Names): ContactInListAnswer => ({
  ...toContactAnswer(contact),
  ...standing(subscription, names),
});

function standing({ status, because, tag_ids }: Subscription, names: Names): StandingAnswer {
  const { event_id } = because;
  const cause = Object.assign({ event_id, type: `Contact${status}` as const }, because);
  return { status, tags: tagsOf(tag_ids, names), because: cause };
}

/** An erased contact is not shown, also before its document is deleted. */
const isShown = (contact: ContactDocument | undefined): contact is ShownContact => (contact?.email ?? null) !== null;

/** Copies the fields one by one, because a rest pattern that leaves out the others costs more. */
function toContactAnswer(contact: ShownContact): ContactAnswer {
  return {
    contact_id: contact.contact_id,
    email: contact.email,
    firstName: contact.firstName,
    lastName: contact.lastName,
    phone: contact.phone,
    dateOfBirth: contact.dateOfBirth,
    address: contact.address,
    city: contact.city,
    state: contact.state,
    country: contact.country,
    zipcode: contact.zipcode,
    created_at: contact.created_at,
  };
}

/** Without the ids of e-mails, which logs of mail servers know, too. */
const toListed = ({ email, active }: SuppressionDocument) => ({
  email,
  active: active.map(({ scope, reason, since }) => ({ scope, reason, since })),
});

export function toEmailAnswer(email: EmailDocument): EmailAnswer {
  const { email_id, state, attempts, requested_at, sent_at, last_error } = email;
  const next_attempt_at = state === 'sending' ? null : email.next_attempt_at;
  const { bounced, complained } = email;
  return { email_id, state, attempts, requested_at, sent_at, next_attempt_at, last_error, bounced, complained };
}
