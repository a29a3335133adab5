/** The routes of contacts: create, upsert, status, tags, and the reads. */
import type { Audience, SavedContact } from '../commands/audience.js';
import { profileFields, type SubscriptionStatus } from '../commands/contact.js';
import { ServiceError } from '../errors.js';
import type { Queries } from '../projections/queries.js';
import type { Call } from './endpoint-runner.js';
import type { Answer } from './envelope.js';
import { addressIn, contactParsers, parseTagging, type ContactInput } from './input.js';
import { queryText, requiredText } from './query.js';
import { pageOf, pageParameters, pageRequest, type Reads } from './reads.js';
import type { Routes } from './routes.js';

export interface ContactRoutes {
  readonly audience: Audience;
  readonly queries: Queries;
  readonly reads: Reads;
  readonly streamOf: (email: string) => string;
  readonly clock: () => number;
}

const listOf = (call: Call<unknown>): string => call.parameter('list_id');
const inList = <Input extends object>(call: Call<Input>) => ({ listId: listOf(call), ...call.input });

export function contactRoutes(routes: Routes, options: ContactRoutes): void {
  const { audience } = options;
  const parsers = contactParsers(options.clock);
  const contactFields = { flat: ['email', 'status', ...profileFields], nested: profileFields };
  const tagFields = { flat: ['tag_name', 'contact_email'], nested: [] };

  const saved = (message: string, input: ContactInput, { contactId, position }: SavedContact): Answer => ({
    message,
    data: { contact_id: contactId, email: input.email, status: input.status },
    headers: ['X-Position', position],
  });

  routes.post('/v1/contacts/:list_id/create', {
    parse: parsers.create,
    fields: contactFields,
    async handle(call) {
      const contact = await audience.createContact(inList(call), call.context);
      return saved('Contact created successfully!', call.input, contact);
    },
  });

  routes.post('/v1/contacts/:list_id/upsertcontact', {
    parse: parsers.upsert,
    fields: { ...contactFields, flat: [...contactFields.flat, 'tag_name'] },
    async handle(call) {
      const contact = await audience.upsertContact(inList(call), call.context);
      return saved('Contact saved successfully!', call.input, contact);
    },
  });

  routes.post('/v1/contacts/:list_id/updatestatus', {
    parse: parsers.updateStatus,
    fields: { flat: ['status', 'contact_email'], nested: [] },
    async handle(call) {
      const change = inList(call);
      const { contactId, position } = await audience.updateStatus(change, call.context);
      return {
        message: 'Contact status updated successfully!',
        data: { contact_id: contactId, list_id: change.listId, status: change.status },
        headers: ['X-Position', position],
      };
    },
  });

  routes.post('/v1/contacts/tags/:list_id/add', {
    parse: parseTagging,
    fields: tagFields,
    async handle(call) {
      const { tags, position } = await audience.addTags(inList(call), call.context);
      return {
        message: 'Tags added successfully!',
        data: { tag_id: tags[0]?.tag_id, tag_name: tags.map(({ tag_name }) => tag_name), tags },
        headers: ['X-Position', position],
      };
    },
  });

  routes.post('/v1/contacts/tags/:list_id/remove', {
    parse: parseTagging,
    fields: tagFields,
    unauthorized: 'absent',
    async handle(call) {
      const { tags, position } = await audience.removeTags(inList(call), call.context);
      return { message: 'Tags removed successfully!', data: tags, headers: ['X-Position', position] };
    },
  });

  // Last: its patterns match the paths of others, and answer them with 405.
  addReads(routes, options);
}

function addReads(routes: Routes, { queries, reads, streamOf }: ContactRoutes): void {
  const catalogues = ['lists', 'tags'];
  const parkedCatalogues = catalogues.map((view) => ({ view, stream: view }));

  routes.get('/v1/contacts', {
    isBeyondContract: true,
    query: ['email'],
    async handle(call) {
      const stream = streamOf(addressIn('email', requiredText(call.request, 'email')));
      const parked = [{ view: 'contacts', stream }, ...parkedCatalogues];
      await reads.visible(call, { touched: [`stream:${stream}`, ...catalogues], parked });
      return found(await queries.contactByStream(stream));
    },
  });

  routes.get('/v1/contacts/:list_id', {
    isBeyondContract: true,
    query: ['status', 'tag_name', ...pageParameters],
    async handle(call) {
      const listId = listOf(call);
      const status = statusOf(call);
      const tagName = queryText(call.request, 'tag_name');
      if (tagName === null) throw new ServiceError('not_a_string', { field: 'tag_name' });
      const scope = ['contacts', listId, status ?? '', tagName ?? ''];
      const request = { ...pageRequest(call.request, scope), status };
      const touched = [`memberships/${listId}/`, 'contacts', ...catalogues];
      await reads.visible(call, { touched, parked: parkedCatalogues });
      const tag = tagName === undefined ? undefined : await queries.tagByName(tagName);
      // A tag that does not exist is on nobody; the list itself must exist all the same.
      const tagId = tagName === undefined ? undefined : (tag?.tag_id ?? '');
      const answer = await queries.pageContactsOfList(listId, { ...request, tagId });
      if (answer === undefined) throw new ServiceError('not_found');
      const isIncomplete = reads.isIncomplete(['memberships', 'contacts']);
      // Where a later event of the contact cannot be read, its document is stale.
      const isReadable = ({ email }: { readonly email: string }): boolean =>
        !isIncomplete || !reads.isParked({ view: 'contacts', stream: streamOf(email) });
      const readable = { ...answer, items: answer.items.filter(isReadable) };
      return pageOf(readable, { show: (item) => item, isIncomplete, scope });
    },
  });

  routes.get('/v1/contacts/:list_id/:contact_id', {
    isBeyondContract: true,
    query: [],
    async handle(call) {
      const listId = listOf(call);
      const contactId = call.parameter('contact_id');
      const touched = [`contacts/${contactId}`, ...catalogues];
      await reads.visible(call, { touched, parked: parkedCatalogues });
      const contact = await queries.contactById(contactId);
      const inList = contact?.subscriptions.find(({ list_id }) => list_id === listId);
      if (contact === undefined || inList === undefined) throw new ServiceError('not_found');
      if (reads.isIncomplete(['contacts'])) reads.checkParked({ view: 'contacts', stream: streamOf(contact.email) });
      const { subscriptions, ...profile } = contact;
      const { status, tags, because } = inList;
      return { data: { ...profile, status, tags, because, subscriptions } };
    },
  });
}

function found(contact: object | undefined): Answer {
  if (contact === undefined) throw new ServiceError('not_found');
  return { data: contact };
}

function statusOf(call: Call<unknown>): SubscriptionStatus | undefined {
  const status = queryText(call.request, 'status')?.toLowerCase();
  if (status === undefined && call.request.query['status'] === undefined) return undefined;
  if (status === 'subscribed') return 'Subscribed';
  if (status === 'unsubscribed') return 'Unsubscribed';
  throw new ServiceError('invalid_status');
}
