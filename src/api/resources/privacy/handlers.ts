/** What the endpoints of privacy do: erase a person, say how far that is, and tell what is stored about a person. */
import { pagePolicy } from '../../../report/page.js';
import type { Erasure } from '../../../commands/erasures.js';
import { ServiceError } from '../../../errors.js';
import { recipientOf } from '../../../events/streams.js';
import { createSlots, longAnswers } from '../../../flow/slots.js';
import type { Erasures } from '../../../privacy/erasures.js';
import { exportAsPage } from '../../../privacy/export-page.js';
import { personExportAsJson, exportPerson, type ExportSources } from '../../../privacy/export.js';
import type { AccessLog } from '../../http/access-log.js';
import { successPieces } from '../../http/envelope.js';
import { answerOfPage, pageRequest, type Reads } from '../../http/reads.js';
import { wantsPage } from '../../http/request-headers.js';
import { ofIntactLog, type Altered, type Routes } from '../../http/routes.js';
import { securityHeaders } from '../../http/security-headers.js';
import { privacyEndpoints } from './endpoints.js';

export interface PrivacyParts extends ExportParts {
  readonly erasures: Pick<Erasures, 'request' | 'all'>;
  readonly altered?: Altered;
}

export function privacyRoutes(routes: Routes, parts: PrivacyParts): void {
  const { erasures, altered } = parts;

  routes.on(privacyEndpoints.erase, async ({ input, context }) => {
    const { erasure, position } = await erasures.request(input, context);
    const location = ['Location', `/v1/privacy/erasures/${erasure.erasure_id}`];
    return { data: shown(erasure), headers: [...location, 'X-Position', position] };
  });

  routes.on(privacyEndpoints.get, async ({ parameter }) => {
    const erasure = (await erasures.all()).get(parameter('erasure_id'));
    if (erasure === undefined) throw new ServiceError('not_found');
    return { data: shown(erasure) };
  });

  routes.on(privacyEndpoints.page, async ({ query }) => {
    const scope = ['erasures'];
    const { limit, cursor = '' } = pageRequest(query, scope);
    const all = await erasures.all();
    const later = [...all.keys()].filter((id) => id > cursor).sort();
    const ids = later.slice(0, limit);
    const items = ids.flatMap((id) => all.get(id) ?? []);
    const next_cursor = later.length > limit ? ids.at(-1) : undefined;
    return answerOfPage({ items, ...(next_cursor === undefined ? {} : { next_cursor }) }, { show: shown, scope });
  });

  addExport(ofIntactLog(routes, altered), parts);
}

function shown({ erasure_id, requested_at, reason, completed }: Erasure): object {
  return {
    erasure_id,
    status: completed === null ? 'requested' : 'completed',
    requested_at,
    completed_at: completed?.at ?? null,
    reason,
    contacts: completed?.contacts ?? null,
    emails: completed?.emails ?? null,
  };
}

const exportsAtOnce = 2;
const pageHeaders = securityHeaders(pagePolicy);

interface ExportParts {
  readonly audit: ExportSources;
  readonly access: AccessLog;
  readonly reads: Reads;
  readonly streamOf: (email: string) => string;
}

/** What is stored about an address, as JSON or as a page, while it is read. */
function addExport(routes: Routes, { audit, access, reads, streamOf }: ExportParts): void {
  const slots = createSlots('exports', { running: exportsAtOnce, ...longAnswers });
  routes.on(privacyEndpoints.export, async (call) => {
    const { email } = call.query;
    const stream = streamOf(email);
    await reads.visible(call, { touched: ['emails'], parked: [] });
    const signal = call.signal();
    const close = await slots.take(signal);
    try {
      const person = await exportPerson(audit, { email, stream, askedBy: call.context.actor, signal });
      const read = { subject: recipientOf(stream), what: 'privacy_export' } as const;
      const recorded = (pieces: AsyncIterable<string>) => access.streaming(call, read, pieces);
      if (wantsPage(call.request))
        return {
          contentType: 'text/html; charset=utf-8',
          pieces: recorded(exportAsPage(person)),
          security: pageHeaders,
          close,
        };
      const beside = reads.isIncomplete(['emails']) ? { incomplete: true } : {};
      const pieces = recorded(successPieces(personExportAsJson(person), beside));
      return { contentType: 'application/json; charset=utf-8', pieces, close };
    } catch (error) {
      close();
      throw error;
    }
  });
}
