/** Addresses that refuse mail: suppress, search, release, list. */
import { z } from 'zod';
import {
  activeSuppression,
  addressSuppressions,
  suppressionReason,
  suppressionScope,
  suppressionsIn,
} from '../../audit/suppressions.js';
import { comparedAddress } from '../../events/address.js';
import { reasonForm } from '../../events/erasures.js';
import { recipientOf, suppressionStream } from '../../events/streams.js';
import { everyMail, type Suppression } from '../../events/suppressions.js';
import { maybePosition, object, position, email as shownEmail, time } from '../../events/values.js';
import type { Resource } from '../http/endpoint.js';
import { createParser } from '../http/parse.js';
import { answerOfPage, pageRequest } from '../http/paging.js';
import { lineNumber as line, refusedLine } from '../schemas/bulk.js';
import { address } from '../schemas/fields.js';
import { incomplete, namedChoice, pageSchema, paging } from '../schemas/parameters.js';
import { controlButTabAndLineBreak, refuseWith, textField } from '../schemas/rules.js';
import { read, write, type Parts } from './parts.js';

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
const suppression = z.object({
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

const parser = createParser(suppression);

type Refusal = z.output<typeof suppression>;

const endpoints = {
  add: write('suppress', '/v1/suppressions', {
    scope: 'suppressions:write',
    summary: 'Refuse mail to an address, or to many',
    description:
      'Takes one address as JSON, or many as NDJSON with at most 10 MiB and 200,000 lines. Each line is answered with a line. The same reason in the same scope is not written twice.',
    body: suppression.optional(),
    upload: { type: 'lines', schema: suppression, title: 'SuppressRequest', isOneToo: true },
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
    handle: async (call, { audience, bounds }) => {
      const { input, context } = call;
      if (input !== undefined) {
        const { active, isChanged, position } = await audience.suppressions.suppress(input, context);
        const outcome = isChanged ? 'created' : 'unchanged';
        return { data: { outcome, active: active.map(shown), position } };
      }
      return await bounds.suppressions(call, {
        parse: (line) => parser.parse(line, true),
        addressOf: ({ email }: Refusal) => comparedAddress(email),
        save: async (refusal: Refusal, isLikelyNew) => {
          const { isChanged, position } = await audience.suppressions.suppress(refusal, context, isLikelyNew);
          return { outcome: isChanged ? 'created' : 'unchanged', position };
        },
      });
    },
  }),
  search: write('findSuppressions', '/v1/suppressions/search', {
    scope: 'suppressions:read',
    summary: 'What an address refuses, and how it came to that',
    description:
      'Of any address, also one that never was a contact or whose person is erased. The address is in the body, and so in no log of a proxy.',
    body: z.object({ email: address }),
    message: 'Suppressions of the address.',
    answer: { data: addressSuppressions },
    handle: async (call, { audit, access, streamOf }) => {
      const subject = recipientOf(streamOf(call.input.email));
      const data = await access.answering(call, { subject, what: 'suppressions' }, () =>
        suppressionsIn(audit.stored.ofStream(suppressionStream(subject), call.signal())),
      );
      return { data };
    },
  }),
  release: write('releaseSuppression', '/v1/suppressions/release', {
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
    handle: async ({ input, context }, { audience }) => {
      const { active, isChanged, position } = await audience.suppressions.release(input, context);
      const outcome = isChanged ? 'released' : 'unchanged';
      return { data: { outcome, active: active.map(shown), position } };
    },
  }),
  page: read('listSuppressions', '/v1/suppressions', {
    scope: 'suppressions:read',
    summary: 'List the addresses that refuse mail',
    description: 'In no order that means anything. Of an erased person there is no address.',
    query: z.object({
      reason: namedChoice(suppressionReason, 'Only addresses that refuse mail for this reason.').optional(),
      scope: scope.meta({ description: 'Only addresses that refuse mail of this scope.' }).optional(),
      ...paging,
    }),
    answer: pageSchema(listed, { incomplete }),
    handle: async (call, { queries }) => {
      const { reason, scope } = call.query;
      const pageScope = ['suppressions', reason ?? '', scope ?? ''];
      const page = pageRequest(call.query, pageScope);
      const found = await queries.pageSuppressions({ ...page, reason, scope });
      return answerOfPage(found, { scope: pageScope });
    },
  }),
};

export const suppressionResource: Resource<Parts> = {
  name: 'Suppressions',
  description: 'Addresses that refuse mail: of one list, or of every kind.',
  parameters: {},
  endpoints,
};

const shown = (one: Suppression): object => ({ ...one, email_id: one.email_id ?? null });
