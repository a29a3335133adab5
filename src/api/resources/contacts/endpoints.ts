/** The endpoints of contacts. */
import { z } from 'zod';
import { contactBodies, createEcho, tagging, upsertEcho } from './bodies.js';
import { address, status } from '../../schemas/fields.js';
import { anyText, choice, paging } from '../../schemas/query.js';
import * as answers from './answers.js';
import { ownRead, ownWrite, write } from '../../http/endpoint.js';

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
      answer: { data: answers.savedContact },
      errors: ['given_twice', 'unknown_list', 'duplicate_email'],
    }),
    upsert: write('upsertContact', '/v1/contacts/{list_id}/upsertcontact', {
      scope: 'contacts:write',
      summary: 'Create a contact, or update it and bring it into the list',
      description: 'A field that is left out stays, `null` or `""` clears it. Tags are added, never removed.',
      body: bodies.upsert,
      echo: upsertEcho,
      message: 'Contact saved successfully!',
      answer: { data: answers.savedContact },
      errors: ['given_twice', 'unknown_list', 'too_many_tags'],
    }),
    bulk: ownWrite('saveContacts', '/v1/contacts/{list_id}/bulk', {
      scope: 'contacts:write',
      summary: 'Create or update many contacts',
      description:
        'Each line is an upsert of its own. The answer has a line for each, in order, while they are saved; blank lines have none.',
      lines: bodies.upsert,
      query: z.object({
        resubscribe: choice(
          ['true', 'false'],
          '`false`: who has unsubscribed from the list stays so; all else of the line is saved.',
        ).default('true'),
        dry_run: choice(['true', 'false'], '`true`: lines are checked, and nothing is saved.').default('false'),
      }),
      bodyLimit: 10 * 1024 * 1024,
      answer: { others: { 'application/x-ndjson': answers.bulkLine } },
    }),
    updateStatus: write('updateContactStatus', '/v1/contacts/{list_id}/updatestatus', {
      scope: 'contacts:write',
      summary: 'Change the status of a contact in a list',
      body: bodies.updateStatus,
      echo: { flat: ['status', 'contact_email'], nested: [] },
      message: 'Contact status updated successfully!',
      answer: { data: answers.changedStatus },
      errors: ['unknown_list', 'unknown_contact', 'not_in_list'],
    }),
    addTags: write('addContactTags', '/v1/contacts/tags/{list_id}/add', {
      scope: 'contacts:write',
      summary: 'Attach tags to a contact in a list',
      description: 'Tags that do not exist yet are created. A contact has at most 200 tags in a list.',
      body: tagging,
      message: 'Tags added successfully!',
      answer: { data: answers.addedTags },
      errors: ['unknown_list', 'unknown_contact', 'not_in_list', 'too_many_tags'],
    }),
    removeTags: write('removeContactTags', '/v1/contacts/tags/{list_id}/remove', {
      scope: 'contacts:write',
      summary: 'Detach tags from a contact in a list',
      body: tagging,
      unauthorized: 'absent',
      message: 'Tags removed successfully!',
      answer: { data: answers.removedTags },
      errors: ['unknown_list', 'unknown_contact', 'not_in_list'],
    }),
    find: ownRead('findContact', '/v1/contacts', {
      scope: 'contacts:read',
      summary: 'Find a contact by its address',
      query: z.object({ email: address }),
      answer: { data: answers.contactWithSubscriptions },
      errors: ['not_found'],
    }),
    page: ownRead('listContacts', '/v1/contacts/{list_id}', {
      scope: 'contacts:read',
      summary: 'List the contacts of a list',
      query: z.object({
        status: status.meta({ description: 'Only contacts with this status.' }).optional(),
        tag_name: anyText('Only contacts with this tag.'),
        ...paging,
      }),
      answer: answers.pageOf(answers.contactInList, { incomplete: answers.incomplete }),
    }),
    get: ownRead('getContact', '/v1/contacts/{list_id}/{contact_id}', {
      scope: 'contacts:read',
      summary: 'Retrieve a contact of a list',
      answer: { data: answers.contactInListWithSubscriptions },
    }),
  };
}
