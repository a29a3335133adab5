/** Contacts: create, upsert, bulk, status, tags, and the reads. */
import { z } from 'zod';
import { suppressionReason } from '../../audit/suppressions.js';
import type { SaveContact, SavedContact } from '../../commands/audience.js';
import { refusalOf } from '../../commands/suppressions.js';
import { ServiceError } from '../../errors.js';
import { allContacts } from '../../events/access.js';
import { comparedAddress } from '../../events/address.js';
import { profileFields } from '../../events/contact.js';
import { recipientOf } from '../../events/streams.js';
import {
  cause,
  contactId,
  email,
  listId,
  listName,
  object,
  position,
  subscriptionStatus,
  tag,
  tagId,
  tagName,
  time,
} from '../../events/values.js';
import type { Resource } from '../http/endpoint.js';
import type { Answer } from '../http/envelope.js';
import { createParser } from '../http/parse.js';
import { answerOfPage, besideOf, pageRequest } from '../http/paging.js';
import { writtenHeaders } from '../http/request-headers.js';
import { lineNumber as line, refusedLine } from '../schemas/bulk.js';
import { address } from '../schemas/fields.js';
import { anyText, flag, idInPath, incomplete, pageSchema, paging } from '../schemas/parameters.js';
import { contactBodies, createEcho, searched, status, tagging, upsertEcho } from './contacts-bodies.js';
import { lenientWrite, read, search, write, type Parts } from './parts.js';

const savedContact = object(
  'SavedContact',
  { contact_id: contactId, email, status: subscriptionStatus },
  'A contact that was created or saved. `email` is as the request has it.',
);

/** A line of the answer to a bulk request. */
const bulkLine = z.discriminatedUnion('outcome', [
  object('SavedLine', {
    line,
    outcome: z.enum(['created', 'updated', 'unchanged']).meta({ id: 'SavedOutcome' }),
    contact_id: contactId,
    status: subscriptionStatus.describe('Of the contact in this list, as it is now.'),
    position,
  }),
  object('ValidLine', { line, outcome: z.literal('valid').describe('In a dry run.') }),
  refusedLine,
]);

const changedStatus = object('ChangedStatus', {
  contact_id: contactId,
  list_id: listId,
  status: subscriptionStatus,
});

const addedTags = object(
  'AddedTags',
  {
    tag_id: tagId.describe('Id of the first named tag.'),
    tag_name: z.array(tagName).min(1).describe('The names of all tags of the request.'),
    tags: z.array(tag).min(1),
  },
  'The tags of the request, in their stored spelling.',
);

const removedTags = z.array(tag).describe('Those of the named tags that exist.');

/** Null where it is empty. */
const nullableProfile = Object.fromEntries(profileFields.map((field) => [field, z.string().nullable()]));

const contact = { contact_id: contactId, email, ...nullableProfile, created_at: time };

const standing = {
  status: subscriptionStatus,
  tags: z.array(tag).describe('The tags of the contact in this list, by id.'),
  because: cause,
};

const subscription = object('Subscription', {
  list_id: listId,
  list_name: listName,
  ...standing,
  suppressed: object('RefusedMail', { reason: suppressionReason, since: time })
    .optional()
    .describe('Mail to the subscribers of this list does not go to this address, whatever the status. Else absent.'),
});
const subscriptions = z.array(subscription).describe('The lists that the contact is in, by id.');

const contactInList = object('ContactInList', { ...contact, ...standing });
const contactWithSubscriptions = object('ContactWithSubscriptions', { ...contact, subscriptions });
const contactInListWithSubscriptions = object('ContactInListWithSubscriptions', {
  ...contact,
  ...standing,
  subscriptions,
});

