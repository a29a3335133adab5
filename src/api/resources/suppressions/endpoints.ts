/** The endpoints of refused mail, and what they answer. */
import { z } from 'zod';
import {
  activeSuppression,
  addressSuppressions,
  suppressionReason,
  suppressionScope,
} from '../../../audit/suppressions.js';
import { everyMail } from '../../../events/suppressions.js';
import { reasonForm } from '../../../events/erasures.js';
import { maybePosition, object, position, email as shownEmail, time } from '../../../events/values.js';
import { ownRead, ownWrite, type Resource } from '../../http/endpoint.js';
import { lineNumber as line, refusedLine } from '../../schemas/bulk.js';
import { address } from '../../schemas/fields.js';
import { incomplete, namedChoice, pageSchema, paging } from '../../schemas/parameters.js';
import { controlButTabAndLineBreak, refuseWith, textField } from '../../schemas/rules.js';

const scopeForm = /^(all|lst_[0-9A-Z]{26})$/;
const scope = textField(
  { form: { fits: (text) => scopeForm.test(text), code: 'invalid_scope' } },
  { description: '`all`: mail of every kind; or the id of a list.', examples: ['all'], pattern: scopeForm.source },
);
const note = textField(
  { forbidden: controlButTabAndLineBreak, maxCharacters: 2_000 },
  { description: 'What is known about it. It is erased with the person.', examples: ['said so by phone'] },
)
  .nullish()
  .transform((text) => (text === '' ? undefined : (text ?? undefined)));

/** Reasons of releases that nobody asks for here. */
const kept: readonly string[] = ['person', 'forgotten'];
const releaseReason = textField(
  { form: { fits: (text) => reasonForm.test(text), code: 'invalid_code' } },
  {
    description: 'A code that says why. Nothing personal: it stays in the log.',
    examples: ['asked_by_phone'],
    pattern: reasonForm.source,
  },
).refine((text) => !kept.includes(text), refuseWith('reserved_code'));

/** One, or a line of many. */
export const suppression = z.object({
  email: address,
  reason: suppressionReason,
  scope: scope.default(everyMail),
  note,
});

const active = z.array(activeSuppression).describe('What the address refuses now, the oldest first.');
const written = { outcome: z.enum(['created', 'unchanged']).meta({ id: 'SuppressedOutcome' }), active };

const listed = object(
  'Suppression',
  {
    email: shownEmail.nullable().describe('Null: the person is erased, and only the refusal is kept.'),
    active: z.array(
      object('ListedSuppression', {
        scope: suppressionScope,
        reason: suppressionReason,
        since: time,
      }),
    ),
  },
  'An address that refuses mail.',
);

export const suppressionEndpoints = {
  add: ownWrite('suppress', '/v1/suppressions', {
    scope: 'suppressions:write',
    summary: 'Refuse mail to an address, or to many',
    description:
      'Takes one address as JSON, or many as NDJSON with at most 10 MiB and 200,000 lines. Each line is answered with a line. The same reason in the same scope is not written twice.',
    body: suppression.optional(),
    lines: { schema: suppression, title: 'SuppressRequest', isOneToo: true },
    bodyLimit: 10 * 1024 * 1024,
    message: 'Suppression saved successfully!',
    answer: {
      data: object('Suppressed', { ...written, position }),
      others: {
        'application/x-ndjson': z.discriminatedUnion('outcome', [
          object('SuppressedLine', { line, outcome: written.outcome, position }),
          refusedLine,
        ]),
      },
    },
    errors: ['unknown_list'],
  }),
  search: ownWrite('findSuppressions', '/v1/suppressions/search', {
    scope: 'suppressions:read',
    summary: 'What an address refuses, and how it came to that',
    description:
      'Of any address, also one that never was a contact or whose person is erased. The address is in the body, and so in no log of a proxy.',
    body: z.object({ email: address }),
    message: 'Suppressions of the address.',
    answer: { data: addressSuppressions },
  }),
  release: ownWrite('releaseSuppression', '/v1/suppressions/release', {
    scope: 'suppressions:write',
    summary: 'Let mail of a scope go to an address again',
    description:
      'Lifts every reason of exactly this scope. What was refused, and who has lifted it, stays in the history.',
    body: z.object({ email: address, scope, reason: releaseReason, note }),
    message: 'Suppression released successfully!',
    answer: {
      data: object('ReleasedSuppression', {
        outcome: z.enum(['released', 'unchanged']).meta({ id: 'ReleasedOutcome' }),
        active,
        position: maybePosition.describe('Up to there it holds; empty where nothing was ever refused.'),
      }),
    },
  }),
  page: ownRead('listSuppressions', '/v1/suppressions', {
    scope: 'suppressions:read',
    summary: 'List the addresses that refuse mail',
    description: 'In no order that means anything. Of an erased person there is no address.',
    query: z.object({
      reason: namedChoice(suppressionReason, 'Only addresses that refuse mail for this reason.').optional(),
      scope: scope.meta({ description: 'Only addresses that refuse mail of this scope.' }).optional(),
      ...paging,
    }),
    answer: pageSchema(listed, { incomplete }),
  }),
};

export const suppressionResource: Resource = {
  name: 'Suppressions',
  description: 'Addresses that refuse mail: of one list, or of every kind.',
  parameters: {},
  endpoints: suppressionEndpoints,
};
