/** Audit: what happened to a contact, how it was at a time, reports, proofs and seals. Every answer is replayed from the log; a view only finds the stream of a contact id. */
import { z } from 'zod';
import { isReadsCursor } from '../../audit/access.js';
import * as answers from '../../audit/answers.js';
import type { Audit } from '../../audit/audit.js';
import { listAtLine, listDiffLine } from '../../audit/list-answers.js';
import { diffAsCsv, diffAsLines } from '../../audit/list-diff-lines.js';
import { listAsCsv, listAsLines } from '../../audit/list-lines.js';
import { hiddenFrom } from '../../audit/redaction.js';
import { ServiceError } from '../../errors.js';
import { wholeLog, type ReadKind } from '../../events/access.js';
import { personOf } from '../../events/streams.js';
import { count } from '../../events/values.js';
import type { StoredEvent } from '../../eventstore/event-store.js';
import { eventProofSchema, proofSchema } from '../../integrity/proofs.js';
import { sealedLog, sealStateSchema } from '../../integrity/service-proofs.js';
import { pagePolicy } from '../../report/page.js';
import { report } from '../../report/report-answer.js';
import { reportPage } from '../../report/report-page.js';
import { createReport } from '../../report/report.js';
import type { AccessLog } from '../http/access-log.js';
import type { Call } from '../http/call.js';
import type { Resource } from '../http/endpoint.js';
import { answerOfPage, pageRequest } from '../http/paging.js';
import { wantsPage } from '../http/request-headers.js';
import { securityHeaders } from '../http/security-headers.js';
import {
  between,
  choice,
  idInPath,
  incomplete,
  isInOrder,
  optionalText,
  outOfOrder,
  pageSchema,
  paging,
  textInPath,
  timeParameter,
} from '../schemas/parameters.js';
import { findContact, listErrors, ofAddress } from './audit-contact.js';
import { eventFeed } from './audit-feed.js';
import { readOfLog, type Parts } from './parts.js';

const listId = optionalText('Id or name of a list: only what concerns it.');

const ofContactInList = [
  ...ofAddress,
  'unknown_parameter_near',
  'no_such_contact',
  ...listErrors,
  'never_in_list',
] as const;

/** The most events of one contact in a proof. The answer is then about 20 MB. */
const provenEvents = 10_000;

/** The most events of a report. Making such a report takes about 100 MB. */
const reportedEvents = 10_000;

const pageHeaders = securityHeaders(pagePolicy);
const csv = 'text/csv; charset=utf-8; header=present';
const ndjson = 'application/x-ndjson';

