/** The endpoints of what people may ask of their data, and what they answer. */
import { z } from 'zod';
import { reasonForm } from '../../../events/erasures.js';
import * as value from '../../../events/values.js';
import { count, erasureId, object, time } from '../../../events/values.js';
import { personExport } from '../../../privacy/export-answer.js';
import { ownRead, ownWrite, type Resource } from '../../http/endpoint.js';
import { address } from '../../schemas/fields.js';
import { idInPath, incomplete, pageSchema, paging } from '../../schemas/parameters.js';
import { textField } from '../../schemas/rules.js';

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

export const privacyEndpoints = {
  export: ownRead('exportPerson', '/v1/privacy/export', {
    scope: 'privacy',
    summary: 'What is stored about an address',
    description:
      'With `Accept: text/html` a page that can be kept and printed. An address that nothing is known of is answered, too: `known` is false.',
    query: z.object({ email: address }),
    answer: { data: personExport, beside: { incomplete }, others: { 'text/html': z.string() } },
  }),
  erase: ownWrite('requestErasure', '/v1/privacy/erasures', {
    scope: 'privacy',
    summary: 'Erase a person',
    description:
      'Begins to erase all that is stored about an address, whether it is known or not. While an erasure of it is not completed, a second request is that erasure.',
    body: z.object({ email: address, reason, forget_suppression: forgetSuppression }),
    message: 'Erasure accepted!',
    answer: { status: 202, data: erasure, headers: ['Location'], position: true },
  }),
  page: ownRead('listErasures', '/v1/privacy/erasures', {
    scope: 'privacy',
    summary: 'List the erasures',
    query: z.object(paging),
    answer: pageSchema(erasure),
  }),
  get: ownRead('getErasure', '/v1/privacy/erasures/{erasure_id}', {
    scope: 'privacy',
    summary: 'How far an erasure is',
    answer: { data: erasure },
  }),
};

export const privacy: Resource = {
  name: 'Privacy',
  description: 'Telling a person what is stored, and erasing a person.',
  parameters: { erasure_id: idInPath('ers', 'erasure') },
  endpoints: privacyEndpoints,
};
