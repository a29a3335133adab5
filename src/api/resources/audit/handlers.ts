/** What the endpoints of the auditor do: what happened to a contact, and how it was at a time. Every answer is replayed from the log; a view only finds the stream of a contact id. */
import { isReadsCursor } from '../../../audit/access.js';
import type { Audit } from '../../../audit/audit.js';
import { hiddenFrom } from '../../../audit/redaction.js';
import { ServiceError } from '../../../errors.js';
import type { Queries } from '../../../projections/queries.js';
import { touchedDocument } from '../../../projector/touched.js';
import type { Proofs } from '../../../integrity/service-proofs.js';
import type { AccessLog } from '../../http/access-log.js';
import { answerOfPage, pageRequest } from '../../http/reads.js';
import { ofIntactLog, type Altered, type Routes } from '../../http/routes.js';
import { auditEndpoints } from './endpoints.js';
import { addFeed } from './feed.js';
import { contactFinder, type ContactSources } from './find-contact.js';
import { addLists, addReport } from './long-answers.js';
import { addSeals } from './seals.js';

/** Most events of one contact: the answer is made as a whole, and is then some 20 MB. */
const provenEvents = 10_000;

/** A page whose cursor is a position. @throws ServiceError `invalid_cursor` */
function positionPage(...given: Parameters<typeof pageRequest>): ReturnType<typeof pageRequest> {
  const page = pageRequest(...given);
  if (page.cursor !== undefined && !/^[0-9]{1,64}$/.test(page.cursor)) throw new ServiceError('invalid_cursor');
  return page;
}

export interface AuditParts extends ContactSources {
  readonly audit: Audit;
  readonly queries: ContactSources['queries'] & Pick<Queries, 'placeOfEmail'>;
  readonly proofs: Proofs;
  readonly access: AccessLog;
  readonly stopping: AbortSignal;
  readonly altered?: Altered;
}

export function auditRoutes(all: Routes, options: AuditParts): void {
  const routes = ofIntactLog(all, options.altered);
  const { audit, queries, proofs, access, reads, stopping } = options;
  const find = contactFinder(options);

  routes.on(auditEndpoints.history, async (call) => {
    const { list_id: list, from, to } = call.query;
    const { stream, contactId, subject } = await find(call, call.parameter('contact'));
    if (list === undefined) await reads.visible(call, { touched: ['emails'], parked: [] });
    const scope = ['history', stream, contactId ?? '', list ?? '', from ?? '', to ?? ''];
    const { limit, cursor } = positionPage(call.query, scope);
    const signal = call.signal();
    const hidden = hiddenFrom(call.scopes);
    const request = { stream, contactId, list, from, to, after: cursor, limit, hidden, signal };
    const read = { subject, what: 'history', from, to } as const;
    const page = await access.answering(call, read, () => audit.history(request));
    const isIncomplete = page.emails_until !== undefined && reads.isIncomplete(['emails']);
    const answer = answerOfPage(page, { isIncomplete, scope });
    const emails = page.emails_until === undefined ? {} : { emails_until: page.emails_until };
    return { ...answer, beside: { ...answer.beside, ...page.basis, lives: page.lives, ...emails } };
  });

  routes.on(auditEndpoints.emailHistory, async (call) => {
    const emailId = call.parameter('email_id');
    await reads.visible(call, { touched: [touchedDocument('emails', emailId)], parked: [] });
    const place = await queries.placeOfEmail(emailId);
    // The view may lack the e-mail because it could not fold its events.
    if (place === undefined && reads.isIncomplete(['emails']))
      throw new ServiceError('unavailable', {}, { retryAfter: 60 });
    if (place === undefined) throw new ServiceError('not_found');
    const { stream, recipientKey } = place;
    const scope = ['email', emailId];
    const { limit, cursor } = positionPage(call.query, scope);
    const who = { emailId, stream, recipientKey, hidden: hiddenFrom(call.scopes) };
    const request = { ...who, after: cursor, limit, signal: call.signal() };
    const read = { subject: recipientKey, what: 'email' } as const;
    const page = await access.answering(call, read, () => audit.emailHistory(request));
    const answer = answerOfPage(page, { scope });
    return { ...answer, beside: { ...answer.beside, ...page.basis } };
  });

  routes.on(auditEndpoints.contactAt, async (call) => {
    const { time, list_id: list } = call.query;
    const { subject, ...found } = await find(call, call.parameter('contact'));
    const request = { ...found, list, time, signal: call.signal() };
    return { data: await access.answering(call, { subject, what: 'at', to: time }, () => audit.contactAt(request)) };
  });

  routes.on(auditEndpoints.proof, async (call) => {
    const { stream, subject } = await find(call, call.parameter('contact'));
    const request = { stream, limit: provenEvents, signal: call.signal() };
    const prove = () => proofs.prove(audit.stored, request);
    return { data: await access.answering(call, { subject, what: 'proof' }, prove) };
  });

  routes.on(auditEndpoints.access, async (call) => {
    const { contact, actor, from, to } = call.query;
    const { subject } = contact === undefined ? {} : await find(call, contact);
    const scope = ['access', subject ?? '', actor ?? '', from ?? '', to ?? ''];
    const { limit, cursor: after } = pageRequest(call.query, scope);
    if (after !== undefined && !isReadsCursor(after)) throw new ServiceError('invalid_cursor');
    const page = await audit.reads({ subject, actor, from, to, after, limit, signal: call.signal() });
    const answer = answerOfPage(page, { scope });
    return { ...answer, beside: { ...answer.beside, searched: page.searched } };
  });

  addReport(routes, { audit, proofs, access, find });
  addLists(routes, { audit, access });
  addSeals(routes, { audit, proofs, access });
  addFeed(routes, { audit, find, access, stopping });
}