/** @param clock returns milliseconds since 1970 */
export function contactResource(clock: () => number): Resource<Parts> {
  const bodies = contactBodies(clock);
  const line = createParser(bodies.upsert);
  const endpoints = {
    create: lenientWrite('createContact', '/v1/contacts/{list_id}/create', {
      scope: 'contacts:write',
      summary: 'Create a contact in a list',
      description: 'An address that exists in any list is refused; upsert brings a known contact into another list.',
      takesIdempotencyKey: true,
      body: bodies.create,
      echo: createEcho,
      message: 'Contact created successfully!',
      answer: { data: savedContact, position: true },
      errors: ['given_twice', 'unknown_list', 'duplicate_email'],
      handle: async ({ input, parameter, context, idempotencyKey }, { audience }) => {
        const { email, status, consent } = input;
        const contact = { listId: parameter('list_id'), email, status, profile: input, tagNames: [], consent };
        const created = await audience.createContact(contact, context, idempotencyKey);
        return { ...saved(input, created), headers: writtenHeaders(created) };
      },
    }),
    upsert: lenientWrite('upsertContact', '/v1/contacts/{list_id}/upsertcontact', {
      scope: 'contacts:write',
      summary: 'Create a contact, or update it and bring it into the list',
      description: 'A field that is left out stays, `null` or `""` clears it. Tags are added, never removed.',
      body: bodies.upsert,
      echo: upsertEcho,
      message: 'Contact saved successfully!',
      answer: { data: savedContact, position: true },
      errors: ['given_twice', 'unknown_list', 'too_many_tags'],
      handle: async ({ input, parameter, context }, { audience }) =>
        saved(input, await audience.upsertContact(upsertIn(parameter('list_id'), input), context)),
    }),
    bulk: write('saveContacts', '/v1/contacts/{list_id}/bulk', {
      scope: 'contacts:write',
      summary: 'Create or update many contacts',
      description:
        'Each line is a separate upsert. The answer has a line for each line that is not blank, in the same order. It is sent while lines are saved. A body has at most 10 MiB and 200,000 lines that are not blank.',
      upload: { type: 'lines', schema: bodies.upsert, title: 'ContactLine' },
      query: z.object({
        resubscribe: flag(
          'If `false`, a contact that has unsubscribed from the list stays unsubscribed. The other fields of the line are saved.',
          true,
        ),
        dry_run: flag('If `true`, lines are checked, and nothing is saved.', false),
      }),
      answer: { others: { 'application/x-ndjson': bulkLine } },
      handle: async (call, { audience, bounds }) => {
        const { query, parameter, context } = call;
        const listId = parameter('list_id');
        await audience.demandList(listId);
        const { resubscribe } = query;
        const save = async (contact: Upsert, isLikelyNew: boolean) => {
          const asked = { ...upsertIn(listId, contact), resubscribe, isLikelyNew };
          const { outcome, contactId: contact_id, status, position } = await audience.upsertContact(asked, context);
          return { outcome, contact_id, status, position };
        };
        return await bounds.contacts(call, {
          parse: (values) => line.parse(values, true),
          addressOf: ({ email }) => comparedAddress(email),
          save: query.dry_run ? undefined : save,
        });
      },
    }),
    updateStatus: lenientWrite('updateContactStatus', '/v1/contacts/{list_id}/updatestatus', {
      scope: 'contacts:write',
      summary: 'Change the status of a contact in a list',
      body: bodies.updateStatus,
      echo: { flat: ['status', 'contact_email'], nested: [] },
      message: 'Contact status updated successfully!',
      answer: { data: changedStatus, position: true },
      errors: ['unknown_list', 'unknown_contact', 'not_in_list'],
      handle: async ({ input, parameter, context }, { audience }) => {
        const { status, contact_email: email, consent } = input;
        const listId = parameter('list_id');
        const { contactId, position } = await audience.updateStatus({ listId, email, status, consent }, context);
        return { data: { contact_id: contactId, list_id: listId, status }, headers: ['X-Position', position] };
      },
    }),
    addTags: lenientWrite('addContactTags', '/v1/contacts/tags/{list_id}/add', {
      scope: 'contacts:write',
      summary: 'Attach tags to a contact in a list',
      description: 'Tags that do not exist yet are created. A contact has at most 200 tags in a list.',
      body: tagging,
      message: 'Tags added successfully!',
      answer: { data: addedTags, position: true },
      errors: ['unknown_list', 'unknown_contact', 'not_in_list', 'too_many_tags'],
      handle: async ({ input, parameter, context }, { audience }) => {
        const { contact_email: email, tag_name: tagNames } = input;
        const { tags, position } = await audience.addTags({ listId: parameter('list_id'), email, tagNames }, context);
        return {
          data: { tag_id: tags[0]?.tag_id, tag_name: tags.map(({ tag_name }) => tag_name), tags },
          headers: ['X-Position', position],
        };
      },
    }),
    removeTags: lenientWrite('removeContactTags', '/v1/contacts/tags/{list_id}/remove', {
      scope: 'contacts:write',
      summary: 'Detach tags from a contact in a list',
      body: tagging,
      dataOf401: 'absent',
      message: 'Tags removed successfully!',
      answer: { data: removedTags, position: true },
      errors: ['unknown_list', 'unknown_contact', 'not_in_list'],
      handle: async ({ input, parameter, context }, { audience }) => {
        const { contact_email: email, tag_name: tagNames } = input;
        const { tags, position } = await audience.removeTags(
          { listId: parameter('list_id'), email, tagNames },
          context,
        );
        return { data: tags, headers: ['X-Position', position] };
      },
    }),
    find: read('findContact', '/v1/contacts', {
      scope: 'contacts:read',
      summary: 'Find a contact by its address',
      query: z.object({ email: address }),
      answer: { data: contactWithSubscriptions },
      errors: ['not_found'],
      handle: async (call, parts) => {
        const { queries, streamOf } = parts;
        const contact = await queries.contactByStream(streamOf(call.query.email));
        if (contact === undefined) throw new ServiceError('not_found');
        return { data: await withSuppressed(contact, parts) };
      },
    }),
    search: search('searchContacts', '/v1/contacts/search', {
      scope: 'contacts:read',
      summary: 'Search contacts by the beginning of address or name',
      description:
        'Of the address, the first name, the last name, or both names in either order. Upper case, accents and repeated white space make no difference. It is on record that somebody searched, not for what.',
      body: searched,
      message: 'Contacts searched successfully!',
      answer: { data: z.array(object('FoundContact', contact)), beside: { incomplete } },
      handle: async (call, { queries, access }) => {
        const { text, limit } = call.input;
        const read = { subject: allContacts, what: 'search' } as const;
        const found = await access.answering(call, read, () => queries.searchContacts({ text, limit }));
        return { data: found.items, beside: besideOf(found.isIncomplete) };
      },
    }),
    page: read('listContacts', '/v1/contacts/{list_id}', {
      scope: 'contacts:read',
      summary: 'List the contacts of a list',
      query: z.object({
        status: status.meta({ description: 'Only contacts with this status.' }).optional(),
        tag_name: anyText('Only contacts with this tag.'),
        record: flag(
          'If `true`, a page that shows a contact is recorded as a read of the list. The console uses this parameter.',
          false,
        ),
        ...paging,
      }),
      answer: pageSchema(contactInList, { incomplete }),
      handle: async (call, { queries, access }) => {
        const listId = call.parameter('list_id');
        const { status, tag_name: tagName } = call.query;
        const scope = ['contacts', listId, status ?? '', tagName ?? ''];
        const request = { ...pageRequest(call.query, scope), status, tagName };
        const page = await queries.pageContactsOfList(listId, request);
        if (page === undefined) throw new ServiceError('not_found');
        const isRecorded = call.query.record && page.items.length > 0;
        if (isRecorded) await access.note(call, { subject: listId, what: 'members' });
        return answerOfPage(page, { scope });
      },
    }),
    get: read('getContact', '/v1/contacts/{list_id}/{contact_id}', {
      scope: 'contacts:read',
      summary: 'Retrieve a contact of a list',
      answer: { data: contactInListWithSubscriptions },
      handle: async (call, parts) => {
        const listId = call.parameter('list_id');
        const contact = await parts.queries.contactById(call.parameter('contact_id'));
        const inList = contact?.subscriptions.find(({ list_id }) => list_id === listId);
        if (contact === undefined || inList === undefined) throw new ServiceError('not_found');
        const { subscriptions, ...profile } = await withSuppressed(contact, parts);
        const { status, tags, because } = inList;
        return { data: { ...profile, status, tags, because, subscriptions } };
      },
    }),
  };
  return {
    name: 'Contacts',
    description: 'A contact is one address, across all lists. Status and tags are per list.',
    parameters: { list_id: idInPath('lst', 'list'), contact_id: idInPath('con', 'contact') },
    endpoints,
  };
}

