/** What the API reads: names of lists and tags joined, deleted lists and tags hidden. */
import { nameKey } from '../events/catalogues.js';
import { type SubscriptionStatus } from '../events/contact.js';
import type { FindQuery, DocumentPage, ReadModelReader, View } from '../readmodels/read-models.js';
import { contactsFoundBy } from './contact-search.js';
import { contacts, subscriptionOf, type ContactDocument, type StatusCause, type Subscription } from './contacts.js';
import { everyPage } from './every-page.js';
import { emails, waitingStates, type DeliveryState, type EmailDocument } from './emails.js';
import { groups, type GroupDocument, lists, type ListDocument, tags, type TagDocument } from './catalogues.js';
import { createNames, type Names, type Standing } from './names.js';
import { foundBy, suppressions, type SuppressionDocument } from './suppressions.js';
import type { Suppression } from '../events/suppressions.js';
import { memberships, membershipPrefix, type MembershipDocument } from './memberships.js';

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

interface ContactsOfListRequest extends PageRequest {
  readonly status?: SubscriptionStatus | undefined;
  readonly tagId?: string | undefined;
}

type SuppressionsRequest = PageRequest & { readonly [Name in 'scope' | 'reason']?: Suppression[Name] | undefined };

type DocumentsRequest = PageRequest & Pick<FindQuery, 'where' | 'contains'>;

export type Queries = ReturnType<typeof createQueries>;

interface QueriesOptions {
  /** The id of the last life's contact in a stream, where the views keep no index of streams. */
  readonly contactOf?: ((stream: string) => Promise<string | undefined>) | undefined;
  /** The stream of a contact that was erased, by the tombstone of its document. */
  readonly streamOfErased?: (contactId: string) => Promise<string | undefined>;
  /** Default: names of lists and tags are read for each answer. */
  readonly standing?: Standing;
}

/** The e-mails to a recipient, in the order of their requests. @throws ReadModelsUnavailableError */
export const emailPagesTo = (reader: ReadModelReader, recipient_key: string) =>
  everyPage<EmailDocument>(reader, emails, { where: { recipient_key }, sort: 'requested_position' });

/**
 * Each query reads the document that holds an id before the one with that id. So every id that is met has its document,
 * and a name is at least as new as what the views are known to show. All throw ReadModelsUnavailableError; the pages
 * also InvalidCursorError. Undefined = there is none.
 */
export function createQueries(reader: ReadModelReader, { contactOf, streamOfErased, standing }: QueriesOptions = {}) {
  const namesOf = createNames(reader, standing);
  return {
    groups: catalogueIn<GroupDocument>(reader, groups),
    lists: catalogueIn<ListDocument>(reader, lists),
    tags: catalogueIn<TagDocument>(reader, tags),
    tagByName: async (name: string) => {
      const found = await reader.find<TagDocument>(tags, { where: { name_key: nameKey(name) }, limit: 1 });
      return mapped(found.documents[0]?.document, withoutKey);
    },
    contactById: async (contactId: string) =>
      withSubscriptions(namesOf, await read<ContactDocument>(reader, contacts, contactId)),
    /** The contact of a whole stream name; of several lives the last. */
    contactByStream: async (stream: string) => {
      if (contactOf !== undefined) {
        const id = await contactOf(stream);
        return withSubscriptions(namesOf, id === undefined ? undefined : await read(reader, contacts, id));
      }
      const query = { where: { stream }, sort: 'id', descending: true, limit: 1 };
      const { documents } = await reader.find<ContactDocument>(contacts, query);
      return withSubscriptions(namesOf, documents[0]?.document);
    },
    searchContacts: async (sought: { readonly text: string; readonly limit: number }) => {
      const ids = await contactsFoundBy(reader, sought);
      const people = await reader.getMany<ContactDocument>(contacts, ids);
      return ids
        .map((id) => people.get(id)?.document)
        .filter(isShown)
        .map(toContactAnswer);
    },
    streamOfErased: async (contactId: string) => await streamOfErased?.(contactId),
    /** By contact id. Undefined when there is no such list; no contact has a deleted tag. */
    pageContactsOfList: (listId: string, request: ContactsOfListRequest) =>
      pageContactsOfList({ reader, namesOf }, listId, request),
    getDocument: (view: View, id: string) => reader.get(view, id),
    pageDocuments: async (view: View, { where, contains, ...page }: DocumentsRequest) => {
      const filters = { ...(where === undefined ? {} : { where }), ...(contains === undefined ? {} : { contains }) };
      const { documents: items, nextCursor } = await reader.find(view, { ...filters, ...pageOf(page) });
      return { items, ...(nextCursor === undefined ? {} : { next_cursor: nextCursor }) };
    },
    placeOfEmail: async (id: string) =>
      mapped(await read<EmailDocument>(reader, emails, id), ({ stream, recipient_key, requested_position }) => ({
        stream,
        recipientKey: recipient_key,
        position: requested_position,
      })),
    getEmail: async (id: string) => mapped(await read<EmailDocument>(reader, emails, id), toEmailAnswer),
    /** The streams of the e-mails to a recipient, in the order of their requests, with their first and last position. */
    emailsTo: async function* (recipientKey: string) {
      for await (const documents of emailPagesTo(reader, recipientKey))
        yield documents.map(({ document, position }) => ({
          stream: document.stream,
          first: document.requested_position,
          last: position,
        }));
    },
    /** Those that were sent, failed or cancelled before this time, and say something still: the longest ago first. */
    emailsEndedBefore: async function* (time: string) {
      for await (const page of everyPage<EmailDocument>(reader, emails, { sort: 'kept_since', from: '' })) {
        const ended = page.filter(({ document: { kept_since } }) => kept_since !== null && kept_since < time);
        yield ended.map(({ document: { email_id, stream } }) => ({ email_id, stream }));
        if (ended.length < page.length) return;
      }
    },
    /** Open ones that wait since before this time, the longest first; what is being sent does not wait. */
    overdueEmails: async (before: string, limit: number) => {
      const query = { where: { open: true }, sort: 'open_since', limit };
      const { documents } = await reader.find<EmailDocument>(emails, query);
      const open = documents.map(({ document }) => document);
      return open.filter(({ open_since, state }) => state !== 'sending' && (open_since ?? before) < before);
    },
    pageEmails: async ({ state, ...page }: PageRequest & { readonly state?: DeliveryState | undefined }) => {
      const where = state === undefined ? {} : { where: { state } };
      return toItems(await reader.find<EmailDocument>(emails, { ...pageOf(page), ...where }), toEmailAnswer);
    },
    pageSuppressions: async ({ scope, reason, ...page }: SuppressionsRequest) => {
      const value = foundBy({ scope, reason });
      const contains = value === undefined ? {} : { contains: { field: 'found_by', value } };
      return toItems(await reader.find<SuppressionDocument>(suppressions, { ...pageOf(page), ...contains }), toListed);
    },
    /** Those that are not at their end, by state; at most so many of each. */
    countWaitingEmails: async (most: number) => {
      const counts: Partial<Record<DeliveryState, number>> = {};
      for (const state of waitingStates)
        counts[state] = (await reader.find(emails, { where: { state }, limit: most })).documents.length;
      return counts;
    },
    sendingEmails: async (limit: number) => {
      const { documents } = await reader.find<EmailDocument>(emails, { where: { state: 'sending' }, limit });
      return documents.map(({ document }) => document);
    },
    /** Yields pages of the open emails whose next attempt is later than this time. */
    emailsDueAfter: async function* (time: string) {
      const query = { where: { open: true }, sort: 'next_attempt_at', from: time };
      for await (const page of everyPage<EmailDocument>(reader, emails, query))
        yield page.map(({ document }) => document);
    },
    dueEmails: async (now: string, limit: number) => {
      const { documents } = await reader.find<EmailDocument>(emails, {
        where: { open: true },
        sort: 'next_attempt_at',
        limit,
      });
      const due = documents.map(({ document }) => document);
      return due.filter(({ next_attempt_at }) => next_attempt_at !== null && next_attempt_at <= now);
    },
  };
}

