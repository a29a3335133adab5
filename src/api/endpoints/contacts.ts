/** The endpoints of contacts. */
import { z } from 'zod';
import { contactBodies, createEcho, tagging, upsertEcho } from '../schemas/contacts.js';
import { anyText, choice, email, nothing, paging, subscriptionStatus } from '../schemas/query.js';
import * as answers from '../schemas/answers.js';
import { endpoint, ownRead, ownWrite, write } from './endpoint.js';

/** `clock` tells milliseconds since the epoch. */
export function contactEndpoints(clock: () => number) {
  const bodies = contactBodies(clock);
  return {
    create: endpoint({
      ...write,
      id: 'createContact',
      path: '/v1/contacts/{list_id}/create',
      scope: 'contacts:write',
      summary: 'Create a contact in a list',
      description: 'An address that exists in any list is refused; upsert brings a known contact into another list.',
      replays: true,
      body: bodies.create,
      echo: createEcho,
      message: 'Contact created successfully!',
      answer: { data: answers.savedContact },
      errors: ['given_twice', 'invalid_idempotency_key', 'unknown_list', 'duplicate_email', 'idempotency_conflict'],
    }),
    upsert: endpoint({
      ...write,
      id: 'upsertContact',
      path: '/v1/contacts/{list_id}/upsertcontact',
      scope: 'contacts:write',
      summary: 'Create a contact, or update it and bring it into the list',
      description: 'A field that is left out stays, `null` or `""` clears it. Tags are added, never removed.',
      body: bodies.upsert,
      echo: upsertEcho,
      message: 'Contact saved successfully!',
      answer: { data: answers.savedContact },
      errors: ['given_twice', 'unknown_list'],
    }),
    bulk: endpoint({
      ...ownWrite,
      id: 'saveContacts',
      path: '/v1/contacts/{list_id}/bulk',
      scope: 'contacts:write',
      summary: 'Create or update many contacts',
      description:
        'Each line is an upsert of its own. The answer has a line for each, in order, while they are saved; blank lines have none.',
      repeatable: true,
      body: nothing,
      lines: bodies.upsert,
      query: z.object({
        resubscribe: choice(['true', 'false'], {
          code: 'not_a_boolean',
          description: '`false`: who has unsubscribed from the list stays so; all else of the line is saved.',
        }).default('true'),
        dry_run: choice(['false', 'true'], {
          code: 'not_a_boolean',
          description: '`true`: lines are checked, and nothing is saved.',
        }).default('false'),
      }),
      bodyLimit: 10 * 1024 * 1024,
      answer: { others: { 'application/x-ndjson': answers.bulkLine } },
      errors: ['not_found'],
    }),
    updateStatus: endpoint({
      ...write,
      id: 'updateContactStatus',
      path: '/v1/contacts/{list_id}/updatestatus',
      scope: 'contacts:write',
      summary: 'Change the status of a contact in a list',
      body: bodies.updateStatus,
      echo: { flat: ['status', 'contact_email'], nested: [] },
      message: 'Contact status updated successfully!',
      answer: { data: answers.changedStatus },
      errors: ['unknown_list', 'unknown_contact', 'not_in_list'],
    }),
    addTags: endpoint({
      ...write,
      id: 'addContactTags',
      path: '/v1/contacts/tags/{list_id}/add',
      scope: 'contacts:write',
      summary: 'Attach tags to a contact in a list',
      description: 'Tags that do not exist yet are created.',
      body: tagging,
      message: 'Tags added successfully!',
      answer: { data: answers.addedTags },
      errors: ['unknown_list', 'unknown_contact', 'not_in_list'],
    }),
    removeTags: endpoint({
      ...write,
      id: 'removeContactTags',
      path: '/v1/contacts/tags/{list_id}/remove',
      scope: 'contacts:write',
      summary: 'Detach tags from a contact in a list',
      body: tagging,
      unauthorized: 'absent',
      message: 'Tags removed successfully!',
      answer: { data: answers.removedTags },
      errors: ['unknown_list', 'unknown_contact', 'not_in_list'],
    }),
    find: endpoint({
      ...ownRead,
      id: 'findContact',
      path: '/v1/contacts',
      scope: 'contacts:read',
      summary: 'Find a contact by its address',
      query: z.object({ email }),
      answer: { data: answers.contactWithSubscriptions },
      errors: ['not_found'],
    }),
    page: endpoint({
      ...ownRead,
      id: 'listContacts',
      path: '/v1/contacts/{list_id}',
      scope: 'contacts:read',
      summary: 'List the contacts of a list',
      query: z.object({
        status: subscriptionStatus.optional(),
        tag_name: anyText({ description: 'Only contacts with this tag.' }),
        ...paging,
      }),
      answer: answers.pageOf(answers.contactInList, { incomplete: answers.incomplete }),
      errors: ['not_found'],
    }),
    get: endpoint({
      ...ownRead,
      id: 'getContact',
      path: '/v1/contacts/{list_id}/{contact_id}',
      scope: 'contacts:read',
      summary: 'Retrieve a contact of a list',
      answer: { data: answers.contactInListWithSubscriptions },
      errors: ['not_found'],
    }),
  };
}