const saved = (
  { email, status }: { readonly email: string; readonly status: string },
  { contactId, position }: SavedContact,
): Answer => ({ data: { contact_id: contactId, email, status }, headers: ['X-Position', position] });

type Upsert = z.output<ReturnType<typeof contactBodies>['upsert']>;

function upsertIn(listId: string, input: Upsert): SaveContact {
  const { email, status, tag_name: tagNames, consent } = input;
  return { listId, email, status, profile: input, tagNames, consent };
}

interface ContactInLists {
  readonly email: string;
  readonly subscriptions: readonly { readonly list_id: string }[];
}

/** Adds why and since when mail to the subscribers of a list is refused. */
async function withSuppressed<Contact extends ContactInLists>(contact: Contact, { suppressed, streamOf }: Parts) {
  if (suppressed.isNobody() || !(await suppressed.isAnybody())) return contact;
  const key = recipientOf(streamOf(contact.email));
  if (suppressed.refusesNothing(key)) return contact;
  const active = await suppressed.of(key);
  if (active.length === 0) return contact;
  const subscriptions = contact.subscriptions.map((subscription) => {
    const refusal = refusalOf({ active }, subscription.list_id);
    return refusal === undefined ? subscription : { ...subscription, suppressed: refusal };
  });
  return { ...contact, subscriptions };
}
