/** What the endpoint of personal exports does: what is stored about an address, as JSON or as a page, while it is read. */
import { createSlots, shortLine } from '../../../flow/slots.js';
import { recipientOf } from '../../../events/streams.js';
import { exportAsJson, exportPerson, type ExportSources } from '../../../privacy/export.js';
import { pagePolicy } from '../../../audit/report/page.js';
import { exportAsPage } from '../../../privacy/export-page.js';
import { wantsPage } from '../../http/accept.js';
import type { AccessLog } from '../../http/access-log.js';
import type { Endpoints } from '../table.js';
import { successPieces } from '../../http/envelope.js';
import type { Reads } from '../../http/reads.js';
import type { Routes } from '../../http/routes.js';
import { securityHeaders } from '../../http/security-headers.js';

const exportsAtOnce = 2;
const pageHeaders = securityHeaders(pagePolicy);

interface PersonExportRoute {
  readonly audit: ExportSources;
  readonly access: AccessLog;
  readonly reads: Reads;
  readonly streamOf: (email: string) => string;
}

export function addPersonExport(
  routes: Routes,
  endpoint: Endpoints['privacy']['export'],
  { audit, access, reads, streamOf }: PersonExportRoute,
): void {
  const slots = createSlots({ running: exportsAtOnce, ...shortLine });
  routes.on(endpoint, async (call) => {
    const { email } = call.query;
    const stream = streamOf(email);
    await reads.visible(call, { touched: ['emails'], parked: [] });
    const signal = call.signal();
    const close = await slots.take(signal);
    try {
      const made = await exportPerson(audit, { email, stream, askedBy: call.context.actor, signal });
      const read = { subject: recipientOf(stream), what: 'privacy_export' } as const;
      const recorded = (pieces: AsyncIterable<string>) => access.streaming(call, read, pieces);
      if (wantsPage(call.request))
        return {
          contentType: 'text/html; charset=utf-8',
          pieces: recorded(exportAsPage(made)),
          security: pageHeaders,
          close,
        };
      const beside = reads.isIncomplete(['emails']) ? { incomplete: true } : {};
      const pieces = recorded(successPieces(exportAsJson(made), beside));
      return { contentType: 'application/json; charset=utf-8', pieces, close };
    } catch (error) {
      close();
      throw error;
    }
  });
}
