/** What the endpoints of the auditor do: what happened to a contact, and how it was at a time. Every answer is replayed from the log; a view only finds the stream of a contact id. */
import type { Audit } from '../audit/audit.js';
import { hiddenFrom } from '../audit/redaction.js';
import type { StoredEvents } from '../audit/stored-events.js';
import { ServiceError } from '../errors.js';
import type { Proof } from '../evidence/bundle.js';
import type { ProofRequest } from '../evidence/prove.js';
import type { Queries } from '../projections/queries.js';
import { addFeed } from './audit-feed.js';
import { addListAt } from './audit-list.js';
import { addReport, type SealedLog } from './audit-report.js';
import type { Call } from './endpoint-runner.js';
import type { Endpoints } from './endpoints/endpoints.js';
import { parseContact } from './query.js';
import { pageOf, pageRequest, type Reads } from './reads.js';
import type { Routes } from './routes.js';

/** At most of one contact: the answer is made as a whole, and this is some 20 MB. */
const provenEvents = 10_000;

export interface Proofs extends SealedLog {
  /** Against a seal made now. @throws ServiceError `unavailable` the log is not verified yet; as `provePerson` */
  prove(stored: StoredEvents, request: Omit<ProofRequest, 'seal'>): Promise<Proof>;
}

export interface AuditRoutes {
  readonly endpoints: Endpoints['audit'];
  readonly audit: Audit;
  readonly proofs: Proofs;
  readonly queries: Pick<Queries, 'contactById'>;
  readonly reads: Reads;
  readonly streamOf: (email: string) => string;
  readonly isStopping: () => boolean;
}

export function auditRoutes(routes: Routes, options: AuditRoutes): void {
  const { endpoints, audit, proofs, queries, reads, streamOf, isStopping } = options;

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
    throw new ServiceError('no_such_contact');
  }

  routes.on(endpoints.history, async (call) => {
    const { list_id: list, from, to } = call.query;
    const { stream, contactId } = await find(call);
    if (list === undefined) await reads.visible(call, { touched: ['emails'], parked: [] });
    const scope = ['history', stream, contactId ?? '', list ?? '', from ?? '', to ?? ''];
    const { limit, cursor } = pageRequest(call.query, scope);
    if (cursor !== undefined && !/^[0-9]{1,64}$/.test(cursor)) throw new ServiceError('invalid_cursor');
    const signal = call.signal();
    const hidden = hiddenFrom(call.scopes);
    const page = await audit.history({ stream, contactId, list, from, to, after: cursor, limit, hidden, signal });
    const isIncomplete = page.emails_until !== undefined && reads.isIncomplete(['emails']);
    const answer = pageOf(page, { isIncomplete, scope });
    const emails = page.emails_until === undefined ? {} : { emails_until: page.emails_until };
    return { ...answer, beside: { ...answer.beside, ...page.begun.basis, ...emails } };
  });

  routes.on(endpoints.contactAt, async (call) => {
    const { time, list_id: list } = call.query;
    const { stream, contactId } = await find(call);
    return { data: await audit.contactAt({ stream, contactId, list, time, signal: call.signal() }) };
  });

  routes.on(endpoints.proof, async (call) => {
    const { stream } = await find(call);
    return { data: await proofs.prove(audit.stored, { stream, limit: provenEvents, signal: call.signal() }) };
  });

  addReport(routes, endpoints.report, { audit, proofs, find });
  addListAt(routes, endpoints.listAt, audit);
  addFeed(routes, endpoints.events, { feed: audit.feed, isStopping });
}
