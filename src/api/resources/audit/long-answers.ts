/** The endpoints of the auditor that take long to answer, a few at a time: reports, and lists as they were. */
import type { Audit } from '../../../audit/audit.js';
import { diffAsCsv, diffAsLines } from '../../../audit/list-diff-lines.js';
import { listAsCsv, listAsLines } from '../../../audit/list-lines.js';
import { hiddenFrom } from '../../../audit/redaction.js';
import { pagePolicy } from '../../../report/page.js';
import { reportPage } from '../../../report/report-page.js';
import { createReport } from '../../../report/report.js';
import type { Proofs } from '../../../integrity/service-proofs.js';
import { createSlots, longAnswers } from '../../../flow/slots.js';
import type { AccessLog } from '../../http/access-log.js';
import { wantsPage } from '../../http/request-headers.js';
import type { Routes } from '../../http/routes.js';
import { securityHeaders } from '../../http/security-headers.js';
import { auditEndpoints } from './endpoints.js';
import type { FindContact } from './find-contact.js';

interface ReportRoute {
  readonly audit: Audit;
  readonly proofs: Pick<Proofs, 'tree' | 'pageSeals'>;
  readonly access: AccessLog;
  readonly find: FindContact;
}

/** Most events of a report: making it takes some 100 MB then. */
const reportedEvents = 10_000;
const reportsAtOnce = 2;

const pageHeaders = securityHeaders(pagePolicy);

/** The facts about one person, as JSON or as a page to be printed. */
export function addReport(routes: Routes, options: ReportRoute): void {
  const { audit, proofs, access, find } = options;
  const slots = createSlots('reports', { running: reportsAtOnce, ...longAnswers });
  routes.on(auditEndpoints.report, async (call) => {
    const { list_id: list, time } = call.query;
    const contact = call.parameter('contact');
    const { subject, ...found } = await find(call, contact);
    const { actor: askedBy } = call.context;
    const question = { contact, ...found, list, time, askedBy, hidden: hiddenFrom(call.scopes), limit: reportedEvents };
    const sources = { audit, tree: proofs.tree, seals: proofs.pageSeals() };
    const signal = call.signal();
    const make = async () => {
      const close = await slots.take(signal);
      return await createReport(sources, { ...question, signal }).finally(close);
    };
    const report = await access.answering(call, { subject, what: 'report', to: time }, make);
    if (!wantsPage(call.request)) return { data: report };
    const pieces = one(reportPage(report));
    return { contentType: 'text/html; charset=utf-8', pieces, security: pageHeaders };
  });
}

async function* one(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}

const passesAtOnce = 2;

interface ListRoute {
  readonly audit: Pick<Audit, 'listAt' | 'listDiff'>;
  readonly access: AccessLog;
}

const csv = 'text/csv; charset=utf-8; header=present';
const ndjson = 'application/x-ndjson';

/** A list as it was at a time, and what differs between two: line by line. Each is a pass over the log. */
export function addLists(routes: Routes, { audit, access }: ListRoute): void {
  const passes = createSlots('lists_at', { running: passesAtOnce, ...longAnswers });
  routes.on(auditEndpoints.listAt, async (call) => {
    const { time, format } = call.query;
    const signal = call.signal();
    const list = await audit.listAt({ list: call.parameter('list_id'), time, signal });
    const close = await passes.take(signal);
    const isCsv = format === 'csv';
    const read = { subject: list.list_id, what: 'list', to: time } as const;
    const pieces = access.streaming(call, read, isCsv ? listAsCsv(list) : listAsLines(list));
    return { contentType: isCsv ? csv : ndjson, pieces, close };
  });
  routes.on(auditEndpoints.listDiff, async (call) => {
    const { from, to, format } = call.query;
    const signal = call.signal();
    const diff = await audit.listDiff({ list: call.parameter('list_id'), from, to, signal });
    const close = await passes.take(signal);
    const isCsv = format === 'csv';
    const read = { subject: diff.list_id, what: 'list', from, to } as const;
    const pieces = access.streaming(call, read, isCsv ? diffAsCsv(diff) : diffAsLines(diff));
    return { contentType: isCsv ? csv : ndjson, pieces, close };
  });
}
