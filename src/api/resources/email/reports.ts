/** The endpoint that takes reports of mail servers about e-mails: bounces and complaints. */
import { z } from 'zod';
import { reportOutcomes, type Reports } from '../../../bounces/take-report.js';
import { ServiceError } from '../../../errors.js';
import { emailId, object } from '../../../events/values.js';
import type { Queries } from '../../../projections/queries.js';
import { touchedDocument } from '../../../projector/touched.js';
import { readMessage } from '../../http/body.js';
import { ownWrite } from '../../http/endpoint.js';
import type { Reads } from '../../http/reads.js';
import type { Routes } from '../../http/routes.js';

const maxReport = 1024 * 1024;
const envelopeTo = 'X-Envelope-To';

export const reportEndpoint = ownWrite('takeReport', '/v1/email/reports', {
  scope: 'reports',
  summary: 'Take a report about an e-mail',
  description:
    'A bounce or a complaint as it was received (RFC 3464, 6533, 5965). A report that is sent again, or that is about no e-mail of this service, changes nothing and is 202, too.',
  mail: { headers: [envelopeTo] },
  bodyLimit: maxReport,
  message: 'Report taken!',
  answer: {
    status: 202,
    position: true,
    data: object('TakenReport', {
      outcome: z
        .enum(reportOutcomes)
        .describe(
          '`unverified`: recorded, but not believed, so the report changes nothing. `known`: the report says nothing new. `ignored`: the report tells neither of a failure nor of a complaint, cannot be read, or came to a return path that is not valid. `unmatched`: the report is not about an email that was sent.',
        ),
      email_id: emailId.nullable(),
      verified: z.boolean().describe('The report came to the return path of the email, or names it.'),
    }),
  },
  errors: ['required'],
});

export interface ReportParts {
  readonly reports: Pick<Reports, 'take'>;
  readonly queries: Queries;
  readonly reads: Reads;
}

export function reportRoutes(routes: Routes, { reports, queries, reads }: ReportParts): void {
  routes.on(reportEndpoint, async (call) => {
    const bytes = await readMessage(call.request, maxReport);
    if (bytes.length === 0) throw new ServiceError('required', { field: 'Request body' });
    const recipient = call.request.headers[envelopeTo.toLowerCase()];
    if (typeof recipient !== 'string' || recipient.trim() === '')
      throw new ServiceError('required', { field: envelopeTo });
    /** The stream follows from the id only where there was no `Idempotency-Key`, so the view is asked. */
    const streamOf = async (id: string): Promise<string | undefined> => {
      await reads.visible(call, { touched: [touchedDocument('emails', id)], parked: [] });
      return (await queries.placeOfEmail(id))?.stream;
    };
    const taken = await reports.take({ recipient, bytes, streamOf }, call.context);
    const { outcome, emailId: email_id, verified, position } = taken;
    return { data: { outcome, email_id, verified }, headers: ['X-Position', position] };
  });
}
