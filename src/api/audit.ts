/** What the endpoints of the auditor do: what happened to a contact, and how it was at a time. Every answer is replayed from the log; a view only finds the stream of a contact id. */
import type { HistoryPage } from '../audit/history.js';
import type { Audit } from '../audit/audit.js';
import { ServiceError } from '../errors.js';
import type { Queries } from '../projections/queries.js';
import { addFeed } from './audit-feed.js';
import { addListAt } from './audit-list.js';
import type { Call } from './endpoint-runner.js';
import type { Endpoints } from './endpoints/endpoints.js';
import { parseContact } from './query.js';
import { pageOf, pageRequest, type Reads } from './reads.js';
import type { Routes } from './routes.js';

export interface AuditRoutes {
  readonly endpoints: Endpoints['audit'];
  readonly audit: Audit;
  readonly queries: Pick<Queries, 'contactById'>;
  readonly reads: Reads;
  readonly streamOf: (email: string) => string;
  readonly isStopping: () => boolean;
}

export function auditRoutes(routes: Routes, options: AuditRoutes): void {
  const { endpoints, audit, queries, reads, streamOf, isStopping } = options;

  /** The stream follows from an address; for an id the view knows it. */
  async function find(call: Call<unknown, unknown, 'contact'>): Promise<{ stream: string; contactId?: string }> {
    const contact = parseContact(call.parameter('contact'));
    if ('email' in contact) return { stream: streamOf(contact.email) };
    const { contactId } = contact;
    await reads.visible(call, { touched: [`contacts/${contactId}`], parked: [] });
    const found = await queries.contactById(contactId);
    if (found !== undefined) return { stream: streamOf(found.email), contactId };
    // The view may lack the contact because it could not fold its events.
    if (reads.isIncomplete(['contacts'])) throw new ServiceError('unavailable', {}, { retryAfter: 60 });
    throw new ServiceError('not_found');
  }

  routes.on(endpoints.history, async (call) => {
    const { list_id: listId, from, to } = call.query;
    const { stream, contactId } = await find(call);
    const scope = ['history', stream, contactId ?? '', listId ?? '', from ?? '', to ?? ''];
    const { limit, cursor } = pageRequest(call.query, scope);
    if (cursor !== undefined && !/^[0-9]{1,64}$/.test(cursor)) throw new ServiceError('invalid_cursor');
    const signal = call.signal();
    const page = await audit.history({ stream, contactId, listId, from, to, after: cursor, limit, signal });
    return pageOf(pageAnswer(page), { scope });
  });

  routes.on(endpoints.contactAt, async (call) => {
    const { time, list_id: listId } = call.query;
    const { stream, contactId } = await find(call);
    const contact = await audit.contactAt({ stream, contactId, listId, time, signal: call.signal() });
    if (contact === undefined) throw new ServiceError('not_found');
    return { data: contact };
  });

  addListAt(routes, endpoints.listAt, audit);
  addFeed(routes, endpoints.events, { feed: audit.feed, isStopping });
}

function pageAnswer(page: HistoryPage | undefined) {
  if (page === undefined) throw new ServiceError('not_found');
  return { items: page.items, ...(page.next === undefined ? {} : { next_cursor: page.next }) };
}
