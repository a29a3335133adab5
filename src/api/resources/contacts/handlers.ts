/** What the endpoints of contacts do: create, upsert, status, tags, and the reads. */
import type { z } from 'zod';
import type { Audience, SaveContact, SavedContact } from '../../../commands/audience.js';
import { refusalOf } from '../../../commands/suppressions.js';
import { ServiceError } from '../../../errors.js';
import { allContacts } from '../../../events/access.js';
import { comparedAddress } from '../../../events/address.js';
import { recipientOf, suppressionStream } from '../../../events/streams.js';
import type { Queries } from '../../../projections/queries.js';
import type { SuppressionLookup } from '../../../projections/suppressions.js';
import { touchedDocument, touchedPart, touchedStream } from '../../../projector/touched.js';
import type { AccessLog } from '../../http/access-log.js';
import { createBulks } from '../../http/bulk.js';
import type { Call } from '../../http/endpoint-runner.js';
import type { Answer } from '../../http/envelope.js';
import { createParser } from '../../http/parse.js';
import { answerOfPage, pageRequest, type Reads } from '../../http/reads.js';
import { writtenHeaders } from '../../http/request-headers.js';
import type { Routes } from '../../http/routes.js';
import type { ContactEndpoints } from './endpoints.js';

export interface ContactParts {
  readonly audience: Audience;
  readonly queries: Queries;
  readonly suppressed: SuppressionLookup;
  readonly reads: Reads;
  readonly access: AccessLog;
  readonly streamOf: (email: string) => string;
  /** Slows writes down while the views lag. */
  readonly admit: () => Promise<void> | undefined;
  readonly stopping: AbortSignal;
}

/** Endpoints with what their handlers need. */
type WithEndpoints = ContactParts & { readonly endpoints: ContactEndpoints };

export function contactRoutes(routes: Routes, options: WithEndpoints): void {
  const { audience, endpoints } = options;

  const saved = (
    { email, status }: { readonly email: string; readonly status: string },
    { contactId, position }: SavedContact,
  ): Answer => ({ data: { contact_id: contactId, email, status }, headers: ['X-Position', position] });

  routes.on(endpoints.create, async ({ input, parameter, context, idempotencyKey }) => {
    const { email, status, consent } = input;
    const contact = { listId: parameter('list_id'), email, status, profile: input, tagNames: [], consent };
    const created = await audience.createContact(contact, context, idempotencyKey);
    return { ...saved(input, created), headers: writtenHeaders(created) };
  });

  routes.on(endpoints.upsert, async ({ input, parameter, context }) =>
    saved(input, await audience.upsertContact(upsertIn(parameter('list_id'), input), context)),
  );

  addBulk(routes, options);

  routes.on(endpoints.updateStatus, async ({ input, parameter, context }) => {
    const { status, contact_email: email, consent } = input;
    const listId = parameter('list_id');
    const { contactId, position } = await audience.updateStatus({ listId, email, status, consent }, context);
    return { data: { contact_id: contactId, list_id: listId, status }, headers: ['X-Position', position] };
  });

  routes.on(endpoints.addTags, async ({ input, parameter, context }) => {
    const { contact_email: email, tag_name: tagNames } = input;
    const { tags, position } = await audience.addTags({ listId: parameter('list_id'), email, tagNames }, context);
    return {
      data: { tag_id: tags[0]?.tag_id, tag_name: tags.map(({ tag_name }) => tag_name), tags },
      headers: ['X-Position', position],
    };
  });

  routes.on(endpoints.removeTags, async ({ input, parameter, context }) => {
    const { contact_email: email, tag_name: tagNames } = input;
    const { tags, position } = await audience.removeTags({ listId: parameter('list_id'), email, tagNames }, context);
    return { data: tags, headers: ['X-Position', position] };
  });

  // Mounted last: their patterns match paths above, and would answer these with 405.
  addReads(routes, options);
}

function addBulk(routes: Routes, { endpoints, audience, ...parts }: WithEndpoints): void {
  const bulk = createBulks('contacts_bulks', parts);
  const { parse } = createParser(endpoints.upsert.body);
  routes.on(endpoints.bulk, async (call) => {
    const { query, parameter, context } = call;
    const listId = parameter('list_id');
    await audience.demandList(listId);
    const { resubscribe } = query;
    const save = async (contact: Upsert, isLikelyNew: boolean) => {
      const asked = { ...upsertIn(listId, contact), resubscribe, isLikelyNew };
      const { outcome, contactId: contact_id, status, position } = await audience.upsertContact(asked, context);
      return { outcome, contact_id, status, position };
    };
    return await bulk(call, {
      limit: endpoints.bulk.bodyLimit ?? 0,
      parse: (line) => parse(line, true),
      addressOf: ({ email }) => comparedAddress(email),
      save: query.dry_run ? undefined : save,
    });
  });
}