const catalogueIn = <D extends GroupDocument | ListDocument | TagDocument>(reader: ReadModelReader, view: View) => ({
  get: async (id: string) => mapped(await read<D>(reader, view, id), withoutKey),
  page: async (page: PageRequest) => toItems(await reader.find<D>(view, pageOf(page)), withoutKey),
});

const read = async <D>(reader: ReadModelReader, view: View, id: string): Promise<D | undefined> =>
  (await reader.get<D>(view, id))?.document;

const mapped = <D, Answer>(document: D | undefined, map: (document: D) => Answer): Answer | undefined =>
  document === undefined ? undefined : map(document);

function withoutKey<D extends { readonly name_key: string }>({ name_key: _, ...answer }: D): Omit<D, 'name_key'> {
  return answer;
}

export const pageOf = ({ limit, cursor }: PageRequest): { limit: number; cursor?: string } =>
  cursor === undefined ? { limit } : { limit, cursor };

const toItems = <D, Item>(
  { documents, nextCursor }: DocumentPage<D>,
  map: (document: D) => Item,
): PageAnswer<Item> => ({
  items: documents.map(({ document }) => map(document)),
  ...(nextCursor === undefined ? {} : { next_cursor: nextCursor }),
});

type NamesOf = ReturnType<typeof createNames>;

async function withSubscriptions(
  namesOf: NamesOf,
  contact: ContactDocument | undefined,
): Promise<ContactWithSubscriptionsAnswer | undefined> {
  if (!isShown(contact)) return undefined;
  const entries = Object.entries(contact.subscriptions);
  const names = await namesOf({
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
  { reader, namesOf }: { readonly reader: ReadModelReader; readonly namesOf: NamesOf },
  listId: string,
  { status, tagId, ...page }: ContactsOfListRequest,
): Promise<PageAnswer<ContactInListAnswer> | undefined> {
  const found = await reader.find<MembershipDocument>(memberships, {
    ...pageOf(page),
    idPrefix: membershipPrefix(listId),
    ...(status === undefined ? {} : { where: { list_id: listId, status } }),
    ...(tagId === undefined ? {} : { contains: { field: 'tag_ids', value: tagId } }),
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
    return isShown(contact) && subscription !== undefined && fits(subscription) ? [{ contact, subscription }] : [];
  });
  const shownTags = tagsIn(shown.map(({ subscription }) => subscription));
  const names = await namesOf({ lists: [listId], tags: tagId === undefined ? shownTags : [...shownTags, tagId] });
  if (!names.lists.has(listId)) return undefined;
  if (tagId !== undefined && !names.tags.has(tagId)) return { items: [] };
  const items = shown.map(({ contact, subscription }) => inList(contact, subscription, names));
  return { items, ...(found.nextCursor === undefined ? {} : { next_cursor: found.nextCursor }) };
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
  const { event_id, ...circumstances } = because;
  return { status, tags: tagsOf(tag_ids, names), because: { event_id, type: `Contact${status}`, ...circumstances } };
}

/** An erased contact is not shown, also before its document is deleted. */
const isShown = (contact: ContactDocument | undefined): contact is ShownContact => (contact?.email ?? null) !== null;

function toContactAnswer({ stream: _, subscriptions: __, ...contact }: ShownContact): ContactAnswer {
  return contact;
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
