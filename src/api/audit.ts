/** The routes of the auditor: what happened to a contact, and how it was at a time. Every answer is replayed from the log; a view only finds the stream of a contact id. */
import type { HistoryPage } from '../audit/history.js';
import type { Audit } from '../audit/audit.js';
import { ServiceError } from '../errors.js';
import type { Queries } from '../projections/queries.js';
import { addFeed } from './audit-feed.js';
import { addListAt } from './audit-list.js';
import type { Call } from './endpoint-runner.js';
import { optionalText, optionalTime, parseContact, requiredTime } from './query.js';
import { pageOf, pageParameters, pageRequest, type Reads } from './reads.js';
import type { Routes } from './routes.js';

export interface AuditRoutes {
  readonly audit: Audit;
  readonly queries: Pick<Queries, 'contactById'>;
  readonly reads: Reads;
  readonly streamOf: (email: string) => string;
  readonly isStopping: () => boolean;
}

export function auditRoutes(routes: Routes, options: AuditRoutes): void {
  const { audit, queries, reads, streamOf, isStopping } = options;

  /** The stream follows from an address; for an id the view knows it. */
  async function find(call: Call<unknown>): Promise<{ stream: string; contactId?: string }> {
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

  routes.get('/v1/audit/contacts/:contact/history', {
    isBeyondContract: true,
    query: ['list_id', 'from', 'to', ...pageParameters],
    async handle(call) {
      const { request } = call;
      const listId = optionalText(request, 'list_id');
      const from = optionalTime(request, 'from', 'start');
      const to = optionalTime(request, 'to', 'end');
      if (from !== undefined && to !== undefined && from > to) throw new ServiceError('invalid_range');
      const { stream, contactId } = await find(call);
      const scope = ['history', stream, contactId ?? '', listId ?? '', from ?? '', to ?? ''];
      const { limit, cursor } = pageRequest(request, scope);
      if (cursor !== undefined && !/^[0-9]{1,64}$/.test(cursor)) throw new ServiceError('invalid_cursor');
      const signal = call.signal();
      const page = await audit.history({ stream, contactId, listId, from, to, after: cursor, limit, signal });
      return pageOf(pageAnswer(page), { show: (item) => item, isIncomplete: false, scope });
    },
  });

  routes.get('/v1/audit/contacts/:contact/at', {
    isBeyondContract: true,
    query: ['time', 'list_id'],
    async handle(call) {
      const time = requiredTime(call.request, 'time', 'end');
      const listId = optionalText(call.request, 'list_id');
      const { stream, contactId } = await find(call);
      const contact = await audit.contactAt({ stream, contactId, listId, time, signal: call.signal() });
      if (contact === undefined) throw new ServiceError('not_found');
      return { data: contact };
    },
  });

  addListAt(routes, audit);
  addFeed(routes, audit.feed, isStopping);
}

function pageAnswer(page: HistoryPage | undefined) {
  if (page === undefined) throw new ServiceError('not_found');
  return { items: page.items, ...(page.next === undefined ? {} : { next_cursor: page.next }) };
}