const endpoints = {
  history: readOfLog('getContactHistory', '/v1/audit/contacts/{contact}/history', {
    scope: 'audit:read',
    summary: 'What happened to a contact',
    description: '`contact` is an id or an address.',
    query: z.object({ list_id: listId, ...between, ...paging }).refine(isInOrder, outOfOrder),
    answer: pageSchema(answers.historyItem, { ...answers.historyBasis, incomplete }),
    errors: ofContactInList,
    handle: async (call, parts) => {
      const { audit, queries, access } = parts;
      const { list_id: list, from, to } = call.query;
      const { stream, contactId, subject } = await findContact(call.parameter('contact'), parts);
      const scope = ['history', stream, contactId ?? '', list ?? '', from ?? '', to ?? ''];
      const { limit, cursor } = positionPage(call.query, scope);
      const signal = call.signal();
      const hidden = hiddenFrom(call.scopes);
      const request = { stream, contactId, list, from, to, after: cursor, limit, hidden, signal };
      const read = { subject, what: 'history', from, to } as const;
      const page = await access.answering(call, read, () => audit.history(request));
      const isIncomplete = page.emails_until !== undefined && queries.lacksEmails();
      const answer = answerOfPage({ ...page, isIncomplete }, { scope });
      const emails = page.emails_until === undefined ? {} : { emails_until: page.emails_until };
      return { ...answer, beside: { ...answer.beside, ...page.basis, lives: page.lives, ...emails } };
    },
  }),
  emailHistory: readOfLog('getEmailHistory', '/v1/audit/emails/{email_id}/history', {
    scope: 'audit:read',
    summary: 'What happened to an e-mail',
    description: 'Every event of it, and what its recipient did because of it. The oldest first.',
    query: z.object(paging),
    answer: pageSchema(answers.historyItem, answers.basis),
    handle: async (call, { queries, audit, access }) => {
      const emailId = call.parameter('email_id');
      const place = await queries.placeOfRecordedEmail(emailId);
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
    },
  }),
  contactAt: readOfLog('getContactAt', '/v1/audit/contacts/{contact}/at', {
    scope: 'audit:read',
    summary: 'A contact as it was at a time',
    description: '`contact` is an id or an address.',
    query: z.object({ time: timeParameter('end', 'The point in time.'), list_id: listId }),
    answer: { data: answers.contactAtSchema },
    errors: ofContactInList,
    handle: async (call, parts) => {
      const { audit, access } = parts;
      const { time, list_id: list } = call.query;
      const { subject, ...found } = await findContact(call.parameter('contact'), parts);
      const request = { ...found, list, time, signal: call.signal() };
      return { data: await access.answering(call, { subject, what: 'at', to: time }, () => audit.contactAt(request)) };
    },
  }),
  report: readOfLog('getContactReport', '/v1/audit/contacts/{contact}/report', {
    scope: 'audit:read',
    summary: 'A report about a contact',
    description:
      '`contact` is an id or an address. The answer in one sentence, every change, the e-mails, and how to check it all. As JSON, or with `Accept: text/html` as a page.',
    query: z.object({ time: timeParameter('end', 'The point in time; default: now.').optional(), list_id: listId }),
    answer: { data: report, others: { 'text/html': z.string() } },
    errors: [...ofContactInList, 'too_many_events'],
    handle: async (call, parts) => {
      const { audit, proofs, access, bounds } = parts;
      const { list_id: list, time } = call.query;
      const contact = call.parameter('contact');
      const { subject, ...found } = await findContact(contact, parts);
      const { actor: askedBy } = call.context;
      const question = {
        contact,
        ...found,
        list,
        time,
        askedBy,
        hidden: hiddenFrom(call.scopes),
        limit: reportedEvents,
      };
      const sources = { audit, tree: proofs.tree, seals: proofs.pageSeals() };
      const signal = call.signal();
      const make = async () => {
        const close = await bounds.reports.take(signal);
        return await createReport(sources, { ...question, signal }).finally(close);
      };
      const report = await access.answering(call, { subject, what: 'report', to: time }, make);
      if (!wantsPage(call.request)) return { data: report };
      const pieces = one(reportPage(report));
      return { contentType: 'text/html; charset=utf-8', pieces, security: pageHeaders };
    },
  }),
  proof: readOfLog('getContactProof', '/v1/audit/contacts/{contact}/proof', {
    scope: 'audit:read',
    summary: 'A proof of the events of a contact',
    description:
      '`contact` is an id or an address. `data` is a file for `verify.mjs`: the events as they are stored, with their paths to the root of the newest seal that covers all of them. If no seal does, one is made now. It contains no events of other people and no e-mails.',
    answer: { data: proofSchema },
    errors: [...ofAddress, 'no_such_contact', 'too_many_events'],
    handle: async (call, parts) => {
      const { audit, proofs, access } = parts;
      const { stream, subject } = await findContact(call.parameter('contact'), parts);
      const request = { stream, limit: provenEvents, signal: call.signal() };
      const prove = () => proofs.prove(audit.stored, request);
      return { data: await access.answering(call, { subject, what: 'proof' }, prove) };
    },
  }),
  access: readOfLog('listReads', '/v1/audit/access', {
    scope: 'audit:read',
    summary: 'Who looked: the reads that were recorded',
    description: 'Oldest first. A page may be shorter than `limit`, or empty, and have a `next_cursor` all the same.',
    query: z
      .object({
        contact: optionalText('Id or address of a contact: only reads of its record.'),
        actor: optionalText('Id of an API key: only what was read with it.'),
        ...between,
        ...paging,
      })
      .refine(isInOrder, outOfOrder),
    answer: pageSchema(answers.readRecordSchema, {
      searched: count.describe('Number of records that were read for this page, whether they matched or not.'),
    }),
    errors: [...ofAddress, 'no_such_contact'],
    handle: async (call, parts) => {
      const { audit } = parts;
      const { contact, actor, from, to } = call.query;
      const { subject } = contact === undefined ? {} : await findContact(contact, parts);
      const scope = ['access', subject ?? '', actor ?? '', from ?? '', to ?? ''];
      const { limit, cursor: after } = pageRequest(call.query, scope);
      if (after !== undefined && !isReadsCursor(after)) throw new ServiceError('invalid_cursor');
      const page = await audit.reads({ subject, actor, from, to, after, limit, signal: call.signal() });
      const answer = answerOfPage(page, { scope });
      return { ...answer, beside: { ...answer.beside, searched: page.searched } };
    },
  }),
  listAt: readOfLog('getListAt', '/v1/audit/lists/{list_id}/at', {
    scope: 'audit:read',
    summary: 'The members of a list as they were at a time',
    description: '`list_id` is an id or a name.',
    query: z.object({
      time: timeParameter('end', 'The point in time.'),
      format: choice(['ndjson', 'csv'], 'Form of the lines.').default('ndjson'),
    }),
    answer: { others: { 'application/x-ndjson': listAtLine, 'text/csv': z.string() } },
    errors: listErrors,
    handle: async (call, { audit, access, bounds }) => {
      const { time, format } = call.query;
      const signal = call.signal();
      const list = await audit.listAt({ list: call.parameter('list_id'), time, signal });
      const close = await bounds.lists.take(signal);
      const isCsv = format === 'csv';
      const read = { subject: list.list_id, what: 'list', to: time } as const;
      const pieces = access.streaming(call, read, isCsv ? listAsCsv(list) : listAsLines(list));
      return { contentType: isCsv ? csv : ndjson, pieces, close };
    },
  }),
  listDiff: readOfLog('getListDiff', '/v1/lists/{list_id}/diff', {
    scope: 'audit:read',
    summary: 'Who joined, left or changed in a list between two times',
    description: '`list_id` is an id or a name.',
    query: z
      .object({
        from: timeParameter('end', 'The earlier point in time.'),
        to: timeParameter('end', 'The later one.'),
        format: choice(['ndjson', 'csv'], 'Form of the lines.').default('ndjson'),
      })
      .refine(isInOrder, outOfOrder),
    answer: { others: { 'application/x-ndjson': listDiffLine, 'text/csv': z.string() } },
    errors: listErrors,
    handle: async (call, { audit, access, bounds }) => {
      const { from, to, format } = call.query;
      const signal = call.signal();
      const diff = await audit.listDiff({ list: call.parameter('list_id'), from, to, signal });
      const close = await bounds.lists.take(signal);
      const isCsv = format === 'csv';
      const read = { subject: diff.list_id, what: 'list', from, to } as const;
      const pieces = access.streaming(call, read, isCsv ? diffAsCsv(diff) : diffAsLines(diff));
      return { contentType: isCsv ? csv : ndjson, pieces, close };
    },
  }),
  events: eventFeed,
  event: readOfLog('getEvent', '/v1/audit/events/{position}', {
    scope: 'audit:read',
    summary: 'One event of the log, with its number and its leaf',
    answer: { data: answers.eventInFull },
    handle: async (call, { audit, proofs, access }) => {
      const { stored, shown } = await eventAt(call, audit);
      const place = await proofs.placeOf(stored);
      await noteEvent(access, call, { stored, what: 'feed' });
      return { data: { ...shown, ...place } };
    },
  }),
  eventProof: readOfLog('getEventProof', '/v1/audit/events/{position}/proof', {
    scope: 'audit:read',
    summary: 'A proof of one event',
    description:
      '`data` is a file for `verify.mjs`: the event as it is stored, with its path to the root of the newest seal that covers it. If no seal does, one is made now.',
    answer: { data: eventProofSchema },
    handle: async (call, { audit, proofs, access }) => {
      const { stored } = await eventAt(call, audit);
      const proof = await proofs.proveEvent(stored, hiddenFrom(call.scopes));
      await noteEvent(access, call, { stored, what: 'proof' });
      return { data: proof };
    },
  }),
  seals: readOfLog('listSeals', '/v1/audit/seals', {
    scope: 'audit:read',
    summary: 'The seals that the service has kept, and whether they hold',
    description:
      'The seals of the data folder and of SEAL_DIR, newest first: by restores, then events, then number of the seal.',
    query: z.object(paging),
    answer: pageSchema(sealStateSchema, sealedLog),
    handle: async (call, { proofs }) => {
      const scope = ['seals'];
      const { limit, cursor: after } = pageRequest(call.query, scope);
      const { log, ...page } = await proofs.sealStates({ after, limit });
      const { data, beside } = answerOfPage(page, { scope });
      return { data, beside: { ...beside, ...log } };
    },
  }),
};

