/** The endpoints of contacts, and what they answer. */
import { z } from 'zod';
import { suppressionReason } from '../../../audit/suppressions.js';
import { profileFields } from '../../../events/contact.js';
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
} from '../../../events/values.js';
import { ownRead, ownSearch, ownWrite, write, type Resource } from '../../http/endpoint.js';
import { lineNumber as line, refusedLine } from '../../schemas/bulk.js';
import { address } from '../../schemas/fields.js';
import { anyText, flag, idInPath, incomplete, pageSchema, paging } from '../../schemas/parameters.js';
import { contactBodies, createEcho, searched, status, tagging, upsertEcho } from './bodies.js';

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

/** `clock` tells milliseconds since the epoch. */
export function contactEndpoints(clock: () => number) {
  const bodies = contactBodies(clock);
  return {
    create: write('createContact', '/v1/contacts/{list_id}/create', {
      scope: 'contacts:write',
      summary: 'Create a contact in a list',
      description: 'An address that exists in any list is refused; upsert brings a known contact into another list.',
      replays: true,
      body: bodies.create,
      echo: createEcho,
      message: 'Contact created successfully!',
      answer: { data: savedContact, position: true },
      errors: ['given_twice', 'unknown_list', 'duplicate_email'],
    }),
    upsert: write('upsertContact', '/v1/contacts/{list_id}/upsertcontact', {
      scope: 'contacts:write',
      summary: 'Create a contact, or update it and bring it into the list',
      description: 'A field that is left out stays, `null` or `""` clears it. Tags are added, never removed.',
      body: bodies.upsert,
      echo: upsertEcho,
      message: 'Contact saved successfully!',
      answer: { data: savedContact, position: true },
      errors: ['given_twice', 'unknown_list', 'too_many_tags'],
    }),
    bulk: ownWrite('saveContacts', '/v1/contacts/{list_id}/bulk', {
      scope: 'contacts:write',
      summary: 'Create or update many contacts',
      description:
        'Each line is a separate upsert. The answer has a line for each line that is not blank, in the same order. It is sent while lines are saved. A body has at most 10 MiB and 200,000 lines that are not blank.',
      lines: { schema: bodies.upsert, title: 'ContactLine' },
      query: z.object({
        resubscribe: flag(
          'If `false`, a contact that has unsubscribed from the list stays unsubscribed. The other fields of the line are saved.',
          true,
        ),
        dry_run: flag('If `true`, lines are checked, and nothing is saved.', false),
      }),
      bodyLimit: 10 * 1024 * 1024,
      answer: { others: { 'application/x-ndjson': bulkLine } },
    }),
    updateStatus: write('updateContactStatus', '/v1/contacts/{list_id}/updatestatus', {
      scope: 'contacts:write',
      summary: 'Change the status of a contact in a list',
      body: bodies.updateStatus,
      echo: { flat: ['status', 'contact_email'], nested: [] },
      message: 'Contact status updated successfully!',
      answer: { data: changedStatus, position: true },
      errors: ['unknown_list', 'unknown_contact', 'not_in_list'],
    }),
    addTags: write('addContactTags', '/v1/contacts/tags/{list_id}/add', {
      scope: 'contacts:write',
      summary: 'Attach tags to a contact in a list',
      description: 'Tags that do not exist yet are created. A contact has at most 200 tags in a list.',
      body: tagging,
      message: 'Tags added successfully!',
      answer: { data: addedTags, position: true },
      errors: ['unknown_list', 'unknown_contact', 'not_in_list', 'too_many_tags'],
    }),
    removeTags: write('removeContactTags', '/v1/contacts/tags/{list_id}/remove', {
      scope: 'contacts:write',
      summary: 'Detach tags from a contact in a list',
      body: tagging,
      unauthorized: 'absent',
      message: 'Tags removed successfully!',
      answer: { data: removedTags, position: true },
      errors: ['unknown_list', 'unknown_contact', 'not_in_list'],
    }),
    find: ownRead('findContact', '/v1/contacts', {
      scope: 'contacts:read',
      summary: 'Find a contact by its address',
      query: z.object({ email: address }),
      answer: { data: contactWithSubscriptions },
      errors: ['not_found'],
    }),
    search: ownSearch('searchContacts', '/v1/contacts/search', {
      scope: 'contacts:read',
      summary: 'Search contacts by the beginning of address or name',
      description:
        'Of the address, the first name, the last name, or both names in either order. Upper case, accents and repeated white space make no difference. It is on record that somebody searched, not for what.',
      body: searched,
      message: 'Contacts searched successfully!',
      answer: { data: z.array(object('FoundContact', contact)), beside: { incomplete: incomplete } },
    }),
    page: ownRead('listContacts', '/v1/contacts/{list_id}', {
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
      answer: pageSchema(contactInList, { incomplete: incomplete }),
    }),
    get: ownRead('getContact', '/v1/contacts/{list_id}/{contact_id}', {
      scope: 'contacts:read',
      summary: 'Retrieve a contact of a list',
      answer: { data: contactInListWithSubscriptions },
    }),
  };
}

export type ContactEndpoints = ReturnType<typeof contactEndpoints>;

export const contactResource = (endpoints: ContactEndpoints): Resource => ({
  name: 'Contacts',
  description: 'A contact is one address, across all lists. Status and tags are per list.',
  parameters: { list_id: idInPath('lst', 'list'), contact_id: idInPath('con', 'contact') },
  endpoints,
});