type Upsert = z.output<ContactEndpoints['upsert']['body']>;

function upsertIn(listId: string, input: Upsert): SaveContact {
  const { email, status, tag_name: tagNames, consent } = input;
  return { listId, email, status, profile: input, tagNames, consent };
}

function addReads(routes: Routes, options: WithEndpoints): void {
  const { endpoints, queries, reads, access, streamOf } = options;
  const withSuppressed = createWithSuppressed(options);
  const catalogues = ['lists', 'tags'];
  const parkedCatalogues = catalogues.map((view) => ({ view, stream: view }));

  routes.on(endpoints.search, async (call) => {
    await reads.visible(call, { touched: ['contact_search', 'contacts'], parked: [] });
    const { text, limit } = call.input;
    const read = { subject: allContacts, what: 'search' } as const;
    const data = await access.answering(call, read, () => queries.searchContacts({ text, limit }));
    return { data, beside: reads.isIncomplete(['contact_search', 'contacts']) ? { incomplete: true } : {} };
  });

  routes.on(endpoints.find, async (call) => {
    const stream = streamOf(call.query.email);
    const parked = [{ view: 'contacts', stream }, ...parkedCatalogues];
    await reads.visible(call, { touched: [touchedStream(stream), ...catalogues], parked });
    const contact = await queries.contactByStream(stream);
    if (contact === undefined) throw new ServiceError('not_found');
    return { data: await withSuppressed(contact, call) };
  });

  routes.on(endpoints.page, async (call) => {
    const listId = call.parameter('list_id');
    const { status, tag_name: tagName } = call.query;
    const scope = ['contacts', listId, status ?? '', tagName ?? ''];
    const request = { ...pageRequest(call.query, scope), status };
    const touched = [touchedPart('memberships', listId), 'contacts', ...catalogues];
    await reads.visible(call, { touched, parked: parkedCatalogues });
    const tag = tagName === undefined ? undefined : await queries.tagByName(tagName);
    // No contact has an unknown tag. The list must exist all the same.
    const tagId = tagName === undefined ? undefined : (tag?.tag_id ?? '');
    const answer = await queries.pageContactsOfList(listId, { ...request, tagId });
    if (answer === undefined) throw new ServiceError('not_found');
    const isIncomplete = reads.isIncomplete(['memberships', 'contacts']);
    // Where a later event of the contact cannot be read, its document is stale.
    const isReadable = ({ email }: { readonly email: string }): boolean =>
      !isIncomplete || !reads.isParked({ view: 'contacts', stream: streamOf(email) });
    const readable = { ...answer, items: answer.items.filter(isReadable) };
    const isRecorded = call.query.record && readable.items.length > 0;
    if (isRecorded) await access.note(call, { subject: listId, what: 'members' });
    return answerOfPage(readable, { isIncomplete, scope });
  });

  routes.on(endpoints.get, async (call) => {
    const listId = call.parameter('list_id');
    const contactId = call.parameter('contact_id');
    const touched = [touchedDocument('contacts', contactId), ...catalogues];
    await reads.visible(call, { touched, parked: parkedCatalogues });
    const contact = await queries.contactById(contactId);
    const inList = contact?.subscriptions.find(({ list_id }) => list_id === listId);
    if (contact === undefined || inList === undefined) throw new ServiceError('not_found');
    if (reads.isIncomplete(['contacts'])) reads.checkParked({ view: 'contacts', stream: streamOf(contact.email) });
    const { subscriptions, ...profile } = await withSuppressed(contact, call);
    const { status, tags, because } = inList;
    return { data: { ...profile, status, tags, because, subscriptions } };
  });
}

interface ContactInLists {
  readonly email: string;
  readonly subscriptions: readonly { readonly list_id: string }[];
}

/** Adds, where mail to the subscribers of a list is refused, why and since when. */
function createWithSuppressed({ suppressed, reads, streamOf }: ContactParts) {
  return async <Contact extends ContactInLists>(contact: Contact, call: Pick<Call, 'minPosition'>) => {
    if (suppressed.isNobody() || !(await suppressed.isAnybody())) return contact;
    const key = recipientOf(streamOf(contact.email));
    if (suppressed.refusesNothing(key)) return contact;
    const parked = [{ view: 'suppressions', stream: suppressionStream(key) }];
    await reads.visible(call, { touched: [touchedDocument('suppressions', key)], parked });
    const active = await suppressed.of(key);
    if (active.length === 0) return contact;
    const subscriptions = contact.subscriptions.map((subscription) => {
      const refusal = refusalOf({ active }, subscription.list_id);
      return refusal === undefined ? subscription : { ...subscription, suppressed: refusal };
    });
    return { ...contact, subscriptions };
  };
}