const position = {
  description: 'Position of an event in the log, with or without zeros in front.',
  schema: { type: 'string', pattern: '^[0-9]+$' },
} as const;

export const auditResource: Resource<Parts> = {
  name: 'Audit',
  description: 'What happened, answered from the event log itself.',
  parameters: {
    contact: textInPath('Id or address of a contact.'),
    email_id: idInPath('eml', 'e-mail'),
    list_id: textInPath('Id or name of a list.'),
    position,
  },
  endpoints,
};

/** Returns the request of a page whose cursor is a position. @throws ServiceError `invalid_cursor` */
function positionPage(...given: Parameters<typeof pageRequest>): ReturnType<typeof pageRequest> {
  const page = pageRequest(...given);
  if (page.cursor !== undefined && !/^[0-9]{1,64}$/.test(page.cursor)) throw new ServiceError('invalid_cursor');
  return page;
}

type EventCall = Call<unknown, unknown, 'position'>;

/** @throws ServiceError `not_found` */
async function eventAt(call: EventCall, audit: Audit) {
  const found = await audit.feed.at(call.parameter('position'), hiddenFrom(call.scopes));
  if (found === undefined) throw new ServiceError('not_found');
  return found;
}

interface EventRead {
  readonly stored: StoredEvent;
  readonly what: ReadKind;
}

/** Records that an event was read. Reading the record of reads is not recorded. */
async function noteEvent(access: AccessLog, call: EventCall, { stored, what }: EventRead): Promise<void> {
  const { stream, type } = stored;
  if (type !== 'RecordRead') await access.note(call, { subject: personOf(stream) ?? wholeLog, what });
}

async function* one(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}
