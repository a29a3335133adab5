/** What the endpoint of reports does: the facts about one person as JSON, or as a page to be printed. */
import type { Audit } from '../../../audit/audit.js';
import { hiddenFrom } from '../../../audit/redaction.js';
import { createSlots, shortLine } from '../../../flow/slots.js';
import { createReport } from '../../../audit/report/report.js';
import { pagePolicy } from '../../../audit/report/page.js';
import { reportPage } from '../../../audit/report/report-page.js';
import type { AccessLog } from '../../http/access-log.js';
import type { FindContact } from './find-contact.js';
import type { Endpoints } from '../table.js';
import type { Proofs } from '../../../evidence/person-proofs.js';
import { securityHeaders } from '../../http/security-headers.js';
import { wantsPage } from '../../http/accept.js';
import type { Routes } from '../../http/routes.js';

interface ReportRoute {
  readonly audit: Audit;
  readonly proofs: Pick<Proofs, 'tree' | 'seals'>;
  readonly access: AccessLog;
  readonly find: FindContact;
}

/** An answer of this many takes some 100 MB while it is made. */
const reportedEvents = 10_000;
const reportsAtOnce = 2;

const pageHeaders = securityHeaders(pagePolicy);

export function addReport(routes: Routes, endpoint: Endpoints['audit']['report'], options: ReportRoute): void {
  const { audit, proofs, access, find } = options;
  const slots = createSlots({ running: reportsAtOnce, ...shortLine });
  routes.on(endpoint, async (call) => {
    const { list_id: list, time } = call.query;
    const contact = call.parameter('contact');
    const { subject, ...found } = await find(call, contact);
    const { actor: askedBy } = call.context;
    const asked = { contact, ...found, list, time, askedBy, hidden: hiddenFrom(call.scopes), limit: reportedEvents };
    const sources = { audit, tree: proofs.tree, ...(await proofs.seals()) };
    const signal = call.signal();
    const make = async () => {
      const close = await slots.take(signal);
      return await createReport(sources, { ...asked, signal }).finally(close);
    };
    const made = await access.answering(call, { subject, what: 'report', to: time }, make);
    if (!wantsPage(call.request)) return { data: made };
    const pieces = one(reportPage(made));
    return { contentType: 'text/html; charset=utf-8', pieces, security: pageHeaders };
  });
}

async function* one(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}
