/** The endpoints of auditors: answered from the log itself. */
import { z } from 'zod';
import * as answers from '../../../audit/answers.js';
import { listAtLine, listDiffLine } from '../../../audit/list-answers.js';
import { isEventType } from '../../../audit/feed.js';
import { report } from '../../../report/report-answer.js';
import { eventProofSchema, proofSchema } from '../../../integrity/proofs.js';
import { count } from '../../../events/values.js';
import { sealedLog, sealStateSchema } from '../../../integrity/service-proofs.js';
import { ownRead, type Resource } from '../../http/endpoint.js';
import {
  between,
  choice,
  flag,
  idInPath,
  incomplete,
  isInOrder,
  optionalLimit,
  optionalText,
  outOfOrder,
  pageSchema,
  paging,
  textInPath,
  timeParameter,
} from '../../schemas/parameters.js';

const listId = optionalText('Id or name of a list: only what concerns it.');
const listErrors = ['no_such_list', 'no_such_list_near'] as const;

const eventTypes = optionalText('')
  .transform((names) => names?.split(',') ?? [])
  .superRefine((names, { addIssue }) => {
    const wrong = names.find((name) => !isEventType(name))?.slice(0, 64);
    if (wrong !== undefined) addIssue({ code: 'custom', params: { code: 'invalid_types', names: wrong } });
  })
  .meta({
    description: 'Names of events, separated by commas: only these.',
    type: 'string',
    examples: ['ContactSubscribed,ContactUnsubscribed'],
  });

/** Where `contact` is an address. */
const ofAddress = ['too_many_bytes', 'invalid_characters', 'invisible_in_email', 'invalid_email'] as const;
const ofContactInList = [
  ...ofAddress,
  'unknown_parameter_near',
  'no_such_contact',
  ...listErrors,
  'never_in_list',
] as const;

export const auditEndpoints = {
  history: ownRead('getContactHistory', '/v1/audit/contacts/{contact}/history', {
    scope: 'audit:read',
    summary: 'What happened to a contact',
    description: '`contact` is an id or an address.',
    query: z.object({ list_id: listId, ...between, ...paging }).refine(isInOrder, outOfOrder),
    answer: pageSchema(answers.historyItem, { ...answers.historyBasis, incomplete }),
    errors: ofContactInList,
  }),
  emailHistory: ownRead('getEmailHistory', '/v1/audit/emails/{email_id}/history', {
    scope: 'audit:read',
    summary: 'What happened to an e-mail',
    description: 'Every event of it, and what its recipient did because of it. The oldest first.',
    query: z.object(paging),
    answer: pageSchema(answers.historyItem, answers.basis),
  }),
  contactAt: ownRead('getContactAt', '/v1/audit/contacts/{contact}/at', {
    scope: 'audit:read',
    summary: 'A contact as it was at a time',
    description: '`contact` is an id or an address.',
    query: z.object({ time: timeParameter('end', 'The point in time.'), list_id: listId }),
    answer: { data: answers.contactAtSchema },
    errors: ofContactInList,
  }),
  report: ownRead('getContactReport', '/v1/audit/contacts/{contact}/report', {
    scope: 'audit:read',
    summary: 'A report about a contact',
    description:
      '`contact` is an id or an address. The answer in one sentence, every change, the e-mails, and how to check it all. As JSON, or with `Accept: text/html` as a page.',
    query: z.object({ time: timeParameter('end', 'The point in time; default: now.').optional(), list_id: listId }),
    answer: { data: report, others: { 'text/html': z.string() } },
    errors: [...ofContactInList, 'too_many_events'],
  }),
  proof: ownRead('getContactProof', '/v1/audit/contacts/{contact}/proof', {
    scope: 'audit:read',
    summary: 'A proof of the events of a contact',
    description:
      '`contact` is an id or an address. `data` is a file for `verify.mjs`: the events as they are stored, with their paths to the root of the newest seal that covers all of them. If no seal does, one is made now. It contains no events of other people and no e-mails.',
    answer: { data: proofSchema },
    errors: [...ofAddress, 'no_such_contact', 'too_many_events'],
  }),
  access: ownRead('listReads', '/v1/audit/access', {
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
  }),
  listAt: ownRead('getListAt', '/v1/audit/lists/{list_id}/at', {
    scope: 'audit:read',
    summary: 'The members of a list as they were at a time',
    description: '`list_id` is an id or a name.',
    query: z.object({
      time: timeParameter('end', 'The point in time.'),
      format: choice(['ndjson', 'csv'], 'Form of the lines.').default('ndjson'),
    }),
    answer: { others: { 'application/x-ndjson': listAtLine, 'text/csv': z.string() } },
    errors: listErrors,
  }),
  listDiff: ownRead('getListDiff', '/v1/lists/{list_id}/diff', {
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
  }),
  events: ownRead('listEvents', '/v1/audit/events', {
    scope: 'audit:read',
    summary: 'The events of the log, from the first one on',
    query: z
      .object({
        actor: optionalText('Id of an API key, or the name of one of the configuration: only what was done with it.'),
        request_id: optionalText('Only what this request did.'),
        contact: optionalText('Id or address of a contact: only the events of its stream.'),
        stream: optionalText('Name of a stream: only its events.'),
        list_id: optionalText('Id or name of a list: only events that name it.'),
        ...between,
        format: choice(['json', 'ndjson'], 'A page, or all as lines.').optional(),
        follow: flag(
          'If `true`, events are sent as they happen, as server-sent events. Only `after` and `types` can be used with it.',
          false,
        ),
        after: optionalText('`next_after` of a page, a position of the log, or `now`: only later events.'),
        types: eventTypes,
        limit: optionalLimit,
      })
      .refine(isInOrder, outOfOrder),
    answer: answers.feed,
    errors: ['invalid_after', 'event_gone', 'not_with_follow', ...ofAddress, 'no_such_contact', ...listErrors],
  }),
  event: ownRead('getEvent', '/v1/audit/events/{position}', {
    scope: 'audit:read',
    summary: 'One event of the log, with its number and its leaf',
    answer: { data: answers.eventInFull },
  }),
  eventProof: ownRead('getEventProof', '/v1/audit/events/{position}/proof', {
    scope: 'audit:read',
    summary: 'A proof of one event',
    description:
      '`data` is a file for `verify.mjs`: the event as it is stored, with its path to the root of the newest seal that covers it. If no seal does, one is made now.',
    answer: { data: eventProofSchema },
  }),
  seals: ownRead('listSeals', '/v1/audit/seals', {
    scope: 'audit:read',
    summary: 'The seals that the service has kept, and whether they hold',
    description:
      'The seals of the data folder and of SEAL_DIR, newest first: by restores, then events, then number of the seal.',
    query: z.object(paging),
    answer: pageSchema(sealStateSchema, sealedLog),
  }),
};

const position = {
  description: 'Position of an event in the log, with or without zeros in front.',
  schema: { type: 'string', pattern: '^[0-9]+$' },
} as const;

export const audit: Resource = {
  name: 'Audit',
  description: 'What happened, answered from the event log itself.',
  parameters: {
    contact: textInPath('Id or address of a contact.'),
    email_id: idInPath('eml', 'e-mail'),
    list_id: textInPath('Id or name of a list.'),
    position,
  },
  endpoints: auditEndpoints,
};
