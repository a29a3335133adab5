/** The rights of a person: a copy of what is stored about the person, and its erasure. */
import { z } from 'zod';
import type { Erasure } from '../../commands/erasures.js';
import { ServiceError } from '../../errors.js';
import { reasonForm } from '../../events/erasures.js';
import { recipientOf } from '../../events/streams.js';
import * as value from '../../events/values.js';
import { count, erasureId, object, time } from '../../events/values.js';
import { personExport } from '../../privacy/export-answer.js';
import { exportAsPage } from '../../privacy/export-page.js';
import { personExportAsJson, exportPerson } from '../../privacy/export.js';
import { pagePolicy } from '../../report/page.js';
import type { Resource } from '../http/endpoint.js';
import { successPieces } from '../http/envelope.js';
import { answerOfPage, besideOf, pageOfEntries, pageRequest } from '../http/paging.js';
import { wantsPage } from '../http/request-headers.js';
import { securityHeaders } from '../http/security-headers.js';
import { address } from '../schemas/fields.js';
import { idInPath, incomplete, pageSchema, paging } from '../schemas/parameters.js';
import { textField } from '../schemas/rules.js';
import { read, readOfLog, write, type Parts } from './parts.js';

const pageHeaders = securityHeaders(pagePolicy);

const reason = textField(
  { form: { fits: (value) => reasonForm.test(value), code: 'invalid_code' } },
  {
    description: 'A code that says why. Nothing personal: it stays in the log.',
    examples: ['requested'],
    pattern: reasonForm.source,
  },
)
  .nullish()
  .transform((given) => given ?? undefined);

const forgetSuppression = z
  .boolean()
  .meta({
    description:
      '`true`: what the person refuses is not refused any more. Default: it stays, under a pseudonym, and mail to the address stays refused.',
    examples: [false],
  })
  .nullish()
  .transform((given) => given ?? undefined);

const erasure = object(
  'Erasure',
  {
    erasure_id: erasureId,
    status: z.enum(['requested', 'completed']),
    requested_at: time,
    completed_at: time.nullable(),
    reason: value.text('The code that was given.', 'requested').nullable(),
    contacts: count.nullable().describe('Contacts that were erased, 0 or 1. Null until it is completed.'),
    emails: count.nullable().describe('E-mails that were erased. Null until it is completed.'),
  },
  'It names nobody.',
);

const endpoints = {
  export: readOfLog('exportPerson', '/v1/privacy/export', {
    scope: 'privacy',
    summary: 'What is stored about an address',
    description:
      'With `Accept: text/html` a page that can be kept and printed. An address that nothing is known of is answered, too: `known` is false.',
    query: z.object({ email: address }),
    answer: { data: personExport, beside: { incomplete }, others: { 'text/html': z.string() } },
    handle: async (call, { audit, queries, access, streamOf, bounds }) => {
      const { email } = call.query;
      const stream = streamOf(email);
      const signal = call.signal();
      const close = await bounds.exports.take(signal);
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
        const beside = besideOf(queries.lacksEmails());
        const pieces = recorded(successPieces(personExportAsJson(person), beside));
        return { contentType: 'application/json; charset=utf-8', pieces, close };
      } catch (error) {
        close();
        throw error;
      }
    },
  }),
  erase: write('requestErasure', '/v1/privacy/erasures', {
    scope: 'privacy',
    summary: 'Erase a person',
    description:
      'Begins to erase all that is stored about an address, whether it is known or not. While an erasure of it is not completed, a second request is that erasure.',
    body: z.object({ email: address, reason, forget_suppression: forgetSuppression }),
    message: 'Erasure accepted!',
    answer: { status: 202, data: erasure, headers: ['Location'], position: true },
    handle: async ({ input, context }, { erasures }) => {
      const { erasure, position } = await erasures.request(input, context);
      const location = ['Location', `/v1/privacy/erasures/${erasure.erasure_id}`];
      return { data: shown(erasure), headers: [...location, 'X-Position', position] };
    },
  }),
  page: read('listErasures', '/v1/privacy/erasures', {
    scope: 'privacy',
    summary: 'List the erasures',
    query: z.object(paging),
    answer: pageSchema(erasure),
    handle: async ({ query }, { erasures }) => {
      const scope = ['erasures'];
      const request = pageRequest(query, scope);
      return answerOfPage(pageOfEntries(await erasures.all(), request), { show: shown, scope });
    },
  }),
  get: read('getErasure', '/v1/privacy/erasures/{erasure_id}', {
    scope: 'privacy',
    summary: 'How far an erasure is',
    answer: { data: erasure },
    handle: async ({ parameter }, { erasures }) => {
      const erasure = (await erasures.all()).get(parameter('erasure_id'));
      if (erasure === undefined) throw new ServiceError('not_found');
      return { data: shown(erasure) };
    },
  }),
};

export const privacyResource: Resource<Parts> = {
  name: 'Privacy',
  description: 'Telling a person what is stored, and erasing a person.',
  parameters: { erasure_id: idInPath('ers', 'erasure') },
  endpoints,
};

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
