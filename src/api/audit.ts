/** The router of the auditor: what happened to a contact, and how it was at a time. Every answer is replayed from the log; a view only finds the stream of a contact id. */
import { Router } from 'express';
import type { HistoryPage } from '../audit/history.js';
import type { Audit } from '../audit/audit.js';
import { ServiceError } from '../errors.js';
import type { Queries } from '../projections/queries.js';
import { audited } from './audit-call.js';
import { checkParameters, optionalText, optionalTime, parseContact, requiredTime } from './audit-input.js';
import { feedRoute } from './audit-feed.js';
import { listRoute } from './audit-list.js';
import { createStreams } from './audit-stream.js';
import type { Call, Calls, Endpoint } from './call.js';
import { parseNothing } from './input.js';
import type { PassageOptions } from './request-context.js';
import { pageOf, pageRequest, type Reads } from './reads.js';
import { mount } from './routes.js';

export interface AuditRouter extends PassageOptions {
  readonly audit: Audit;
  readonly queries: Pick<Queries, 'contactById'>;
  readonly reads: Reads;
  /** The contact stream of an address. */
  readonly streamOf: (email: string) => string;
}

const base = '/v1/audit';

export function auditRouter(options: AuditRouter, calls: Calls): Router {
  const { audit, queries, reads, streamOf } = options;
  const router = Router();

  /** Of an address the stream is known; of an id the view tells it. */
  async function find(call: Call<unknown>): Promise<{ stream: string; contactId?: string }> {
    const contact = parseContact(call.parameter('contact'));
    if ('email' in contact) return { stream: streamOf(contact.email) };
    const { contactId } = contact;
    await reads.visible(call, { touched: [`contacts/${contactId}`], parked: [] });
    const found = await queries.contactById(contactId);
    if (found !== undefined) return { stream: streamOf(found.email), contactId };
    // It may be one whose events the view could not fold.
    if (reads.isIncomplete(['contacts'])) throw new ServiceError('unavailable', {}, { retryAfter: 60 });
    throw new ServiceError('not_found');
  }

  const history: Endpoint<undefined> = {
    route: `${base}/contacts/{contact}/history`,
    parse: parseNothing,
    isOurs: true,
    handle: (call) =>
      audited(call, async (signal) => {
        const { request } = call;
        checkParameters(request, ['list_id', 'from', 'to', 'limit', 'cursor']);
        const listId = optionalText(request, 'list_id');
        const from = optionalTime(request, 'from', 'start');
        const to = optionalTime(request, 'to', 'end');
        if (from !== undefined && to !== undefined && from > to) throw new ServiceError('invalid_range');
        const { stream, contactId } = await find(call);
        const scope = ['history', stream, contactId ?? '', listId ?? '', from ?? '', to ?? ''];
        const { limit, cursor } = pageRequest(request, scope);
        if (cursor !== undefined && !/^[0-9]{1,64}$/.test(cursor)) throw new ServiceError('invalid_cursor');
        const page = await audit.history({ stream, contactId, listId, from, to, after: cursor, limit, signal });
        return pageOf(pageAnswer(page), { show: (item) => item, isIncomplete: false, scope });
      }),
  };

  const at: Endpoint<undefined> = {
    route: `${base}/contacts/{contact}/at`,
    parse: parseNothing,
    isOurs: true,
    handle: (call) =>
      audited(call, async (signal) => {
        checkParameters(call.request, ['time', 'list_id']);
        const time = requiredTime(call.request, 'time', 'end');
        const listId = optionalText(call.request, 'list_id');
        const { stream, contactId } = await find(call);
        const contact = await audit.contactAt({ stream, contactId, listId, time, signal });
        if (contact === undefined) throw new ServiceError('not_found');
        return { data: contact };
      }),
  };

  mount(router, { path: '/contacts/:contact/history', methods: ['get'] }, { calls, endpoint: history });
  mount(router, { path: '/contacts/:contact/at', methods: ['get'] }, { calls, endpoint: at });
  const streams = createStreams(options);
  listRoute(router, { audit, calls, streams });
  feedRoute(router, { audit, calls, streams, isStopping: options.isStopping });
  return router;
}

function pageAnswer(page: HistoryPage | undefined) {
  if (page === undefined) throw new ServiceError('not_found');
  return { items: page.items, ...(page.next === undefined ? {} : { next_cursor: page.next }) };
}
